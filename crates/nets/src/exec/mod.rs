//! Runs networks: the kernels, and what runs a graph of operations with them, forwards and backwards.

mod backward;
#[cfg(test)]
mod gradient_tests;
mod gradients;
pub(crate) mod kernels;
mod numbers;
mod prepared;
mod workspace;

pub(crate) use gradients::Gradients;
pub(crate) use prepared::{Prepared, SharedWeights};
pub use workspace::Arithmetic;
pub(crate) use workspace::Workspace;
