//! The one training step: a network, and how its weights follow from examples.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    CHUNK, TrainConfig,
    example::Example,
    loss::Tally,
    optimizer::{Kind, State},
    worker::Worker,
};
use crate::{
    error::NetError,
    exec::{Prepared, kernels::winograd::TileKind},
    model::network::Network,
};

/// A network that is being trained.
///
/// Examples are worked on in chunks of one board size, on all threads; the gradients are added in a fixed order. With the same
/// number of threads everything is repeatable to the last bit.
pub struct Learner {
    config: TrainConfig,
    network: Network,
    state: State,
    progress: Progress,
    workers: Vec<Worker>,
    kinds: Vec<Kind>,
    /// Squares of the gradients of each array since they were last looked at.
    efforts: Vec<f64>,
}

/// How far a learner has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    pub(crate) steps: u64,
    pub(crate) positions: u64,
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

/// A block whose gradients are so much smaller than those of the median block has stopped learning.
const DEAD: f64 = 1e-4;

impl Learner {
    /// Begins with the weights of a network, whose architecture replaces that of the settings.
    pub fn new(config: &TrainConfig, network: &Network) -> Result<Learner, NetError> {
        let config = TrainConfig { arch: network.spec().clone(), ..config.clone() };
        config.check()?;
        let state = State::new(network.weights().to_vec());
        Ok(Learner::with_parts(config, network.clone(), state, Progress::default()))
    }

    pub(crate) fn with_parts(
        config: TrainConfig,
        network: Network,
        state: State,
        progress: Progress,
    ) -> Learner {
        let workers = (0..config.threads).map(|_| Worker::new()).collect();
        let kinds: Vec<Kind> = network.graph.params.iter().map(Kind::of).collect();
        let efforts = vec![0.0; kinds.len()];
        Learner { config, network, state, progress, workers, kinds, efforts }
    }

