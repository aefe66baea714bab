//! Supervised training from game records (S4.3).
//!
//! A step draws a batch of positions in chunks of one board size, runs them forwards and backwards on all threads, adds the
//! gradients in a fixed order, and moves the weights. With the same number of threads everything is repeatable to the
//! last bit, also across an interruption.

mod balance;
mod checkpoint;
mod data;
mod loss;
mod muon;
mod optimizer;
mod ownership;
mod plot;
mod sampler;
mod session;
mod worker;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tengen_engine::rng::Rng;

pub use balance::{BalanceConfig, Balancer, Target, imbalance};
pub use data::DataFile;
pub use loss::{LossWeights, Tally};
pub use optimizer::{Direction, OptimizerConfig, Schedule};
pub use session::{Accuracy, Report, SessionConfig, run};

use crate::{
    error::NetError,
    kernels::winograd::TileKind,
    network::Network,
    run::Prepared,
    spec::{NetSpec, Trunk},
};
use checkpoint::Progress;
use data::Group;
use optimizer::{Kind, State};
use sampler::{Draw, Sampler};
use worker::Worker;

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
    /// Start of the random numbers.
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

/// What a step did.
#[derive(Clone, Copy, Debug)]
pub struct StepReport {
    /// Steps so far.
    pub steps: u64,
    /// Positions so far.
    pub positions: u64,
    /// The learning rate.
    pub rate: f32,
    /// Losses of the batch, before the step.
    pub tally: Tally,
}

/// A training under way.
pub struct Trainer {
    config: TrainConfig,
    network: Network,
    state: State,
    steps: u64,
    sampler: Sampler,
    groups: Vec<Group>,
    workers: Vec<Worker>,
    kinds: Vec<Kind>,
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

impl Trainer {
    /// The checkpoint's name in the folder of a training.
    pub const CHECKPOINT: &'static str = "checkpoint.safetensors";

    /// Begins a training.
    pub fn new(config: &TrainConfig, data: Dataset) -> Result<Trainer, NetError> {
        config.check()?;
        let network = Network::random(&config.arch, &mut Rng::new(config.seed))?;
        let state = State::new(network.weights().to_vec());
        let sampler = Sampler::new(config.seed, &data.0);
        Ok(Trainer::with_parts(config.clone(), network, state, 0, sampler, data))
    }

    /// Begins a training with the weights of another network.
    pub fn from_network(config: &TrainConfig, network: &Network, data: Dataset) -> Result<Trainer, NetError> {
        config.check()?;
        if network.spec() != &config.arch {
            return Err(NetError::Settings(
                "the network to start from has another architecture than --arch".to_owned(),
            ));
        }
        let state = State::new(network.weights().to_vec());
        let sampler = Sampler::new(config.seed, &data.0);
        Ok(Trainer::with_parts(config.clone(), network.clone(), state, 0, sampler, data))
    }

    /// The settings that a checkpoint in `folder` was made with; none if there is no checkpoint.
    pub fn resumable(folder: &Path) -> Result<Option<TrainConfig>, NetError> {
        let path = folder.join(Self::CHECKPOINT);
        if !path.exists() {
            return Ok(None);
        }
        checkpoint::load(&path).map(|(progress, _)| Some(progress.config))
    }

    /// Goes on from the checkpoint in `folder`, with the same data.
    pub fn resume(folder: &Path, data: Dataset) -> Result<Trainer, NetError> {
        let path = folder.join(Self::CHECKPOINT);
        let (Progress { config, steps, sampler }, state) = checkpoint::load(&path)?;
        config.check()?;
        if !sampler.fits(&data.0) {
            let message =
                "the training was begun with other --data files or weights; name the same ones".to_owned();
            return Err(NetError::File { path, message });
        }
        let network = Network::new(&config.arch, state.weights.clone());
        Ok(Trainer::with_parts(config, network, state, steps, sampler, data))
    }

    fn with_parts(
        config: TrainConfig,
        network: Network,
        state: State,
        steps: u64,
        sampler: Sampler,
        data: Dataset,
    ) -> Trainer {
        let workers = (0..config.threads).map(|_| Worker::new()).collect();
        let kinds = network.graph.params.iter().map(Kind::of).collect();
        Trainer { config, network, state, steps, sampler, groups: data.0, workers, kinds }
    }

    /// The settings.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// Positions trained on so far.
    pub fn positions(&self) -> u64 {
        self.steps * self.config.batch as u64
    }

    /// Whether all positions asked for are done.
    pub fn is_finished(&self) -> bool {
        self.positions() >= self.config.positions
    }

