//! Attention: every point of a board gathers from all of them (Vaswani et al. 2017).
//!
//! **What.** For each head, outᵢ = Σⱼ wᵢⱼ vⱼ, where wᵢ is the softmax over j of qᵢ · kⱼ. Several heads of queries may share one of
//! keys and values (Ainslie et al. 2023). Where a point is enters by rotation (Su et al. 2021): pairs of a query's and a key's channels
//! are turned by angles proportional to the point's column and row, so that products depend on differences only.
//!
//! **How.** A head's keys and values are arranged as right matrices, then some rows of queries at a time are multiplied by the keys, made
//! weights and multiplied by the values while they are in the nearest caches. The first channels of all pairs stand in one half of a head, the
//! second ones in the other: products do not depend on the order, and both halves are whole vectors.

use pulp::Simd;

use super::{
    Kernel, LANES,
    activation::exp,
    matmul::{Left, Product, Right, Size, Write},
    padded, panels, panels_mut, run, run_within,
};

/// Queries that are worked on together.
const ROWS: usize = 48;

/// The shape of an attention; widths of heads are multiples of [`LANES`], those of keys of twice as many if they are rotated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Heads of queries.
    pub(crate) heads: usize,
    /// Heads of keys and values; divides `heads`.
    pub(crate) key_heads: usize,
    /// Channels of a head of queries or keys.
    pub(crate) key_width: usize,
    /// Channels of a head of values.
    pub(crate) value_width: usize,
}

impl Shape {
    /// Numbers of scratch memory that it needs on a board of this area.
    pub(crate) fn scratch(&self, area: usize) -> usize {
        let Shape { key_width, value_width, .. } = *self;
        padded(area) * (key_width + ROWS) + area * value_width + ROWS * (key_width + value_width)
    }
}

/// The rotations of each point: for each head of keys the cosines of its pairs of channels, then the sines. `frequencies` are how much
/// each pair turns with a column and with a row.
pub(crate) fn rotations(
    frequencies: &[[f32; 2]],
    key_heads: usize,
    (width, height): (usize, usize),
) -> Vec<f32> {
    let pairs = frequencies.len() / key_heads;
    let mut table = Vec::with_capacity(2 * frequencies.len() * width * height);
    for point in 0..width * height {
        let (x, y) = ((point % width) as f32, (point / width) as f32);
        for head in frequencies.chunks_exact(pairs) {
            let angles = head.iter().map(|[by_column, by_row]| x * by_column + y * by_row);
            table.extend(angles.clone().map(f32::cos));
            table.extend(angles.map(f32::sin));
        }
    }
    table
}

/// What [`attend`] reads: rows of points, board after board.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) query: &'a [f32],
    pub(crate) key: &'a [f32],
    pub(crate) value: &'a [f32],
    /// From [`rotations`], if there are any.
    pub(crate) rotations: Option<&'a [f32]>,
}

/// Computes `out`, whose length tells how many boards there are.
pub(crate) fn attend(shape: Shape, area: usize, inputs: Inputs<'_>, out: &mut [f32], scratch: &mut [f32]) {
    run(Attention { shape, area, inputs, out, scratch });
}

struct Attention<'a> {
    shape: Shape,
    area: usize,
    inputs: Inputs<'a>,
    out: &'a mut [f32],
    scratch: &'a mut [f32],
}

