//! The page of an experiment that is read in the repository.

use super::{
    PLOT,
    ratings::{ranks, ratings},
    tables::{cells, checks, conclusion, values},
};
use crate::experiments::{config::Experiment, power::power_reached, results::Results};

/// What the plot shows.
pub(super) fn caption(experiment: &Experiment) -> &'static str {
    if experiment.config.opponent.as_deref() == Some(Experiment::ALL) {
        "Ratings in Elo with error bars at 95%"
    } else {
        "Our figures with error bars at 95%, the paper's as crosses"
    }
}

/// The README of an experiment. Everything in it comes from `experiment.toml` and the result files.
pub fn readme(experiment: &Experiment, results: &Results) -> String {
    let config = &experiment.config;
    let list = |lines: &[String]| lines.iter().map(|line| format!("- {line}\n")).collect::<Vec<_>>().concat();
    let section =
        |title: &str, text: String| if text.is_empty() { text } else { format!("## {title}\n\n{text}\n") };
    let mut text = format!(
        "# {}\n\n**To reach.** {} ({}; {})\n\n**Ours.** {}\n\n",
        config.claim,
        config.reported,
        config.paper,
        config.source,
        conclusion(experiment, results)
    );
    if results.values.iter().any(|value| value.data.is_some()) {
        text += &format!("![{}]({PLOT})\n\n", caption(experiment));
    }
    text += &section("Statements", checks(experiment, results).to_markdown());
    text += &section("Results", values(experiment, results).to_markdown());
    let rated = ratings(experiment, results).map_or(String::new(), |table| table.to_markdown());
    text += &section("Ratings", rated);
    if let Some((anchor, table)) = config.anchor.as_ref().zip(ranks(experiment, results)) {
        let told =
            format!("An estimate: {} is taken for {}.\n\n{}", anchor.arm, anchor.rank, table.to_markdown());
        text += &section("Ranks", if table.rows.is_empty() { String::new() } else { told });
    }
    text += &section("Remarks", list(&config.remarks));
    text += &section("Differences from the paper", list(&config.differences));
    text += &section("Cells", cells(experiment, results).to_markdown());
    if let Some(power) = power_reached(experiment, results) {
        text += &format!("Power: {power}.\n\n");
    }
    text += &format!(
        "## Again\n\n    tengen lab run {slug}\n    tengen lab report {slug}\n\nThe same with its configurations is in \
         [report.html](report.html), the numbers in [results.csv](results.csv), every game or run in `results/`. p is two-sided and \
         corrected for the statements of this page (Holm). This page is written by `tengen lab report`.\n",
        slug = experiment.slug,
    );
    text
}
