//! A training on game records or labels: a learner with its data, in checkpoints that it goes on from exactly.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    CHUNK, Dataset, Learner, RunFolder, StepReport, Tally, TrainConfig,
    example::{Example, Source},
    learner,
    order::{Draw, Order},
    worker::Worker,
};
use crate::{
    error::NetError,
    exec::{
        Prepared,
        kernels::winograd::{Precision, TileKind},
    },
    model::network::Network,
};

/// What a checkpoint has besides the learner.
#[derive(Serialize, Deserialize)]
struct Rest {
    sampler: Order,
    /// What the next report will tell, so far.
    since_report: Tally,
}

/// A training under way.
pub struct Trainer {
    learner: Learner,
    source: InOrder,
    /// Sums since the last report.
    pub(crate) since_report: Tally,
}

impl Trainer {
    /// Begins a training with random weights.
    pub fn new(config: &TrainConfig, data: Dataset) -> Result<Trainer, NetError> {
        Trainer::begin(config, None, data)
    }

    /// Begins a training with the weights of another network. What it lacks of the architecture asked for (blocks, heads)
    /// begins as at the start of a training, and leaves the rest as it was.
    pub fn from_network(config: &TrainConfig, network: &Network, data: Dataset) -> Result<Trainer, NetError> {
        Trainer::begin(config, Some(network), data)
    }

    fn begin(config: &TrainConfig, start: Option<&Network>, data: Dataset) -> Result<Trainer, NetError> {
        config.check()?;
        let network = Network::to_train(&config.arch, start, config.seed)?;
        let source = InOrder { order: Order::new(config.seed, &data.0), data, ranks: config.ranks };
        Ok(Trainer { learner: Learner::new(config, &network)?, source, since_report: Tally::default() })
    }

    /// Goes on from the checkpoint in `folder`, with the same data.
    pub fn resume(folder: &Path, data: Dataset) -> Result<Trainer, NetError> {
        let path = folder.join(RunFolder::CHECKPOINT);
        let (learner, Rest { sampler: order, since_report }): (Learner, Rest) = Learner::load(&path)?;
        if !order.fits(&data.0) {
            let message =
                "the training was begun with other --data files or weights; name the same ones".to_owned();
            return Err(NetError::File { path, message });
        }
        let source = InOrder { order, data, ranks: learner.config().ranks };
        Ok(Trainer { learner, source, since_report })
    }

    /// The learner.
    pub fn learner(&mut self) -> &mut Learner {
        &mut self.learner
    }

    /// The settings.
    pub fn config(&self) -> &TrainConfig {
        self.learner.config()
    }

    /// Positions trained on so far.
    pub fn positions(&self) -> u64 {
        self.learner.positions()
    }

    /// Steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.learner.progress().steps
    }

    /// Whether all positions asked for are done.
    pub fn is_finished(&self) -> bool {
        self.positions() >= self.config().positions
    }

    /// One step.
    pub fn step(&mut self) -> StepReport {
        let examples = self.source.examples(self.learner.config().batch);
        self.learner.step(&examples)
    }

    /// The network as it is saved: with averaged weights, if an average is kept.
    pub fn network(&self) -> Network {
        self.learner.network()
    }

    /// Writes the checkpoint into `folder`.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, NetError> {
        let path = folder.join(RunFolder::CHECKPOINT);
        self.learner
            .save(&path, &Rest { sampler: self.source.order.clone(), since_report: self.since_report })?;
        Ok(path)
    }
}

/// Records and labels, in an order that depends on the seed only.
struct InOrder {
    order: Order,
    data: Dataset,
    /// Whether networks are told the opponent's rank.
    ranks: bool,
}

impl Source for InOrder {
    fn examples(&mut self, count: usize) -> Vec<Example> {
        let mut examples = Vec::with_capacity(count);
        for _ in 0..count / CHUNK {
            let draws = self.order.chunk(&self.data.0, CHUNK);
            examples.extend(draws.iter().map(|draw| self.data.example(draw, true, self.ranks)));
        }
        examples
    }
}

impl Dataset {
    /// The position that was drawn.
    fn example(&self, draw: &Draw, ownership: bool, ranks: bool) -> Example {
        let mut example = self.0[draw.group].example(draw.index, draw.symmetry, ownership);
        example.rank = example.rank.filter(|_| ranks);
        example
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
        let prepared = [(kind, Prepared::new(&network.graph, network.weights(), kind, Precision::Float))];
        let tallies: Vec<Tally> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads.max(1))
                .map(|i| {
                    let mine = draws.chunks(CHUNK).skip(i).step_by(threads.max(1));
                    let (prepared, progress) = (&prepared, &progress);
                    scope.spawn(move || {
                        let mut worker = Worker::new();
                        worker.begin();
                        for draws in mine {
                            let examples: Vec<_> =
                                draws.iter().map(|draw| data.example(draw, false, ranks)).collect();
                            for chunk in learner::chunks(&examples) {
                                worker.test(network, prepared, &chunk);
                            }
                            progress(draws.len() as u64);
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
