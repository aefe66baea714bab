//! A position as one colour sees it: the first layer's sums, and the weights that moves are drawn by.

use tengen_board::{Board, Color, MAX_AREA, Move, Vertex, VertexMap};
use tengen_engine::{playout::EyeRule, rng::Rng};

use super::{
    lanes::{LANES, Lane, Multiply, ROUNDS},
    marks::Marks,
    middle::MiddleSums,
    quantized::{CELLS, RolloutNetwork, STRIDE, cell, point},
};

/// The most columns, in groups of [`TOGETHER`].
const COLUMNS: usize = 24;
/// Weights that are computed together.
const TOGETHER: usize = 8;
/// The most points, in such groups, and a group behind the last.
const MOST_POINTS: usize = MAX_AREA.next_multiple_of(TOGETHER) + TOGETHER;
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
    /// Points whose code may be another now; some may be there twice.
    pending: Vec<Vertex>,
    /// Points whose logits are out of date.
    dirty: Marks,
    /// Cells whose logits are being computed, and these.
    cells: [u16; MOST_POINTS],
    logits: [f32; MOST_POINTS],
    /// exp(logit / temperature) of cells; 0 where the player may not or should not play.
    weights: [f32; CELLS],
    column_sums: [f32; COLUMNS],
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
            pending: Vec::new(),
            dirty: Marks::none(),
            cells: [cell(0, 0) as u16; MOST_POINTS],
            logits: [0.0; MOST_POINTS],
            weights: [0.0; CELLS],
            column_sums: [0.0; COLUMNS],
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
        self.pending.clear();
        // The stones of the position and the changes of a move: so nothing is allocated later, nor after a clone.
        self.pending.reserve(2 * MAX_AREA);
        self.weights = [0.0; CELLS];
        self.column_sums = [0.0; COLUMNS];
    }

    /// Beyond the board nothing may be left of another one.
    pub(super) fn forget_size(&mut self) {
        self.middle.iter_mut().for_each(MiddleSums::forget_size);
    }

    /// Notes that the code of a point may have changed.
    #[inline(always)]
    pub(super) fn note(&mut self, v: Vertex) {
        self.pending.push(v);
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
        let mut pending = std::mem::take(&mut self.pending);
        for v in pending.drain(..) {
            let (new, old) = (codes[v], self.codes[v]);
            if new != old {
                self.codes[v] = new;
                self.weights[cell(v.col(), v.row())] = 0.0;
                let seen = |code| network.stone_stamp(network.codes.seen_by(code, self.color));
                self.replace::<DEPTH>(network, v, seen(old), seen(new));
            }
        }
        self.pending = pending;
    }

    #[inline(always)]
    fn update_turns<const DEPTH: usize>(&mut self, network: &RolloutNetwork, moves: &[Move]) {
        let shown = network.codes.turns;
        let mut now = [Vertex::NONE; TURNS];
        for (turn, mv) in moves.iter().rev().take(shown).enumerate() {
            let v = mv.vertex_or_none();
            if turns_of(v, &now) == 0 {
                now[turn] = v;
            }
        }
        let before = std::mem::replace(&mut self.turns, now);
        let none = network.stone_stamp(0);
        for (turn, &v) in before[..shown].iter().enumerate() {
            if v != Vertex::NONE && now[turn] != v {
                let new = match turns_of(v, &now) {
                    0 => none,
                    turns => network.turn_stamp(turns.trailing_zeros() as usize),
                };
                self.replace::<DEPTH>(network, v, network.turn_stamp(turn), new);
            }
        }
        for (turn, &v) in now[..shown].iter().enumerate() {
            if v != Vertex::NONE && turns_of(v, &before) == 0 {
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
        let start = (cell(at.0, at.1) - network.kernel / 2 * (STRIDE + 1)) * DEPTH;
        let sums = &mut self.sums[start..];
        // Loops of known lengths are unrolled.
        match network.kernel {
            5 => exchange(sums, old, new, (5, 5 * DEPTH), STRIDE * DEPTH),
            kernel => exchange(sums, old, new, (kernel, kernel * DEPTH), STRIDE * DEPTH),
        }
    }

    /// Computes the weights that are out of date, where the player may play.
    #[inline(always)]
    fn update_weights<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        network: &RolloutNetwork,
        (board, occupied): (&Board, &[u32; 19]),
        sharpness: f32,
    ) {
        let size @ (_, height) = (board.width(), board.height());
        let count = self.find_cells(board, occupied);
        if !self.middle.is_empty() {
            self.update_middle::<DEPTH>(multiply, network, count, size);
        }
        let source = self.middle.last().map_or(&self.sums, |layer| &layer.sums);
        // Some that are left over fill the last group.
        let groups = count.next_multiple_of(TOGETHER);
        let (cells, logits) = (&self.cells[..groups], &mut self.logits[..groups]);
        for (logits, cells) in logits.as_chunks_mut().0.iter_mut().zip(cells.as_chunks().0) {
            *logits = network.head.logits::<DEPTH>(multiply, source, *cells);
        }
        for logits in logits.as_chunks_mut::<TOGETHER>().0 {
            for x in logits {
                *x = exp2((*x * sharpness).clamp(-LARGEST_POWER, LARGEST_POWER));
            }
        }
        for (weight, &cell) in logits[..count].iter().zip(cells) {
            self.weights[cell as usize] = *weight;
        }
        self.column_sums = [0.0; COLUMNS];
        for row in 0..height {
            let row = self.weights[cell(0, row)..]
                .first_chunk::<COLUMNS>()
                .expect("there are cells beyond the board");
            for (sum, weight) in self.column_sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        self.dirty.clear();
    }

    /// Finds the points whose weights are out of date and where the player may play, and says how many there are. The weights of
    /// the others are 0.
    #[inline(always)]
    fn find_cells(&mut self, board: &Board, occupied: &[u32; 19]) -> usize {
        let (width, height) = (board.width(), board.height());
        // Empty points by rows, with a row beyond the board at each end.
        let mut empty = [0; 22];
        for row in 0..height {
            empty[row + 1] = !occupied[row] & ((1 << width) - 1);
        }
        let (mut open, mut closed) = ([0; 20], [0; 20]);
        for row in 0..19 {
            let [above, here, below] = [empty[row], empty[row + 1], empty[row + 2]];
            let dirty = here & self.dirty.row(row, width);
            let has_space = above | below | here << 1 | here >> 1;
            open[row] = dirty & has_space;
            closed[row] = dirty & !has_space;
        }
        let certain = self.list_cells(0, open);
        let all = self.list_cells(certain, closed);
        let mut count = certain;
        for i in certain..all {
            let cell = self.cells[i];
            let (col, row) = point(cell.into());
            self.weights[usize::from(cell)] = 0.0;
            self.cells[count] = cell;
            count += usize::from(is_playable(board, Vertex::new(col, row), self.color));
        }
        count
    }

    /// Lists the cells of points, given by rows, behind so many others; says how many there are then.
    #[inline(always)]
    fn list_cells(&mut self, mut count: usize, rows: [u32; 20]) -> usize {
        // Two rows of cells fit in a word, and eight cells are written whether there are so many or not: loops whose lengths
        // nobody can predict cost more.
        for (i, [upper, lower]) in rows.as_chunks().0.iter().enumerate() {
            let mut word = u64::from(*upper) | u64::from(*lower) << STRIDE;
            let after = count + word.count_ones() as usize;
            while count < after {
                for listed in
                    self.cells[count..].first_chunk_mut::<TOGETHER>().expect("there is space behind the last")
                {
                    *listed = (cell(0, 2 * i) + word.trailing_zeros() as usize) as u16;
                    word &= word.wrapping_sub(1);
                }
                count += TOGETHER;
            }
            count = after;
        }
        count
    }

    /// Computes what the logits of so many cells need of the layers between the first and the last.
    #[inline(always)]
    fn update_middle<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        network: &RolloutNetwork,
        count: usize,
        size: (usize, usize),
    ) {
        let points = &self.cells[..count];
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
        let total: f32 = self.column_sums.iter().sum();
        let left = rng.unit() * total;
        let Some((col, left)) = pick(self.column_sums.iter().copied(), left) else { return Move::PASS };
        let column = (0..19).map(|row| self.weights[cell(col, row)]);
        pick(column, left).map_or(Move::PASS, |(row, _)| Vertex::new(col, row).into())
    }

    /// The weight of a point.
    #[cfg(test)]
    pub(super) fn weight(&self, v: Vertex) -> f32 {
        self.weights[cell(v.col(), v.row())]
    }
}

