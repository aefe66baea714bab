//! What is done to every point and channel alike.

use pulp::{Arch, Simd, WithSimd};

use super::{
    activation::{Activation, silu},
    winograd::Finish,
};

/// Adds bias and residual branch and applies the activation, in place. `channels` are padded.
pub(crate) fn finish(y: &mut [f32], channels: usize, finish: Finish<'_>) {
    Arch::new().dispatch(Finishing { y, channels, finish });
}

struct Finishing<'a> {
    y: &'a mut [f32],
    channels: usize,
    finish: Finish<'a>,
}

impl WithSimd for Finishing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let bias = self.finish.bias.map(|bias| S::as_simd_f32s(bias).0);
        for (i, point) in self.y.chunks_exact_mut(self.channels).enumerate() {
            let (point, _) = S::as_mut_simd_f32s(point);
            let add =
                self.finish.add.map(|add| S::as_simd_f32s(&add[i * self.channels..][..self.channels]).0);
            for (c, value) in point.iter_mut().enumerate() {
                if let Some(bias) = bias {
                    *value = simd.add_f32s(*value, bias[c]);
                }
                if let Some(add) = add {
                    *value = simd.add_f32s(*value, add[c]);
                }
                *value = self.finish.activation.apply(simd, *value);
            }
        }
    }
}

/// y = activation(x · scale + bias) for each channel.
pub(crate) fn affine(x: &[f32], y: &mut [f32], (scale, bias): (&[f32], &[f32]), activation: Activation) {
    Arch::new().dispatch(Affine { x, y, scale, bias, activation });
}

struct Affine<'a> {
    x: &'a [f32],
    y: &'a mut [f32],
    scale: &'a [f32],
    bias: &'a [f32],
    activation: Activation,
}

impl WithSimd for Affine<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let channels = self.scale.len();
        let (scale, _) = S::as_simd_f32s(self.scale);
        let (bias, _) = S::as_simd_f32s(self.bias);
        for (x, y) in self.x.chunks_exact(channels).zip(self.y.chunks_exact_mut(channels)) {
            let ((x, _), (y, _)) = (S::as_simd_f32s(x), S::as_mut_simd_f32s(y));
            for c in 0..x.len().min(scale.len()).min(bias.len()).min(y.len()) {
                let value = simd.mul_add_e_f32s(x[c], scale[c], bias[c]);
                y[c] = self.activation.apply(simd, value);
            }
        }
    }
}

/// y = silu(x) · gate
pub(crate) fn gate(x: &[f32], gate: &[f32], y: &mut [f32]) {
    Arch::new().dispatch(Gating { x, gate, y });
}

struct Gating<'a> {
    x: &'a [f32],
    gate: &'a [f32],
    y: &'a mut [f32],
}

impl WithSimd for Gating<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ((x, _), (gate, _)) = (S::as_simd_f32s(self.x), S::as_simd_f32s(self.gate));
        for ((y, x), gate) in S::as_mut_simd_f32s(self.y).0.iter_mut().zip(x).zip(gate) {
            *y = simd.mul_f32s(silu(simd, *x), *gate);
        }
    }
}

/// Makes the gradient 0 where the ReLU's result is.
pub(crate) fn mask(gradient: &mut [f32], result: &[f32]) {
    Arch::new().dispatch(|| {
        for (g, y) in gradient.iter_mut().zip(result) {
            *g = if *y > 0.0 { *g } else { 0.0 };
        }
    });
}

/// `to` += `from`
pub(crate) fn add(to: &mut [f32], from: &[f32]) {
    Arch::new().dispatch(|| {
        for (to, from) in to.iter_mut().zip(from) {
            *to += from;
        }
    });
}

/// Sums over points: `sums` += the rows of `x`, as many channels as `sums` has.
pub(crate) fn add_rows(sums: &mut [f32], x: &[f32], channels: usize) {
    Arch::new().dispatch(|| {
        for point in x.chunks_exact(channels) {
            for (sum, value) in sums.iter_mut().zip(point) {
                *sum += value;
            }
        }
    });
}
