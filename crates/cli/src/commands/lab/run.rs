//! `tengen lab run`: plays what is missing.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Result, bail, ensure};
use clap::Args;
use tengen_lab::{
    experiments::{Experiment, RunOptions, power, report},
    venue::Venue,
};

use super::DirectoryArgs;
use crate::{commands::interruptible, output::Output};

/// Run experiments: what an earlier run has done is not done again.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// The experiments; `tengen lab list` names them
    #[arg(required_unless_present = "all", value_name = "NAME")]
    names: Vec<String>,
    /// Every experiment
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Only this share of the games; a later run with more goes on from there
    #[arg(long, default_value_t = 1.0, value_name = "F")]
    scale: f64,
    /// A few games with a few playouts, in seconds; nothing is kept
    #[arg(long)]
    dummy: bool,
    /// Discard existing results and start over
    #[arg(long)]
    fresh: bool,
    /// Games at a time [default: one per core]
    #[arg(short, long, value_name = "N")]
    concurrency: Option<usize>,
    /// Also write a game record of every game into this directory; results keep no moves
    #[arg(long, value_name = "DIR")]
    sgf_dir: Option<PathBuf>,
    #[command(flatten)]
    directory: DirectoryArgs,
}

pub(super) fn run(args: &RunArgs, venue: Option<&Arc<dyn Venue>>, output: &mut Output) -> Result<()> {
    ensure!(args.scale > 0.0 && args.scale <= 100.0, "--scale {}: must be more than 0", args.scale);
    ensure!(args.concurrency != Some(0), "--concurrency 0: must be at least 1");
    let experiments = if args.all { args.directory.all()? } else { args.directory.named(&args.names)? };
    let bar = output.bar(1, None, "games or runs");
    let stop = interruptible(&bar)?;
    for experiment in experiments {
        let experiment = if args.dummy { experiment.dummy() } else { experiment };
        let options = RunOptions {
            scale: if args.dummy { 1.0 } else { args.scale },
            concurrency: args.concurrency,
            keep: !args.dummy,
            fresh: args.fresh && !args.dummy,
            sgf: args.sgf_dir.clone(),
            at: None,
            venue: venue.cloned(),
        };
        output.remark(format!("{}: {}", experiment.slug, experiment.config.claim));
        output.remark(format!("  {}", power(&experiment, options.scale)));
        let results = run_one(&experiment, &options, &stop, &bar)?;
        if stop.is_stopped() {
            bail!("interrupted: run the same command again to continue");
        }
        if !args.dummy {
            let page = report::write(&experiment, &results)?;
            output.remark(format!("  {}", page.display()));
        }
        output.line(report::checks(&experiment, &results).to_markdown())?;
    }
    Ok(())
}

fn run_one(
    experiment: &Experiment,
    options: &RunOptions,
    stop: &tengen_engine::players::StopSignal,
    bar: &indicatif::ProgressBar,
) -> Result<tengen_lab::experiments::Results> {
    let planned = experiment.planned(options.scale) * experiment.cells()?.len();
    let done = if options.keep && !options.fresh {
        tengen_lab::experiments::Results::read(experiment)?.n()
    } else {
        0
    };
    bar.set_length(planned as u64);
    bar.set_position(done as u64);
    Ok(experiment.run(options, stop, |cell| {
        bar.inc(1);
        bar.set_message(format!("{}: {cell}", experiment.slug));
    })?)
}
