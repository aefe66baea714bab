//! A position as one colour sees it: the first layer's sums, and the weights that moves are drawn by.

use tengen_board::{Board, Color, MAX_AREA, Move, Vertex, VertexMap};
use tengen_engine::rng::Rng;

use super::{
    lanes::{LANES, Lane, Multiply},
    marks::{Marks, columns},
    middle::MiddleSums,
    quantized::{RolloutNetwork, STRIDE, cell},
};

/// Numbers of a row of weights.
const ROW: usize = 24;
/// The most turns that are shown.
const TURNS: usize = 8;

/// Weights beyond 2 to this power are cut off, so that sums stay finite.
const LARGEST_POWER: f32 = 110.0;

/// A position as one colour sees it.
#[derive(Clone)]
pub(super) struct Side {
    color: Color,
    /// The first layer's sums, before the ReLU.
    sums: Vec<Lane>,
    /// Those of the layers between the first and the last.
    middle: Vec<MiddleSums>,
    /// The code of each point that the sums contain; the moves, and the ko.
    codes: VertexMap<u8>,
    turns: [Vertex; TURNS],
    ko: Vertex,
    /// Points whose code may be another now.
    pending: VertexSet,
    /// Points whose logits are out of date.
    dirty: Marks,
    /// Points whose logits are being computed, and these.
    points: Vec<(u8, u8)>,
    logits: [f32; MAX_AREA],
    /// exp(logit / temperature) by rows; 0 where the player may not or should not play.
    weights: [[f32; ROW]; 19],
    row_sums: [f32; 19],
}

/// A set of vertices.
#[derive(Clone, Copy, Default)]
pub(super) struct VertexSet([u64; 8]);

impl VertexSet {
    #[inline(always)]
    pub(super) fn insert(&mut self, v: Vertex) {
        self.0[v.index() / 64] |= 1 << (v.index() % 64);
    }

    #[inline(always)]
    pub(super) fn contains(&self, v: Vertex) -> bool {
        self.0[v.index() / 64] >> (v.index() % 64) & 1 == 1
    }
}

impl Side {
    pub(super) fn new(color: Color, network: &RolloutNetwork) -> Side {
        Side {
            color,
            sums: network.blank_sums(),
            middle: vec![MiddleSums::new(network.depth); network.middle.len()],
            codes: VertexMap::filled(0),
            turns: [Vertex::NONE; TURNS],
            ko: Vertex::NONE,
            pending: VertexSet::default(),
            dirty: Marks::none(),
            points: Vec::with_capacity(MAX_AREA),
            logits: [0.0; MAX_AREA],
            weights: [[0.0; ROW]; 19],
            row_sums: [0.0; 19],
        }
    }

    /// Starts again with an empty board.
    pub(super) fn clear(&mut self, empty_sums: &[Lane]) {
        self.sums.copy_from_slice(empty_sums);
        self.middle.iter_mut().for_each(MiddleSums::clear);
        self.dirty.fill();
        self.codes = VertexMap::filled(0);
        self.turns = [Vertex::NONE; TURNS];
        self.ko = Vertex::NONE;
        self.pending = VertexSet::default();
        self.weights = [[0.0; ROW]; 19];
        self.row_sums = [0.0; 19];
    }

    /// Beyond the board nothing may be left of another one.
    pub(super) fn forget_size(&mut self) {
        self.middle.iter_mut().for_each(MiddleSums::forget_size);
    }

    /// Notes that the code of a point may have changed.
    #[inline(always)]
    pub(super) fn note(&mut self, v: Vertex) {
        self.pending.insert(v);
    }