/// The turns of a vertex, as bits.
#[inline(always)]
fn turns_of(v: Vertex, turns: &[Vertex; TURNS]) -> u32 {
    (0..TURNS).map(|turn| u32::from(turns[turn] == v) << turn).sum()
}

/// Takes the old numbers off the sums and adds the new ones: so many rows of some numbers.
#[inline(always)]
fn exchange(sums: &mut [Lane], old: &[Lane], new: &[Lane], (rows, width): (usize, usize), stride: usize) {
    let sums = &mut sums[..(rows - 1) * stride + width];
    let (old, new) = (&old[..rows * width], &new[..rows * width]);
    for row in 0..rows {
        for i in 0..width {
            // Copies, so that it is plain that nothing overlaps.
            let (mut sum, old, new) = (sums[row * stride + i], old[row * width + i], new[row * width + i]);
            for c in 0..LANES {
                sum.0[c] = sum.0[c].wrapping_add(new.0[c]).wrapping_sub(old.0[c]);
            }
            sums[row * stride + i] = sum;
        }
    }
}

/// The squares around cells.
#[inline(always)]
fn around(cells: &[u16], radius: usize) -> Marks {
    let mut marks = Marks::none();
    for &cell in cells {
        marks.mark(point(cell.into()), radius);
    }
    marks
}

/// Whether a move on an empty point is legal and fills no own eye.
#[inline(always)]
pub(crate) fn is_playable(board: &Board, v: Vertex, me: Color) -> bool {
    EyeRule::Diagonals.is_playable(board, v, me)
}

/// The first of some weights that reaches beyond `left` when they are laid end to end, and what is left for it. Rounding may
/// leave something at the end: then it is the last that is not 0.
#[inline(always)]
fn pick(weights: impl Iterator<Item = f32> + Clone, mut left: f32) -> Option<(usize, f32)> {
    for (i, weight) in weights.clone().enumerate() {
        if left < weight {
            return Some((i, left));
        }
        left -= weight;
    }
    weights.enumerate().filter(|(_, weight)| *weight > 0.0).last()
}

/// 2 to the power of a number from −126 to 126, to six digits: the same on every machine.
#[inline(always)]
fn exp2(x: f32) -> f32 {
    let rounded = x + ROUNDS;
    let t = (x - (rounded - ROUNDS)) * std::f32::consts::LN_2;
    let power =
        1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0 + t * (1.0 / 120.0 + t / 720.0)))));
    power * f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23))
}
