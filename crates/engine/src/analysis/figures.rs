//! The figures of a search as front ends are told them: from one side's point of view, in KataGo's terms.

use tengen_board::{Board, Color, Move, Symmetry, Vertex, VertexMap};

use crate::search::{RootMove, SearchReport, value_for};

/// A report, and from whose side it is told.
#[derive(Clone, Copy)]
pub(crate) struct Figures<'a> {
    report: &'a SearchReport,
    board: &'a Board,
    side: Color,
}

/// What is told of a move, or of the position.
pub(crate) struct Standing {
    pub(crate) visits: u32,
    /// From 0 to 1.
    pub(crate) win_rate: f32,
    /// The win rate if the player to move does only as well as the visits make certain, by which moves are chosen: above the mean
    /// where the figures are told from the opponent's side, as KataGo has it. Of a position, its mean.
    pub(crate) lcb: f32,
    /// Points ahead.
    pub(crate) lead: f32,
    pub(crate) lead_deviation: f32,
}

impl Standing {
    /// KataGo's utility of the win rate alone, from −1 to 1.
    pub(crate) fn utility(&self) -> f32 {
        2.0 * self.win_rate - 1.0
    }

    /// [`Standing::utility`] of the lower bound.
    pub(crate) fn utility_lcb(&self) -> f32 {
        2.0 * self.lcb - 1.0
    }
}

impl<'a> Figures<'a> {
    pub(crate) fn new(report: &'a SearchReport, board: &'a Board, side: Color) -> Figures<'a> {
        Figures { report, board, side }
    }

    /// The position.
    pub(crate) fn root(&self) -> Standing {
        let report = self.report;
        let win_rate = value_for(report.black_value, self.side);
        Standing {
            visits: report.visits,
            win_rate,
            lcb: win_rate,
            lead: report.score * self.side.sign() as f32,
            lead_deviation: report.score_deviation,
        }
    }

    /// A move.
    pub(crate) fn standing(&self, root_move: &RootMove) -> Standing {
        let bound = root_move.lower_bound(self.report.to_play).clamp(0.0, 1.0);
        Standing {
            visits: root_move.visits,
            win_rate: root_move.value_for(self.side),
            lcb: if self.side == self.report.to_play { bound } else { 1.0 - bound },
            lead: root_move.score * self.side.sign() as f32,
            lead_deviation: root_move.score_deviation,
        }
    }

    /// The moves that were tried, best first, and others up to `least` moves; at most `most`.
    pub(crate) fn moves(&self, least: usize, most: usize) -> Vec<&'a RootMove> {
        let tried = self.report.moves.iter().filter(|m| m.visits > 0);
        let others = self.report.moves.iter().filter(|m| m.visits == 0);
        let count = tried.clone().count().max(least);
        tried.chain(others).take(count.min(most)).collect()
    }

    /// A move's share of what was known about all moves before the search; the same for all where nothing was.
    pub(crate) fn prior(&self, root_move: &RootMove) -> f32 {
        let sum: f32 = self.report.moves.iter().map(|m| m.prior).sum();
        if sum > 0.0 { root_move.prior / sum } else { 1.0 / self.report.moves.len().max(1) as f32 }
    }

    /// [`Figures::prior`] of each point from the top left corner, then of a pass; −1 for illegal moves.
    pub(crate) fn policy(&self) -> Vec<f32> {
        let of = |mv: Move| match self.report.moves.iter().find(|m| m.mv == mv) {
            Some(root_move) => self.prior(root_move),
            None if mv.vertex().is_none_or(|v| self.board.is_legal(v)) => 0.0,
            None => -1.0,
        };
        self.board.rows_from_top().flatten().map(Move::from).chain([Move::PASS]).map(of).collect()
    }

    /// Ownership of each point from the top left corner.
    pub(crate) fn ownership(&self, of_black: &VertexMap<f32>) -> Vec<f32> {
        let sign = self.side.sign() as f32;
        self.board.rows_from_top().flatten().map(|v| of_black[v] * sign).collect()
    }

    /// Standard deviation of single playouts' ownership (each is −1, 0 or 1), from the top left corner.
    pub(crate) fn ownership_deviation(&self, of_black: &VertexMap<f32>) -> Vec<f32> {
        self.board
            .rows_from_top()
            .flatten()
            .map(|v| (1.0 - of_black[v] * of_black[v]).max(0.0).sqrt())
            .collect()
    }

    /// Tells positions apart.
    pub(crate) fn hash(&self) -> String {
        self.hash_of_image(Symmetry::IDENTITY)
    }

    /// The same for positions that are reflections or rotations of each other.
    pub(crate) fn symmetric_hash(&self) -> String {
        Symmetry::ALL.into_iter().map(|symmetry| self.hash_of_image(symmetry)).min().unwrap_or_default()
    }

    fn hash_of_image(&self, symmetry: Symmetry) -> String {
        let board = self.board;
        let (width, height) = (board.width(), board.height());
        let image = |v: Vertex| symmetry.vertex(v, width, height);
        let stones: Vec<_> =
            board.points().filter_map(|v| Some((image(v), Some(board.color_at(v)?)))).collect();
        let empty = if symmetry.transposes() { Board::new(height, width) } else { Board::new(width, height) };
        let stones = empty.edited(&stones).map_or(0, |image| image.hash());
        let ko = if board.ko() == Vertex::NONE { 0 } else { image(board.ko()).index() };
        format!("{stones:016X}{:016X}", ko * 2 + board.to_play().index())
    }
}
