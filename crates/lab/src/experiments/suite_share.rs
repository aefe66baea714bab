//! How many problems of a suite a player solves, in all and of each kind. Every run asks all problems with another seed.

use std::collections::BTreeMap;

use super::{
    error::LabError,
    runs::{RunContext, Values},
};
use crate::{players::error::SpecError, suite};

/// Problems of a dummy run.
const DUMMY: usize = 4;

/// The share of all problems that is called so, beside those of each kind.
const ALL: &str = "all";

/// The kind of a problem: its name without the number.
fn kind(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end()
}

/// One pass over the suite; `None` if it was interrupted.
pub(super) fn run(context: &RunContext<'_>) -> Result<Option<Values>, LabError> {
    let experiment = context.experiment;
    let path = experiment.directory.join(experiment.config.suite.as_deref().unwrap_or_default());
    let mut problems = suite::read(&path).map_err(|error| LabError::Config(format!("suite: {error}")))?;
    if experiment.is_dummy {
        problems.problems.truncate(DUMMY);
    }
    let report = suite::run(&context.cell.player, &problems, context.seed, 1, context.stop, |_| ()).map_err(
        |error| LabError::Player {
            arm: context.cell.arm.clone(),
            source: SpecError::Start(error.to_string()),
        },
    )?;
    if report.problems < problems.problems.len() {
        return Ok(None);
    }
    let mut values: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for answered in &report.results {
        for name in [ALL, kind(&answered.problem)] {
            let (solved, asked) = values.entry(name.to_owned()).or_default();
            *solved += f64::from(u8::from(answered.passed));
            *asked += 1.0;
        }
    }
    Ok(Some(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_grouped_by_their_names() {
        assert_eq!(kind("life and death 12"), "life and death");
        assert_eq!(kind("ko"), "ko");
    }
}
