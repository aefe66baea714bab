//! Networks on the CPU: input planes, kernels, files, training.

mod error;
mod exec;
pub mod katago;
mod model;
pub mod records;
mod rollout;
mod serve;
pub mod train;

pub use error::NetError;
pub use exec::Arithmetic;
pub use exec::kernels::peak::peak_operations;
pub use model::exchange::NamedArray;
pub use model::file::{FileContents, SPEC_KEY, file_hash};
pub use model::found::{network_name, networks_found};
pub use model::history::History;
pub use model::network::{Network, Output, Runner};
pub use model::planes;
pub use model::shipped::shipped;
pub use model::spec::{NetSpec, PolicySpec, SCORE_UNIT, Trunk, ValueSpec};
pub use rollout::{RolloutNetwork, RolloutPolicy};
pub use serve::any::AnyNetwork;
pub use serve::evaluator::NetEvaluator;
