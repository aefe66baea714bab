//! `tengen serve-jobs`: has the games of a match, of experiments or of self-play played on other machines.

use std::{sync::Arc, time::Duration};

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use tengen_cluster::{HandOut, Server, Workers};
use tengen_lab::venue::Venue;

use super::{lab, match_, selfplay};
use crate::{args::ServerArgs, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen serve-jobs --nats nats://server:4222 match rave uct --games 1000 --resume results/rave-uct
  tengen serve-jobs --nats nats://server:4222 lab run s1-9x9-direct
  tengen serve-jobs --nats nats://server:4222 lab queue
  tengen serve-jobs --nats nats://server:4222 selfplay --size 9 --games 10000 --out games
  tengen work --nats nats://server:4222          on every machine that is to play
  tengen jobs --nats nats://server:4222          how far it is

With fixed seeds and playouts the results are those of one machine, times apart. Kill it whenever you like: with --resume (and \
experiments always) the same command goes on, and what was played meanwhile is not played again.";

/// Hand games out to workers on other machines, over NATS JetStream.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeJobsArgs {
    /// Seconds without a word from its worker after which a job is given to another one
    #[arg(long, default_value_t = 45.0, value_name = "SECONDS")]
    patience: f64,
    /// Share of the games that another worker replays to check them, where they come out the same everywhere
    #[arg(long, default_value_t = 0.02, value_name = "SHARE")]
    check: f64,
    #[command(flatten)]
    server: ServerArgs,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Match(Box<match_::MatchArgs>),
    Lab(LabArgs),
    Selfplay(Box<selfplay::SelfplayArgs>),
}

/// Run experiments; what is not a match is run on this machine.
#[derive(Args)]
struct LabArgs {
    #[command(subcommand)]
    command: lab::SharedCommand,
}

pub(crate) fn run(args: &ServeJobsArgs, output: &mut Output) -> Result<()> {
    let (patience, check) = (args.patience, args.check);
    ensure!((0.5..=3600.0).contains(&patience), "--patience {patience}: must be from 0.5 to 3600 seconds");
    ensure!((0.0..=1.0).contains(&check), "--check {check}: must be from 0 to 1");
    let settings = HandOut { ack_wait: Duration::from_secs_f64(patience), check, ..HandOut::default() };
    let venue = workers(&args.server.server(), settings, output)?;
    match &args.what {
        What::Match(args) => match_::run(args, Some(&*venue), output),
        What::Lab(args) => lab::run_at(&args.command, &venue, output),
        What::Selfplay(args) => selfplay::run(args, Some(&*venue), output),
    }
}

/// The workers of a server.
pub(crate) fn workers(server: &Server, settings: HandOut, output: &Output) -> Result<Arc<dyn Venue>> {
    Ok(Arc::new(Workers::connect(server, settings, output.remarks())?))
}
