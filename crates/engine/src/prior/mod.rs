//! What is known about moves before they are tried: Go knowledge, and the replies that were good elsewhere in the tree.

pub mod gcmb;
mod knowledge;
mod wide_shapes;

pub use gcmb::{Gcmb, GcmbConfig, GcmbRecord};
pub use knowledge::{FeatureReader, FeatureWeights, Features, Knowledge, KnowledgeConfig, KnowledgeTarget};
pub use wide_shapes::{KnownShapes, ShapeCounter};
