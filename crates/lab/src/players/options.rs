//! Options that every player understands, whatever its kind.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::players::Limits;

use crate::parallel::concurrency_for;

/// How long a player thinks, on what, and with which networks. Absent means the player's own choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerOptions {
    /// Seconds per move.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1_000_000.0))]
    pub time: Option<f64>,
    /// Playouts per move.
    #[schemars(extend("x-peer" = true), range(min = 1, max = 9_223_372_036_854_775_807i64))]
    pub playouts: Option<u64>,
    /// Threads of a search.
    #[schemars(range(min = 1, max = 1024))]
    pub threads: Option<usize>,
    /// The network that values and proposes moves.
    pub net: Option<PathBuf>,
    /// The network that plays rollouts.
    pub rollout_net: Option<PathBuf>,
    /// An opening book to play from.
    pub book: Option<PathBuf>,
    /// Random seed; a different one each time if absent. Limited to 63 bits, as TOML is.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 9_223_372_036_854_775_807i64))]
    pub seed: Option<u64>,
}

impl PlayerOptions {
    /// The names of the options.
    pub const KEYS: [&'static str; 7] = ["time", "playouts", "threads", "net", "rollout_net", "seed", "book"];

    /// The network that values and proposes moves: the one that comes with the program if no other is named.
    pub fn net(&self) -> &Path {
        self.net.as_deref().unwrap_or(Path::new("default"))
    }

    /// The network that plays rollouts, where one does.
    pub fn rollout_net(&self) -> &Path {
        self.rollout_net.as_deref().unwrap_or(Path::new("rollout-a"))
    }

    /// How much the player may think about one move.
    pub fn limits(&self) -> Limits {
        Limits { playouts: self.playouts, time: self.time.map(Duration::from_secs_f64), clock: None }
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