    /// Brings everything up to date. `codes` are those of the position, `occupied` the columns of stones in each row; `moves` led
    /// to it, and `sharpness` turns a logit into a power of 2.
    #[inline(always)]
    pub(super) fn update<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        network: &RolloutNetwork,
        board: &Board,
        (codes, occupied): (&VertexMap<u8>, &[u32; 19]),
        moves: &[Move],
        sharpness: f32,
    ) {
        self.update_stones::<DEPTH>(network, codes);
        self.update_turns::<DEPTH>(network, moves);
        self.update_ko::<DEPTH>(network, board.ko());
        self.update_weights::<DEPTH>(multiply, network, (board, occupied), sharpness);
    }

    #[inline(always)]
    fn update_stones<const DEPTH: usize>(&mut self, network: &RolloutNetwork, codes: &VertexMap<u8>) {
        let pending = std::mem::take(&mut self.pending);
        for (i, mut word) in pending.0.into_iter().enumerate() {
            while word != 0 {
                let v = Vertex::from_index(i * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
                let (new, old) = (codes[v], self.codes[v]);
                if new != old {
                    self.codes[v] = new;
                    self.weights[v.row()][v.col()] = 0.0;
                    let seen = |code| network.stone_stamp(network.codes.seen_by(code, self.color));
                    self.replace::<DEPTH>(network, v, seen(old), seen(new));
                }
            }
        }
    }

    #[inline(always)]
    fn update_turns<const DEPTH: usize>(&mut self, network: &RolloutNetwork, moves: &[Move]) {
        let shown = network.codes.turns;
        let mut now = [Vertex::NONE; TURNS];
        for (turn, mv) in moves.iter().rev().take(shown).enumerate() {
            let v = mv.vertex_or_none();
            if !now.contains(&v) {
                now[turn] = v;
            }
        }
        let before = std::mem::replace(&mut self.turns, now);
        let none = network.stone_stamp(0);
        for (turn, &v) in before[..shown].iter().enumerate() {
            if v != Vertex::NONE && now[turn] != v {
                let new = now.iter().position(|&n| n == v).map_or(none, |turn| network.turn_stamp(turn));
                self.replace::<DEPTH>(network, v, network.turn_stamp(turn), new);
            }
        }
        for (turn, &v) in now[..shown].iter().enumerate() {
            if v != Vertex::NONE && !before.contains(&v) {
                self.replace::<DEPTH>(network, v, none, network.turn_stamp(turn));
            }
        }
    }

    #[inline(always)]
    fn update_ko<const DEPTH: usize>(&mut self, network: &RolloutNetwork, now: Vertex) {
        let before = std::mem::replace(&mut self.ko, now);
        if before != now {
            let none = network.stone_stamp(0);
            if before != Vertex::NONE {
                self.replace::<DEPTH>(network, before, network.ko_stamp(), none);
            }
            if now != Vertex::NONE {
                self.replace::<DEPTH>(network, now, none, network.ko_stamp());
            }
        }
    }

    /// Exchanges what a point contributes to the sums.
    #[inline(always)]
    fn replace<const DEPTH: usize>(
        &mut self,
        network: &RolloutNetwork,
        v: Vertex,
        old: &[Lane],
        new: &[Lane],
    ) {
        let at = (v.col(), v.row());
        self.dirty.mark(at, network.logit_reach());
        if let Some(next) = self.middle.first_mut() {
            next.changed.mark(at, network.first_reach());
        }
        let width = network.kernel * DEPTH;
        let start = (cell(at.0, at.1) - network.kernel / 2 * (STRIDE + 1)) * DEPTH;
        for row in 0..network.kernel {
            let sums = &mut self.sums[start + row * STRIDE * DEPTH..][..width];
            let (new, old) = (&new[row * width..][..width], &old[row * width..][..width]);
            for i in 0..width {
                // Copies, so that it is plain that nothing overlaps.
                let (mut sum, new, old) = (sums[i], new[i], old[i]);
                for c in 0..LANES {
                    sum.0[c] = sum.0[c].wrapping_add(new.0[c]).wrapping_sub(old.0[c]);
                }
                sums[i] = sum;
            }
        }
    }

    /// Computes the logits that are out of date, where the player may play.
    #[inline(always)]
    fn update_weights<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        network: &RolloutNetwork,
        (board, occupied): (&Board, &[u32; 19]),
        sharpness: f32,
    ) {
        let (width, height) = (board.width(), board.height());
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        for row in 0..height {
            for col in columns(self.dirty.row(row, width) & !occupied[row]) {
                self.weights[row][col] = 0.0;
                if is_playable(board, Vertex::new(col, row), self.color) {
                    points.push((col as u8, row as u8));
                }
            }
        }
        if !self.middle.is_empty() {
            self.update_middle::<DEPTH>(multiply, network, &points, (width, height));
        }
        let source = self.middle.last().map_or(&self.sums, |layer| &layer.sums);
        let logits = &mut self.logits[..points.len()];
        for (logit, &(col, row)) in logits.iter_mut().zip(&points) {
            let cell = cell(col as usize, row as usize);
            *logit = network.head.logit::<DEPTH>(multiply, source, cell);
        }
        for logit in &mut *logits {
            *logit = exp2((*logit * sharpness).clamp(-LARGEST_POWER, LARGEST_POWER));
        }
        for (weight, &(col, row)) in logits.iter().zip(&points) {
            self.weights[row as usize][col as usize] = *weight;
        }
        self.points = points;
        for row in 0..height {
            if self.dirty.row(row, width) != 0 {
                self.row_sums[row] = row_sum(&self.weights[row]);
            }
        }
        self.dirty.clear();
    }

    /// Computes what the logits of these points need of the layers between the first and the last.
    #[inline(always)]
    fn update_middle<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        network: &RolloutNetwork,
        points: &[(u8, u8)],
        size: (usize, usize),
    ) {
        let layers = self.middle.len();
        for layer in 0..layers {
            let (before, after) = self.middle.split_at_mut(layer);
            let [sums, next @ ..] = after else { unreachable!("there are so many layers") };
            let from = before.last().map_or(&self.sums, |before| &before.sums);
            let (weights, reach) = (&network.middle[layer], layers - layer);
            sums.take_in::<DEPTH>(multiply, weights, from, around(points, reach + 1), size);
            sums.settle::<DEPTH>(
                weights,
                around(points, reach),
                size,
                next.first_mut().map(|next| &mut next.changed),
            );
        }
    }

    /// A move drawn by the weights; a pass if all are 0.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Move {
        let total: f32 = self.row_sums.iter().sum();
        let mut left = rng.unit() * total;
        // Rounding may leave something at the end: then the last one is it.
        let mut chosen = None;
        for (row, &sum) in self.row_sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
            chosen = Some((row, left));
            if left < sum {
                break;
            }
            left -= sum;
        }
        let Some((row, mut left)) = chosen else { return Move::PASS };
        let mut mv = Move::PASS;
        for (col, &weight) in self.weights[row].iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            mv = Vertex::new(col, row).into();
            if left < weight {
                break;
            }
            left -= weight;
        }
        mv
    }

    /// The weight of a point.
    #[cfg(test)]
    pub(super) fn weight(&self, v: Vertex) -> f32 {
        self.weights[v.row()][v.col()]
    }
}

