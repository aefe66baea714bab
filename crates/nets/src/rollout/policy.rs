//! Rollouts of a network as a playout policy.

use std::sync::Arc;

use tengen_board::{Board, Move};
use tengen_engine::{playout::PlayoutPolicy, rng::Rng, search::RolloutConfig};

use super::{quantized::RolloutNetwork, stepper::Stepper};

/// Plays by a rollout network.
pub struct RolloutPolicy(Stepper);

impl RolloutPolicy {
    /// A policy with these parameters.
    pub fn new(network: Arc<RolloutNetwork>, config: &RolloutConfig) -> RolloutPolicy {
        RolloutPolicy(Stepper::new(network, config.temperature))
    }
}

impl PlayoutPolicy for RolloutPolicy {
    fn begin(&mut self, board: &Board) {
        self.0.begin(board);
    }

    fn played(&mut self, board: &Board, mv: Move) {
        self.0.played(board, mv);
    }

    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        // Whoever asks about single positions need not say that a playout begins.
        if !self.0.is_at(board) {
            self.0.begin(board);
        }
        self.0.draw(board, moves, rng)
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(RolloutPolicy(self.0.fork()))
    }
}
