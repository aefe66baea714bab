//! What a layer's sums are bent by, and the exponential function that the smooth ones need.

use pulp::Simd;

/// An activation. All of them leave 0 as it is, so that padding stays 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activation {
    /// x
    #[default]
    Identity,
    /// max(x, 0)
    Relu,
    /// x tanh(ln(1 + eˣ)) (Misra 2019)
    Mish,
    /// x / (1 + e⁻ˣ) (Hendrycks and Gimpel 2016)
    Silu,
}

impl Activation {
    /// Applies it to a vector.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(self, simd: S, x: S::f32s) -> S::f32s {
        match self {
            Activation::Identity => x,
            Activation::Relu => simd.max_f32s(x, simd.splat_f32s(0.0)),
            Activation::Mish => {
                // tanh(ln(1 + e)) = n / (n + 2) with n = e² + 2e; from 20 on that is 1.
                let e = exp(simd, simd.min_f32s(x, simd.splat_f32s(20.0)));
                let two = simd.splat_f32s(2.0);
                let n = simd.mul_f32s(e, simd.add_f32s(e, two));
                simd.mul_f32s(x, simd.div_f32s(n, simd.add_f32s(n, two)))
            }
            Activation::Silu => silu(simd, x),
        }
    }

    /// Applies it to one number.
    pub(crate) fn of(self, x: f32) -> f32 {
        self.apply(pulp::Scalar, x)
    }
}

/// x / (1 + e⁻ˣ)
#[inline(always)]
pub(crate) fn silu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let e = exp(simd, simd.neg_f32s(x));
    simd.div_f32s(x, simd.add_f32s(simd.splat_f32s(1.0), e))
}

/// eˣ, to the last digit or two; outside of what a float holds, the smallest or largest there is.
///
/// With x = n ln 2 + r it is 2ⁿ eʳ. Adding 1.5 · 2²³ rounds to a whole number, which then stands in the lowest bits; eʳ is a polynomial
/// (that of the Cephes library).
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const ROUND: f32 = 12_582_912.0;
    let constant = |c: f32| simd.splat_f32s(c);
    let x = simd.max_f32s(simd.min_f32s(x, constant(88.0)), constant(-87.0));
    let shifted = simd.mul_add_e_f32s(x, constant(std::f32::consts::LOG2_E), constant(ROUND));
    let n = simd.sub_f32s(shifted, constant(ROUND));
    let r = simd.mul_add_e_f32s(n, constant(-0.693_359_4), x);
    let r = simd.mul_add_e_f32s(n, constant(2.121_944_4e-4), r);
    let mut p = constant(1.987_569_1e-4);
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5, 1.0, 1.0] {
        p = simd.mul_add_e_f32s(p, r, constant(c));
    }
    let exponent = simd.add_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(127));
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(23));
    simd.mul_f32s(p, simd.transmute_f32s_u32s(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_hold_everywhere() {
        for i in -4000..4000 {
            let x = i as f32 / 40.0;
            let wide = f64::from(x);
            let near = |found: f32, expected: f64| {
                assert!(
                    (f64::from(found) - expected).abs() <= 4e-7 * expected.abs() + 1e-35,
                    "{x}: {found} {expected}"
                );
            };
            if x.abs() < 87.0 {
                near(exp(pulp::Scalar, x), wide.exp());
            }
            near(Activation::Silu.of(x), wide / (1.0 + (-wide).exp()));
            near(Activation::Mish.of(x), wide * wide.exp().ln_1p().tanh());
            near(Activation::Relu.of(x), wide.max(0.0));
            near(Activation::Identity.of(x), wide);
        }
        assert!(exp(pulp::Scalar, f32::NEG_INFINITY) < 1e-37);
        assert_eq!([Activation::Silu.of(0.0), Activation::Mish.of(0.0)], [0.0; 2]);
    }
}
