//! **What.** Policy gradients (S5.5): a network draws moves from its policy against itself and its past, and makes those likelier that
//! led to wins.
//!
//! **Formula.** REINFORCE: θ ← θ + α G ∇ log π(a | s), G being the game's result for who moved: 1 or −1. Actor-critic: θ ← θ + α A ∇ log π
//! with A = G − V(s): what the value head expected is subtracted, which changes nothing in the mean and makes the steps less noisy;
//! V learns the result at the same time. Both add β ∇ H(π), so that the policy does not settle too early. π is the softmax over
//! legal moves that fill no own eye, and the pass.
//!
//! **Source.** Williams 1992; Sutton and Barto 2018, chapter 13; Silver et al. 2016 for opponents from a pool of past networks.
//!
//! In the folder of a run are `net.safetensors` (the network so far), `checkpoint.safetensors` (to go on from), `pool/` (networks of
//! the past), `log.jsonl` and `report.html`. A run that is killed goes on from its last checkpoint, and with one thread ends with the
//! same network to the last bit.

mod advantage;
mod config;
mod log;
mod noise;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game};
use tengen_engine::{players::StopSignal, rng::Rng};
use tengen_nets::{
    NetError, Network,
    train::{Example, Learner, MoveTarget, RunFolder},
};

pub use config::{Algorithm, GradientConfig, PoolConfig};
pub use log::Iteration;
pub use noise::Noise;

use crate::{
    learn::{
        anchors::AnchorResult,
        folder::{keep_only, read_log, refuse_difference, write_log, write_report},
    },
    matches::derive_seed,
    selfplay::{
        Played, Pool, SelfPlayError,
        search::{candidates, index},
    },
    venue::Here,
};
use advantage::{Turn, advantages, normalise};

/// What a checkpoint has besides the learner.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    gradient: GradientConfig,
    iteration: u64,
    games: u64,
    positions: u64,
    hours: f64,
    /// Iterations whose networks are in the pool.
    pool: Vec<u64>,
}

/// A run under way.
pub struct PolicyGradient {
    folder: PathBuf,
    state: State,
    learner: Learner,
    pool: Vec<Arc<Network>>,
    log: Vec<Iteration>,
    _lock: RunFolder,
}

