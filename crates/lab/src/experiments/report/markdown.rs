//! The page of an experiment that is read in the repository.

use super::tables::{cells, checks, sentence, values};
use crate::experiments::{config::Experiment, power::power, results::Results};

/// The README of an experiment. Everything in it comes from `experiment.toml` and the result files.
pub fn readme(experiment: &Experiment, results: &Results) -> String {
    let config = &experiment.config;
    let list = |lines: &[String]| lines.iter().map(|line| format!("- {line}\n")).collect::<String>();
    let section =
        |title: &str, text: String| if text.is_empty() { text } else { format!("## {title}\n\n{text}\n") };
    let mut text = format!(
        "# {}\n\n**To reach.** {} ({}; {})\n\n**Ours.** {}\n\n",
        config.claim,
        config.reported,
        config.paper,
        config.source,
        sentence(results.verdict())
    );
    text += &section("Statements", checks(results).to_markdown());
    text += &section("Results", values(experiment, results).to_markdown());
    text += &section("Remarks", list(&config.remarks));
    text += &section("Differences from the paper", list(&config.differences));
    text += &section("Cells", cells(experiment, results).to_markdown());
    text += &format!(
        "## Again\n\n    tengen lab run {}\n    tengen lab report {}\n\nPower: {}.\n\nPlots are in [report.html](report.html), the \
         numbers in [results.csv](results.csv), every game or run in `results/`. This page is written by `tengen lab report`.\n",
        experiment.slug,
        experiment.slug,
        power(experiment, 1.0)
    );
    text
}
