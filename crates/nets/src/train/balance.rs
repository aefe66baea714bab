//! **What.** Simulation balancing: a rollout network learns that its rollouts end well on the average, not that each of their moves
//! is a good one.
//!
//! **Formula.** θ ← θ + α (V* − V) · mean of (z − V) Σ ∇ log π(a|s) over all moves of a rollout, where V* is the position's value as a
//! teacher sees it, V the mean result of some rollouts, and z the result of each of others.
//!
//! **Source.** Silver and Tesauro 2009, *Monte-Carlo simulation balancing* (policy gradient simulation balancing); named in S4.4 as the
//! way out of "a better policy makes a worse player".
//!
//! **Differences.** V is subtracted from z, which changes nothing on the average and makes it less noisy; several positions a step; the policy is a
//! network.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Game, Move};
use tengen_engine::{
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
    search::{RolloutConfig, area_komi},
};

use super::{
    TrainConfig,
    example::{Example, MoveTarget},
    learner::Learner,
    optimizer::OptimizerConfig,
};
use crate::{
    error::NetError,
    model::network::Network,
    rollout::{RolloutNetwork, RolloutPolicy, is_playable},
};

/// A position, and what the mean result of its rollouts should be.
#[derive(Clone, Debug)]
pub struct Target {
    board: Board,
    moves: Vec<Move>,
    komi: f32,
    /// Black's value, from 0 to 1.
    black_value: f32,
}

impl Target {
    /// The position at the end of a game, with Black's value.
    pub fn new(game: &Game, black_value: f32) -> Target {
        let moves = game.moves().iter().map(|played| played.mv).collect();
        Target { board: game.board().clone(), moves, komi: area_komi(game), black_value }
    }
}

/// How a network is balanced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BalanceConfig {
    /// Positions per step.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub batch: usize,
    /// Rollouts that estimate the value of a position.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub rollouts: usize,
    /// Rollouts that estimate the gradient.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub gradient_rollouts: usize,
    /// How weights follow their gradients.
    pub optimizer: OptimizerConfig,
    /// Steps in all, for the learning rate's schedule.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub steps: u64,
    /// Random seed.
    pub seed: u64,
}

impl Default for BalanceConfig {
    fn default() -> BalanceConfig {
        BalanceConfig {
            batch: 16,
            rollouts: 64,
            gradient_rollouts: 16,
            optimizer: OptimizerConfig {
                learning_rate: 0.001,
                weight_decay: 0.0,
                max_gradient: 1.0,
                average: 0.98,
                ..OptimizerConfig::default()
            },
            steps: 1000,
            seed: 1,
        }
    }
}

/// A balancing under way.
pub struct Balancer {
    config: BalanceConfig,
    learner: Learner,
    steps: u64,
    rng: Rng,
}

impl Balancer {
    /// Begins with a network that can play rollouts.
    pub fn new(network: &Network, config: &BalanceConfig) -> Result<Balancer, NetError> {
        RolloutNetwork::new(network)?;
        let settings =
            TrainConfig { optimizer: config.optimizer.clone(), ..TrainConfig::new(network.spec().clone()) };
        Ok(Balancer {
            learner: Learner::new(&settings, network)?,
            steps: 0,
            rng: Rng::new(config.seed),
            config: config.clone(),
        })
    }

    /// One step: the mean squared imbalance of the positions before it, V's noise taken off.
    pub fn step(&mut self, targets: &[Target]) -> Result<f64, NetError> {
        if targets.is_empty() {
            return Ok(0.0);
        }
        let mut policy = rollouts(&self.learner.latest())?;
        let mut imbalance = 0.0;
        let mut examples = Vec::new();
        for target in targets {
            let (value, squared) = balance(&mut policy, target, self.config.rollouts, &mut self.rng);
            imbalance += squared;
            let error = target.black_value - value;
            for _ in 0..self.config.gradient_rollouts {
                let (moves, result) = play(&mut policy, target, &mut self.rng);
                examples.extend(choices(target, &moves).into_iter().map(|choice| Example {
                    history: moves[..choice.played].to_vec(),
                    komi: 0.0,
                    rank: None,
                    policy: vec![MoveTarget {
                        shares: vec![(choice.chosen, 1.0)],
                        among: Some(choice.playable),
                    }],
                    value: None,
                    score: None,
                    ownership: None,
                    weight: error * (result - value),
                    advantage: 1.0,
                    board: choice.board,
                }));
            }
        }
        // The mean is over rollouts, not over their moves.
        let rollouts = (targets.len() * self.config.gradient_rollouts) as f32;
        let moves = examples.len() as f32;
        for example in &mut examples {
            example.weight *= moves / rollouts;
        }
        self.learner.step_at(self.steps as f64 / self.config.steps.max(1) as f64, &examples);
        self.steps += 1;
        Ok(imbalance / targets.len() as f64)
    }

    /// The network as it is saved, with averaged weights.
    pub fn network(&self) -> Network {
        self.learner.network()
    }
}

