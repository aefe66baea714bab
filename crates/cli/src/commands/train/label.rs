//! `tengen train label`: the answers of a strong network, for a smaller one to learn from.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tengen_board::Rules;
use tengen_lab::with_settings;
use tengen_nets::{
    AnyNetwork, file_hash,
    train::{DataFile, Dataset, EmptyBoard, LabelConfig, Labeller},
};

use crate::{
    args::{from_file, threads},
    output::{Output, counted},
};

const EXAMPLES: &str = "\
Examples:
  tengen train label --net teacher.bin.gz --data train19.sgf.gz:3 train9.sgf.gz:2 \\
      --boards 13:2 7:0.5 --files 500 --out labels
  tengen train policy --data labels/*.npz --net my-net.safetensors --out student

Each file has the teacher's answers for some thousand positions on boards of one size; numpy.load reads it. \
After an interruption run the same command again: it continues.";

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
    /// Sizes of empty boards on which lines of play begin, too, such as 13, 13:2 (twice as often) or 7x10:0.5
    #[arg(long, num_args = 1.., value_name = "SIZES")]
    boards: Vec<EmptyBoard>,
    /// The folder of the labels
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of files that the folder is to have
    #[arg(long, default_value_t = 100, value_name = "N")]
    files: u64,
    /// Least number of positions in a file [default: 4096]
    #[arg(long, value_name = "N")]
    file_positions: Option<usize>,
    /// Length in moves of a line that begins in a game record [default: 16]
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Share of moves that are random instead of the teacher's [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    random: Option<f32>,
    /// Rules that the teacher evaluates positions under [default: chinese-ogs]
    #[arg(long, value_name = "NAME")]
    rules: Option<Rules>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set any parameter, such as plies=8 or random=0.2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LabelArgs, output: &mut Output) -> Result<()> {
    let mut config = from_file(LabelConfig::default(), args.config.as_deref())?;
    config.plies = args.plies.unwrap_or(config.plies);
    config.random = args.random.unwrap_or(config.random);
    config.file_positions = args.file_positions.unwrap_or(config.file_positions);
    config.rules = args.rules.unwrap_or(config.rules);
    config.seed = args.seed.unwrap_or(config.seed);
    let config = with_settings(&config, &args.settings, "labelling")?;
    let network = AnyNetwork::load(&args.net)?;
    let data = if args.data.is_empty() {
        None
    } else {
        let spinner = output.spinner("reading game records");
        let data = Dataset::load(&args.data, |_| ())?;
        drop(spinner);
        Some(data)
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
