//! `EXPERIMENTS.md`: every experiment in a line.

use super::tables::{interval, signed};
use crate::experiments::{
    checks::{Checked, Verdict},
    config::Experiment,
    results::Results,
};

/// The page about all experiments; `link` is the path from the page to the directory of experiments.
pub fn collection(experiments: &[(Experiment, Results)], link: &str) -> String {
    let mut text = String::from(
        "# Experiments\n\n\
         The experiments of the papers that tengen implements, repeated. Each has its page with tables, plots, configurations and \
         differences from the paper; each can be run again with `tengen lab run NAME`. Intervals are at 95%; a result that is not \
         known within 5 points on either side counts as inconclusive, \
         and the page says which way it points. A mark of our own is reached when all games that were planned are played and the \
         whole interval lies above it. This page is written by `tengen lab report`.\n\n\
         | claim | the paper reports | ours | games or runs | verdict |\n|---|---|---|---|---|\n",
    );
    for (experiment, results) in experiments {
        let config = &experiment.config;
        text += &format!(
            "| [{}]({link}/{}/README.md) ({}) | {} | {} | {} | {} |\n",
            config.claim,
            experiment.slug,
            config.source,
            config.reported,
            ours(results),
            results.n(),
            results.verdict()
        );
    }
    let counted = |verdict| experiments.iter().filter(|(_, results)| results.verdict() == verdict).count();
    text += &format!(
        "\nOf {} experiments the claim holds in {}, does not hold (or a part of it does not) in {}, is undecided in {}, and {} have \
         not been run.\n",
        experiments.len(),
        counted(Verdict::Holds),
        counted(Verdict::Fails),
        counted(Verdict::Inconclusive),
        counted(Verdict::NotRun)
    );
    text
}

/// Each statement with its difference.
fn ours(results: &Results) -> String {
    let line = |check: &Checked| {
        if check.verdict == Verdict::NotRun {
            return format!("{}: not run", check.claim);
        }
        format!(
            "{}: {} ({}), {}",
            check.claim,
            signed(check.difference),
            interval(check.interval, true),
            check.verdict_text()
        )
    };
    results.checks.iter().map(line).collect::<Vec<_>>().join("<br>").replace('|', "\\|")
}
