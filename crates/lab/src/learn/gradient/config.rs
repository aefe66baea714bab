//! Everything that decides how a policy follows its gradient.

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

/// What ∇ log π is multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The game's result (Williams 1992).
    Reinforce,
    /// The advantage: how much better the result was than the network thought.
    #[default]
    ActorCritic,
}

/// How a policy learns by its gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GradientConfig {
    /// What ∇ log π is multiplied by.
    pub algorithm: Algorithm,
    /// The network.
    pub arch: NetSpec,
    /// How games are played.
    pub selfplay: SelfPlayConfig,
    /// Iterations: games, one step, now and then games against opponents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub iterations: u64,
    /// Games in an iteration (AlphaGo: 128).
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub games: u64,
    /// λ: how far advantages look ahead. 1 for the game's result, 0 for the value of the next own position.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub lambda: f32,
    /// Whether the advantages of a step are divided by their root mean square.
    pub normalise: bool,
    /// Networks of the past as opponents.
    pub pool: PoolConfig,
    /// How weights follow their gradients.
    pub optimizer: OptimizerConfig,
    /// How much the value and the policy's entropy count.
    pub loss: LossWeights,
    /// The opponents that show how strong it is.
    pub anchors: AnchorConfig,
    /// Random seed.
    pub seed: u64,
    /// Threads. With one, the same seed gives the same network to the last bit.
    #[schemars(range(min = 1, max = 256))]
    pub threads: usize,
}

/// Networks of the past as opponents, so that what was learned is not forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PoolConfig {
    /// Iterations between additions (AlphaGo: 500).
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub every: u64,
    /// How many are kept: the latest.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub size: usize,
    /// Share of the games against one of them; the others are against itself.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f32,
}

impl Default for PoolConfig {
    fn default() -> Self {
        PoolConfig { every: 20, size: 12, share: 0.5 }
    }
}

impl GradientConfig {
    /// The customary settings for boards of one size.
    pub fn new(algorithm: Algorithm, arch: NetSpec, size: usize, komi: [f32; 2]) -> GradientConfig {
        let mut selfplay = SelfPlayConfig {
            sizes: [size, size],
            komi,
            method: Method::Policy,
            opening: 0.0,
            random_moves: size,
            symmetries: false,
            surprise: 0.0,
            ..SelfPlayConfig::default()
        };
        selfplay.draw.temperature = 1.0;
        let optimizer = OptimizerConfig {
            schedule: Schedule::Constant,
            learning_rate: 0.02,
            weight_decay: 0.0,
            average: 0.0,
            ..OptimizerConfig::default()
        };
        let player = "policy".to_owned();
        let opponents = ["random", "mc,playouts=100", "uct,playouts=100"].map(str::to_owned).to_vec();
        GradientConfig {
            algorithm,
            arch,
            selfplay,
            iterations: 500,
            games: 64,
            lambda: 1.0,
            normalise: algorithm == Algorithm::ActorCritic,
            pool: PoolConfig::default(),
            optimizer,
            loss: LossWeights { value: 0.5, entropy: 0.01, ..LossWeights::default() },
            anchors: AnchorConfig {
                every: 50,
                player,
                opponents,
                size,
                komi: vec![f32::midpoint(komi[0], komi[1])],
                ..AnchorConfig::default()
            },
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
            _ if self.selfplay.method != Method::Policy => {
                fail("selfplay.method: policy gradients draw moves from the policy, without a search")
            }
            _ if self.selfplay.draw.temperature != 1.0 || self.selfplay.symmetries => fail(
                "selfplay: the policy that plays must be the one that learns: draw.temperature=1, symmetries=false",
            ),
            _ if self.algorithm == Algorithm::ActorCritic && self.arch.value.is_none() => {
                fail("actor-critic needs a value head: choose --arch small, or train reinforce")
            }
            _ if !self.arch.policy.pass => {
                fail("the network must know passing: choose --arch small or default")
            }
            _ if self.games == 0 || self.iterations == 0 => fail("iterations and games: must be at least 1"),
            _ if !(0.0..=1.0).contains(&self.lambda) => fail("lambda: must be from 0 to 1"),
            _ if self.algorithm == Algorithm::Reinforce && self.lambda != 1.0 => {
                fail("lambda: REINFORCE takes the game's result alone: leave it at 1, or train actor-critic")
            }
            _ if !(0.0..=1.0).contains(&self.pool.share) => fail("pool.share: must be from 0 to 1"),
            _ if self.pool.every == 0 => fail("pool.every: must be at least 1"),
            _ => Ok(()),
        }
    }

    /// The settings of the learner.
    pub(super) fn learner(&self) -> TrainConfig {
        TrainConfig {
            optimizer: self.optimizer.clone(),
            loss: self.loss,
            seed: self.seed,
            threads: self.threads,
            ..TrainConfig::new(self.arch.clone())
        }
    }
}
