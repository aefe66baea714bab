//! `tengen work`: plays the games that a coordinator hands out.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::ProgressBar;
use tengen_cluster::{WorkOptions, own_name};
use tengen_lab::parallel::concurrency_for;

use super::interruptible;
use crate::{args::ServerArgs, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen work --nats nats://server:4222
  tengen work --nats nats://server:4222 --cores 4 --name kitchen
  tengen work --nats tls://server:4222 --nats-creds worker.creds
  tengen work --nats nats://server:4222 --allow-engine 'gnugo=gnugo --mode gtp --level 10 --chinese-rules'

A worker starts no program and opens no file because a message says so: engines are those that --allow-engine names, networks and \
books come from the server by their SHA-256. Ctrl-C gives the games under way back.";

/// Play the games that tengen serve-jobs hands out.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WorkArgs {
    /// Games at a time [default: one per core]
    #[arg(long, value_name = "N")]
    cores: Option<usize>,
    /// What it is called; each worker needs a name of its own [default: the machine's and a number]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Start this command line where an order names that engine; may be repeated
    #[arg(long, value_name = "NAME=COMMAND", value_parser = engine)]
    allow_engine: Vec<(String, String)>,
    /// Where networks and books are kept that were fetched [default: the user's cache folder]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

fn engine(text: &str) -> Result<(String, String), String> {
    let (name, command) = text.split_once('=').ok_or("write NAME=COMMAND")?;
    Ok((name.trim().to_owned(), command.trim().to_owned()))
}

pub(crate) fn run(args: &WorkArgs, output: &mut Output) -> Result<()> {
    let cores = args.cores.unwrap_or_else(|| concurrency_for(1));
    ensure!((1..=400).contains(&cores), "--cores {cores}: must be from 1 to 400");
    let cache = match &args.cache {
        Some(folder) => folder.clone(),
        None => dirs::cache_dir()
            .context("there is no cache folder: name one with --cache")?
            .join("tengen/objects"),
    };
    let engines: BTreeMap<String, String> = args.allow_engine.iter().cloned().collect();
    let name = args.name.clone().unwrap_or_else(own_name);
    let stop = interruptible(&ProgressBar::hidden())?;
    let options = WorkOptions { name, cores, engines, cache };
    Ok(tengen_cluster::work(&args.server.server(), options, &stop, &output.remarks())?)
}
