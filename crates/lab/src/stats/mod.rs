//! Statistics of matches: win rates with intervals, Elo differences, tests of proportions.
//!
//! A *score* is a number of wins in which a draw counts one half, so it need not be whole.

mod bradley_terry;
mod sample;
mod sprt;

pub use bradley_terry::{Pairing, Rating, VIRTUAL_DRAWS, bradley_terry, bradley_terry_above};
pub use sample::{Mean, MeanDifference, mean, median};
use serde::{Deserialize, Serialize};
pub use sprt::{Sprt, SprtState, SprtVerdict};
use statrs::distribution::{ContinuousCDF, Normal};

/// The lower and the upper end of a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// The interval of a monotonically rising function of the estimate.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval(f(self.0), f(self.1))
    }

    /// Whether a value lies inside.
    pub fn contains(self, value: f64) -> bool {
        (self.0..=self.1).contains(&value)
    }

    /// Half of the width.
    pub fn half_width(self) -> f64 {
        (self.1 - self.0) / 2.0
    }
}

fn normal() -> Normal {
    Normal::standard()
}

/// The quantile of the normal distribution that belongs to a two-sided confidence: 1.96 for 0.95.
pub fn z_for_confidence(confidence: f64) -> f64 {
    normal().inverse_cdf(0.5 + confidence / 2.0)
}

/// The Wilson score interval of a proportion (Wilson 1927; Newcombe 1998, method 3):
/// (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n). Everything is possible where nothing was tried.
pub fn wilson(score: f64, n: usize, confidence: f64) -> Interval {
    if n == 0 {
        return Interval(0.0, 1.0);
    }
    let (n, z) = (n as f64, z_for_confidence(confidence));
    let p = score / n;
    let z2 = z * z;
    let middle = p + z2 / (2.0 * n);
    let reach = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At 0 and n the formula gives the ends exactly, but for rounding.
    let low = if score <= 0.0 { 0.0 } else { (middle - reach) / scale };
    let high = if score >= n { 1.0 } else { (middle + reach) / scale };
    Interval(low.max(0.0), high.min(1.0))
}

/// The Elo difference that makes the stronger side score `p`: 400 log₁₀(p / (1−p)). Infinite at 0 and 1.
pub fn elo(p: f64) -> f64 {
    400.0 * (p / (1.0 - p)).log10()
}

/// The expected score at an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The two-sided p-value of a standard normal deviate.
fn two_sided(z: f64) -> f64 {
    if z.is_nan() { 1.0 } else { (2.0 * normal().sf(z.abs())).min(1.0) }
}

/// Two-tailed z-test of one proportion against `p0`, with the variance that `p0` implies. 1 without data.
///
/// Draws make the true variance smaller, so with draws the test errs on the careful side.
pub fn one_proportion_z(score: f64, n: usize, p0: f64) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let n = n as f64;
    two_sided((score / n - p0) / (p0 * (1.0 - p0) / n).sqrt())
}

/// Two-tailed z-test of two proportions with the pooled variance. 1 where nothing can be told.
pub fn two_proportions_z(score_1: f64, n_1: usize, score_2: f64, n_2: usize) -> f64 {
    if n_1 == 0 || n_2 == 0 {
        return 1.0;
    }
    let (n_1, n_2) = (n_1 as f64, n_2 as f64);
    let pooled = (score_1 + score_2) / (n_1 + n_2);
    let variance = pooled * (1.0 - pooled) * (1.0 / n_1 + 1.0 / n_2);
    two_sided((score_1 / n_1 - score_2 / n_2) / variance.sqrt())
}

/// The interval of the difference of two proportions, first minus second (Newcombe, Statistics in Medicine 17, 1998, p. 873,
/// method 10): the Wilson intervals of both, joined.
pub fn newcombe(score_1: f64, n_1: usize, score_2: f64, n_2: usize, confidence: f64) -> Interval {
    if n_1 == 0 || n_2 == 0 {
        return Interval(-1.0, 1.0);
    }
    let (p_1, p_2) = (score_1 / n_1 as f64, score_2 / n_2 as f64);
    let (one, two) = (wilson(score_1, n_1, confidence), wilson(score_2, n_2, confidence));
    let below = (p_1 - one.0).hypot(two.1 - p_2);
    let above = (one.1 - p_1).hypot(p_2 - two.0);
    Interval(p_1 - p_2 - below, p_1 - p_2 + above)
}

