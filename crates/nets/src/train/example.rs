//! A position to learn from.

use tengen_board::{Board, Move};

use crate::model::planes::Rank;

/// A position with what a network should say about it. Values are Black's; what is not known is not learned.
///
/// Game records, a teacher's answers, searches and policy gradients all come in this form: only the targets differ.
#[derive(Clone, Debug)]
pub struct Example {
    /// The position.
    pub board: Board,
    /// The moves before it, the last one last: all of them, or the last [`crate::model::planes::HISTORY`].
    pub history: Vec<Move>,
    /// Komi.
    pub komi: f32,
    /// The opponent's rank, if the network is told.
    pub rank: Option<Rank>,
    /// What is played here; then, for networks that look ahead, the moves after it.
    pub policy: Vec<MoveTarget>,
    /// Black's chance to win, from 0 to 1.
    pub value: Option<f32>,
    /// Black's lead in points.
    pub score: Option<f32>,
    /// Each point's owner in the order of [`Board::points`], from −1 (White's) to 1 (Black's).
    pub ownership: Option<Vec<f32>>,
    /// How much it counts. A negative weight teaches the opposite, as balancing does with rollouts that end on the wrong side.
    pub weight: f32,
    /// How much its moves count besides the weight: 1, or what policy gradients multiply ∇ log π by (S5.5), such as the advantage
    /// of the move that was played.
    pub advantage: f32,
}

/// What gives a [`crate::train::Learner`] its examples, batch by batch, and knows which come next.
pub trait Source {
    /// So many examples; none if there is nothing to learn from.
    fn examples(&mut self, count: usize) -> Vec<Example>;
}

/// Shares of moves that add up to 1. A move is its index in the order of [`Board::points`]; the area stands for the pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveTarget {
    /// The moves with a share.
    pub shares: Vec<(usize, f32)>,
    /// The moves that the network chooses from; all of them if absent. Others are neither learned nor unlearned.
    pub among: Option<Vec<usize>>,
}

impl MoveTarget {
    /// The target of a single move.
    pub fn one(board: &Board, mv: Move) -> MoveTarget {
        let index = mv.vertex().map_or(board.area(), |v| v.place(board.width()));
        MoveTarget { shares: vec![(index, 1.0)], among: None }
    }

    /// The move with the largest share.
    pub(crate) fn best(&self) -> Option<usize> {
        self.shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| *index)
    }
}
