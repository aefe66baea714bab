//! Monte-Carlo Go: playouts, tree search, players, GTP. No tensors, no async.

pub mod player;
pub mod playout;
pub mod rng;