/// The squares around points.
#[inline(always)]
fn around(points: &[(u8, u8)], radius: usize) -> Marks {
    let mut marks = Marks::none();
    for &(col, row) in points {
        marks.mark((col as usize, row as usize), radius);
    }
    marks
}

/// Whether a move on an empty point is legal and fills no own eye.
#[inline(always)]
pub(crate) fn is_playable(board: &Board, v: Vertex, me: Color) -> bool {
    board.empty_neighbors(v) != 0 || (!board.is_eye(v, me) && board.is_legal_without_space(v))
}

#[inline(always)]
fn row_sum(row: &[f32; ROW]) -> f32 {
    let mut sums = [0.0; 8];
    for i in 0..8 {
        sums[i] = row[i] + row[8 + i] + row[16 + i];
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// 2 to the power of a number from −126 to 126, to six digits: the same on every machine.
#[inline(always)]
fn exp2(x: f32) -> f32 {
    /// So large that adding it rounds to a whole number, which then stands in the last bits.
    const ROUNDS: f32 = 12_582_912.0;
    let rounded = x + ROUNDS;
    let t = (x - (rounded - ROUNDS)) * std::f32::consts::LN_2;
    let power =
        1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0 + t * (1.0 / 120.0 + t / 720.0)))));
    power * f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23))
}