/// The mean squared imbalance of a network's rollouts over positions: (V* − V)² less V's noise.
pub fn imbalance(
    network: &Network,
    targets: &[Target],
    count: usize,
    rng: &mut Rng,
) -> Result<f64, NetError> {
    let mut policy = rollouts(network)?;
    let sum: f64 = targets.iter().map(|target| balance(&mut policy, target, count, rng).1).sum();
    Ok(sum / targets.len().max(1) as f64)
}

fn rollouts(network: &Network) -> Result<RolloutPolicy, NetError> {
    Ok(RolloutPolicy::new(Arc::new(RolloutNetwork::new(network)?), &RolloutConfig::default()))
}

/// Black's mean result of rollouts, and how far it is from the target, squared, less its noise.
fn balance(policy: &mut RolloutPolicy, target: &Target, count: usize, rng: &mut Rng) -> (f32, f64) {
    let value = (0..count).map(|_| play(policy, target, rng).1).sum::<f32>() / count as f32;
    let noise = value * (1.0 - value) / (count.max(2) - 1) as f32;
    let error = target.black_value - value;
    (value, f64::from(error * error - noise))
}

/// All moves, and Black's result from 0 to 1.
fn play(policy: &mut RolloutPolicy, target: &Target, rng: &mut Rng) -> (Vec<Move>, f32) {
    let mut moves = target.moves.clone();
    let points = policy.play_out(&mut target.board.clone(), &mut moves, &PlayoutLimits::default(), rng);
    let score = points as f32 - target.komi;
    let result = if score == 0.0 { 0.5 } else { f32::from(u8::from(score > 0.0)) };
    (moves, result)
}

/// A position of a rollout, where a move was chosen.
struct Choice {
    board: Board,
    /// Moves before it.
    played: usize,
    /// The points to choose from, and the one that was chosen.
    playable: Vec<usize>,
    chosen: usize,
}

/// The choices of a rollout, of which `moves` are all moves from the beginning of the game.
fn choices(target: &Target, moves: &[Move]) -> Vec<Choice> {
    let mut board = target.board.clone();
    let mut choices = Vec::new();
    for (played, &mv) in moves.iter().enumerate().skip(target.moves.len()) {
        let me = board.to_play();
        if let Some(chosen) = mv.vertex() {
            let index = |v: tengen_board::Vertex| v.place(board.width());
            let playable = board.empties().iter().filter(|&&v| is_playable(&board, v, me)).map(|&v| index(v));
            let choice =
                Choice { playable: playable.collect(), chosen: index(chosen), played, board: board.clone() };
            choices.push(choice);
        }
        board.play_unchecked(mv);
    }
    choices
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Rules};

    use super::*;
    use crate::model::spec::NetSpec;

    fn network() -> Network {
        Network::random(&NetSpec::named("rollout-a-reduced").unwrap(), &mut Rng::new(3)).unwrap()
    }

    /// Black to play can capture, or be captured.
    fn fight() -> Game {
        let diagram = "
            . . . . .
            . X X X .
            X O O O .
            X O O O X
            . X X X .";
        let mut board = Board::from_diagram(diagram).unwrap();
        board.set_to_play(Color::Black);
        Game::from_board(board, Rules::CHINESE.with_komi(0.5))
    }

    #[test]
    fn rollouts_learn_to_end_as_they_should() {
        for value in [0.1, 0.5] {
            let targets = vec![Target::new(&fight(), value); 4];
            let mut config = BalanceConfig { steps: 40, ..BalanceConfig::default() };
            (config.optimizer.learning_rate, config.optimizer.average) = (0.05, 0.0);
            let mut balancer = Balancer::new(&network(), &config).unwrap();
            let before = imbalance(&network(), &targets, 200, &mut Rng::new(1)).unwrap();
            for _ in 0..config.steps {
                balancer.step(&targets).unwrap();
            }
            let after = imbalance(&balancer.network(), &targets, 200, &mut Rng::new(1)).unwrap();
            assert!(before > 0.02 && after < before / 3.0, "{value}: {before} {after}");
        }
    }

    #[test]
    fn choices_are_among_the_playable_points() {
        let game = Game::new(7, 7, Rules::CHINESE).unwrap();
        let target = Target::new(&game, 0.5);
        let mut policy = rollouts(&network()).unwrap();
        for seed in 0..20 {
            let (moves, _) = play(&mut policy, &target, &mut Rng::new(seed));
            let choices = choices(&target, &moves);
            assert!(choices.len() > 20);
            assert!(choices.iter().all(|choice| choice.playable.contains(&choice.chosen)));
        }
    }

    #[test]
    fn networks_that_play_no_rollouts_are_refused() {
        let network = Network::random(&NetSpec::named("default").unwrap(), &mut Rng::new(1)).unwrap();
        assert!(Balancer::new(&network, &BalanceConfig::default()).is_err());
    }
}
