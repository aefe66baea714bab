//! Flat Monte Carlo: a move's value is the mean score of almost random games, and there is no tree. One file a technique.
//!
//! **Source.** Bouzy and Helmstetter 2003, *Monte-Carlo Go developments*, and Brügmann 1993, *Monte Carlo Go* (the
//! program Gobble).
//!
//! **How.** A `Method` decides which game is played next and what is learned from it; the
//! `Sampler` plays it; [`Flat`] is the player around them.
//!
//! **Values.** Moves are ranked by mean score. [`black_value`](crate::search::RootMove::black_value) of a move is the share
//! of the same games that Black won, komi included, so it need not be in the order of the scores.
//!
//! Games are played one after the other in one thread, as each may depend on what the last one taught.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    players::ConductConfig,
    playout::{EyeRule, PlayoutConfig, PlayoutsConfig},
};

mod amaf;
mod basic;
mod depth;
mod gobble;
mod method;
mod player;
mod pruning;
mod sampler;
mod stats;
mod temperature;

pub use amaf::AmafConfig;
pub use basic::BasicConfig;
pub use depth::DepthConfig;
pub use gobble::GobbleConfig;
pub use player::Flat;
pub use pruning::{PruningConfig, PruningRule};
pub use temperature::TemperatureConfig;

use method::{Method, Start};

/// A flat Monte-Carlo player and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FlatConfig {
    /// How games are spent on moves.
    #[schemars(extend("x-peer" = true))]
    pub method: MethodConfig,
    /// The games; a move that fills an own eye by the rule of their policy is no candidate.
    #[serde(flatten)]
    pub playouts: PlayoutsConfig,
    /// Games for a decision where nothing else limits it (paper: 10,000). Progressive pruning and the minimax have limits of their own.
    #[schemars(extend("x-peer" = true), range(min = 1, max = 1_000_000_000))]
    pub games: u64,
    /// How the player divides up its time and ends its games.
    #[serde(flatten)]
    pub conduct: ConductConfig,
}

impl Default for FlatConfig {
    fn default() -> Self {
        FlatConfig {
            method: MethodConfig::default(),
            playouts: PlayoutsConfig::default(),
            games: 10_000,
            conduct: ConductConfig::default(),
        }
    }
}

impl FlatConfig {
    /// The eye rule of the games; that of S1.3 for policies that do not choose one.
    fn eyes(&self) -> EyeRule {
        match &self.playouts.policy {
            PlayoutConfig::Uniform(uniform) => uniform.eyes,
            _ => EyeRule::default(),
        }
    }

    /// Games for a decision between so many moves where nothing else limits it.
    fn games_for(&self, moves: usize) -> u64 {
        match &self.method {
            MethodConfig::ProgressivePruning(pruning) => pruning.limit(moves),
            MethodConfig::Depth(depth) => depth.limit(moves),
            _ => self.games,
        }
    }
}

/// How games are spent on moves, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MethodConfig {
    /// See `basic.rs`.
    Basic(BasicConfig),
    /// See `pruning.rs`.
    ProgressivePruning(PruningConfig),
    /// See `amaf.rs`.
    AllMovesAsFirst(AmafConfig),
    /// See `gobble.rs`.
    Gobble(GobbleConfig),
    /// See `depth.rs`.
    Depth(DepthConfig),
}

impl Default for MethodConfig {
    fn default() -> Self {
        MethodConfig::Basic(BasicConfig {})
    }
}

impl MethodConfig {
    /// Every kind with its default parameters, for tests that hold for all of them.
    pub fn all_kinds() -> Vec<MethodConfig> {
        vec![
            MethodConfig::Basic(BasicConfig {}),
            MethodConfig::ProgressivePruning(PruningConfig::default()),
            MethodConfig::AllMovesAsFirst(AmafConfig::default()),
            MethodConfig::AllMovesAsFirst(AmafConfig { temperature: Some(TemperatureConfig::default()) }),
            MethodConfig::Gobble(GobbleConfig::default()),
            MethodConfig::Depth(DepthConfig::default()),
        ]
    }

    /// The method at the start of a search.
    fn start(&self, start: Start<'_>) -> Box<dyn Method> {
        match self {
            MethodConfig::Basic(_) => Box::new(basic::Basic::new(start)),
            MethodConfig::ProgressivePruning(config) => Box::new(pruning::Pruning::new(config, start)),
            MethodConfig::AllMovesAsFirst(config) => Box::new(amaf::Amaf::new(config, start)),
            MethodConfig::Gobble(config) => Box::new(gobble::Gobble::new(config, start)),
            MethodConfig::Depth(config) => Box::new(depth::Depth::new(config, start)),
        }
    }
}
