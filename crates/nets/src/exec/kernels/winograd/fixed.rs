//! The same convolutions in whole numbers of 16 bits: see [`super::super::pairs`].
//!
//! **What.** Weights and the tiles' numbers are multiplied by factors, one for each product and channel or tile, and rounded. The factors
//! bring the lengths of the vectors to [`LEFT`] and [`RIGHT`], so that no sum of products needs more than 32 bits (Cauchy and Schwarz). The
//! chances that KataGo's networks tell change by less than 0.001.
//!
//! **How.** Words are pairs of channels that are [`LANES`] apart, which is how vectors of them come out of the transform. Rounding is
//! an addition: a float near 3·2²² has its whole part in its lowest bits.

use std::marker::PhantomData;

use pulp::Simd;

use super::{
    super::{Kernel, LANES, pairs, panels, panels_mut},
    Finish, Group, Job, panels_together, starts,
    transform::{Transform, both_ways},
    transform_outputs,
};
use crate::exec::numbers::Numbers;

/// The length of a tile's vector of channels, so that each number fits into 16 bits.
const LEFT: f32 = 32_000.0;
/// The length of a vector of weights: with rounding, the product of both is less than 2³¹.
const RIGHT: f32 = 66_000.0;

/// Added to a float, this leaves its whole part in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// Words for so many channels.
const fn words(channels: usize) -> usize {
    channels.next_multiple_of(2 * LANES) / 2
}

/// Rounds weights that were transformed, of so many channels before the convolution. They begin with a factor for each of these channels, by
/// which its numbers are multiplied; each matrix begins with a row of factors for its results.
pub(super) fn round_weights(weights: &Numbers, from: usize) -> Numbers {
    let matrices = || weights.chunks_exact(from * LANES);
    let mut importance = vec![0.0; from];
    for matrix in matrices() {
        let all: f32 = matrix.iter().map(|w| w * w).sum();
        for (importance, row) in importance.iter_mut().zip(matrix.chunks_exact(LANES)) {
            *importance += row.iter().map(|w| w * w).sum::<f32>() / all.max(f32::MIN_POSITIVE);
        }
    }
    let size = (words(from) + 1) * LANES;
    let mut rounded = Numbers::zeros(from + matrices().len() * size);
    let (channels, rest) = rounded.split_at_mut(from);
    for (channel, importance) in channels.iter_mut().zip(importance) {
        // The errors of rounding numbers and weights are smallest together if the factor is the root of the channel's weights, for
        // numbers that are as large in all channels.
        *channel = importance.sqrt().sqrt();
    }
    let rest = bytemuck::cast_slice_mut::<f32, u32>(rest);
    for (to, matrix) in rest.chunks_exact_mut(size).zip(matrices()) {
        let (factors, words) = to.split_at_mut(LANES);
        for lane in 0..LANES {
            let column = || {
                let weights = matrix.iter().skip(lane).step_by(LANES).zip(&*channels);
                weights.map(|(w, channel)| if *channel > 0.0 { w / channel } else { 0.0 })
            };
            let length = column().map(|w| w * w).sum::<f32>().sqrt();
            let largest = column().fold(0.0f32, |largest, w| largest.max(w.abs()));
            let scale = (RIGHT / length).min(f32::from(i16::MAX) / largest);
            // There may be no weights but 0.
            let scale = if scale.is_finite() { scale } else { 1.0 };
            factors[lane] = scale.recip().to_bits();
            for (channel, w) in column().enumerate() {
                let (pair, place) = (channel / (2 * LANES), channel % (2 * LANES));
                let word = &mut words[(pair * LANES + place % LANES) * LANES + lane];
                *word |= u32::from((w * scale).round() as i16 as u16) << (place / LANES * 16);
            }
        }
    }
    rounded
}

