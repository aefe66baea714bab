//! Sums over the playouts of a search.

use tengen_board::{Board, CELLS, Vertex, VertexMap};

use crate::reading::status::owner;

/// Sums over playouts from one position.
#[derive(Clone, Default)]
pub struct Totals {
    pub(crate) playouts: u64,
    pub(crate) black_value: f64,
    pub(crate) ownership: OwnershipTotals,
    /// By the root's edges.
    pub(crate) moves: Vec<MoveTotals>,
}

/// Sums over the playouts that began with one move.
#[derive(Clone, Default)]
pub(crate) struct MoveTotals {
    pub(crate) playouts: u32,
    pub(crate) score: f64,
    pub(crate) score_squared: f64,
    pub(crate) black_value: f64,
    pub(crate) black_value_squared: f64,
    /// If it was asked for.
    pub(crate) ownership: Option<Box<OwnershipTotals>>,
}

/// Who owned each point at the end of how many playouts.
#[derive(Clone)]
pub(crate) struct OwnershipTotals {
    pub(crate) playouts: u32,
    /// Black's points count 1, White's −1.
    pub(crate) sums: VertexMap<f32>,
}

impl Default for OwnershipTotals {
    fn default() -> OwnershipTotals {
        OwnershipTotals { playouts: 0, sums: VertexMap::filled(0.0) }
    }
}

impl OwnershipTotals {
    pub(crate) fn count(&mut self, board: &Board) {
        self.playouts += 1;
        for v in board.points() {
            self.sums[v] += owner(board, v).map_or(0.0, |color| color.sign() as f32);
        }
    }

    /// Counts what a network says, in the order of [`Board::points`].
    pub(super) fn count_shares(&mut self, board: &Board, shares: &[f32]) {
        self.playouts += 1;
        for (v, share) in board.points().zip(shares) {
            self.sums[v] += share;
        }
    }

    pub(crate) fn add(&mut self, other: &OwnershipTotals) {
        self.playouts += other.playouts;
        for v in (0..CELLS).map(Vertex::from_index) {
            self.sums[v] += other.sums[v];
        }
    }

    pub(crate) fn mean(&self) -> VertexMap<f32> {
        let mut mean = VertexMap::filled(0.0);
        for v in (0..CELLS).map(Vertex::from_index) {
            mean[v] = self.sums[v] / self.playouts.max(1) as f32;
        }
        mean
    }
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Totals) {
        self.playouts += other.playouts;
        self.black_value += other.black_value;
        self.ownership.add(&other.ownership);
        self.moves.resize(self.moves.len().max(other.moves.len()), MoveTotals::default());
        for (sum, of_move) in self.moves.iter_mut().zip(&other.moves) {
            sum.add(of_move);
        }
    }
}

impl MoveTotals {
    pub(crate) fn add(&mut self, other: &MoveTotals) {
        self.playouts += other.playouts;
        self.score += other.score;
        self.score_squared += other.score_squared;
        self.black_value += other.black_value;
        self.black_value_squared += other.black_value_squared;
        if let Some(ownership) = &other.ownership {
            self.ownership.get_or_insert_default().add(ownership);
        }
    }

    /// Of the score; `None` before the first playout.
    pub(crate) fn mean_and_deviation(&self) -> Option<(f32, f32)> {
        let mean = self.score / f64::from(self.playouts);
        (self.playouts > 0).then(|| (mean as f32, deviation(self.playouts, self.score, self.score_squared)))
    }

    /// Of the value of single playouts, one more won and one more lost, so that a few equal ones do not seem certain;
    /// `None` before the first.
    pub(crate) fn value_deviation(&self) -> Option<f32> {
        let (sum, squares) = (self.black_value + 1.0, self.black_value_squared + 1.0);
        (self.playouts > 0).then(|| deviation(self.playouts + 2, sum, squares))
    }
}

/// The standard deviation of numbers with this sum and sum of squares.
fn deviation(count: u32, sum: f64, squares: f64) -> f32 {
    let mean = sum / f64::from(count);
    (squares / f64::from(count) - mean * mean).max(0.0).sqrt() as f32
}
