//! `tengen lab queue`: many experiments, the most valuable first, without anybody looking on.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Result, bail, ensure};
use clap::Args;
use tengen_engine::players::StopSignal;
use tengen_lab::{
    experiments::{Entry, Experiment, Progress, Queue, Results, RunOptions, report},
    parallel::concurrency_for,
    venue::Venue,
};

use super::{DirectoryArgs, report::collect};
use crate::{commands::interruptible, output::Output};

/// Run a list of experiments in order of value; after an interruption run the same command again.
#[derive(Args)]
pub(crate) struct QueueArgs {
    /// The list [default: queue.toml in the directory of the experiments]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only show what is done and how long the rest takes
    #[arg(long)]
    status: bool,
    /// Games at a time, at most one per free core [default: one per core]
    #[arg(short, long, value_name = "N")]
    concurrency: Option<usize>,
    #[command(flatten)]
    directory: DirectoryArgs,
}

pub(super) fn run(args: &QueueArgs, venue: Option<&Arc<dyn Venue>>, output: &mut Output) -> Result<()> {
    ensure!(args.concurrency != Some(0), "--concurrency 0: must be at least 1");
    let file = args.file.clone().unwrap_or_else(|| args.directory.path().join(Queue::FILE));
    let entries = Queue::read(&file)?.entries;
    let names: Vec<_> = entries.iter().map(|entry| entry.experiment.clone()).collect();
    let experiments = args.directory.named(&names)?;
    let queue: Vec<_> = entries.iter().zip(&experiments).collect();
    show(&queue, args.concurrency.unwrap_or_else(|| concurrency_for(1)), output)?;
    if args.status {
        return Ok(());
    }
    let bar = output.bar(1, None, "games or runs");
    let stop = interruptible(&bar)?;
    let mut failed = Vec::new();
    for (entry, experiment) in queue {
        bar.set_message(experiment.slug.clone());
        match run_entry(entry, experiment, args.concurrency, venue, &stop, &bar) {
            Ok(false) => {}
            Ok(true) => {
                // A page that cannot be written is no reason not to play.
                if let Err(problem) = collect_again(&args.directory) {
                    output.remark(format!("EXPERIMENTS.md: {problem}"));
                }
            }
            Err(problem) => {
                output.remark(format!("{}: {problem}; going on with the next", experiment.slug));
                failed.push(experiment.slug.as_str());
                // What failed has stopped its own games with it.
                stop.reset();
            }
        }
        if stop.is_stopped() {
            bail!("interrupted: run the same command again to continue");
        }
        let results = Results::read(experiment)?;
        output.line(format!("{}: {}", experiment.slug, results.verdict()))?;
    }
    ensure!(failed.is_empty(), "could not be run: {}", failed.join(", "));
    Ok(())
}

/// Writes the page about all experiments with the results that are there now.
fn collect_again(directory: &DirectoryArgs) -> Result<()> {
    let read = |experiment: Experiment| {
        let results = Results::read(&experiment)?;
        Ok((experiment, results))
    };
    let all = directory.all()?.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    collect(directory.path(), &all).map(drop)
}

/// Plays what is missing of an entry, and writes its pages; whether anything was.
fn run_entry(
    entry: &Entry,
    experiment: &Experiment,
    concurrency: Option<usize>,
    venue: Option<&Arc<dyn Venue>>,
    stop: &StopSignal,
    bar: &indicatif::ProgressBar,
) -> Result<bool> {
    let results = Results::read(experiment)?;
    let progress = entry.progress(experiment, &results);
    if progress.is_done() {
        return Ok(false);
    }
    bar.set_length(progress.planned as u64);
    bar.set_position(progress.done as u64);
    let options = RunOptions { venue: venue.cloned(), ..entry.options(concurrency, &results) };
    let results = experiment.run(&options, stop, |cell| {
        bar.inc(1);
        bar.set_message(format!("{}: {cell}", experiment.slug));
    })?;
    report::write(experiment, &results)?;
    Ok(true)
}

/// What is done of each entry, and how long the rest takes.
fn show(queue: &[(&Entry, &Experiment)], concurrency: usize, output: &mut Output) -> Result<()> {
    let (mut total, mut unknown) = (0.0, 0);
    for (entry, experiment) in queue {
        let results = Results::read(experiment)?;
        let progress = entry.progress(experiment, &results);
        let left = match progress {
            progress if progress.is_done() => "done".to_owned(),
            Progress { seconds_left: Some(seconds), .. } => {
                total += seconds / concurrency as f64;
                format!("{} left", duration(seconds / concurrency as f64))
            }
            Progress { .. } => {
                unknown += 1;
                "time not known yet".to_owned()
            }
        };
        output.line(format!(
            "{:24} {:>6} of {:>6} {:5} {left:20} {}",
            experiment.slug,
            progress.done,
            progress.planned,
            experiment.config.kind.item(),
            results.verdict()
        ))?;
    }
    let more =
        if unknown > 0 { format!(", and {unknown} of which no game was played yet") } else { String::new() };
    output.line(format!("{} left with {concurrency} at a time{more}", duration(total)))
}

fn duration(seconds: f64) -> String {
    let minutes = Duration::from_secs_f64(seconds).as_secs().div_ceil(60);
    format!("{}:{:02} h", minutes / 60, minutes % 60)
}
