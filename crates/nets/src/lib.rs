//! Networks on the CPU: input planes, kernels, files, training.

mod any;
mod cache;
mod error;
mod evaluator;
mod file;
#[cfg(test)]
mod gradient_tests;
mod graph;
mod history;
pub mod katago;
mod kernels;
mod network;
pub mod planes;
pub mod records;
mod rollout;
mod run;
mod shipped;
mod spec;
pub mod train;

pub use any::AnyNetwork;
pub use error::NetError;
pub use evaluator::NetEvaluator;
pub use file::{SPEC_KEY, file_hash};
pub use history::History;
pub use kernels::peak::peak_operations;
pub use network::{Network, Output, Runner};
pub use rollout::{RolloutNetwork, RolloutPolicy};
pub use run::Arithmetic;
pub use shipped::shipped;
pub use spec::{NetSpec, PolicySpec, SCORE_UNIT, Trunk, ValueSpec};
