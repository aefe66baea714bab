//! The kinds of players, and how one is built.

use serde::{Deserialize, Serialize};
use tengen_engine::{
    player::{Player, RandomPlayer},
    playout::UniformConfig,
};

use crate::{error::SpecError, options::PlayerOptions};

/// A kind of player and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayerConfig {
    /// See [`RandomPlayer`].
    Random(UniformConfig),
}

impl PlayerConfig {
    /// The running player.
    pub fn build(&self, options: &PlayerOptions) -> Result<Box<dyn Player>, SpecError> {
        let seed = options.seed_or_fresh();
        Ok(match self {
            PlayerConfig::Random(config) => Box::new(RandomPlayer::new(config, seed)),
        })
    }
}
