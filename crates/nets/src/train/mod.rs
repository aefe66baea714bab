//! Training: the [`Learner`], whose step is the only one there is, and what it learns from.
//!
//! An [`Example`] is a position with targets. A [`Trainer`] draws examples from game records (S4.3) or from a teacher's
//! answers, a [`Balancer`] makes them from rollouts. With the same number of threads a training is repeatable to the last bit,
//! also across an interruption.

mod balance;
mod checkpoint;
mod data;
mod example;
mod label;
mod learner;
mod loss;
mod muon;
mod optimizer;
mod ownership;
mod plot;
mod sampler;
mod session;
mod trainer;
mod worker;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use balance::{BalanceConfig, Balancer, Target, imbalance};
pub use data::DataFile;
pub use example::{Example, MoveTarget};
pub use label::{EmptyBoard, LabelConfig, Labeller};
pub use learner::{Learner, StepReport};
pub use loss::{LossWeights, Tally};
pub use optimizer::{Direction, OptimizerConfig, Schedule};
pub use session::{Accuracy, Report, SessionConfig, run};
pub use trainer::{Trainer, test};

use crate::{
    error::NetError,
    spec::{NetSpec, Trunk},
};
use data::Group;

/// Positions of one size that are worked on together.
const CHUNK: usize = 8;

/// Everything that decides how a training goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// The network.
    pub arch: NetSpec,
    /// Positions to train on, in all.
    pub positions: u64,
    /// Positions a step.
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

    fn check(&self) -> Result<(), NetError> {
        const MAX_BATCH: usize = 1 << 20;
        self.arch.check()?;
        let fail = |message: &str| Err(NetError::Settings(message.to_owned()));
        match self {
            Self { batch, .. } if !(1..=MAX_BATCH).contains(batch) || batch % CHUNK != 0 => fail(&format!(
                "a batch of {batch} positions: it must be a multiple of {CHUNK}, up to {MAX_BATCH}"
            )),
            Self { optimizer: o, .. } if !(0.0..=10.0).contains(&o.weight_decay) => {
                fail("the weight decay must be from 0 to 10")
            }
            Self { threads, .. } if !(1..=256).contains(threads) => fail("threads: must be from 1 to 256"),
            Self { optimizer: o, .. } if !(o.learning_rate > 0.0 && o.learning_rate < 100.0) => {
                fail("the learning rate must be more than 0 and less than 100")
            }
            Self { optimizer: o, .. } if !(0.0..1.0).contains(&o.momentum) => {
                fail("the momentum must be from 0 up to 1, 1 excluded")
            }
            Self { optimizer: o, .. } if !(0.0..1.0).contains(&o.average) => {
                fail("the average must keep a share from 0 up to 1, 1 excluded")
            }
            _ => Ok(()),
        }
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
