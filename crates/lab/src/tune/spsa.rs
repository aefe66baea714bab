//! **What.** Simultaneous perturbation stochastic approximation: all parameters are perturbed at once, the two perturbed settings play
//! each other, and every parameter moves a little towards the side that won.
//!
//! **Formula.** With Δ of random signs, x⁺ = x + c_k Δ, x⁻ = x − c_k Δ and y the points of x⁺ minus those of x⁻, from −1 to 1:
//! x ← x + a_k y / (2 c_k) · Δ, where a_k = a / (A + k + 1)^0.602 and c_k = c / (k + 1)^0.101.
//!
//! **Source.** Spall, IEEE Transactions on Automatic Control 37 (1992), and "Implementation of the simultaneous perturbation
//! algorithm", IEEE Transactions on Aerospace and Electronic Systems 34 (1998), whose exponents and A (a tenth of the
//! iterations) are used.
//!
//! **Differences.** Parameters are scaled to 0…1 between their bounds, by their logarithm where the bounds are positive and far
//! apart, and are kept there. `a` is given as the length of the first step after a clean win.

use tengen_engine::rng::Rng;

/// How the search moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spsa {
    /// How many iterations are planned.
    pub iterations: usize,
    /// c: how far parameters are perturbed at first, as a share of their range.
    pub shake: f64,
    /// The length of the first step after a clean win, as a share of the range.
    pub step: f64,
}

impl Spsa {
    const ALPHA: f64 = 0.602;
    const GAMMA: f64 = 0.101;

    /// How far parameters are perturbed in an iteration.
    pub fn reach(&self, iteration: usize) -> f64 {
        self.shake / (iteration as f64 + 1.0).powf(Self::GAMMA)
    }

    /// The signs of an iteration.
    pub fn signs(&self, parameters: usize, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..parameters).map(|_| if rng.chance(0.5) { 1.0 } else { -1.0 }).collect()
    }

    /// The two settings of an iteration.
    pub fn perturbed(&self, x: &[f64], signs: &[f64], iteration: usize) -> [Vec<f64>; 2] {
        let reach = self.reach(iteration);
        [1.0, -1.0].map(|side| {
            x.iter().zip(signs).map(|(x, sign)| (x + side * reach * sign).clamp(0.0, 1.0)).collect()
        })
    }

    /// Moves the parameters after the first setting scored `score`, from −1 to 1, against the second.
    pub fn update(&self, x: &mut [f64], signs: &[f64], iteration: usize, score: f64) {
        let early = self.iterations as f64 / 10.0;
        let shrunk = ((early + 1.0) / (early + iteration as f64 + 1.0)).powf(Self::ALPHA);
        // a is chosen such that the first step is `step` long: a / (A + 1)^α / (2c) = step.
        let length = self.step * shrunk * self.shake / self.reach(iteration);
        for (x, sign) in x.iter_mut().zip(signs) {
            *x = (*x + length * score * sign).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parameters whose best values are 0.7 and 0.2; games are won with the odds of a difference of strength, one coin each.
    #[test]
    fn finds_the_best_of_a_noisy_function() {
        let strength = |x: &[f64]| -60.0 * ((x[0] - 0.7).powi(2) + (x[1] - 0.2).powi(2));
        let spsa = Spsa { iterations: 2000, shake: 0.1, step: 0.02 };
        let mut rng = Rng::new(5);
        let mut x = vec![0.3, 0.8];
        for k in 0..spsa.iterations {
            let signs = spsa.signs(2, k as u64);
            let [plus, minus] = spsa.perturbed(&x, &signs, k);
            let p = 1.0 / (1.0 + (strength(&minus) - strength(&plus)).exp());
            let score = if f64::from(rng.unit()) < p { 1.0 } else { -1.0 };
            spsa.update(&mut x, &signs, k, score);
        }
        assert!((x[0] - 0.7).abs() < 0.15 && (x[1] - 0.2).abs() < 0.15, "{x:?}");
    }

    #[test]
    fn the_first_step_is_as_long_as_asked_and_bounds_hold() {
        let spsa = Spsa { iterations: 100, shake: 0.1, step: 0.05 };
        let mut x = vec![0.5, 0.99];
        spsa.update(&mut x, &[1.0, 1.0], 0, 1.0);
        assert!((x[0] - 0.55).abs() < 1e-12 && x[1] == 1.0, "{x:?}");
        assert_eq!(spsa.perturbed(&[0.5, 0.05], &[1.0, -1.0], 0), [vec![0.6, 0.0], vec![0.4, 0.05 + 0.1]]);
    }
}
