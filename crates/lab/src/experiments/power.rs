//! What an experiment can tell, before it is run and with the games that were played.

use super::{config::Experiment, results::Results};
use crate::stats;

/// How precise the results will be with so many games or runs in each cell.
pub fn power(experiment: &Experiment, scale: f64) -> String {
    let kind = experiment.config.kind;
    let n = experiment.planned(scale);
    let deviation = kind.deviation();
    let half_width = stats::z_for_confidence(0.95) * deviation / (n as f64).sqrt();
    format!(
        "{n} {} a cell: each figure within ±{half_width:.1} at 95%, so that a true difference of {:.1} from a mark is found 4 times in 5 \
         (for a standard deviation of {deviation} {})",
        kind.item(),
        stats::detectable(half_width),
        kind.unit(),
    )
}

/// How precise the results are: the least precise of the statements, with the games or runs that it has.
pub(super) fn power_reached(experiment: &Experiment, results: &Results) -> Option<String> {
    let checks = results.checks.iter().filter(|check| !check.is_time);
    let widths = checks.filter_map(|check| Some((check.interval?.half_width(), check)));
    let (half_width, check) =
        widths.filter(|(width, _)| width.is_finite()).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let kind = experiment.config.kind;
    let figure = |width: f64| kind.figure(width, true).trim_start_matches('+').to_owned();
    Some(format!(
        "with the {} {} played, the least precise figure (“{}”) is known within ±{} at 95%; a true difference of {} from its mark would \
         be found 4 times in 5",
        check.n,
        kind.item(),
        check.claim,
        figure(half_width),
        figure(stats::detectable(half_width)),
    ))
}
