//! Players: anything that chooses moves in a game, and what a player that searches needs around its search.

mod book;
pub(crate) mod conduct;
mod configure;
pub(crate) mod cpu;
mod dynamic_komi;
pub(crate) mod ending;
mod greedy;
mod mcts;
mod player;
mod request;
mod resignation;
mod seat;
mod style;

pub use book::{Book, BookError, BookMove, BookPlayer};
pub use conduct::ConductConfig;
pub use configure::{Configure, ConfigureError};
pub use cpu::Meter;
pub use dynamic_komi::DynamicKomi;
pub use greedy::{Greedy, GreedyConfig};
pub use mcts::{Mcts, MctsConfig};
pub use player::{Decision, Player, PlayerError, RandomPlayer, ReplyTable};
pub use request::{Limits, Query, Request, StopSignal};
pub use seat::{Seat, Turn};
pub use style::StyleConfig;
