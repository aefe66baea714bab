//! Norms by the root mean square (Zhang and Sennrich 2019), of a point's channels or of a whole board's.

use pulp::{Arch, Simd, WithSimd};

use super::activation::Activation;

/// What the mean square is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// All channels of a point.
    Point,
    /// All channels of all points of a board.
    Board,
}

/// A norm: y = activation(x / √(mean of x² + epsilon) · scale + bias).
#[derive(Clone, Copy)]
pub(crate) struct RmsNorm<'a> {
    /// For each padded channel.
    pub(crate) scale: &'a [f32],
    /// For each padded channel; none is 0.
    pub(crate) bias: Option<&'a [f32]>,
    /// Channels without padding.
    pub(crate) channels: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
}

/// Normalises `x` into `y`; each mean is over so many points.
pub(crate) fn normalize(norm: RmsNorm<'_>, x: &[f32], y: &mut [f32], points: usize) {
    Arch::new().dispatch(Normalizing { norm, x, y, points });
}

struct Normalizing<'a> {
    norm: RmsNorm<'a>,
    x: &'a [f32],
    y: &'a mut [f32],
    points: usize,
}

impl WithSimd for Normalizing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Normalizing { norm, x, y, points } = self;
        let RmsNorm { scale, bias, channels, epsilon, activation } = norm;
        let padded = scale.len();
        let scale = S::as_simd_f32s(scale).0;
        let bias = bias.map(|bias| S::as_simd_f32s(bias).0);
        let parts = x.chunks_exact(padded * points).zip(y.chunks_exact_mut(padded * points));
        for (x, y) in parts {
            let mut square = 0.0;
            for x in x.chunks_exact(padded) {
                let mut sums = [simd.splat_f32s(0.0); 2];
                for (i, x) in S::as_simd_f32s(x).0.iter().enumerate() {
                    sums[i % 2] = simd.mul_add_e_f32s(*x, *x, sums[i % 2]);
                }
                square += simd.reduce_sum_f32s(simd.add_f32s(sums[0], sums[1]));
            }
            let factor = 1.0 / (square / (points * channels) as f32 + epsilon).sqrt();
            let factor = simd.splat_f32s(factor);
            for (x, y) in x.chunks_exact(padded).zip(y.chunks_exact_mut(padded)) {
                let (x, y) = (S::as_simd_f32s(x).0, S::as_mut_simd_f32s(y).0);
                for (c, ((x, y), scale)) in x.iter().zip(y).zip(scale).enumerate() {
                    let value = simd.mul_f32s(simd.mul_f32s(*x, factor), *scale);
                    let value = bias.map_or(value, |bias| simd.add_f32s(value, bias[c]));
                    *y = activation.apply(simd, value);
                }
            }
        }
    }
}
