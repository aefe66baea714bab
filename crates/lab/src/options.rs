//! Options that every player understands, whatever its kind.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::player::Budget;

use crate::{error::SpecError, parallel::concurrency_for};

/// How long a player thinks, on what, and with which networks. Absent means the player's own choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerOptions {
    /// Seconds a move.
    pub time: Option<f64>,
    /// Playouts a move.
    pub playouts: Option<u64>,
    /// Threads of a search.
    pub threads: Option<usize>,
    /// The network that values and proposes moves.
    pub net: Option<PathBuf>,
    /// The network that plays rollouts.
    pub rollout_net: Option<PathBuf>,
    /// An opening book to play from.
    pub book: Option<PathBuf>,
    /// Where the random numbers start; a different place each time if absent. Limited to 63 bits, as TOML is.
    pub seed: Option<u64>,
}

impl PlayerOptions {
    /// The names of the options.
    pub const KEYS: [&'static str; 7] = ["time", "playouts", "threads", "net", "rollout_net", "seed", "book"];

    /// Values that no player could use.
    pub(crate) fn check(&self) -> Result<(), SpecError> {
        let wrong = |key: &str, message: &str| {
            Err(SpecError::Value { context: key.to_owned(), message: message.to_owned() })
        };
        match self {
            Self { time: Some(time), .. } if !time.is_finite() || *time <= 0.0 || *time > 1e6 => {
                wrong("time", "must be seconds a move, more than 0")
            }
            Self { playouts: Some(0), .. } => wrong("playouts", "must be at least 1"),
            Self { threads: Some(threads), .. } if !(1..=1024).contains(threads) => {
                wrong("threads", "must be from 1 to 1024")
            }
            _ => Ok(()),
        }
    }

    /// How much the player may think about one move.
    pub fn budget(&self) -> Budget {
        Budget { playouts: self.playouts, time: self.time.map(Duration::from_secs_f64), ..Budget::default() }
    }

    /// Lets a player that somebody waits for think on all cores, up to eight, unless its threads are named or a seed asks for
    /// the same game every time.
    pub fn use_cores(&mut self) {
        if self.seed.is_none() {
            self.threads.get_or_insert_with(|| concurrency_for(1).min(8));
        }
    }

    /// The seed, or one that differs from run to run.
    pub fn seed_or_fresh(&self) -> u64 {
        use std::hash::{BuildHasher, Hasher};
        self.seed
            .unwrap_or_else(|| std::collections::hash_map::RandomState::new().build_hasher().finish() >> 1)
    }
}
