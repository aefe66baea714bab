//! `tengen lab suite`: problems with known answers.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tengen_lab::{parallel::concurrency_for, suite};

use crate::{args::PlayerArgs, commands::interruptible, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen lab suite suites/basics.sgf                             the default player
  tengen lab suite suites/basics.sgf --preset rave,playouts=500
  tengen lab suite regression/*.tst --preset 'gtp:gnugo --mode gtp'";

/// Ask a player problems with known answers: GTP regression files (.tst) or SGF problems.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SuiteArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Problems at a time [default: one per core]
    #[arg(short, long, value_name = "N")]
    concurrency: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &SuiteArgs, output: &mut Output) -> Result<()> {
    let spec = args.player.spec()?;
    let mut all = suite::Suite::default();
    for file in &args.files {
        let read = suite::read(file)?;
        all.problems.extend(read.problems);
        all.skipped += read.skipped;
    }
    let bar = output.bar(all.problems.len() as u64, None, "problems");
    let stop = interruptible(&bar)?;
    let threads = spec.options.threads.unwrap_or(1);
    let concurrency = args.concurrency.unwrap_or_else(|| concurrency_for(threads));
    let seed = spec.options.seed.unwrap_or(1);
    let report = suite::run(&spec, &all, seed, concurrency, &stop, |_| bar.inc(1))?;
    bar.finish_and_clear();
    if stop.is_stopped() {
        bail!("interrupted after {} of {} problems", report.problems, all.problems.len());
    }
    if args.json {
        return output.json(&report);
    }
    for answered in &report.results {
        let verdict = if answered.passed { "passed" } else { "FAILED" };
        let (problem, to_play, played) = (&answered.problem, &answered.to_play, &answered.played);
        output.line(format!("{verdict}  {problem:30} {to_play:5} {played:6} ({})", answered.expected))?;
    }
    let (low, high) = (100.0 * report.ci95.0, 100.0 * report.ci95.1);
    let rate = report.pass_rate.map_or("no problems".to_owned(), |rate| format!("{:.1}%", 100.0 * rate));
    output.line(format!(
        "{}: {} of {} problems ({rate}, 95%: {low:.1} to {high:.1}); {} left out",
        report.player, report.passed, report.problems, report.skipped
    ))
}
