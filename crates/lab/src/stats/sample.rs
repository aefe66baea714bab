//! Means of measured values: standard errors, t intervals, Welch's test, ratios of sums.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Interval;

/// The mean of measured values with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// How many values there are.
    pub n: usize,
    /// Their mean.
    pub value: f64,
    /// The standard error of the mean; infinite for fewer than two values.
    pub error: f64,
}

impl Mean {
    /// Of values; `None` for nothing.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let pairs: Vec<_> = values.iter().map(|&value| (value, 1.0)).collect();
        Mean::of_ratio(&pairs)
    }

    /// The ratio of two sums, Σa / Σb, over pairs (a, b) that were measured together: the share of something, where some runs
    /// had more occasions for it than others. The standard error is that of the ratio estimator (Cochran, Sampling
    /// Techniques, 1977, section 2.11), the usual one of the mean if all b are 1.
    pub fn of_ratio(pairs: &[(f64, f64)]) -> Option<Mean> {
        let (above, below) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
        if pairs.is_empty() || below == 0.0 {
            return None;
        }
        let (n, value) = (pairs.len(), above / below);
        let squares: f64 = pairs.iter().map(|(a, b)| (a - value * b).powi(2)).sum();
        let error =
            if n < 2 { f64::INFINITY } else { (squares * n as f64 / (n as f64 - 1.0)).sqrt() / below };
        Some(Mean { n, value, error })
    }

    /// Its t interval.
    pub fn interval(&self, confidence: f64) -> Interval {
        let reach = if self.n < 2 {
            f64::INFINITY
        } else {
            t_for_confidence(confidence, self.n as f64 - 1.0) * self.error
        };
        Interval(self.value - reach, self.value + reach)
    }

    /// Two-tailed t-test against `null`. 1 where nothing can be told.
    pub fn t_test(&self, null: f64) -> f64 {
        two_tailed_t((self.value - null) / self.error, self.n as f64 - 1.0)
    }

    /// This mean minus another, of independent values (Welch 1947).
    pub fn minus(&self, other: &Mean) -> MeanDifference {
        let (a, b) = (self.error.powi(2), other.error.powi(2));
        let freedom = (a + b).powi(2) / (a * a / (self.n as f64 - 1.0) + b * b / (other.n as f64 - 1.0));
        MeanDifference { value: self.value - other.value, error: (a + b).sqrt(), freedom }
    }
}

/// The difference of two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDifference {
    /// The difference.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom, after Welch and Satterthwaite.
    pub freedom: f64,
}

impl MeanDifference {
    /// Its t interval.
    pub fn interval(&self, confidence: f64) -> Interval {
        let reach = if self.freedom.is_finite() && self.freedom >= 1.0 {
            t_for_confidence(confidence, self.freedom) * self.error
        } else if self.error == 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
        Interval(self.value - reach, self.value + reach)
    }

    /// Two-tailed test against no difference. 1 where nothing can be told.
    pub fn p_value(&self) -> f64 {
        two_tailed_t(self.value / self.error, self.freedom)
    }
}

fn t_for_confidence(confidence: f64, freedom: f64) -> f64 {
    let t = StudentsT::new(0.0, 1.0, freedom).expect("there is at least one degree of freedom");
    t.inverse_cdf(0.5 + confidence / 2.0)
}

fn two_tailed_t(t: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(distribution) if !t.is_nan() && freedom.is_finite() => (2.0 * distribution.sf(t.abs())).min(1.0),
        _ => 1.0,
    }
}

/// The median; the mean of the two in the middle for an even number. `None` for nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The mean; `None` for nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::near;

    /// Student's own example (Biometrika 6, 1908, p. 20): additional hours of sleep gained by ten patients with two drugs. Means 0.75
    /// and 2.33; R's `t.test(extra ~ group, data = sleep)` gives t = −1.8608, df = 17.776, p = 0.07939, interval
    /// −3.3655 to 0.2055, and against 0 for the second drug t = 3.6799, p = 0.005076, interval 0.8977 to 3.7623.
    #[test]
    fn students_sleep_data() {
        let first = Mean::of(&[0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]).unwrap();
        let second = Mean::of(&[1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]).unwrap();
        near(first.value, 0.75, 1e-12);
        near(second.value / second.error, 3.6799, 5e-5);
        near(second.t_test(0.0), 0.005_076, 5e-7);
        let interval = second.interval(0.95);
        near(interval.0, 0.8977, 5e-5);
        near(interval.1, 3.7623, 5e-5);
        let difference = first.minus(&second);
        near(difference.value / difference.error, -1.8608, 5e-5);
        near(difference.freedom, 17.776, 5e-4);
        near(difference.p_value(), 0.07939, 5e-6);
        let interval = difference.interval(0.95);
        near(interval.0, -3.3655, 5e-5);
        near(interval.1, 0.2055, 5e-5);
    }

    #[test]
    fn ratios_weigh_runs_by_their_occasions() {
        // 1 of 2 and 9 of 10 are 10 of 12.
        let ratio = Mean::of_ratio(&[(1.0, 2.0), (9.0, 10.0)]).unwrap();
        near(ratio.value, 10.0 / 12.0, 1e-12);
        // Residuals 1 − 5/3 and 9 − 25/3: ∓2/3, so √(2 · 4/9 · 2/1) / 12.
        near(ratio.error, (16.0f64 / 9.0).sqrt() / 12.0, 1e-12);
        assert_eq!(Mean::of_ratio(&[]), None);
        assert_eq!(Mean::of_ratio(&[(0.0, 0.0)]), None);
        assert_eq!(Mean::of(&[3.0]).unwrap().interval(0.95), Interval(f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(Mean::of(&[3.0]).unwrap().t_test(0.0), 1.0);
    }

    #[test]
    fn medians_and_means() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!((median(&[]), mean(&[])), (None, None));
        assert_eq!(mean(&[1.0, 2.0]), Some(1.5));
    }
}
