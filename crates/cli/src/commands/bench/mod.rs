//! `tengen bench`: how fast this machine is. A file for each kind of benchmark.

use anyhow::Result;
use clap::{Args, Subcommand};

use serde::Serialize;

use crate::output::Output;

mod env;
mod net;
mod playout;
mod rollout;
mod search;
mod selfplay;
mod timed;

/// Measure speed.
#[derive(Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    kind: BenchKind,
}

#[derive(Subcommand)]
enum BenchKind {
    Playout(playout::PlayoutArgs),
    Search(search::SearchArgs),
    Net(net::NetArgs),
    Rollout(rollout::RolloutArgs),
    Env(env::EnvArgs),
    Selfplay(selfplay::SelfplayArgs),
}

pub(crate) fn run(args: &BenchArgs, output: &mut Output) -> Result<()> {
    match &args.kind {
        BenchKind::Playout(args) => playout::run(args, output),
        BenchKind::Search(args) => search::run(args, output),
        BenchKind::Net(args) => net::run(args, output),
        BenchKind::Rollout(args) => rollout::run(args, output),
        BenchKind::Env(args) => env::run(args, output),
        BenchKind::Selfplay(args) => selfplay::run(args, output),
    }
}

/// How long something took, as every report has it.
#[derive(Serialize)]
struct Speed {
    seconds: f64,
    cpu_seconds: f64,
    per_second: f64,
    per_cpu_second: f64,
}

impl Speed {
    fn new(count: u64, seconds: f64, cpu_seconds: f64) -> Speed {
        let per = |time: f64| count as f64 / time;
        Speed { seconds, cpu_seconds, per_second: per(seconds), per_cpu_second: per(cpu_seconds) }
    }

    /// In words, the first of which says what was done.
    fn show(&self, what: &str, count: u64, output: &mut Output) -> Result<()> {
        let Speed { seconds, cpu_seconds, .. } = self;
        output.line(format!("{what:<15} {count} in {seconds:.2} s ({cpu_seconds:.2} s of CPU time)"))?;
        output.line(format!("per second      {:.0}", self.per_second))?;
        output.line(format!("per CPU-second  {:.0}", self.per_cpu_second))
    }
}
