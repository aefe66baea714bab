//! Uniformly random legal moves that do not fill an own eye.
//!
//! **What.** Every legal point that is not an own eye is equally likely; a pass if there is none.
//!
//! **Source.** Brügmann 1993; the eye rules are those of Drake 2009 (S1.3), Bouzy and Helmstetter 2003 (S2.1)
//! and Liu (S5.2).
//!
//! **How.** Points are drawn from the board's list of empty points. A refused point is swapped behind the part that
//! is still drawn from, so the draw is exact and ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, Vertex};

use super::{Course, PlayoutLimits, PlayoutPolicy};
use crate::rng::{Ahead, Rng};

/// Which points count as own eyes, where a playout never plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EyeRule {
    /// Every orthogonal neighbour friendly, at most one enemy on the diagonals, none at an edge or corner (S1.3).
    #[default]
    Diagonals,
    /// Every orthogonal neighbour friendly, and each of those chains has two or more liberties (S2.1, first).
    TwoLiberties,
    /// Every orthogonal neighbour belongs to one friendly chain (S2.1, second).
    OneChain,
    /// Every orthogonal neighbour and three of four diagonals friendly or off the board (S5.2).
    ThreeDiagonals,
}

impl EyeRule {
    /// Whether the empty point `v` is an eye of `color`.
    #[inline]
    pub fn is_eye(self, board: &Board, v: Vertex, color: Color) -> bool {
        if self == EyeRule::Diagonals {
            return board.is_eye(v, color);
        }
        board.is_surrounded(v, color) && self.is_surrounded_eye(board, v, color)
    }

    /// Whether `me`, who is to move, may play on the empty point `v` without filling an own eye.
    #[inline]
    pub fn is_playable(self, board: &Board, v: Vertex, me: Color) -> bool {
        board.empty_neighbors(v) != 0 || (!self.is_eye(board, v, me) && board.is_legal_without_space(v, me))
    }

    #[inline(never)]
    fn is_surrounded_eye(self, board: &Board, v: Vertex, color: Color) -> bool {
        let chains = v.neighbors().map(|n| board.chain_of(n, color));
        let mut chains = chains.into_iter().filter(|&c| c != Vertex::NONE);
        match self {
            EyeRule::Diagonals => board.is_eye(v, color),
            EyeRule::TwoLiberties => chains.all(|c| !board.is_atari_at(c, v)),
            EyeRule::OneChain => chains.next().is_some_and(|first| chains.all(|c| c == first)),
            EyeRule::ThreeDiagonals => {
                let good = |d: &Vertex| board.is_color(*d, color) || !board.contains(*d);
                v.diagonals().iter().filter(|d| good(d)).count() >= 3
            }
        }
    }
}

/// Parameters of [`Uniform`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UniformConfig {
    /// Which points count as own eyes.
    #[schemars(extend("x-peer" = true))]
    pub eyes: EyeRule,
}

/// Uniformly random legal moves that do not fill an own eye.
#[derive(Clone, Debug)]
pub struct Uniform {
    eyes: EyeRule,
}

impl Uniform {
    /// The policy with these parameters.
    pub fn new(config: &UniformConfig) -> Uniform {
        Uniform { eyes: config.eyes }
    }
}

const BLACK: usize = Color::Black.index();
const WHITE: usize = Color::White.index();

/// Plays to the end, on points that `accept` takes. The players take turns in the code, and the code is compiled for each rule
/// of eyes: what depends on either is a constant.
fn alternate(
    accept: impl Fn(&Board, Vertex, Color) -> bool,
    board: &mut Board,
    moves: &mut Vec<Move>,
    limits: PlayoutLimits,
    rng: &mut Rng,
) -> i32 {
    let mut course = Course::new(board, moves, limits);
    let mut ahead = Ahead::new(rng);
    let mut blacks_turn = board.to_play() == Color::Black;
    while course.goes_on(moves) {
        if blacks_turn {
            take_turn::<BLACK>(&accept, board, moves, &mut course, &mut ahead);
            if !course.goes_on(moves) {
                break;
            }
        }
        blacks_turn = true;
        take_turn::<WHITE>(&accept, board, moves, &mut course, &mut ahead);
    }
    *rng = ahead.into_inner();
    course.score(board)
}

#[inline]
fn take_turn<const ME: usize>(
    accept: &impl Fn(&Board, Vertex, Color) -> bool,
    board: &mut Board,
    moves: &mut Vec<Move>,
    course: &mut Course,
    rng: &mut Ahead,
) {
    let me = Color::ALL[ME];
    let mv = board.draw_empty(|| rng.bits(), |board, v| accept(board, v, me));
    board.play_as::<ME>(mv);
    course.note(board, moves, mv);
}

impl PlayoutPolicy for Uniform {
    #[inline]
    fn quiet(&mut self, board: &mut Board, _moves: &[Move], rng: &mut Rng) -> Move {
        let eyes = self.eyes;
        let me = board.to_play();
        board.draw_empty(|| rng.bits(), |board, v| eyes.is_playable(board, v, me))
    }

    fn play_out(
        &mut self,
        board: &mut Board,
        moves: &mut Vec<Move>,
        limits: &PlayoutLimits,
        rng: &mut Rng,
    ) -> i32 {
        match self.eyes {
            EyeRule::Diagonals => {
                let accept = |board: &Board, v, me| EyeRule::Diagonals.is_playable(board, v, me);
                alternate(accept, board, moves, *limits, rng)
            }
            eyes => {
                let accept = |board: &Board, v, me| eyes.is_playable(board, v, me);
                alternate(accept, board, moves, *limits, rng)
            }
        }
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(self.clone())
    }
}