/// The two-sided p-value of the test of `value` that an interval inverts: 1 − the confidence at which the interval just reaches it.
/// `interval` gives the interval at a confidence. For Wilson's it is the z-test, for Student's the t-test.
pub fn p_value_at(value: f64, interval: impl Fn(f64) -> Interval) -> f64 {
    // By halving, on the scale of ln p: from 1 down to 1e-10, below which nobody asks.
    let excludes = |ln_p: f64| {
        let Interval(low, high) = interval(1.0 - ln_p.exp());
        value < low || value > high
    };
    let (mut least, mut most) = (-23.0, 0.0);
    if excludes(least) {
        return f64::exp(least);
    }
    for _ in 0..50 {
        let middle = f64::midpoint(least, most);
        if excludes(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    f64::exp(most)
}

/// p-values of several tests of one claim, adjusted so that the chance of even one false answer stays what it was (Holm,
/// Scandinavian Journal of Statistics 6, 1979): the k-th smallest of m is multiplied by m − k + 1, and none is below a smaller one.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut adjusted, mut least) = (vec![1.0; p_values.len()], 0.0f64);
    for (rank, &i) in order.iter().enumerate() {
        least = least.max(p_values[i] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

/// The smallest true difference from a mark that a result with an interval of this half-width finds four times in five:
/// (1.960 + 0.842) standard errors.
pub fn detectable(half_width: f64) -> f64 {
    half_width * (1.0 + normal().inverse_cdf(0.8) / z_for_confidence(0.95))
}

#[cfg(test)]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
    #[test]
    fn wilson_intervals_are_those_of_newcombe() {
        for (wins, n, low, high) in [
            (81.0, 263, 0.2553, 0.3662),
            (15.0, 148, 0.0624, 0.1605),
            (0.0, 20, 0.0000, 0.1611),
            (1.0, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(wins, n, 0.95);
            near(interval.0, low, 5e-5);
            near(interval.1, high, 5e-5);
            let mirrored = wilson(n as f64 - wins, n, 0.95);
            near(mirrored.0, 1.0 - interval.1, 1e-12);
        }
        assert_eq!(wilson(0.0, 0, 0.95), Interval(0.0, 1.0));
    }

    /// The formula's own table: 76% at 200 points, 64% at 100 (Elo, The Rating of Chessplayers, 1978).
    #[test]
    fn elo_and_back() {
        near(expected_score(200.0), 0.7597, 1e-4);
        near(expected_score(100.0), 0.6401, 1e-4);
        near(elo(0.75), 190.85, 0.01);
        assert_eq!(elo(0.5), 0.0);
        for difference in [-300.0, -12.5, 0.0, 77.0] {
            near(elo(expected_score(difference)), difference, 1e-9);
        }
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// `proportions_ztest` of statsmodels documents 0.159 for 5 of 83 against 12 of 99. One proportion: 60 heads in 100
    /// throws are two standard deviations, which leaves 4.55% outside.
    #[test]
    fn z_tests_of_proportions() {
        near(two_proportions_z(5.0, 83, 12.0, 99), 0.159, 5e-4);
        near(one_proportion_z(60.0, 100, 0.5), 0.0455, 5e-5);
        near(one_proportion_z(40.0, 100, 0.5), 0.0455, 5e-5);
        assert_eq!(one_proportion_z(50.0, 100, 0.5), 1.0);
        assert_eq!(one_proportion_z(0.0, 0, 0.5), 1.0);
        assert_eq!(two_proportions_z(5.0, 5, 7.0, 7), 1.0);
    }

    #[test]
    fn quantiles_are_those_of_every_table() {
        near(z_for_confidence(0.95), 1.959_964, 1e-6);
        near(z_for_confidence(0.99), 2.575_829, 1e-6);
    }

    /// Newcombe's examples (a) 56/70 − 48/80 and (h) 10/10 − 0/10, table II: 0.0524 to 0.3339 and 0.6075 to 1.0000.
    #[test]
    fn differences_of_proportions_are_those_of_newcombe() {
        let interval = newcombe(56.0, 70, 48.0, 80, 0.95);
        near(interval.0, 0.0524, 5e-5);
        near(interval.1, 0.3339, 5e-5);
        let interval = newcombe(10.0, 10, 0.0, 10, 0.95);
        near(interval.0, 0.6075, 5e-5);
        near(interval.1, 1.0, 1e-12);
    }

    /// A result known to ±9.8 points, as 100 games at even strength are, finds 14 points four times in five: 2.8016 / 1.96 · 9.8.
    #[test]
    fn power_of_a_test_against_a_mark() {
        near(detectable(9.8), 14.008, 5e-4);
    }

    #[test]
    fn intervals_give_the_p_values_of_their_tests() {
        near(p_value_at(0.5, |c| wilson(60.0, 100, c)), one_proportion_z(60.0, 100, 0.5), 1e-9);
        let sleep = Mean::of(&[1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]).unwrap();
        near(p_value_at(0.0, |c| sleep.interval(c)), sleep.t_test(0.0), 1e-9);
        near(p_value_at(2.33, |c| sleep.interval(c)), 1.0, 1e-6);
        assert!(p_value_at(0.5, |c| wilson(999.0, 1000, c)) < 1e-9);
    }

    /// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")` gives 0.03, 0.06, 0.06, 0.02.
    #[test]
    fn several_tests_are_corrected_as_holm_says() {
        for (adjusted, expected) in holm(&[0.01, 0.04, 0.03, 0.005]).into_iter().zip([0.03, 0.06, 0.06, 0.02])
        {
            near(adjusted, expected, 1e-12);
        }
        assert!(holm(&[]).is_empty());
    }
}
