//! The native part of the Python package `tengen`. `python/tengen` has what is simpler in Python.
//!
//! Arrays are copied in and out, so that nothing of Python's is touched while the interpreter does other work.

// Documentation of what Python sees is written for Python: its brackets are lists, not links.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]
#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is owned")]
#![allow(rustdoc::invalid_rust_codeblocks, reason = "the examples are Python's")]

mod arrays;
mod environments;
mod errors;
mod game;
mod matches;
mod network;
mod player;
mod points;
mod svg;
mod train;

/// The module `tengen._tengen`.
#[pyo3::pymodule]
mod _tengen {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::environments::Environments;
    #[pymodule_export]
    use crate::errors::IllegalMoveError;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::matches::{
        ResultFile, Thoughts, count_game, derive_seed, fingerprint, referee_for, summary, tournament,
    };
    #[pymodule_export]
    use crate::network::{Network, networks, pack_network};
    #[pymodule_export]
    use crate::player::{Analysis, Player, presets, serve_gtp};
    #[pymodule_export]
    use crate::train::{Batch, Learner, ReplayBuffer, play_games, train_zero};

    /// Runs the command `tengen` with these words, of which the first is the program itself; returns its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| tengen_cli::main(args))
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "so Python names it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