/// What a run tells while it goes on.
pub enum Event<'a> {
    /// Games against an opponent are over.
    Anchor(&'a AnchorResult),
    /// An iteration is over.
    Iteration(&'a Iteration),
}

const NETWORK: &str = "net.safetensors";
const POOL: &str = "pool";

/// Iterations between checkpoints.
const CHECKPOINT_EVERY: u64 = 10;

impl PolicyGradient {
    /// Begins a run with random weights, or with those of a network that may have fewer blocks and heads.
    pub fn new(
        folder: &Path,
        config: &GradientConfig,
        start: Option<&Network>,
    ) -> Result<PolicyGradient, SelfPlayError> {
        config.check()?;
        let lock = RunFolder::begin(folder, &[POOL])?;
        let network = Network::to_train(&config.arch, start, config.seed)?;
        let state = State {
            gradient: config.clone(),
            iteration: 0,
            games: 0,
            positions: 0,
            hours: 0.0,
            pool: Vec::new(),
        };
        let run = PolicyGradient {
            folder: folder.to_owned(),
            state,
            learner: Learner::new(&config.learner(), &network)?,
            pool: Vec::new(),
            log: Vec::new(),
            _lock: lock,
        };
        run.save()?;
        Ok(run)
    }

    /// Goes on from the checkpoint in a folder.
    pub fn resume(folder: &Path) -> Result<PolicyGradient, SelfPlayError> {
        let lock = RunFolder::resume(folder, &[POOL])?;
        let (learner, state) = Learner::load::<State>(&folder.join(RunFolder::CHECKPOINT))?;
        state.gradient.check()?;
        let pool =
            state.pool.iter().map(|&iteration| Network::load(&pool_file(folder, iteration)).map(Arc::new));
        let pool = pool.collect::<Result<_, _>>()?;
        let log = read_log(folder, |line: &Iteration| line.iteration <= state.iteration);
        Ok(PolicyGradient { folder: folder.to_owned(), state, learner, pool, log, _lock: lock })
    }

    /// The settings.
    pub fn config(&self) -> &GradientConfig {
        &self.state.gradient
    }

    /// Goes on with other settings: with more or fewer iterations or threads, or against other opponents. What else decides what is
    /// learned cannot change.
    pub fn change(&mut self, config: GradientConfig) -> Result<(), SelfPlayError> {
        config.check()?;
        let allowed = GradientConfig {
            iterations: config.iterations,
            threads: config.threads,
            anchors: config.anchors.clone(),
            ..self.state.gradient.clone()
        };
        refuse_difference(&allowed, &config, "iterations, threads and anchors")?;
        self.learner.set_threads(config.threads)?;
        self.state.gradient = config;
        Ok(())
    }

    /// Games so far.
    pub fn games(&self) -> u64 {
        self.state.games
    }

    /// The network so far.
    pub fn network(&self) -> Network {
        self.learner.network()
    }

    /// Goes on until all iterations are done, or `stop` is set; the log.
    pub fn run(
        mut self,
        stop: &StopSignal,
        mut observe: impl FnMut(Event<'_>),
    ) -> Result<Vec<Iteration>, SelfPlayError> {
        self.try_out(stop, &mut observe)?;
        while self.state.iteration < self.state.gradient.iterations && !stop.is_stopped() {
            if self.step(stop)? {
                self.try_out(stop, &mut observe)?;
                if let Some(line) = self.log.last() {
                    observe(Event::Iteration(line));
                }
            }
        }
        Ok(self.log)
    }

    /// Plays the games against opponents that are due and not there yet. They come after the iteration is saved, so that an
    /// interruption costs only the games against one of them.
    fn try_out(
        &mut self,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<(), SelfPlayError> {
        let config = &self.state.gradient;
        let Some(line) = self.log.last_mut() else { return Ok(()) };
        if !config.anchors.is_due(line.iteration, config.iterations) {
            return Ok(());
        }
        let told = |result: &AnchorResult| observe(Event::Anchor(result));
        let (network, seed) = (self.folder.join(NETWORK), derive_seed(!config.seed, line.iteration));
        if config.anchors.play(&network, seed, &Here(config.threads), stop, &mut line.anchors, told)? {
            self.write_log()?;
        }
        Ok(())
    }

    /// One iteration without games against opponents. When `stop` is set in the middle of its games, nothing of it remains; whether it
    /// was done.
    pub fn step(&mut self, stop: &StopSignal) -> Result<bool, SelfPlayError> {
        let begin = Instant::now();
        let config = self.state.gradient.clone();
        let played = self.play(&config, stop);
        if stop.is_stopped() {
            return Ok(false);
        }
        let mut line = Iteration::of(&played);
        let (examples, squares) = lessons(&config, &played);
        line.advantage_square = squares;
        let report = self.learner.step_at(self.state.iteration as f64 / config.iterations as f64, &examples);
        if !self.learner.is_finite() {
            let message = "the training has diverged: its weights became NaN. The last checkpoint is kept; begin anew in another \
                           folder with a smaller optimizer.learning_rate";
            return Err(NetError::Settings(message.to_owned()).into());
        }
        self.state.iteration += 1;
        self.state.games += config.games;
        self.state.positions += examples.len() as u64;
        let iteration = self.state.iteration;
        if iteration.is_multiple_of(config.pool.every) {
            self.remember(&config.pool)?;
        }
        (line.iteration, line.games, line.positions) = (iteration, self.state.games, self.state.positions);
        line.value_loss = report.tally.value().map(|(_, _, loss)| loss);
        self.state.hours += begin.elapsed().as_secs_f64() / 3600.0;
        line.hours = self.state.hours;
        self.log.push(line);
        let due = config.anchors.is_due(iteration, config.iterations);
        if due {
            self.learner
                .network()
                .save(&self.folder.join(NETWORK), &[("iteration", iteration.to_string())])?;
        }
        if due || iteration.is_multiple_of(CHECKPOINT_EVERY) {
            self.write_log()?;
            self.save()?;
        }
        Ok(true)
    }

    fn write_log(&self) -> Result<(), SelfPlayError> {
        write_log(&self.folder, &self.log)?;
        write_report(&self.folder, &log::page(&self.state.gradient, &self.log)?)
    }

    /// This iteration's games: against itself, or against a network of the past, with either colour.
    fn play(&self, config: &GradientConfig, stop: &StopSignal) -> Vec<Played> {
        let mut networks = vec![Arc::new(self.learner.latest())];
        networks.extend(self.pool.iter().cloned());
        let pool = Pool {
            config: &config.selfplay,
            networks: &networks,
            seed: config.seed,
            threads: config.threads,
            stop,
        };
        let first = self.state.iteration * config.games;
        let mut played = Vec::new();
        let players = |number: u64| {
            let mut rng = Rng::new(derive_seed(!config.seed, number));
            if self.pool.is_empty() || !rng.chance(config.pool.share) {
                return [0, 0];
            }
            let past = 1 + rng.below(self.pool.len());
            if number.is_multiple_of(2) { [0, past] } else { [past, 0] }
        };
        pool.play(first..first + config.games, players, |game| played.push(game));
        // Sums depend on the order of their terms.
        played.sort_by_key(|played| played.number);
        played
    }

    /// Adds the network to the pool; the oldest leaves.
    fn remember(&mut self, config: &PoolConfig) -> Result<(), SelfPlayError> {
        let (network, iteration) = (self.learner.latest(), self.state.iteration);
        network.save(&pool_file(&self.folder, iteration), &[])?;
        self.pool.push(Arc::new(network));
        self.state.pool.push(iteration);
        let excess = self.pool.len().saturating_sub(config.size);
        self.pool.drain(..excess);
        self.state.pool.drain(..excess);
        Ok(())
    }

    /// Writes the checkpoint; networks that it does not name any more go only then.
    fn save(&self) -> Result<(), SelfPlayError> {
        self.learner.save(&self.folder.join(RunFolder::CHECKPOINT), &self.state)?;
        let kept: Vec<_> =
            self.state.pool.iter().map(|&iteration| pool_file(&self.folder, iteration)).collect();
        keep_only(&self.folder.join(POOL), "net-", &kept)
    }
}

fn pool_file(folder: &Path, iteration: u64) -> PathBuf {
    folder.join(POOL).join(format!("net-{iteration:06}.safetensors"))
}

/// What the learner's moves teach, and the mean square of what their gradients are multiplied by, before it is normalised: the noise of
/// the steps grows with it.
fn lessons(config: &GradientConfig, played: &[Played]) -> (Vec<Example>, f64) {
    let mut examples = Vec::new();
    let mut weights = Vec::new();
    for played in played {
        let record = &played.record;
        let reward = f32::from(record.reward);
        let mut game = Game::from_board(played.game.start().clone(), record.rules);
        let mut turns = Vec::new();
        for position in &record.positions {
            let mine = played.players[position.color.index()] == 0;
            if let (true, Some((_, value))) = (mine, &position.network) {
                turns.push(Turn { color: position.color, value: *value });
                examples.push(Example {
                    history: game.moves().iter().map(|m| m.mv).collect(),
                    komi: record.rules.komi,
                    rank: None,
                    policy: vec![MoveTarget {
                        shares: vec![(index(&game, position.mv), 1.0)],
                        among: Some(candidates(&game).map(|mv| index(&game, mv)).collect()),
                    }],
                    value: (config.algorithm == Algorithm::ActorCritic).then(|| reward.midpoint(1.0)),
                    score: None,
                    ownership: None,
                    weight: 1.0,
                    advantage: 0.0,
                    board: game.board().clone(),
                });
            }
            game.play_unchecked(position.mv);
        }
        weights.extend(advantages(config.algorithm, config.lambda, &turns, reward));
    }
    let square = weights.iter().map(|a| f64::from(a * a)).sum::<f64>() / weights.len().max(1) as f64;
    if config.normalise {
        normalise(&mut weights);
    }
    for (example, advantage) in examples.iter_mut().zip(weights) {
        example.advantage = advantage;
    }
    (examples, square)
}

/// The learner's share of the points against its past; nothing if there were no such games.
fn against_past(played: &[Played]) -> Option<f64> {
    let points = |played: &Played| {
        let color = match played.players {
            [0, 0] => return None,
            [0, _] => Color::Black,
            _ => Color::White,
        };
        Some(f64::from(i32::from(played.record.reward) * color.sign()).midpoint(1.0))
    };
    let all: Vec<f64> = played.iter().filter_map(points).collect();
    crate::stats::mean(&all)
}

#[cfg(test)]
mod tests;
