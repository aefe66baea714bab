//! Weights of 3x3 convolutions as the products need them, and their gradients back again.

use pulp::Arch;

use super::{
    super::{Direction, LANES, padded},
    Precision, TileKind,
    fixed::round_weights,
    transform::{EvenFour, EvenThree, Four, Three, Transform},
};
use crate::exec::numbers::Numbers;

/// [`LANES`] filters at a time.
type Lanes = [f32; LANES];

/// Transforms weights, `to` x `from` x 3 x 3: for each panel of [`LANES`] channels after the convolution n² matrices of so many
/// columns, with a row for each channel before it. Those of the [`Direction::Backward`] are for the convolution that carries
/// gradients back: it has the channels exchanged and the filters turned round.
pub(crate) fn transform_weights(
    kind: TileKind,
    weights: &[f32],
    (to, from): (usize, usize),
    direction: Direction,
    precision: Precision,
) -> Numbers {
    let (rows, cols) = match direction {
        Direction::Forward => (from, to),
        Direction::Backward => (to, from),
    };
    let filter = |row: usize, col: usize, tap: usize| match direction {
        Direction::Forward => weights[(col * from + row) * 9 + tap],
        Direction::Backward => weights[(row * from + col) * 9 + 8 - tap],
    };
    let mut out = Numbers::zeros(kind.products() * padded(rows) * padded(cols));
    let sizes = (rows, cols);
    Arch::new().dispatch(|| match (kind, precision) {
        (TileKind::Three, Precision::Float) => transform::<Three, 5, 3>(filter, sizes, &mut out),
        (TileKind::Four, Precision::Float) => transform::<Four, 6, 4>(filter, sizes, &mut out),
        (TileKind::Three, Precision::Fixed) => transform::<EvenThree, 5, 3>(filter, sizes, &mut out),
        (TileKind::Four, Precision::Fixed) => transform::<EvenFour, 6, 4>(filter, sizes, &mut out),
    });
    match precision {
        Precision::Float => out,
        Precision::Fixed => round_weights(&out, padded(rows)),
    }
}

/// G w Gᵀ
#[inline(always)]
fn transform<T: Transform<N, M>, const N: usize, const M: usize>(
    filter: impl Fn(usize, usize, usize) -> f32,
    (rows, cols): (usize, usize),
    out: &mut [f32],
) {
    let matrix = padded(rows) * LANES;
    for (panel, out) in out.chunks_exact_mut(N * N * matrix).enumerate() {
        for row in 0..rows {
            let mut w = [[0.0; LANES]; 9];
            for lane in 0..LANES.min(cols - panel * LANES) {
                for (tap, w) in w.iter_mut().enumerate() {
                    w[lane] = filter(row, panel * LANES + lane, tap);
                }
            }
            for i in 0..N {
                let mut gw = [[0.0; LANES]; 3];
                for (j, gw) in gw.iter_mut().enumerate() {
                    *gw = combine(T::G[i], [&w[j], &w[3 + j], &w[6 + j]]);
                }
                for j in 0..N {
                    let u = combine(T::G[j], [&gw[0], &gw[1], &gw[2]]);
                    out[(i * N + j) * matrix + row * LANES..][..LANES].copy_from_slice(&u);
                }
            }
        }
    }
}

/// The sum of three, weighted.
#[inline(always)]
fn combine(factors: [f32; 3], [a, b, c]: [&Lanes; 3]) -> Lanes {
    let mut sum = [0.0; LANES];
    for lane in 0..LANES {
        sum[lane] = factors[0] * a[lane] + factors[1] * b[lane] + factors[2] * c[lane];
    }
    sum
}

/// The transpose of [`transform_weights`] (forwards), added to `gradient`; `transformed` are n² matrices of padded `from` x
/// `to`.
pub(crate) fn add_weight_gradient(
    kind: TileKind,
    transformed: &[f32],
    (to, from): (usize, usize),
    gradient: &mut [f32],
) {
    Arch::new().dispatch(|| match kind {
        TileKind::Three => add_transpose::<Three, 5, 3>(transformed, (to, from), gradient),
        TileKind::Four => add_transpose::<Four, 6, 4>(transformed, (to, from), gradient),
    });
}

/// Gᵀ u G
#[inline(always)]
fn add_transpose<T: Transform<N, M>, const N: usize, const M: usize>(
    transformed: &[f32],
    (to, from): (usize, usize),
    gradient: &mut [f32],
) {
    let matrix = padded(from) * padded(to);
    for i in 0..from {
        for first in (0..to).step_by(LANES) {
            let mut w = [[0.0; LANES]; 9];
            for a in 0..N {
                let mut ug = [[0.0; LANES]; 3];
                for b in 0..N {
                    let u = &transformed[(a * N + b) * matrix + i * padded(to) + first..][..LANES];
                    for (sum, g) in ug.iter_mut().zip(T::G[b]) {
                        add_scaled(sum, g, u);
                    }
                }
                for (tap, sum) in w.iter_mut().enumerate() {
                    add_scaled(sum, T::G[a][tap / 3], &ug[tap % 3]);
                }
            }
            for lane in 0..LANES.min(to - first) {
                let filter = &mut gradient[((first + lane) * from + i) * 9..][..9];
                for (to, w) in filter.iter_mut().zip(&w) {
                    *to += w[lane];
                }
            }
        }
    }
}

#[inline(always)]
fn add_scaled(sum: &mut Lanes, factor: f32, from: &[f32]) {
    for (sum, from) in sum.iter_mut().zip(from) {
        *sum += factor * from;
    }
}
