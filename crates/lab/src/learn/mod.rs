//! What is learned elsewhere than from given positions: the weights of move features, and networks by their own games.

pub mod anchors;
mod folder;
pub mod gradient;
pub mod knowledge;
pub mod progress;
mod report;
pub mod zero;
