//! `tengen train label`: the answers of a strong network, for a smaller one to learn from.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;
use tengen_board::Rules;
use tengen_nets::{
    AnyNetwork, file_hash,
    train::{DataFile, Dataset, EmptyBoard, LabelConfig, Labeller},
};

use crate::{
    args::threads,
    output::{Output, counted},
};

const EXAMPLES: &str = "\
Examples:
  tengen train label --net teacher.bin.gz --data train19.sgf.gz:3 train9.sgf.gz:2 \\
      --boards 13:2 7:0.5 --files 500 --out labels
  tengen train policy --data labels/*.npz --net my-net.safetensors --out student

Each file has the teacher's answers for some thousand positions on boards of one size; numpy.load reads it. \
The same command goes on where it was interrupted.";

/// Ask a network about many positions and store its answers for training.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LabelArgs {
    /// The teacher: a KataGo network or one of tengen's
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// Game records in which lines of play begin, .sgf or .sgf.gz; FILE:3 is used three times as often
    #[arg(long, num_args = 1.., value_name = "FILES")]
    data: Vec<DataFile>,
    /// Boards that are played on from the first move, such as 13, 13:2 (twice as often) or 7x10:0.5
    #[arg(long, num_args = 1.., value_name = "SIZES")]
    boards: Vec<EmptyBoard>,
    /// The folder of the labels
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Label until the folder has so many files
    #[arg(long, default_value_t = 100, value_name = "N")]
    files: u64,
    /// Positions in a file, at least
    #[arg(long, default_value_t = LabelConfig::default().file_positions, value_name = "N")]
    file_positions: usize,
    /// Positions of a line that begins in a game record
    #[arg(long, default_value_t = LabelConfig::default().plies, value_name = "N")]
    plies: usize,
    /// Share of random moves among those of the teacher
    #[arg(long, default_value_t = LabelConfig::default().random, value_name = "SHARE")]
    random: f32,
    /// Rules that the teacher is told
    #[arg(long, default_value = "chinese-ogs", value_name = "NAME")]
    rules: Rules,
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LabelArgs, output: &mut Output) -> Result<()> {
    ensure!(
        (1..=1 << 20).contains(&args.file_positions),
        "--file-positions: give a number from 1 to 1048576"
    );
    ensure!(args.plies > 0, "--plies 0: must be at least 1");
    ensure!((0.0..=1.0).contains(&args.random), "--random {}: give a share from 0 to 1", args.random);
    let network = AnyNetwork::load(&args.net)?;
    let data = if args.data.is_empty() {
        None
    } else {
        let spinner = output.spinner("reading game records");
        let data = Dataset::load(&args.data, |_| ())?;
        drop(spinner);
        Some(data)
    };
    let config = LabelConfig {
        plies: args.plies,
        random: args.random,
        file_positions: args.file_positions,
        rules: args.rules,
        seed: args.seed,
    };
    let labeller = Labeller::new(network, file_hash(&args.net)?, config, data, &args.boards)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stopped);
    ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed))?;
    let (files, labels) = (AtomicU64::new(0), AtomicU64::new(0));
    let bar = output.bar(args.files, None, "files");
    labeller.run(
        &args.out,
        args.files,
        threads(args.threads)?,
        |count| {
            files.fetch_add(1, Ordering::Relaxed);
            labels.fetch_add(count as u64, Ordering::Relaxed);
            bar.inc(1);
        },
        || stopped.load(Ordering::Relaxed),
    )?;
    bar.finish_and_clear();
    let (files, labels) = (files.into_inner(), labels.into_inner());
    if args.json {
        return output.json(&json!({ "files": files, "positions": labels }));
    }
    output.line(format!(
        "{} labelled in {} in {}",
        counted(labels, "position"),
        counted(files, "new file"),
        args.out.display()
    ))
}