/// As the one of floats.
pub(super) struct Convolution<'a, T, const N: usize, const M: usize> {
    pub(super) job: Job<'a>,
    pub(super) x: &'a [f32],
    pub(super) u: &'a [f32],
    pub(super) y: &'a mut [f32],
    pub(super) v: &'a mut [f32],
    pub(super) m: &'a mut [f32],
    pub(super) finish: Finish<'a>,
    pub(super) transform: PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> Kernel for Convolution<'_, T, N, M> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let Convolution { job, x, u, y, v, m, finish, .. } = self;
        let Job { from, to, .. } = job;
        let (channels, u) = u.split_at(from);
        let (u, v) = (bytemuck::cast_slice::<f32, u32>(u), bytemuck::cast_slice_mut::<f32, u32>(v));
        let (size, count) = ((words(from) + 1) * LANES, to / LANES);
        let mut factors = Vec::new();
        for group in job.groups() {
            let rows = group.rows();
            let v_stride = rows * words(from) + LANES;
            factors.resize(N * N * rows, 0.0);
            transform_inputs::<S, T, N, M, W>(simd, group, (x, v, channels), m, &mut factors);
            let mut first = 0;
            while first < count {
                let panels = panels_together::<W>(count - first);
                let m_stride = group.stride(panels * LANES);
                for t in 0..N * N {
                    let place = |panel, t| (panel * N * N + t) * size;
                    let next = if t + 1 < N * N { place(first, t + 1) } else { place(first + panels, 0) };
                    let product = pairs::Product {
                        factors: &factors[t * rows..][..rows],
                        depth: words(from),
                        panels,
                        left: &v[t * v_stride..][..rows * words(from)],
                        right: &u[place(first, t)..],
                        apart: N * N * size,
                        out: &mut m[t * m_stride..][..rows * panels * LANES],
                        ahead: &u[next..],
                    };
                    product.run();
                }
                for panel in 0..panels {
                    let m = (&m[panel * LANES..], m_stride, panels);
                    transform_outputs::<S, T, N, M, W>(simd, group, m, (y, count, first + panel), finish);
                }
                first += panels;
            }
        }
    }
}

/// Transforms the tiles of a convolution's input, and rounds them. `m` is scratch memory; `factors` are what the rounded numbers are to be
/// multiplied by, for each product and tile.
#[allow(unsafe_code, reason = "as in `transform_tiles`")]
#[inline(always)]
fn transform_inputs<S: Simd, T: Transform<N, M>, const N: usize, const M: usize, const W: usize>(
    simd: S,
    group: Group<'_>,
    (x, v, channels): (&[f32], &mut [u32], &[f32]),
    m: &mut [f32],
    factors: &mut [f32],
) {
    let (x, m, channels) = (panels::<S, W>(x), panels_mut::<S, W>(m), panels::<S, W>(channels));
    let width = channels.len();
    let v: &mut [[S::u32s; W]] = S::as_mut_simd_u32s(v).0.as_chunks_mut().0;
    let pairs = width.div_ceil(2);
    let stride = group.rows() * pairs + 1;
    assert!(N * N * width <= m.len(), "room for a tile");
    let zero = simd.splat_f32s(0.0);
    let (round, low, half) = (simd.splat_f32s(ROUND), simd.splat_u32s(0xffff), simd.splat_u32s(16));
    let mut columns = [[[zero; N]; W]; N];
    let mut scales = [[0.0; N]; N];
    for (tile, board, points) in group.tiles(&group.tiles.inputs, N * N) {
        let starts = starts::<N>(points, board, width, x.len());
        let mut squares = [[zero; N]; N];
        for panel in 0..width {
            both_ways(
                &mut columns,
                #[inline(always)]
                |i, j| {
                    // SAFETY: `starts` leave room for all panels.
                    unsafe { *x.get_unchecked(starts[i][j] + panel) }
                },
                #[inline(always)]
                |x| T::bt(simd, x),
                #[inline(always)]
                |i, j, mut value: [S::f32s; W]| {
                    for w in 0..W {
                        value[w] = simd.mul_f32s(value[w], channels[panel][w]);
                        squares[i][j] = simd.mul_add_e_f32s(value[w], value[w], squares[i][j]);
                    }
                    // SAFETY: there is room for all products of a tile, as was seen above.
                    unsafe { *m.get_unchecked_mut((i * N + j) * width + panel) = value };
                },
            );
        }
        for i in 0..N {
            for j in 0..N {
                scales[i][j] = simd.reduce_sum_f32s(squares[i][j]);
            }
        }
        for i in 0..N {
            for j in 0..N {
                scales[i][j] = LEFT / scales[i][j].max(f32::MIN_POSITIVE).sqrt();
            }
        }
        for t in 0..N * N {
            let scale = scales[t / N][t % N];
            factors[t * group.rows() + tile] = 1.0 / scale;
            let scale = simd.splat_f32s(scale);
            let (from, to) = (&m[t * width..][..width], &mut v[t * stride + tile * pairs..][..pairs]);
            for pair in 0..pairs {
                for w in 0..W {
                    let rounded = simd.mul_add_e_f32s(from[2 * pair][w], scale, round);
                    to[pair][w] = simd.and_u32s(simd.transmute_u32s_f32s(rounded), low);
                    if 2 * pair + 1 < width {
                        let rounded = simd.mul_add_e_f32s(from[2 * pair + 1][w], scale, round);
                        let high = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(rounded), half);
                        to[pair][w] = simd.or_u32s(to[pair][w], high);
                    }
                }
            }
        }
    }
}
