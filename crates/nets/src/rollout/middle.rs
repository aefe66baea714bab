//! Layers between the first and the last: their sums follow what changes in the layer before.
//!
//! A move changes a part of the layer before. So the products of each change are added to the cells around it; adding whole
//! numbers in any order gives the same totals. (None overflows on the way: at any time a total is that of some possible
//! layer before.)

use super::{
    lanes::{LANES, Lane, Multiply, PAIRS, ROUNDS, Total},
    marks::{Marks, columns},
    quantized::{CELLS, STRIDE, cell, weight_scale},
};

/// What 1 is in the sums, which are cut off at the ends of the range.
pub(super) const MIDDLE_SCALE: f32 = 256.0;

/// A 3x3 layer between the first and the last.
#[derive(Debug)]
pub(super) struct Middle {
    /// What the layer before adds to the cells around: for 3 rows, for each pair of channels, for 3 cells, lanes of 8
    /// channels with two weights each.
    weights: [Vec<Lane>; 3],
    /// In units of the result.
    bias: Vec<f32>,
    /// From the total to a unit of the result.
    factor: f32,
}

impl Middle {
    /// A layer of `real` channels, padded to `channels`; `before` is what 1 is in the layer before.
    pub(super) fn new(
        weights: &[f32],
        bias: &[f32],
        (real, channels): (usize, usize),
        before: f32,
    ) -> Middle {
        let scale = weight_scale(weights, real * 9);
        let weight = |to: usize, from: usize, tap: usize| {
            let is_real = to < real && from < real;
            if is_real { (weights[(to * real + from) * 9 + tap] * scale).round() as i16 } else { 0 }
        };
        let row = |row: usize| {
            let mut lanes = Vec::new();
            for pair in 0..channels / 2 {
                for col in 0..3 {
                    // A cell is seen by those around it through the kernel turned round.
                    let tap = 8 - (3 * row + col);
                    for first in (0..channels).step_by(PAIRS) {
                        lanes.push(Lane(std::array::from_fn(|i| {
                            weight(first + i / 2, 2 * pair + i % 2, tap)
                        })));
                    }
                }
            }
            lanes
        };
        let mut bias: Vec<f32> = bias.iter().map(|b| b * MIDDLE_SCALE).collect();
        bias.resize(channels, 0.0);
        Middle { weights: [0, 1, 2].map(row), bias, factor: MIDDLE_SCALE / (scale * before) }
    }
}

/// The sums of such a layer.
#[derive(Clone)]
pub(super) struct MiddleSums {
    /// The part of the layer before that the totals contain, after the ReLU.
    inputs: Vec<Lane>,
    /// Sums of products, in groups of [`PAIRS`] channels.
    totals: Vec<Total>,
    /// The layer's sums in its own units; 0 beyond the board.
    pub(super) sums: Vec<Lane>,
    /// Points where the layer before may differ from `inputs`.
    pub(super) changed: Marks,
    /// Points whose sums may differ from their totals.
    stale: Marks,
}

impl MiddleSums {
    pub(super) fn new(depth: usize) -> MiddleSums {
        MiddleSums {
            inputs: vec![Lane::filled(0); CELLS * depth],
            totals: vec![Total::default(); CELLS * depth * 2],
            sums: vec![Lane::filled(0); CELLS * depth],
            changed: Marks::none(),
            stale: Marks::none(),
        }
    }

    /// Starts again with a layer before that is 0.
    pub(super) fn clear(&mut self) {
        self.inputs.fill(Lane::filled(0));
        self.totals.fill(Total::default());
        self.changed.fill();
        self.stale.fill();
    }

    /// Beyond the board nothing may be left of another one.
    pub(super) fn forget_size(&mut self) {
        self.sums.fill(Lane::filled(0));
    }

    /// Takes in the changes of the layer before at these points, of `DEPTH` lanes each.
    #[inline(always)]
    pub(super) fn take_in<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        layer: &Middle,
        from: &[Lane],
        mut points: Marks,
        (width, height): (usize, usize),
    ) {
        points.take_from(&mut self.changed);
        for row in 0..height {
            for col in columns(points.row(row, width)) {
                let cell = cell(col, row);
                let inputs = &mut self.inputs[cell * DEPTH..][..DEPTH];
                let before: [Lane; DEPTH] = std::array::from_fn(|d| inputs[d]);
                let mut changes = before;
                for (d, change) in changes.iter_mut().enumerate() {
                    let positive = Lane(from[cell * DEPTH + d].0.map(|number| number.max(0)));
                    for c in 0..LANES {
                        change.0[c] = positive.0[c] - before[d].0[c];
                    }
                    inputs[d] = positive;
                }
                if changes.iter().any(|change| change.0 != [0; LANES]) {
                    self.stale.mark((col, row), 1);
                    self.add::<DEPTH>(multiply, layer, cell, &changes);
                }
            }
        }
    }

    /// Adds the products of a cell's changes to the totals around it.
    #[inline(always)]
    fn add<const DEPTH: usize>(
        &mut self,
        multiply: impl Multiply,
        layer: &Middle,
        cell: usize,
        changes: &[Lane; DEPTH],
    ) {
        let pairs: &[[i16; 2]] = bytemuck::cast_slice(changes);
        for (row, weights) in layer.weights.iter().enumerate() {
            let start = (cell - STRIDE - 1 + row * STRIDE) * 2 * DEPTH;
            let stored = self.totals[start..][..6 * DEPTH].as_chunks_mut::<DEPTH>().0;
            // Three cells at a time fill the registers.
            let mut totals: [[Total; DEPTH]; 6] = std::array::from_fn(|i| stored[i]);
            let weights = weights.as_chunks::<DEPTH>().0.as_chunks::<6>().0;
            for (pair, weights) in pairs.iter().zip(weights) {
                let numbers = Lane(std::array::from_fn(|i| pair[i % 2]));
                for i in 0..6 {
                    for d in 0..DEPTH {
                        multiply.add_products(&mut totals[i][d], &numbers, &weights[i][d]);
                    }
                }
            }
            stored.copy_from_slice(&totals);
        }
    }

    /// Brings the sums of these points up to date, and marks what may have changed.
    #[inline(always)]
    pub(super) fn settle<const DEPTH: usize>(
        &mut self,
        layer: &Middle,
        mut points: Marks,
        (width, height): (usize, usize),
        mut changed: Option<&mut Marks>,
    ) {
        points.take_from(&mut self.stale);
        for row in 0..height {
            for col in columns(points.row(row, width)) {
                let start = cell(col, row) * DEPTH;
                let sums: &mut [i16] = bytemuck::cast_slice_mut(&mut self.sums[start..][..DEPTH]);
                let totals: &[i32] = bytemuck::cast_slice(&self.totals[2 * start..][..2 * DEPTH]);
                for ((sum, &total), bias) in sums.iter_mut().zip(totals).zip(&layer.bias[..LANES * DEPTH]) {
                    let value = total as f32 * layer.factor + bias;
                    *sum = (value.clamp(i16::MIN.into(), i16::MAX.into()) + ROUNDS).to_bits() as i16;
                }
                if let Some(changed) = &mut changed {
                    changed.mark((col, row), 0);
                }
            }
        }
    }
}
