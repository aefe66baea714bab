//! `EXPERIMENTS.md`: the papers' claims and what we found, then every experiment in a line.

use super::{
    story::Story,
    tables::{figure, verdict},
};
use crate::experiments::{
    checks::{Checked, Verdict},
    config::{Conditions, Experiment},
    results::Results,
};

/// The page about all experiments; `link` is the path from the page to the directory of experiments.
pub fn collection(story: &Story, experiments: &[(Experiment, Results)], link: &str) -> String {
    let mut text = String::from(
        "# Experiments\n\n\
         The experiments of the papers that tengen implements, repeated. Intervals are at 95%. A statement *holds* if the whole \
         interval lies where the statement says, *does not hold* if it lies elsewhere, and is *inconclusive* otherwise; several \
         statements of one claim are corrected by Holm's method, and “the same” is a test of equivalence whose margin the page states. \
         Nothing is judged before all planned games are played: until then an experiment is *running*. What was tested elsewhere than \
         in the paper is marked *not at the paper's conditions* and says nothing for or against the paper. [How to state, run and \
         read an experiment](docs/measuring.md). This page is written by `tengen lab report`.\n\n",
    );
    text += &counts(experiments);
    text += &story.text(experiments, link);
    text += "## All experiments\n\n\
             | claim | the paper reports | ours | games or runs | verdict |\n|---|---|---|---|---|\n";
    for (experiment, results) in experiments {
        let config = &experiment.config;
        text += &format!(
            "| [{}]({link}/{}/README.md) ({}) | {} | {} | {} | {} |\n",
            config.claim,
            experiment.slug,
            config.source,
            config.reported,
            ours(experiment, results),
            results.n(),
            verdict(experiment, results)
        );
    }
    text
}

/// How many experiments there are of each verdict, by where the claims were tested.
fn counts(experiments: &[(Experiment, Results)]) -> String {
    let mut text = String::from(
        "| experiments | holds | does not hold, or in part | inconclusive | running | to be run |\n|---|---|---|---|---|---|\n",
    );
    for (conditions, name) in [
        (Conditions::Paper, "at the paper's conditions"),
        (Conditions::Other, "not at the paper's conditions"),
        (Conditions::Own, "our own claims"),
    ] {
        let count = |verdicts: &[Verdict]| {
            let is_counted = |(experiment, results): &&(Experiment, Results)| {
                experiment.config.conditions == conditions && verdicts.contains(&results.verdict())
            };
            experiments.iter().filter(is_counted).count()
        };
        text += &format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            count(&[Verdict::Holds]),
            count(&[Verdict::Fails]),
            count(&[Verdict::Inconclusive]),
            count(&[Verdict::Running]),
            count(&[Verdict::Again, Verdict::NotRun])
        );
    }
    text + "\n"
}

/// Each statement with its figure.
fn ours(experiment: &Experiment, results: &Results) -> String {
    let line = |check: &Checked| {
        let figure = check.value.map(|_| figure(check, experiment.config.kind) + ", ").unwrap_or_default();
        format!("{}: {figure}{}", check.claim, check.verdict)
    };
    results.checks.iter().map(line).collect::<Vec<_>>().join("<br>").replace('|', "\\|")
}
