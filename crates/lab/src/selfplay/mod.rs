//! Self-play: games of a network against itself, with records to learn from (S5.4).
//!
//! A [`Pool`] plays many games at once in each thread. Every game is a small machine that says which position it wants to have
//! evaluated; the positions of all games go through the network in batches. A game depends on the settings, the seed, its number
//! and the network alone: not on how many others are played beside it, nor on how many threads there are. [`run`] writes the games
//! into files of records and goes on after an interruption; any other player can make such records, too ([`Who::Player`](crate::venue::Who::Player)).

mod config;
mod error;
mod files;
pub(crate) mod gumbel;
mod player;
mod pool;
pub(crate) mod search;
mod table;

pub use config::{Method, SelfPlayConfig};
pub use error::SelfPlayError;
pub use files::{Run, Summary, run};
pub use gumbel::GumbelConfig;
pub(crate) use player::play as play_player;
pub use player::{Thought, record};
pub use pool::{Pool, Seen};
pub use table::{Played, owners};

use tengen_nets::records::Records;

/// Games as records, a set for each size of board, the smallest first, and in the order of their numbers. What a network did tells its
/// hash, too; a player has told its own.
pub fn records(mut played: Vec<Played>, net_hash: &str) -> Vec<Records> {
    played.sort_by_key(|played| (played.game.board().width(), played.number));
    let mut sets: Vec<Records> = Vec::new();
    for Played { game, mut record, .. } in played {
        if !net_hash.is_empty() {
            net_hash.clone_into(&mut record.net_hash);
            record.behaviour = format!("{}, network {net_hash}", record.behaviour);
        }
        let (width, height) = (game.board().width(), game.board().height());
        match sets.last_mut().filter(|set| set.width == width) {
            Some(set) => set.games.push(record),
            None => sets.push(Records { width, height, games: vec![record] }),
        }
    }
    sets
}
