//! `tengen bench`: how fast this machine is. A file for each kind of benchmark.

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::output::Output;

mod playout;

/// Measure speed.
#[derive(Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    kind: BenchKind,
}

#[derive(Subcommand)]
enum BenchKind {
    Playout(playout::PlayoutArgs),
}

pub(crate) fn run(args: &BenchArgs, output: &mut Output) -> Result<()> {
    match &args.kind {
        BenchKind::Playout(args) => playout::run(args, output),
    }
}
