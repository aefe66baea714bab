//! Training: the [`Learner`], whose step is the only one there is, and what it learns from.
//!
//! An [`Example`] is a position with targets, a [`Source`] gives them: a [`Trainer`]'s has game records (S4.3) or a teacher's
//! answers, a [`Replay`]'s self-play. A [`Balancer`] makes its own from rollouts. With the same number of threads a training is repeatable to the last bit,
//! also across an interruption.

mod balance;
mod checkpoint;
mod data;
mod example;
mod folder;
mod label;
mod learner;
mod loss;
mod muon;
mod optimizer;
mod order;
mod ownership;
mod replay;
mod session;
mod trainer;
mod worker;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use balance::{BalanceConfig, Balancer, Target, imbalance};
pub use data::DataFile;
pub use example::{Example, MoveTarget, Source};
pub use folder::RunFolder;
pub use label::{EmptyBoard, LabelConfig, Labeller};
pub use learner::{Learner, StepReport};
pub use loss::{LossWeights, Tally};
pub use optimizer::{Direction, OptimizerConfig, Schedule};
pub use replay::{Draws, Replay};
pub use session::{Accuracy, Report, SessionConfig, SessionEvent, run};
pub use trainer::{Trainer, test};

use crate::{
    error::NetError,
    model::spec::{NetSpec, Trunk},
};
use data::Group;

/// Positions of one size that are worked on together.
const CHUNK: usize = 8;

/// Everything that decides how a training goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// The network.
    pub arch: NetSpec,
    /// Positions to train on, in all.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    pub positions: u64,
    /// Positions a step.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub batch: usize,
    /// How weights follow their gradients.
    pub optimizer: OptimizerConfig,
    /// How much each part of the loss counts.
    pub loss: LossWeights,
    /// Whether the network is told the opponent's rank.
    pub ranks: bool,
    /// Random seed.
    pub seed: u64,
    /// Threads: another number adds gradients in another order.
    #[schemars(range(min = 1, max = 256))]
    pub threads: usize,
}

impl TrainConfig {
    /// The customary settings for a network: the paper's for the papers' (S4.3), ours for residual ones.
    pub fn new(arch: NetSpec) -> TrainConfig {
        let paper = |rate: f32, momentum: f32| OptimizerConfig {
            learning_rate: rate,
            momentum,
            weight_decay: 0.0,
            warm_up: 0.0,
            schedule: Schedule::Constant,
            ..OptimizerConfig::default()
        };
        let optimizer = match &arch.trunk {
            Trunk::Residual { .. } => OptimizerConfig::default(),
            Trunk::Plain { layers, .. } if *layers > 3 => paper(1.0 / 64.0, 0.0),
            Trunk::Plain { .. } => paper(1.0 / 16.0, 0.1),
        };
        TrainConfig {
            arch,
            positions: 10_000_000,
            batch: 64,
            optimizer,
            loss: LossWeights::default(),
            ranks: false,
            seed: 1,
            threads: 1,
        }
    }

    /// Refuses what the ranges of single parameters do not tell.
    pub(crate) fn check(&self) -> Result<(), NetError> {
        self.arch.check()?;
        if !self.batch.is_multiple_of(CHUNK) {
            let message = format!("a batch of {} positions: it must be a multiple of {CHUNK}", self.batch);
            return Err(NetError::Settings(message));
        }
        Ok(())
    }
}

/// Game records to train on or to test with.
pub struct Dataset(Vec<Group>);

impl Dataset {
    /// Reads files of game records. `progress` is told the number of games so far.
    pub fn load(files: &[DataFile], progress: impl FnMut(usize)) -> Result<Dataset, NetError> {
        data::load(files, progress).map(Dataset)
    }

    /// The game records of a text.
    pub fn parse(text: &str) -> Result<Dataset, NetError> {
        let file = DataFile { path: PathBuf::from("game records"), weight: 1.0 };
        data::parse(text, &file, || ()).map(Dataset)
    }

    /// One of so many parts, each with games from everywhere.
    #[must_use]
    pub fn part(self, number: usize, of: usize) -> Dataset {
        Dataset(self.0.into_iter().map(|group| group.part(number, of)).collect())
    }

    /// Number of positions.
    pub fn positions(&self) -> u64 {
        self.0.iter().map(Group::len).sum()
    }

    /// Number of positions on boards of each size.
    pub fn sizes(&self) -> Vec<((usize, usize), u64)> {
        self.0.iter().map(|g| ((g.width, g.height), g.len())).collect()
    }
}
