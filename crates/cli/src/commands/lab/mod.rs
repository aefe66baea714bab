//! `tengen lab`: experiments, from a claim to a page with error bars.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Result, bail, ensure};
use clap::{Args, Subcommand};
use tengen_lab::{
    experiments::{self, Experiment},
    venue::Venue,
};

use crate::output::Output;

mod list;
mod queue;
mod report;
mod run;
mod suite;
mod tune;

const EXAMPLES: &str = "\
Examples:
  tengen lab list                                  the experiments, and which have results
  tengen lab run s1-9x9-gnugo                      run what is missing; the same command goes on
  tengen lab run s1-9x9-gnugo --scale 0.1          only a tenth of the games
  tengen lab queue --concurrency 1                 for days, the most valuable ones first
  tengen lab queue --status                        what is done, and how long the rest takes
  tengen lab run --all --dummy                     every one in seconds, without keeping anything
  tengen lab report s1-9x9-gnugo                   its tables and plots again
  tengen lab report                                all of them, and EXPERIMENTS.md
  tengen lab suite suites/basics.sgf               problems with known answers
  tengen lab tune --help                           parameters by matches";

/// Run experiments and report them, ask problems, tune parameters.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    List(list::ListArgs),
    Run(run::RunArgs),
    Queue(queue::QueueArgs),
    Report(report::ReportArgs),
    Suite(suite::SuiteArgs),
    Tune(tune::TuneArgs),
}

pub(crate) fn run(args: &LabArgs, output: &mut Output) -> Result<()> {
    match &args.command {
        LabCommand::List(args) => list::run(args, output),
        LabCommand::Run(args) => run::run(args, None, output),
        LabCommand::Queue(args) => queue::run(args, None, output),
        LabCommand::Report(args) => report::run(args, output),
        LabCommand::Suite(args) => suite::run(args, output),
        LabCommand::Tune(args) => tune::run(args, output),
    }
}

/// What other machines can play.
#[derive(Subcommand)]
pub(crate) enum SharedCommand {
    Run(run::RunArgs),
    Queue(queue::QueueArgs),
}

/// Runs experiments whose games are played at a venue.
pub(crate) fn run_at(command: &SharedCommand, venue: &Arc<dyn Venue>, output: &mut Output) -> Result<()> {
    match command {
        SharedCommand::Run(args) => run::run(args, Some(venue), output),
        SharedCommand::Queue(args) => queue::run(args, Some(venue), output),
    }
}

/// Where experiments are.
#[derive(Args, Clone, Debug)]
struct DirectoryArgs {
    /// The directory of the experiments
    #[arg(long, default_value = "experiments", value_name = "DIR")]
    dir: PathBuf,
}

impl DirectoryArgs {
    fn path(&self) -> &Path {
        &self.dir
    }

    /// Every experiment.
    fn all(&self) -> Result<Vec<Experiment>> {
        ensure!(
            self.dir.is_dir(),
            "no experiments in {}: run this in tengen's repository, or name a directory with --dir",
            self.dir.display()
        );
        Ok(experiments::list(&self.dir)?)
    }

    /// The experiments of these names; others are not read.
    fn named(&self, names: &[String]) -> Result<Vec<Experiment>> {
        let find = |name: &String| {
            let directory = self.dir.join(name);
            if directory.join(Experiment::FILE).is_file() {
                return Ok(Experiment::read(&directory)?);
            }
            let all = self.all()?;
            let known: Vec<_> = all.iter().map(|experiment| experiment.slug.as_str()).collect();
            bail!("there is no experiment {name:?}: choose one of {}", known.join(", "))
        };
        names.iter().map(find).collect()
    }
}
