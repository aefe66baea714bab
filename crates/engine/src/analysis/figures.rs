//! The figures of a search as front ends are told them: from one side's point of view, in KataGo's terms.

use tengen_board::{Board, Color, Move, Symmetry, Vertex, VertexMap};

use crate::report::{RootMove, SearchReport, value_for};

/// Standard deviations that a lower confidence bound is below the mean: 95 values of 100 lie within as many.
const LCB_DEVIATIONS: f32 = 1.96;

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
    /// The win rate if the player to move does only as well as the visits make certain: above the mean where the figures are told
    /// from the opponent's side, as KataGo has it.
    pub(crate) lcb: f32,
    /// Points ahead.
    pub(crate) lead: f32,
    pub(crate) lead_deviation: f32,
}

impl Standing {
    /// Figures of the player to move, or of the opponent if it `is_opponent`.
    fn new(visits: u32, win_rate: f32, is_opponent: bool, lead: f32, lead_deviation: f32) -> Standing {
        let spread = match visits {
            0 => 1.0,
            _ => LCB_DEVIATIONS * (win_rate * (1.0 - win_rate) / visits as f32).sqrt(),
        };
        let bound = if is_opponent { win_rate + spread } else { win_rate - spread };
        Standing { visits, win_rate, lcb: bound.clamp(0.0, 1.0), lead, lead_deviation }
    }

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
        let lead = report.score * self.side.sign() as f32;
        let win_rate = value_for(report.black_value, self.side);
        Standing::new(report.visits, win_rate, self.is_opponent(), lead, report.score_deviation)
    }

    /// A move.
    pub(crate) fn standing(&self, root_move: &RootMove) -> Standing {
        let lead = root_move.score * self.side.sign() as f32;
        let win_rate = root_move.value_for(self.side);
        Standing::new(root_move.visits, win_rate, self.is_opponent(), lead, root_move.score_deviation)
    }

    fn is_opponent(&self) -> bool {
        self.side != self.report.to_play
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
        rows_from_top(self.board).map(Move::from).chain([Move::PASS]).map(of).collect()
    }

    /// Ownership of each point from the top left corner.
    pub(crate) fn ownership(&self, of_black: &VertexMap<f32>) -> Vec<f32> {
        let sign = self.side.sign() as f32;
        rows_from_top(self.board).map(|v| of_black[v] * sign).collect()
    }

    /// Standard deviation of single playouts' ownership (each is −1, 0 or 1), from the top left corner.
    pub(crate) fn ownership_deviation(&self, of_black: &VertexMap<f32>) -> Vec<f32> {
        rows_from_top(self.board).map(|v| (1.0 - of_black[v] * of_black[v]).max(0.0).sqrt()).collect()
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

/// Row by row, from the top left corner to the bottom right one.
pub(crate) fn rows_from_top(board: &Board) -> impl Iterator<Item = Vertex> + use<> {
    let (width, height) = (board.width(), board.height());
    (0..height).rev().flat_map(move |row| (0..width).map(move |col| Vertex::new(col, row)))
}
