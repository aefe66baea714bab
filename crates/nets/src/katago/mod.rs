//! KataGo's networks: their files, their input features, their outputs.
//!
//! The convolutional families of model versions 8 to 12 with ReLU are read, `.bin.gz` and `.txt.gz`: the networks of the run
//! g170 and those of kata1 before Mish. Format and features are facts of Wu, "Accelerating self-play learning in Go", 2019, and of
//! the documentation of KataGo.

mod build;
mod features;
mod network;
mod reader;

pub(crate) use features::{GLOBALS, PLANES};
pub use network::{KataNetwork, KataOutput, KataRunner};

/// KataGo's numbering of the symmetries, 0 to 7: 1 mirrors the rows, 2 the columns, 4 exchanges both afterwards.
pub fn symmetry(number: usize) -> tengen_board::Symmetry {
    let (rows, columns, transposes) = (number & 1, (number >> 1) & 1, number & 4);
    // Its rows begin at the top and ours at the bottom, so that its exchange mirrors ours both ways.
    let mirrors = (columns | rows << 1) ^ if transposes == 0 { 0 } else { 3 };
    tengen_board::Symmetry::ALL[transposes | mirrors]
}