    /// Whether all weights are numbers.
    fn is_finite(&self) -> bool {
        self.state.weights.iter().flatten().all(|weight| weight.is_finite())
    }

    /// One step.
    pub fn step(&mut self) -> StepReport {
        let chunks: Vec<Vec<Draw>> =
            (0..self.config.batch / CHUNK).map(|_| self.sampler.chunk(&self.groups, CHUNK)).collect();
        let (network, groups, config) = (&self.network, &self.groups, &self.config);
        let kinds: Vec<TileKind> = TileKind::ALL
            .into_iter()
            .filter(|kind| {
                let has_kind = |g: &Group| TileKind::best(g.width, g.height) == *kind;
                chunks.iter().any(|chunk| has_kind(&groups[chunk[0].group]))
            })
            .collect();
        let prepared: Vec<(TileKind, Prepared)> = kinds
            .into_iter()
            .map(|kind| (kind, Prepared::for_training(&network.graph, &self.state.weights, kind)))
            .collect();
        let threads = self.workers.len();
        std::thread::scope(|scope| {
            for (i, worker) in self.workers.iter_mut().enumerate() {
                let mine = chunks.iter().skip(i).step_by(threads);
                let prepared = &prepared;
                scope.spawn(move || {
                    worker.begin();
                    for chunk in mine {
                        worker.train(network, prepared, groups, chunk, config);
                    }
                });
            }
        });
        let mut gradients: Vec<Vec<f32>> = self.state.weights.iter().map(|w| vec![0.0; w.len()]).collect();
        let mut tally = Tally::default();
        for worker in &self.workers {
            worker.add_to(&network.graph, &mut gradients);
            tally.add(worker.tally());
        }
        for (array, _) in gradients.iter_mut().zip(&self.kinds).filter(|(_, kind)| **kind == Kind::Mean) {
            for sum in array.iter_mut() {
                *sum /= config.batch as f32;
            }
        }
        let rate = config.optimizer.rate(self.positions() as f64 / config.positions as f64);
        self.state.step(&config.optimizer, rate, self.steps, &gradients, &self.kinds);
        self.steps += 1;
        StepReport { steps: self.steps, positions: self.positions(), rate, tally }
    }

    /// The network as it is saved: with averaged weights, if an average is kept.
    pub fn network(&self) -> Network {
        let averaged = self.config.optimizer.average > 0.0;
        let weights = if averaged { &self.state.average } else { &self.state.weights };
        Network::new(&self.config.arch, weights.clone())
    }

    /// Writes the checkpoint into `folder`.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, NetError> {
        let path = folder.join(Self::CHECKPOINT);
        let progress =
            Progress { config: self.config.clone(), steps: self.steps, sampler: self.sampler.clone() };
        checkpoint::save(&path, &progress, &self.network.graph, &self.state)?;
        Ok(path)
    }
}

/// Tests a network on positions that it was not trained on: at most `most`, evenly spread. `progress` is told the number
/// of positions so far.
pub fn test(
    network: &Network,
    data: &Dataset,
    most: Option<u64>,
    threads: usize,
    ranks: bool,
    progress: impl Fn(u64) + Sync,
) -> Tally {
    let share = most.map_or(1.0, |most| (most as f64 / data.positions() as f64).min(1.0));
    let mut total = Tally::default();
    for (number, group) in data.0.iter().enumerate() {
        let count = (group.len() as f64 * share).round() as u64;
        let draws: Vec<Draw> = (0..count)
            .map(|i| Draw {
                group: number,
                index: (i as f64 / share) as u64,
                symmetry: tengen_board::Symmetry::IDENTITY,
            })
            .filter(|draw| draw.index < group.len())
            .collect();
        let kind = TileKind::best(group.width, group.height);
        let prepared = [(kind, Prepared::new(&network.graph, network.weights(), kind))];
        let tallies: Vec<Tally> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads.max(1))
                .map(|i| {
                    let mine = draws.chunks(CHUNK).skip(i).step_by(threads.max(1));
                    let (prepared, progress) = (&prepared, &progress);
                    scope.spawn(move || {
                        let mut worker = Worker::new();
                        worker.begin();
                        for chunk in mine {
                            worker.test(network, prepared, &data.0, chunk, ranks);
                            progress(chunk.len() as u64);
                        }
                        *worker.tally()
                    })
                })
                .collect();
            handles.into_iter().map(|h| h.join().expect("a test thread does not panic")).collect()
        });
        for tally in &tallies {
            total.add(tally);
        }
    }
    total
}