    /// The settings.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// Changes the number of threads: from here on gradients are added in another order.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), NetError> {
        let config = TrainConfig { threads, ..self.config.clone() };
        config.check()?;
        self.workers.resize_with(threads, Worker::new);
        self.config = config;
        Ok(())
    }

    /// Positions learned from so far.
    pub fn positions(&self) -> u64 {
        self.progress.positions
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.progress.steps
    }

    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn graph(&self) -> &crate::model::graph::Graph {
        &self.network.graph
    }

    /// Whether all weights are numbers.
    pub fn is_finite(&self) -> bool {
        self.state.weights.iter().flatten().all(|weight| weight.is_finite())
    }

    /// One step of all examples together, of any board sizes. The learning rate follows the positions.
    pub fn step(&mut self, examples: &[Example]) -> StepReport {
        let done = self.progress.positions as f64 / self.config.positions.max(1) as f64;
        self.step_at(done, examples)
    }

    /// One step when a share `done` of the training is done, for trainings that do not know how many positions they will have.
    pub fn step_at(&mut self, done: f64, examples: &[Example]) -> StepReport {
        let (gradients, tally) = self.gradients(examples);
        for ((array, kind), effort) in gradients.iter().zip(&self.kinds).zip(&mut self.efforts) {
            if *kind != Kind::Mean {
                *effort += array.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>();
            }
        }
        let config = &self.config;
        let rate = config.optimizer.rate(done);
        self.state.step(&config.optimizer, rate, self.progress.steps, &gradients, &self.kinds);
        self.progress.steps += 1;
        self.progress.positions += examples.len() as u64;
        StepReport { steps: self.progress.steps, positions: self.progress.positions, rate, tally }
    }

    /// The gradient of the loss, in the mean over examples, for all weights one after the other: what a step would follow.
    pub fn gradient(&mut self, examples: &[Example]) -> Vec<f32> {
        let (gradients, _) = self.gradients(examples);
        let learned = gradients.into_iter().zip(&self.kinds).filter(|(_, kind)| **kind != Kind::Mean);
        learned.flat_map(|(array, _)| array).collect()
    }

    /// The gradients of each array, or of running means their distances from those of the examples; and the losses.
    fn gradients(&mut self, examples: &[Example]) -> (Vec<Vec<f32>>, Tally) {
        let chunks = chunks(examples);
        let (network, config) = (&self.network, &self.config);
        let kind_of = |chunk: &Vec<&Example>| TileKind::best(chunk[0].board.width(), chunk[0].board.height());
        let prepared: Vec<(TileKind, Prepared)> = TileKind::ALL
            .into_iter()
            .filter(|kind| chunks.iter().any(|chunk| kind_of(chunk) == *kind))
            .map(|kind| (kind, Prepared::for_training(&network.graph, &self.state.weights, kind)))
            .collect();
        let threads = self.workers.len();
        let work = |(i, worker): (usize, &mut Worker)| {
            worker.begin();
            for chunk in chunks.iter().skip(i).step_by(threads) {
                worker.train(network, &prepared, chunk, config, examples.len());
            }
        };
        match &mut self.workers[..] {
            [worker] => work((0, worker)),
            workers => std::thread::scope(|scope| {
                for mine in workers.iter_mut().enumerate() {
                    scope.spawn(|| work(mine));
                }
            }),
        }
        let mut gradients: Vec<Vec<f32>> = self.state.weights.iter().map(|w| vec![0.0; w.len()]).collect();
        let mut tally = Tally::default();
        for worker in &self.workers {
            worker.add_to(&network.graph, &mut gradients);
            tally.add(worker.tally());
        }
        for (array, _) in gradients.iter_mut().zip(&self.kinds).filter(|(_, kind)| **kind == Kind::Mean) {
            for sum in array.iter_mut() {
                *sum /= examples.len().max(1) as f32;
            }
        }
        (gradients, tally)
    }

    /// The residual blocks that have hardly had gradients since this was last asked: a whole block can die of large steps, and
    /// nothing else shows it.
    pub fn dead_blocks(&mut self) -> Vec<usize> {
        let mut blocks: BTreeMap<usize, f64> = BTreeMap::new();
        for (param, effort) in self.network.graph.params.iter().zip(&mut self.efforts) {
            let number =
                param.name.strip_prefix("block.").and_then(|rest| rest.split('.').next()?.parse().ok());
            if let Some(number) = number {
                *blocks.entry(number).or_default() += *effort;
            }
            *effort = 0.0;
        }
        let mut efforts: Vec<f64> = blocks.values().copied().collect();
        efforts.sort_by(f64::total_cmp);
        let median = efforts.get(efforts.len() / 2).copied().unwrap_or(0.0);
        blocks.into_iter().filter(|(_, effort)| *effort < DEAD * median).map(|(number, _)| number).collect()
    }

    /// The network as it is saved: with averaged weights, if an average is kept.
    pub fn network(&self) -> Network {
        let averaged = self.config.optimizer.average > 0.0;
        let weights = if averaged { &self.state.average } else { &self.state.weights };
        Network::new(self.network.spec(), weights.clone())
    }

    /// The network with the weights of the last step: what plays the games that are learned from.
    pub fn latest(&self) -> Network {
        Network::new(self.network.spec(), self.state.weights.clone())
    }
}

/// The examples in chunks of one board size, in their order.
pub(crate) fn chunks(examples: &[Example]) -> Vec<Vec<&Example>> {
    let mut open: Vec<((usize, usize), Vec<&Example>)> = Vec::new();
    let mut full = Vec::new();
    for example in examples {
        let size = (example.board.width(), example.board.height());
        let at = open.iter().position(|(known, _)| *known == size).unwrap_or_else(|| {
            open.push((size, Vec::with_capacity(CHUNK)));
            open.len() - 1
        });
        open[at].1.push(example);
        if open[at].1.len() == CHUNK {
            full.push(std::mem::take(&mut open[at].1));
        }
    }
    full.extend(open.into_iter().map(|(_, chunk)| chunk).filter(|chunk| !chunk.is_empty()));
    full
}
