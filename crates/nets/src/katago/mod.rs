//! KataGo's networks: their files, their input features, their outputs.
//!
//! Model versions 8 to 17 are read, `.bin.gz` and `.txt.gz`: from the run g170 to today's nested bottlenecks and transformers, but for
//! networks that must be told whom to imitate ("human" ones). Format and features are facts of Wu, "Accelerating self-play learning
//! in Go", 2019, and of the documentation of KataGo.

mod area;
mod blocks;
mod build;
mod features;
mod ladder;
mod layers;
mod network;
#[cfg(test)]
mod plain_tests;
mod reader;

pub(crate) use features::{GLOBALS, PLANES};
pub use network::{KataNetwork, KataOutput, KataRunner};

/// KataGo's numbering of the symmetries, 0 to 7: 1 mirrors the rows, 2 the columns, 4 exchanges both afterwards, which
/// is left out on boards that are not square.
pub fn symmetry(number: usize, square: bool) -> tengen_board::Symmetry {
    let (rows, columns) = (number & 1, (number >> 1) & 1);
    let transposes = if square { number & 4 } else { 0 };
    // Its rows begin at the top and ours at the bottom, so that its exchange mirrors ours both ways.
    let mirrors = (columns | rows << 1) ^ if transposes == 0 { 0 } else { 3 };
    tengen_board::Symmetry::ALL[transposes | mirrors]
}
