//! Monte-Carlo Go: playouts, tree search, players, GTP. No tensors, no async.

pub mod analysis;
pub mod flat;
pub mod gtp;
pub mod players;
pub mod playout;
pub mod prior;
pub mod reading;
pub mod rng;
pub mod search;
pub mod time;
pub mod tree;
pub mod whole_file;
