//! Monte-Carlo Go: playouts, tree search, players, GTP. No tensors, no async.

pub mod clock;
pub mod configure;
pub mod gtp;
pub mod player;
pub mod playout;
pub mod rng;
pub mod status;
