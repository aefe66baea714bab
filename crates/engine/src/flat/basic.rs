//! Basic flat Monte Carlo.
//!
//! **What.** Every candidate begins the same number of random games, one after the other in turn. Its value is the mean
//! score of its games, and the move with the best value is played.
//!
//! **Source.** Bouzy and Helmstetter 2003 (the "basic idea"); S2.1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::Move;

use super::{
    method::{Finding, Method, Start},
    sampler::Sampler,
    stats::ScoreStats,
};
use crate::playout::PlayoutPolicy;

/// Basic flat Monte Carlo has no parameters of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicConfig {}

pub(super) struct Basic {
    policy: Box<dyn PlayoutPolicy>,
    moves: Vec<(Move, ScoreStats)>,
    next: usize,
}

impl Basic {
    pub(super) fn new(start: Start<'_>) -> Basic {
        let moves = start.candidates.into_iter().map(|mv| (mv, ScoreStats::default())).collect();
        Basic { policy: start.policy, moves, next: 0 }
    }
}

impl Method for Basic {
    fn play(&mut self, sampler: &mut Sampler<'_>, _progress: f32) -> bool {
        let (mv, stats) = &mut self.moves[self.next];
        stats.add(sampler.play(&[*mv], &mut *self.policy));
        self.next = (self.next + 1) % self.moves.len();
        true
    }

    fn findings(&self) -> Vec<Finding> {
        self.moves.iter().map(|&(mv, stats)| Finding::new(mv, stats)).collect()
    }

    fn positions(&self) -> usize {
        self.moves.len()
    }
}
