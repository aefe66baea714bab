//! What an experiment will be able to tell, said before it is run.

use super::{
    checks::{Expect, WIDEST},
    config::Experiment,
};
use crate::stats;

/// How precise the results will be with so many games or runs in each cell.
pub fn power(experiment: &Experiment, scale: f64) -> String {
    let kind = experiment.config.kind;
    let n = experiment.planned(scale);
    let deviation = kind.deviation();
    let half_width = stats::z_for_confidence(0.95) * deviation / (n as f64).sqrt();
    let detectable = 100.0 * stats::detectable_difference(0.5, n) * deviation / 50.0;
    let decides = experiment.config.checks.iter().all(|check| check.expect == Expect::Above);
    let verdict = if half_width > WIDEST && !decides { " and will be marked inconclusive" } else { "" };
    format!(
        "{n} {} a cell: each result within ±{half_width:.1} points at 95%{verdict} (for a standard deviation of {deviation} points); \
         a true difference of {detectable:.1} points between two arms is found 4 times in 5",
        kind.item()
    )
}
