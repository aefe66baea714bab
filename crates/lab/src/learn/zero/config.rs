//! Everything that decides how a network learns from nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_nets::{
    NetSpec,
    train::{LossWeights, OptimizerConfig, Schedule, TrainConfig},
};

use crate::{
    learn::anchors::AnchorConfig,
    selfplay::{Method, SelfPlayConfig, SelfPlayError},
};

/// How a network learns from its own games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZeroConfig {
    /// The network.
    pub arch: NetSpec,
    /// How games are played.
    pub selfplay: SelfPlayConfig,
    /// Generations: games, learning, perhaps a trial.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub generations: u64,
    /// Games per generation.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub games: u64,
    /// Whether the next generation's games are played while this one is learned from, by the network of the one before. Workers on
    /// other machines (`--nats`) then never wait for the learner.
    #[serde(default)]
    pub overlap: bool,
    /// How often each position is learned from, in the mean (KataGo: at most 4).
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub reuse: f64,
    /// Positions a step.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub batch: usize,
    /// The window over recent games.
    pub window: WindowConfig,
    /// Share of the search's own value in the target of the value; the rest is the game's result (AlphaGo Zero: 0).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value_mix: f32,
    /// How weights follow their gradients.
    pub optimizer: OptimizerConfig,
    /// How much each part of the loss counts.
    pub loss: LossWeights,
    /// Whether, and how, a network must prove itself before it plays.
    pub gate: GateConfig,
    /// The opponents that show how strong it is.
    pub anchors: AnchorConfig,
    /// Whether games that have left the window stay on disk.
    pub keep_games: bool,
    /// Random seed.
    pub seed: u64,
    /// Threads. With one, the same seed gives the same network to the last bit.
    #[schemars(range(min = 1, max = 256))]
    pub threads: usize,
}

/// How many positions are learned from: c · (1 + b · ((N / c)^a − 1) / a) of N so far (Wu 2019, appendix C).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WindowConfig {
    /// c: up to this many positions, all of them (Wu: 250,000 on 19x19).
    #[schemars(range(min = 1.0, max = 1_000_000_000_000.0))]
    pub least: f64,
    /// a: how the window's growth slows down (Wu: 0.75).
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub exponent: f64,
    /// b: how fast it grows at first (Wu: 0.4).
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub growth: f64,
}

impl Default for WindowConfig {
    fn default() -> Self {
        WindowConfig { least: 30_000.0, exponent: 0.75, growth: 0.4 }
    }
}

impl WindowConfig {
    /// The window after so many positions.
    pub fn positions(&self, so_far: u64) -> u64 {
        let WindowConfig { least, exponent, growth } = *self;
        let ratio = (so_far as f64 / least).max(1.0);
        (least * (1.0 + growth * (ratio.powf(exponent) - 1.0) / exponent)) as u64
    }
}

/// Promotion: a new network plays the games only after it has beaten the one that played so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// Games between the two; 0 lets every network play, as AlphaZero and KataGo do now (AlphaGo Zero: 400).
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub games: u64,
    /// Share that it must win (AlphaGo Zero: 0.55).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
}

impl Default for GateConfig {
    fn default() -> Self {
        GateConfig { games: 0, share: 0.55 }
    }
}

impl ZeroConfig {
    /// The customary settings for boards of one size.
    pub fn new(arch: NetSpec, size: usize, komi: [f32; 2]) -> ZeroConfig {
        let selfplay = SelfPlayConfig { sizes: [size, size], komi, ..SelfPlayConfig::default() };
        let optimizer = OptimizerConfig {
            schedule: Schedule::Constant,
            learning_rate: 0.02,
            average: 0.99,
            ..OptimizerConfig::default()
        };
        ZeroConfig {
            arch,
            selfplay,
            generations: 100,
            games: 200,
            overlap: false,
            reuse: 3.0,
            batch: 128,
            window: WindowConfig::default(),
            value_mix: 0.0,
            optimizer,
            loss: LossWeights::default(),
            gate: GateConfig::default(),
            anchors: AnchorConfig {
                size,
                komi: vec![f32::midpoint(komi[0], komi[1])],
                ..AnchorConfig::default()
            },
            keep_games: false,
            seed: 1,
            threads: 1,
        }
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SelfPlayError> {
        self.selfplay.check()?;
        self.anchors.check()?;
        let fail = |message: &str| Err(SelfPlayError::Settings(message.to_owned()));
        match self {
            _ if self.arch.value.is_none() || !self.arch.policy.pass => {
                fail("the network needs a value head and must know passing: choose --arch small or default")
            }
            _ if self.selfplay.method == Method::Policy => fail(
                "selfplay.method: the network learns what a search finds: choose gumbel or puct, or learn from the policy's own games \
                 with tengen train actor-critic",
            ),
            Self { games, generations, .. } if *games == 0 || *generations == 0 => {
                fail("generations and games: must be at least 1")
            }
            Self { reuse, .. } if !(*reuse > 0.0 && *reuse <= 100.0) => {
                fail("reuse: must be more than 0 and at most 100")
            }
            Self { value_mix, .. } if !(0.0..=1.0).contains(value_mix) => {
                fail("value_mix: must be from 0 to 1")
            }
            Self { window, .. }
                if !(window.least >= 1.0
                    && window.exponent > 0.0
                    && window.exponent <= 1.0
                    && window.growth >= 0.0) =>
            {
                fail("window: least must be at least 1, exponent from 0 to 1, growth at least 0")
            }
            _ => Ok(()),
        }
    }

    /// The settings of the learner.
    pub(super) fn learner(&self) -> TrainConfig {
        TrainConfig {
            batch: self.batch,
            optimizer: self.optimizer.clone(),
            loss: self.loss,
            seed: self.seed,
            threads: self.threads,
            ..TrainConfig::new(self.arch.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_ever_more_slowly() {
        let window = WindowConfig { least: 1000.0, ..WindowConfig::default() };
        assert_eq!(window.positions(0), 1000);
        assert_eq!(window.positions(1000), 1000);
        // 1000 · (1 + 0.4 · (16^0.75 − 1) / 0.75) = 1000 · (1 + 0.4 · 7 / 0.75)
        assert_eq!(window.positions(16_000), 4733);
    }
}
