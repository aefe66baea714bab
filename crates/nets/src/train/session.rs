//! A training from beginning to end: checkpoints, held-out tests, the log.
//!
//! In the folder of a training are `checkpoint.safetensors` (to go on from), `net.safetensors` (the network so far) and
//! `log.jsonl` (a line for every report).

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tengen_board::bounded;

use super::{Dataset, RunFolder, Tally, Trainer, test};
use crate::{error::NetError, model::file};

/// When to report, test and save. None of it changes what is learned.
#[derive(Debug)]
pub struct SessionConfig {
    /// The folder of the training.
    pub folder: RunFolder,
    /// Positions between reports.
    pub report_every: u64,
    /// Positions between held-out tests.
    pub test_every: u64,
    /// Held-out positions of a test.
    pub test_positions: u64,
    /// Time between checkpoints.
    pub checkpoint_every: Duration,
    /// Goes into the network's metadata: how it was trained.
    pub about: String,
}

/// Means over some positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Positions.
    pub positions: u64,
    /// Share of next moves that were the first choice.
    pub top1: f64,
    /// Share of next moves among the first five.
    pub top5: f64,
    /// Mean cross-entropy of the next move.
    pub loss: f64,
    /// Mean divergence from the targets' shares of moves: the same as the loss where a single move is the target.
    #[serde(default)]
    pub divergence: f64,
    /// Share of winners predicted, if the network tells them.
    pub value_right: Option<f64>,
    /// Mean squared error of the winning probability.
    pub value_error: Option<f64>,
    /// Mean cross-entropy of the result.
    pub value_loss: Option<f64>,
    /// Mean absolute error of the score in points.
    #[serde(default)]
    pub score_error: Option<f64>,
    /// Mean absolute error of ownership, from 0 to 2.
    #[serde(default)]
    pub owner_error: Option<f64>,
}

impl From<&Tally> for Accuracy {
    fn from(tally: &Tally) -> Accuracy {
        let value = tally.value();
        Accuracy {
            positions: tally.positions as u64,
            top1: tally.top1_rate(),
            top5: tally.top5_rate(),
            loss: tally.mean_loss(),
            divergence: tally.divergence(),
            value_right: value.map(|v| v.0),
            value_error: value.map(|v| v.1),
            value_loss: value.map(|v| v.2),
            score_error: tally.score_error(),
            owner_error: tally.owner_error(),
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Steps so far.
    pub steps: u64,
    /// Positions so far.
    pub positions: u64,
    /// The learning rate.
    pub rate: f32,
    /// Positions a second since the last report.
    pub per_second: f64,
    /// On the positions trained on since the last report, each before it was learned.
    pub train: Accuracy,
    /// On the held-out positions, if they were tested.
    pub held_out: Option<Accuracy>,
    /// Residual blocks that have stopped learning: begin them anew (`--reset block.3`) with a smaller learning rate.
    #[serde(default)]
    pub dead_blocks: Vec<usize>,
}

/// What a session tells.
#[derive(Clone, Copy, Debug)]
pub enum SessionEvent<'a> {
    /// A new line of the log.
    Report(&'a Report),
    /// A checkpoint is about to be written: the log so far.
    Save(&'a [Report]),
}

const LOG: &str = "log.jsonl";
/// Larger logs are not read.
const MAX_LOG: u64 = 1 << 30;

/// The reports in a folder, up to so many steps.
fn read_log(folder: &Path, steps: u64) -> Vec<Report> {
    let bytes = bounded::read_file(folder.join(LOG), MAX_LOG).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    // A line that was cut off by an interruption is later than the checkpoint anyway.
    let reports = text.lines().filter_map(|line| serde_json::from_str::<Report>(line).ok());
    reports.take_while(|report| report.steps <= steps).collect()
}

/// Trains until all positions are done or `stop` says so, telling `observe` what happens.
pub fn run<E: From<NetError>>(
    trainer: &mut Trainer,
    held_out: Option<&Dataset>,
    config: &SessionConfig,
    mut observe: impl FnMut(SessionEvent<'_>) -> Result<(), E>,
    stop: impl Fn() -> bool,
) -> Result<(), E> {
    let folder = config.folder.path();
    let mut log = read_log(folder, trainer.steps());
    let (mut last_report, mut last_save) = (Instant::now(), Instant::now());
    let mut timed = trainer.positions();
    let crosses = |before: u64, after: u64, every: u64| every > 0 && before / every != after / every;
    loop {
        let finished = trainer.is_finished();
        let over = finished || stop();
        if over || last_save.elapsed() >= config.checkpoint_every {
            if !trainer.learner().is_finite() {
                return Err(diverged().into());
            }
            observe(SessionEvent::Save(&log))?;
            save(trainer, config, &log)?;
            last_save = Instant::now();
        }
        if over {
            return Ok(());
        }
        let before = trainer.positions();
        let step = trainer.step();
        trainer.since_report.add(&step.tally);
        if !step.tally.loss.is_finite() {
            return Err(diverged().into());
        }
        let ended = trainer.is_finished();
        let tested = ended || crosses(before, step.positions, config.test_every);
        if !(tested || crosses(before, step.positions, config.report_every)) {
            continue;
        }
        let per_second = (step.positions - timed) as f64 / last_report.elapsed().as_secs_f64();
        let held_out = held_out.filter(|_| tested).map(|data| {
            let threads = trainer.config().threads;
            let most = Some(config.test_positions);
            Accuracy::from(&test(&trainer.network(), data, most, threads, trainer.config().ranks, |_| ()))
        });
        let report = Report {
            steps: step.steps,
            positions: step.positions,
            rate: step.rate,
            per_second,
            train: Accuracy::from(&std::mem::take(&mut trainer.since_report)),
            held_out,
            dead_blocks: trainer.learner().dead_blocks(),
        };
        (last_report, timed) = (Instant::now(), step.positions);
        observe(SessionEvent::Report(&report))?;
        log.push(report);
    }
}

/// What was saved before stays.
fn diverged() -> NetError {
    let message = "the training has diverged: its weights became NaN. The last checkpoint is kept; begin anew in another folder with \
                   a smaller learning rate";
    NetError::Settings(message.to_owned())
}

fn save(trainer: &Trainer, config: &SessionConfig, log: &[Report]) -> Result<(), NetError> {
    let folder = config.folder.path();
    let lines =
        log.iter().map(|report| serde_json::to_string(report).expect("a report is plain data") + "\n");
    file::write(&folder.join(LOG), lines.collect::<String>().as_bytes())?;
    let mut about = vec![("training", config.about.clone()), ("positions", trainer.positions().to_string())];
    if let Some(accuracy) = log.iter().rev().find_map(|report| report.held_out) {
        about.push(("held_out_top1", format!("{:.4}", accuracy.top1)));
    }
    trainer.network().save(&folder.join("net.safetensors"), &about)?;
    // Last, so that whatever stands beside a checkpoint is at least as new.
    trainer.save(folder)?;
    Ok(())
}
