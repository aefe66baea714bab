//! The playouts of MoGo: reply to the last move if it is urgent, else play at random.
//!
//! **What.** In this order, the first that finds a move plays it, each of its moves equally likely:
//! 1. save an own chain that the last move put in atari, by capturing or by extending to two liberties, or capture the
//!    chain of the last move itself if it is in atari;
//! 2. a point around the last move that matches a 3x3 shape ([`Patterns`]);
//! 3. capture anything, anywhere;
//! 4. any legal point that is not an own eye.
//!
//! **Source.** Gelly, Wang, Munos and Teytaud 2006 (INRIA report 6062), section 3; the static policy of Drake 2009
//! (S1.4).
//!
//! **Differences.** The report looks for captures on the whole board each time; [`AtariWatch`] gives the same points
//! from a list that is kept up to date. Each step has a probability, 1 as published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Move, Vertex};

use super::{FinishedPlayout, PlayoutPolicy, Uniform, UniformConfig};
use crate::{
    reading::{
        pattern3::{Patterns, code_around},
        tactics::{AtariWatch, Few, add_escapes, is_playable},
    },
    rng::Rng,
};

/// Parameters of [`Mogo`]: with which probability each step is taken. The report: always.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MogoConfig {
    /// Save or capture around the last move.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub escape: f32,
    /// 3x3 shapes around the last move.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub pattern: f32,
    /// Capture anywhere.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub capture: f32,
}

impl Default for MogoConfig {
    fn default() -> Self {
        MogoConfig { escape: 1.0, pattern: 1.0, capture: 1.0 }
    }
}

/// Replies to the last move if it is urgent, else random moves.
#[derive(Clone, Debug)]
pub struct Mogo {
    config: MogoConfig,
    patterns: &'static Patterns,
    watch: AtariWatch,
    uniform: Uniform,
}

impl Mogo {
    /// The policy with these parameters.
    pub fn new(config: &MogoConfig) -> Mogo {
        Mogo {
            config: config.clone(),
            patterns: Patterns::standard(),
            watch: AtariWatch::default(),
            uniform: Uniform::new(&UniformConfig::default()),
        }
    }

    fn shape_or_capture(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        let last = moves.last().map_or(Vertex::NONE, |mv| mv.vertex_or_none());
        if last != Vertex::NONE
            && rng.chance(self.config.pattern)
            && let Some(v) = self.shapes_around(board, last).pick(rng)
        {
            return Some(v);
        }
        if rng.chance(self.config.capture) {
            let mut captures = Few::<16>::new();
            self.watch.add_captures(board, &mut captures);
            return captures.pick(rng);
        }
        None
    }

    #[inline]
    fn shapes_around(&self, board: &Board, last: Vertex) -> Few<8> {
        let me = board.to_play();
        let mut found = Few::new();
        for v in board.empty_surrounding(last) {
            if self.patterns.shape(code_around(board, v, me)).is_some() && is_playable(board, v) {
                found.add(v);
            }
        }
        found
    }
}

/// The ways to save own chains that the move on `last` put in atari, and to capture its chain.
#[inline]
fn save_or_capture(board: &Board, last: Vertex) -> Few<16> {
    let me = board.to_play();
    let mut found = Few::new();
    let attacker = board.chain_of(last, !me);
    if attacker != Vertex::NONE
        && let Some(at) = board.atari(attacker)
        && is_playable(board, at)
    {
        found.add(at);
    }
    if board.stone_neighbors(last, me) != 0 {
        for chain in board.chains_beside(last, me) {
            if let Some(liberty) = board.atari(chain) {
                add_escapes(board, chain, liberty, me, &mut found);
            }
        }
    }
    found
}

impl PlayoutPolicy for Mogo {
    #[inline]
    fn urgent(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        self.watch.look(board, moves);
        let last = moves.last().map_or(Vertex::NONE, |mv| mv.vertex_or_none());
        if last == Vertex::NONE || !rng.chance(self.config.escape) {
            return None;
        }
        save_or_capture(board, last).pick(rng)
    }

    #[inline]
    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        match self.shape_or_capture(board, moves, rng) {
            Some(v) => v.into(),
            None => self.uniform.quiet(board, moves, rng),
        }
    }

    fn finish(&mut self, _playout: &FinishedPlayout<'_>) {
        self.watch.reset();
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(self.clone())
    }

    fn clear(&mut self) {
        self.watch.reset();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tengen_board::Color;

    use super::*;

    /// Everything the policy plays in 200 tries after White's move `last`.
    fn replies(config: &MogoConfig, diagram: &str, last: &str) -> BTreeSet<String> {
        let mut board = Board::from_diagram(diagram).unwrap();
        board.set_to_play(Color::White);
        board.play(last.parse().unwrap());
        let mut rng = Rng::new(3);
        let mut policy = Mogo::new(config);
        (0..200)
            .map(|_| {
                policy.clear();
                policy.choose(&mut board, &[last.parse().unwrap()], &mut rng).to_string()
            })
            .collect()
    }

    fn set(moves: &[&str]) -> BTreeSet<String> {
        moves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_chain_in_atari_is_extended() {
        let diagram = ". . . . . / . O . . . / . X . . . / . O . . . / . . . . .";
        assert_eq!(replies(&MogoConfig::default(), diagram, "A3"), set(&["C3"]));
    }

    #[test]
    fn a_chain_in_atari_is_saved_by_capturing() {
        // Extending to A1 would leave one liberty.
        let diagram = ". . . . . / . X . . . / . O X . . / X O X . . / . X . . .";
        assert_eq!(replies(&MogoConfig::default(), diagram, "A3"), set(&["A4"]));
    }

    #[test]
    fn a_move_that_puts_itself_in_atari_is_captured() {
        let diagram = ". . . . . / . X . . . / X . . . . / . X . . . / . . . . .";
        assert_eq!(replies(&MogoConfig::default(), diagram, "B3"), set(&["C3"]));
    }

    #[test]
    fn shapes_come_before_distant_captures() {
        // A white stone in the corner is in atari, but the last move asks for a hane.
        let diagram = "O X . . . . . . . / . . . . . . . . . / . . . . . . . . . / . . . . . . . . .
            / . . . . . X . . . / . . . . . . . . . / . . . . . . . . . / . . . . . . . . . / . . . . . . . . .";
        let local = replies(&MogoConfig::default(), diagram, "F4");
        assert!(!local.contains("A8"), "{local:?}");
        let config = MogoConfig { pattern: 0.0, ..MogoConfig::default() };
        assert_eq!(replies(&config, diagram, "F4"), set(&["A8"]));
    }
}
