//! The sequential probability ratio test: a match that ends as soon as it has an answer.

use serde::Serialize;

use super::expected_score;

/// A sequential test of two hypotheses about the Elo difference of two players (Wald, Sequential Analysis, 1947).
///
/// The log-likelihood ratio of a score W in n games is W ln(p₁/p₀) + (n − W) ln((1−p₁)/(1−p₀)), where p₀ and p₁ are the expected scores
/// at the two differences. It ends with H1 at ln((1−β)/α), with H0 at ln(β/(1−α)). A draw counts as half a win and half a
/// loss; as it varies less than either, the test errs on the careful side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The Elo difference of the hypothesis that A is not stronger, H0.
    pub elo0: f64,
    /// That of the hypothesis that A is stronger, H1.
    pub elo1: f64,
    /// How often H1 is accepted although H0 is true.
    pub alpha: f64,
    /// How often H0 is accepted although H1 is true.
    pub beta: f64,
}

/// What a sequential test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SprtVerdict {
    /// The second hypothesis is accepted.
    H1,
    /// The first hypothesis is accepted.
    H0,
    /// More games are needed.
    #[serde(rename = "undecided")]
    Undecided,
}

/// A sequential test with its state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Where H0 is accepted.
    pub lower: f64,
    /// Where H1 is accepted.
    pub upper: f64,
    /// What follows.
    pub verdict: SprtVerdict,
    /// Intervals and p-values of the match are those of a sample of fixed size; after this test they are not.
    pub intervals_at_stopping_time: bool,
}

impl Sprt {
    /// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
    pub fn parse(text: &str) -> Result<Sprt, String> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        let test = match numbers.as_deref() {
            Some([elo0, elo1]) => Sprt { elo0: *elo0, elo1: *elo1, alpha: 0.05, beta: 0.05 },
            Some([elo0, elo1, alpha, beta]) => Sprt { elo0: *elo0, elo1: *elo1, alpha: *alpha, beta: *beta },
            _ => {
                return Err(
                    "write two Elo differences, as in 0,30, or also the error rates, as in 0,30,0.05,0.05"
                        .to_owned(),
                );
            }
        };
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(test.elo0 < test.elo1 && test.elo0.abs() <= 2000.0 && test.elo1.abs() <= 2000.0) {
            return Err("the first Elo difference must be less than the second".to_owned());
        }
        if !(is_rate(test.alpha) && is_rate(test.beta)) {
            return Err("error rates must be between 0 and 0.5".to_owned());
        }
        Ok(test)
    }

    /// The state of the test after a score in so many games.
    pub fn state(&self, score: f64, games: usize) -> SprtState {
        let (p0, p1) = (expected_score(self.elo0), expected_score(self.elo1));
        let llr = log_likelihood_ratio(score, games, p0, p1);
        let (lower, upper) = bounds(self.alpha, self.beta);
        let verdict = match llr {
            llr if llr >= upper => SprtVerdict::H1,
            llr if llr <= lower => SprtVerdict::H0,
            _ => SprtVerdict::Undecided,
        };
        SprtState { test: *self, llr, lower, upper, verdict, intervals_at_stopping_time: true }
    }
}

fn log_likelihood_ratio(score: f64, n: usize, p0: f64, p1: f64) -> f64 {
    score * (p1 / p0).ln() + (n as f64 - score) * ((1.0 - p1) / (1.0 - p0)).ln()
}

fn bounds(alpha: f64, beta: f64) -> (f64, f64) {
    ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::near;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, section 6.2.6: for p₁ = 0.01, p₂ = 0.10, α = 0.05, β = 0.10 a lot is accepted
    /// below −0.939 + 0.0397n defectives and rejected above 1.205 + 0.0397n: with none found it is accepted after 24.
    #[test]
    fn the_example_of_the_nist_handbook() {
        let (p0, p1) = (0.01, 0.10);
        let (lower, upper) = bounds(0.05, 0.10);
        let step = log_likelihood_ratio(1.0, 1, p0, p1) - log_likelihood_ratio(0.0, 1, p0, p1);
        near(-lower / step, 0.939, 5e-4);
        near(upper / step, 1.205, 5e-4);
        near(-log_likelihood_ratio(0.0, 1, p0, p1) / step, 0.0397, 5e-5);
        let first = |found: f64| (1..100).find(|&n| log_likelihood_ratio(found, n, p0, p1) <= lower);
        assert_eq!(first(0.0), Some(24));
    }

    /// 1,000 matches of equal players, and of players 50 Elo apart: wrong answers are not much more frequent than promised.
    #[test]
    fn errors_are_as_rare_as_promised() {
        let test = Sprt::parse("0,50").unwrap();
        let mut rng = tengen_engine::rng::Rng::new(7);
        for (elo, wrong) in [(0.0, SprtVerdict::H1), (50.0, SprtVerdict::H0)] {
            let p = expected_score(elo) as f32;
            let mut errors = 0;
            for _ in 0..1000 {
                let (mut score, mut games) = (0.0, 0);
                let verdict = loop {
                    games += 1;
                    score += f64::from(u8::from(rng.unit() < p));
                    let verdict = test.state(score, games).verdict;
                    if verdict != SprtVerdict::Undecided {
                        break verdict;
                    }
                };
                errors += usize::from(verdict == wrong);
            }
            // 5% of 1,000 with three standard deviations of 6.9.
            assert!((15..=71).contains(&errors), "{errors}");
        }
    }

    #[test]
    fn bounds_are_checked() {
        assert_eq!(Sprt::parse(" -5, 5 ").unwrap(), Sprt { elo0: -5.0, elo1: 5.0, alpha: 0.05, beta: 0.05 });
        assert_eq!(Sprt::parse("0,10,0.1,0.2").unwrap().beta, 0.2);
        for text in ["", "1", "5,0", "0,10,0.6,0.1", "0,x", "0,1,2"] {
            assert!(Sprt::parse(text).is_err(), "{text}");
        }
    }
}
