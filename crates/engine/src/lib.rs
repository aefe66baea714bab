//! Monte-Carlo Go: playouts, tree search, players, GTP. No tensors, no async.

pub mod analysis;
pub mod book;
pub mod clock;
mod conduct;
pub mod configure;
pub mod dynamic_komi;
mod ending;
pub mod eval;
pub mod flat;
pub mod gtp;
pub mod ladder;
pub mod mcts;
pub mod pace;
pub mod player;
pub mod playout;
pub mod prior;
pub mod report;
mod resignation;
pub mod restriction;
pub mod rng;
mod run;
pub mod search;
pub mod shapes;
pub mod status;
pub mod tree;
pub mod watch;
mod worker;
