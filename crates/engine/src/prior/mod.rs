//! What is known about moves before they are tried: Go knowledge, and the replies that were good elsewhere in the tree.

mod feature_weights;
mod features;
pub mod gcmb;
mod knowledge;
mod wide_shapes;

pub use feature_weights::FeatureWeights;
pub use features::{FeatureReader, Features};
pub use gcmb::{Gcmb, GcmbConfig, GcmbRecord};
pub use knowledge::{Knowledge, KnowledgeConfig, KnowledgeSource, KnowledgeTarget};
pub use wide_shapes::{KnownShapes, ShapeCounter};
