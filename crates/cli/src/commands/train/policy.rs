//! `tengen train policy`: supervised training from game records or a teacher's answers, and testing the result.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use tengen_board::bounded;
use tengen_engine::{rng::Rng, whole_file::write_whole};
use tengen_lab::{learn::progress, with_settings};
use tengen_nets::{
    NetSpec, Network,
    train::{
        self, Accuracy, DataFile, Dataset, Direction, OptimizerConfig, Report, RunFolder, Schedule,
        SessionConfig, SessionEvent, TrainConfig, Trainer,
    },
};

use crate::{
    args::{from_file, one_of, threads},
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen train policy --arch default --data train.sgf.gz --test val.sgf.gz --out my-net
  tengen train policy --out my-net --resume --data train.sgf.gz --test val.sgf.gz
  tengen train policy --arch rollout-a --data train.sgf.gz --out rollout --positions 5000000
  tengen train policy --net default --data labels/*.npz --optimizer muon \\
      --set loss.value=1.5 --out student
  tengen train policy --eval-only --net my-net/net.safetensors --data val.sgf.gz --json

The folder of a training has checkpoint.safetensors, net.safetensors (the network so far), log.jsonl and \
progress.svg. Interrupt a training whenever you like: --resume continues as if nothing had happened.";

/// Train a network to predict moves, and results where it can, from game records or a teacher's labels.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PolicyArgs {
    /// The network: default, small, distilled, prior, prior-small, rollout-a, rollout-b, rollout-a-reduced, rollout-b-reduced, or a JSON file with its description [default: that of --net, or default]
    #[arg(long, value_name = "NAME|FILE")]
    arch: Option<String>,
    /// Game records (.sgf, .sgf.gz) or labels (.npz); FILE:3 is used three times as often
    #[arg(long, required = true, num_args = 1.., value_name = "FILES")]
    data: Vec<DataFile>,
    /// Held-out game records to test with during the training
    #[arg(long, num_args = 1.., value_name = "FILES")]
    test: Vec<DataFile>,
    /// The folder of the training
    #[arg(long, required_unless_present = "eval_only", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue from the checkpoint in the folder, with the settings of its first command
    #[arg(long)]
    resume: bool,
    /// Start with the weights of this network, which may have fewer blocks and heads than --arch; with --eval-only, the network to test
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Reinitialize the weights of --net whose names begin with this, such as block.3
    #[arg(long, num_args = 1.., requires = "net", value_name = "PREFIX")]
    reset: Vec<String>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set any parameter of the training, such as loss.value=1.5 or optimizer.warm_up=0.01
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Test --net on --data instead of training
    #[arg(long, requires = "net")]
    eval_only: bool,
    /// Positions to train on; with --eval-only, positions to test on, evenly spread [default: 10 million; all of them]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Positions per step
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The highest learning rate (the papers' for its networks: 1/64 for prior, 1/16 for the rollout networks)
    #[arg(long, value_name = "X")]
    learning_rate: Option<f32>,
    /// Momentum (the papers': 0 for prior, 0.1 for the rollout networks)
    #[arg(long, value_name = "X")]
    momentum: Option<f32>,
    /// How the learning rate falls
    #[arg(long, value_name = "NAME", value_parser = one_of::<Schedule>())]
    schedule: Option<Schedule>,
    /// Optimizer; muon learns more from each position and has its own defaults
    #[arg(long, value_name = "NAME", value_parser = one_of::<Direction>())]
    optimizer: Option<Direction>,
    /// Each step shrinks weights by the learning rate times this
    #[arg(long, value_name = "X")]
    weight_decay: Option<f32>,
    /// Share of the averaged weights that each step keeps; the averaged weights are tested and saved
    #[arg(long, value_name = "X")]
    average: Option<f32>,
    /// Tell the network the opponent's rank
    #[arg(long)]
    ranks: bool,
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Minutes between checkpoints
    #[arg(long, default_value_t = 5.0, value_name = "MINUTES")]
    checkpoint_minutes: f64,
    /// Positions between reports
    #[arg(long, default_value_t = 8192, value_name = "N")]
    report_every: u64,
    /// Positions between held-out tests
    #[arg(long, default_value_t = 262_144, value_name = "N")]
    test_every: u64,
    /// Held-out positions in each test
    #[arg(long, default_value_t = 4096, value_name = "N")]
    test_positions: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PolicyArgs, output: &mut Output) -> Result<()> {
    if args.eval_only { test(args, output) } else { train(args, output) }
}

fn load(files: &[DataFile], output: &Output) -> Result<Dataset> {
    let spinner = output.spinner("reading game records");
    let data = Dataset::load(files, |_| ());
    drop(spinner);
    Ok(data?)
}

fn test(args: &PolicyArgs, output: &mut Output) -> Result<()> {
    let path = args.net.as_deref().context("--eval-only needs --net FILE")?;
    let network = Network::load(path)?;
    let data = load(&args.data, output)?;
    let count = args.positions.unwrap_or(u64::MAX).min(data.positions());
    let bar = output.bar(count, None, "positions");
    let tally =
        train::test(&network, &data, args.positions, threads(args.threads)?, args.ranks, |n| bar.inc(n));
    bar.finish_and_clear();
    let accuracy = Accuracy::from(&tally);
    if args.json {
        return output.json(&accuracy);
    }
    output.line(format!("positions    {}", accuracy.positions))?;
    output.line(format!("top 1        {:.2} %", 100.0 * accuracy.top1))?;
    output.line(format!("top 5        {:.2} %", 100.0 * accuracy.top5))?;
    output.line(format!("loss         {:.4}", accuracy.loss))?;
    if let (Some(right), Some(error)) = (accuracy.value_right, accuracy.value_error) {
        output
            .line(format!("winner       {:.2} % predicted, mean squared error {error:.4}", 100.0 * right))?;
    }
    if let Some(error) = accuracy.score_error {
        output.line(format!("score        {error:.2} points of error"))?;
    }
    Ok(())
}

/// A network by name or from a JSON file.
pub(super) fn arch(text: &str) -> Result<NetSpec> {
    if let Some(spec) = NetSpec::named(text) {
        return Ok(spec);
    }
    ensure!(
        Path::new(text).exists(),
        "--arch {text}: choose one of {}, or name a JSON file that describes a network",
        NetSpec::NAMES.join(", ")
    );
    let json = bounded::read_text(text).with_context(|| format!("cannot read {text}"))?;
    serde_json::from_str(&json).with_context(|| format!("{text} does not describe a network"))
}

/// The settings that the flags describe.
fn config(args: &PolicyArgs, network: Option<&Network>) -> Result<TrainConfig> {
    let arch = match (&args.arch, network) {
        (Some(name), _) => arch(name)?,
        (None, Some(network)) => network.spec().clone(),
        (None, None) => arch("default")?,
    };
    let mut config = TrainConfig::new(arch);
    if args.optimizer == Some(Direction::Muon) {
        config.optimizer = OptimizerConfig::muon();
    }
    config.threads = threads(None)?;
    let named = args.arch.is_some().then(|| config.arch.clone());
    let mut config = from_file(config, args.config.as_deref())?;
    config.arch = named.unwrap_or(config.arch);
    let optimizer = &mut config.optimizer;
    optimizer.direction = args.optimizer.unwrap_or(optimizer.direction);
    optimizer.learning_rate = args.learning_rate.unwrap_or(optimizer.learning_rate);
    optimizer.momentum = args.momentum.unwrap_or(optimizer.momentum);
    optimizer.schedule = args.schedule.unwrap_or(optimizer.schedule);
    optimizer.weight_decay = args.weight_decay.unwrap_or(optimizer.weight_decay);
    optimizer.average = args.average.unwrap_or(optimizer.average);
    config.positions = args.positions.unwrap_or(config.positions);
    config.batch = args.batch.unwrap_or(config.batch);
    config.ranks |= args.ranks;
    config.seed = args.seed.unwrap_or(config.seed);
    config.threads = args.threads.map_or(Ok(config.threads), |asked| threads(Some(asked)))?;
    Ok(with_settings(&config, &args.settings, "a training")?)
}

/// The network to start from, with what is to be learned anew.
fn start(args: &PolicyArgs) -> Result<Option<Network>> {
    let Some(path) = &args.net else { return Ok(None) };
    let mut network = Network::load(path)?;
    for prefix in &args.reset {
        let (reset, count) = network.reset(prefix, &mut Rng::new(args.seed.unwrap_or(1)))?;
        ensure!(
            count > 0,
            "--reset {prefix}: no weights of {} have names that begin with this",
            path.display()
        );
        network = reset;
    }
    Ok(Some(network))
}

fn train(args: &PolicyArgs, output: &mut Output) -> Result<()> {
    let out = args.out.as_deref().context("--out DIR is needed: the folder of the training")?;
    ensure!(
        args.checkpoint_minutes > 0.0 && args.checkpoint_minutes <= 1e6,
        "--checkpoint-minutes: must be more than 0 and at most 1000000"
    );
    ensure!(args.positions != Some(0), "--positions 0: must be at least 1");
    let folder = if args.resume { RunFolder::resume(out, &[])? } else { RunFolder::begin(out, &[])? };
    let data = load(&args.data, output)?;
    let held_out = if args.test.is_empty() { None } else { Some(load(&args.test, output)?) };
    for ((width, height), count) in data.sizes() {
        output.detail(format!("{count} positions on {width}x{height}"));
    }
    let mut trainer = if args.resume {
        Trainer::resume(folder.path(), data)?
    } else {
        let network = start(args)?;
        let config = config(args, network.as_ref())?;
        match &network {
            Some(network) => Trainer::from_network(&config, network, data)?,
            None => Trainer::new(&config, data)?,
        }
    };
    let session = SessionConfig {
        folder,
        report_every: args.report_every,
        test_every: args.test_every,
        test_positions: args.test_positions,
        checkpoint_every: Duration::from_secs_f64(args.checkpoint_minutes * 60.0),
        about: serde_json::to_string(trainer.config())?,
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stopped);
    ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed))?;
    let all = trainer.config().positions;
    let bar = output.bar(all, None, "positions");
    let mut last = None;
    let observe = |event: SessionEvent<'_>| {
        match event {
            SessionEvent::Report(report) => {
                bar.set_position(report.positions);
                bar.suspend(|| output.remark(line(report)));
                last = Some(report.clone());
            }
            // A line needs two points.
            SessionEvent::Save(log) if log.len() > 1 => {
                let path = session.folder.path().join("progress.svg");
                write_whole(&path, progress::draw(log))
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            SessionEvent::Save(_) => {}
        }
        anyhow::Ok(())
    };
    train::run(&mut trainer, held_out.as_ref(), &session, observe, || stopped.load(Ordering::Relaxed))?;
    bar.finish_and_clear();
    match last {
        Some(report) if args.json => output.json(&report),
        None if args.json => output.json(&json!({ "positions": trainer.positions() })),
        None if trainer.is_finished() => {
            output.line(format!("the training has ended already, after {all} positions"))
        }
        _ => Ok(()),
    }
}

/// A report for the terminal.
fn line(report: &Report) -> String {
    let accuracy = |name: &str, a: &Accuracy| {
        let value = a.value_right.map_or(String::new(), |right| format!(", winner {:.1} %", 100.0 * right));
        let score = a.score_error.map_or(String::new(), |error| format!(", score ±{error:.1}"));
        let far = if a.divergence < a.loss {
            format!(" ({:.3} above the least)", a.divergence)
        } else {
            String::new()
        };
        format!("{name} loss {:.3}{far}, top 1 {:.1} %{value}{score}", a.loss, 100.0 * a.top1)
    };
    let mut text = format!(
        "{:>10} positions, {:.0}/s, rate {:.4}: {}",
        report.positions,
        report.per_second,
        report.rate,
        accuracy("training", &report.train)
    );
    if let Some(held_out) = &report.held_out {
        text += &format!("; {}", accuracy("held out", held_out));
    }
    if !report.dead_blocks.is_empty() {
        text += &format!("; warning: blocks {:?} have stopped learning (see --reset)", report.dead_blocks);
    }
    text
}
