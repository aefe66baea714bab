//! What can be wrong with networks, their files and the records they learn from.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a network cannot be read, built, trained or written.
#[derive(Debug, Error)]
pub enum NetError {
    /// A file cannot be read or written.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, as in "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a network that tengen reads.
    #[error("{} is not a usable network: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and the remedy.
        message: String,
    },
    /// The description of a network makes no sense.
    #[error("the network's description is not usable: {0}")]
    Spec(String),
    /// Game records that cannot be learned from.
    #[error("{}: {message}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Settings of a training that make no sense.
    #[error("{0}")]
    Settings(String),
}

impl NetError {
    /// For `map_err`: `action` failed on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> NetError {
        let path = path.to_owned();
        move |source| NetError::Io { action, path, source }
    }
}