impl Kernel for Attention<'_> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let Attention { shape, area, inputs, out, scratch } = self;
        let Shape { heads, key_heads, key_width, value_width } = shape;
        let (keys, rest) = scratch.split_at_mut(padded(area) * key_width);
        let (values, rest) = rest.split_at_mut(area * value_width);
        let (queries, rest) = rest.split_at_mut(ROWS * key_width);
        let (weights, results) = rest.split_at_mut(ROWS * padded(area));
        for (board, out) in out.chunks_exact_mut(area * heads * value_width).enumerate() {
            let key_rows = Rows::new(inputs.key, board * area, key_heads, key_width);
            let value_rows = Rows::new(inputs.value, board * area, key_heads, value_width);
            let query_rows = Rows::new(inputs.query, board * area, heads, key_width);
            for key_head in 0..key_heads {
                let turned = |point: usize| {
                    let len = key_heads * key_width;
                    inputs.rotations.map(|table| &table[point * len + key_head * key_width..][..key_width])
                };
                for point in 0..area {
                    let key = &mut queries[..key_width];
                    copy_rotated::<S, W>(simd, key_rows.get(point, key_head), turned(point), key);
                    let panel = &mut keys[point / LANES * LANES * key_width..][..LANES * key_width];
                    for (to, from) in panel.iter_mut().skip(point % LANES).step_by(LANES).zip(key) {
                        *to = *from;
                    }
                    for (i, from) in value_rows.get(point, key_head).chunks_exact(LANES).enumerate() {
                        values[(i * area + point) * LANES..][..LANES].copy_from_slice(from);
                    }
                }
                let sharing = heads / key_heads;
                for head in key_head * sharing..(key_head + 1) * sharing {
                    for first in (0..area).step_by(ROWS) {
                        let rows = ROWS.min(area - first);
                        for (point, query) in (first..first + rows).zip(queries.chunks_exact_mut(key_width)) {
                            copy_rotated::<S, W>(simd, query_rows.get(point, head), turned(point), query);
                        }
                        let product = Product {
                            size: Size { rows, cols: padded(area), depth: key_width },
                            out: weights,
                            left: Left::Rows(queries, key_width),
                            right: Right::Panels(keys),
                            write: Write::Replace,
                            ahead: &[],
                        };
                        run_within(simd, product);
                        let mut factors = [0.0; ROWS];
                        for (row, factor) in
                            weights.chunks_exact_mut(padded(area)).zip(&mut factors).take(rows)
                        {
                            *factor = 1.0 / exponentials(simd, row, area);
                        }
                        let product = Product {
                            size: Size { rows, cols: value_width, depth: area },
                            out: results,
                            left: Left::Rows(weights, padded(area)),
                            right: Right::Panels(values),
                            write: Write::Replace,
                            ahead: &[],
                        };
                        run_within(simd, product);
                        for (r, result) in results.chunks_exact(value_width).enumerate().take(rows) {
                            let out = &mut out[((first + r) * heads + head) * value_width..][..value_width];
                            let factor = simd.splat_f32s(factors[r]);
                            let result = S::as_simd_f32s(result).0;
                            for (to, from) in S::as_mut_simd_f32s(out).0.iter_mut().zip(result) {
                                *to = simd.mul_f32s(*from, factor);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A board's points, each with so many heads of a width.
#[derive(Clone, Copy)]
struct Rows<'a> {
    numbers: &'a [f32],
    heads: usize,
    width: usize,
}

impl<'a> Rows<'a> {
    fn new(numbers: &'a [f32], first: usize, heads: usize, width: usize) -> Rows<'a> {
        Rows { numbers: &numbers[first * heads * width..], heads, width }
    }

    #[inline(always)]
    fn get(&self, point: usize, head: usize) -> &'a [f32] {
        &self.numbers[(point * self.heads + head) * self.width..][..self.width]
    }
}

/// Copies a head of a point, its halves turned by cosines and sines.
#[inline(always)]
fn copy_rotated<S: Simd, const W: usize>(simd: S, from: &[f32], rotation: Option<&[f32]>, to: &mut [f32]) {
    let Some(rotation) = rotation else {
        to.copy_from_slice(from);
        return;
    };
    let half = from.len() / 2;
    let ((u, v), (cos, sin)) = (from.split_at(half), rotation.split_at(half));
    let (to_u, to_v) = to.split_at_mut(half);
    let (u, v, cos, sin) = (panels::<S, W>(u), panels::<S, W>(v), panels::<S, W>(cos), panels::<S, W>(sin));
    let (to_u, to_v) = (panels_mut::<S, W>(to_u), panels_mut::<S, W>(to_v));
    for i in 0..u.len() {
        for w in 0..W {
            let (u, v, cos, sin) = (u[i][w], v[i][w], cos[i][w], sin[i][w]);
            to_u[i][w] = simd.sub_f32s(simd.mul_f32s(u, cos), simd.mul_f32s(v, sin));
            to_v[i][w] = simd.add_f32s(simd.mul_f32s(u, sin), simd.mul_f32s(v, cos));
        }
    }
}

/// Replaces a row by the exponentials of its first `len` numbers, each less the largest, and returns their sum.
#[inline(always)]
fn exponentials<S: Simd>(simd: S, row: &mut [f32], len: usize) -> f32 {
    row[len..].fill(f32::NEG_INFINITY);
    let row = S::as_mut_simd_f32s(row).0;
    let mut most = simd.splat_f32s(f32::NEG_INFINITY);
    for x in &*row {
        most = simd.max_f32s(most, *x);
    }
    let most = simd.splat_f32s(simd.reduce_max_f32s(most));
    let mut sum = simd.splat_f32s(0.0);
    for x in row {
        *x = exp(simd, simd.sub_f32s(*x, most));
        sum = simd.add_f32s(sum, *x);
    }
    simd.reduce_sum_f32s(sum)
}
