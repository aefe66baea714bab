//! Measurements that are not games: each run gives some shares, as a number of occasions and of those that counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tengen_board::Game;
use tengen_engine::players::{Request, StopSignal};

use super::{cells::Cell, config::Experiment, error::LabError, learning};
use crate::{
    journal::{Header, Lines, config_difference},
    matches::derive_seed,
    parallel,
    players::behaviour::settle,
};

/// For each quantity, how often something was so, and how often it could have been.
pub type Values = BTreeMap<String, (f64, f64)>;

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// The number of the run, from 0.
    pub run: usize,
    /// Where its random numbers started.
    pub seed: u64,
    /// What was measured.
    pub values: Values,
    /// CPU time in seconds.
    pub cpu: f64,
}

/// What a run works with.
pub(super) struct RunContext<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) cell: &'a Cell,
    /// The number of the run, from 0.
    pub(super) run: usize,
    /// The game at its beginning.
    pub(super) game: &'a Game,
    pub(super) seed: u64,
    pub(super) stop: &'a StopSignal,
}

impl RunContext<'_> {
    /// How much is thought about a move.
    pub(super) fn request(&self) -> Request {
        Request { limits: self.cell.player.options.limits(), ..Request::until(self.stop) }
    }
}

/// The settings that decide the runs of a cell, for the first line of the result file.
pub(super) fn header(experiment: &Experiment, cell: &Cell, planned: usize) -> Result<Header, LabError> {
    let config = &experiment.config;
    let mut parameters = json!({
        "player": { "spec": cell.player.name, "parameters": cell.player.params().as_table() },
        "size": config.board.size,
        "rules": config.board.rules,
        "komi": config.board.komi,
        "seed": config.seed,
    });
    if let Some(records) = &config.records {
        parameters["records"] = json!({ "file": records, "parts": config.games });
    }
    if let Some(suite) = &config.suite {
        parameters["suite"] = json!(suite);
    }
    if config.learning.is_some() {
        let (training, behaviour) = learning::header(experiment, &cell.arm)?;
        parameters["learning"] = training;
        return Ok(Header { kind: "runs", config: parameters, behaviour, planned, differs: difference });
    }
    let game = config.board.game()?;
    let (width, height) = (game.board().width(), game.board().height());
    let error = |source| LabError::Player { arm: cell.arm.clone(), source };
    let behaviour = cell.player.behaviour(width, height).map_err(error)?;
    Ok(Header { kind: "runs", config: parameters, behaviour, planned, differs: difference })
}

/// The first setting in which the runs of two cells differ.
fn difference(there: &Json, here: &Json) -> Option<String> {
    let (mut there, mut here) = (there.clone(), here.clone());
    settle(&mut there, &mut here, "player");
    if let Some(training) = there.get_mut("learning") {
        learning::read_today(training);
    }
    config_difference(&there, &here)
}

/// Makes the runs with numbers below `runs` that are not there yet. `lines` keeps them, if they are to be kept.
pub(super) fn run(
    experiment: &Experiment,
    cell: &Cell,
    runs: usize,
    concurrency: usize,
    mut lines: Option<Lines<RunRecord>>,
    stop: &StopSignal,
    mut on_run: impl FnMut(&RunRecord),
) -> Result<Vec<RunRecord>, LabError> {
    let game = experiment.config.board.game()?;
    let old = lines.as_mut().map(Lines::take_records).unwrap_or_default();
    let mut records: BTreeMap<usize, RunRecord> =
        old.into_iter().map(|record| (record.run, record)).collect();
    let missing: Vec<usize> = (0..runs).filter(|run| !records.contains_key(run)).collect();
    let one = |run: usize| -> Result<Option<RunRecord>, LabError> {
        let seed = derive_seed(experiment.config.seed, run as u64);
        let clock = cpu_time::ThreadTime::now();
        let context = RunContext { experiment, cell, run, game: &game, seed, stop };
        let values = experiment.config.kind.run(&context)?;
        let cpu = (clock.elapsed().as_secs_f64() * 1e4).round() / 1e4;
        Ok(values.filter(|_| !stop.is_stopped()).map(|values| RunRecord { run, seed, values, cpu }))
    };
    parallel::work(
        &missing,
        concurrency,
        stop,
        || (),
        |(), run| one(run),
        |record: RunRecord| {
            if let Some(lines) = &mut lines {
                lines.append(&record)?;
            }
            on_run(&record);
            records.insert(record.run, record);
            Ok(())
        },
    )?;
    Ok(records.into_values().filter(|record| record.run < runs).collect())
}
