//! The kinds of players, and how one is built.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tengen_engine::{
    book::{Book, BookPlayer},
    flat::{Flat, FlatConfig},
    gtp::{ExternalPlayer, Timeouts},
    mcts::Mcts,
    player::{Player, RandomPlayer},
    playout::{PlayoutConfig, PlayoutLimits, UniformConfig},
    search::SearchConfig,
};

use crate::{error::SpecError, options::PlayerOptions};

/// A kind of player and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayerConfig {
    /// See [`RandomPlayer`].
    Random(UniformConfig),
    /// See [`Mcts`].
    Mcts(Box<SearchConfig>),
    /// See [`Flat`].
    Flat(Box<FlatConfig>),
    /// See [`ExternalPlayer`].
    Gtp(ExternalConfig),
}

/// Another program that speaks GTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalConfig {
    /// The command line that starts it.
    pub command: String,
    /// Seconds that it may take to start, and for any command but a move.
    pub command_seconds: f64,
    /// Seconds that it may take for a move.
    pub move_seconds: f64,
}

impl Default for ExternalConfig {
    fn default() -> Self {
        ExternalConfig { command: String::new(), command_seconds: 60.0, move_seconds: 600.0 }
    }
}

impl ExternalConfig {
    /// Starts the program.
    pub fn start(&self) -> Result<ExternalPlayer, SpecError> {
        let seconds = |key: &str, value: f64| {
            Duration::try_from_secs_f64(value).map_err(|_| SpecError::Value {
                context: key.to_owned(),
                message: "must be a number of seconds".to_owned(),
            })
        };
        let timeouts = Timeouts {
            command: seconds("command_seconds", self.command_seconds)?,
            genmove: seconds("move_seconds", self.move_seconds)?,
        };
        // The message of the client names the command line and the remedy.
        ExternalPlayer::start(&self.command, timeouts).map_err(|error| SpecError::Start(error.to_string()))
    }
}

impl PlayerConfig {
    /// The playouts of a player that does little else: what its speed can be compared with.
    pub fn bare_playouts(&self) -> Option<(&PlayoutConfig, PlayoutLimits)> {
        match self {
            PlayerConfig::Flat(config) => Some((&config.playout, config.limits)),
            _ => None,
        }
    }

    /// The running player; `name` is what GTP and reports call it.
    pub fn build(&self, name: &str, options: &PlayerOptions) -> Result<Box<dyn Player>, SpecError> {
        let seed = options.seed_or_fresh();
        let player: Box<dyn Player> = match self {
            PlayerConfig::Random(config) => Box::new(RandomPlayer::new(config, seed)),
            PlayerConfig::Mcts(config) => {
                Box::new(Mcts::new(name, config, options.budget(), options.threads.unwrap_or(1), seed))
            }
            PlayerConfig::Flat(config) => Box::new(Flat::new(name, config, options.budget(), seed)),
            PlayerConfig::Gtp(config) => Box::new(config.start()?),
        };
        Ok(match &options.book {
            Some(path) => {
                let book = Book::read(path).map_err(|error| SpecError::Start(error.to_string()))?;
                Box::new(BookPlayer::new(Arc::new(book), player, seed))
            }
            None => player,
        })
    }
}
