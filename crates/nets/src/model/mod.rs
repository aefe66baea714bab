//! What a network is: its description, its operations, its input and its files.

pub(crate) mod exchange;
pub(crate) mod file;
pub(crate) mod found;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod network;
mod onnx;
pub mod planes;
pub(crate) mod shipped;
pub(crate) mod spec;
