//! `tengen train balance`: a rollout network whose rollouts end, on the average, as a stronger player thinks they should.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;
use tengen_board::{Game, bounded};
use tengen_engine::{players::Request, rng::Rng, whole_file::write_whole};
use tengen_lab::{PlayerSpec, matches::derive_seed, with_settings};
use tengen_nets::{
    Network,
    train::{BalanceConfig, Balancer, DataFile, Target, imbalance},
};

use super::knowledge::read_games;
use crate::{args::from_file, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen train balance --net rollout-a-reduced --data games9.sgf.gz --games 3000 --out balanced
  tengen match holmes,rollout_net=balanced/net.safetensors \\
      holmes,rollout_net=rollout-a-reduced --size 9

The folder has values.txt (the teacher's values, which take most of the time and are reused) and \
net.safetensors. Interrupt it whenever you like and run the same command again: the values are kept. To continue \
with the network, name it with --net.";

/// Positions of which every tenth is held out.
const HELD_OUT: usize = 10;

/// Balance a rollout network (Silver and Tesauro 2009).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BalanceArgs {
    /// The rollout network to begin with
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// Files of game records, .sgf or .sgf.gz, on boards of one size; one position of each game is used; FILE:3 is used three times as often
    #[arg(long, required = true, num_args = 1.., value_name = "FILES")]
    data: Vec<DataFile>,
    /// Use only the first N games of each file [default: all]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// The player whose values the rollouts should match
    #[arg(long, default_value = "classic,playouts=1000", value_name = "SPEC")]
    teacher: String,
    /// The folder of the training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Steps [default: 1000]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Positions per step [default: 16]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Rollouts per position that estimate its value [default: 64]
    #[arg(long, value_name = "N")]
    rollouts: Option<usize>,
    /// Rollouts per position that estimate the gradient [default: 16]
    #[arg(long, value_name = "N")]
    gradient_rollouts: Option<usize>,
    /// The highest learning rate [default: 0.001]
    #[arg(long, value_name = "X")]
    learning_rate: Option<f32>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set any parameter, such as optimizer.momentum=0.5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BalanceArgs, output: &mut Output) -> Result<()> {
    let mut config = from_file(BalanceConfig::default(), args.config.as_deref())?;
    config.batch = args.batch.unwrap_or(config.batch);
    config.rollouts = args.rollouts.unwrap_or(config.rollouts);
    config.gradient_rollouts = args.gradient_rollouts.unwrap_or(config.gradient_rollouts);
    config.steps = args.steps.unwrap_or(config.steps);
    config.seed = args.seed.unwrap_or(config.seed);
    let rate = &mut config.optimizer.learning_rate;
    *rate = args.learning_rate.unwrap_or(*rate);
    let config = with_settings(&config, &args.settings, "a balancing")?;
    let before = Network::load(&args.net)?;
    let mut balancer = Balancer::new(&before, &config)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stopped);
    ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed))?;

    let games = positions(args, config.seed)?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let targets = targets(args, &games, config.seed, &stopped, output)?;
    let (held_out, learned): (Vec<_>, Vec<_>) =
        targets.into_iter().enumerate().partition(|(i, _)| i % HELD_OUT == 0);
    let held_out: Vec<Target> = held_out.into_iter().map(|(_, (target, _))| target).collect();
    // Sums of the weights up to each position.
    let mut sum_of_weights = 0.0;
    let learned: Vec<(Target, f64)> = learned
        .into_iter()
        .map(|(_, (target, weight))| {
            sum_of_weights += weight;
            (target, sum_of_weights)
        })
        .collect();
    ensure!(!learned.is_empty(), "too few games: {} were found, at least two are needed", games.len());

    let bar = output.bar(config.steps, None, "steps");
    let mut rng = Rng::new(config.seed);
    let mut sum = 0.0;
    for step in 1..=config.steps {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        let mut draw = || {
            let left = f64::from(rng.unit()) * sum_of_weights;
            let at = learned.partition_point(|(_, end)| *end <= left).min(learned.len() - 1);
            learned[at].0.clone()
        };
        let batch: Vec<Target> = std::iter::repeat_with(&mut draw).take(config.batch).collect();
        sum += balancer.step(&batch)?;
        bar.inc(1);
        if step % 50 == 0 {
            let line = format!("{step:>6} steps: mean squared imbalance {:.4}", sum / 50.0);
            bar.suspend(|| output.remark(line));
            sum = 0.0;
        }
    }
    bar.finish_and_clear();
    let network = balancer.network();
    let path = args.out.join("net.safetensors");
    network.save(
        &path,
        &[("training", format!("{}, teacher {}", serde_json::to_string(&config)?, args.teacher))],
    )?;
    let measure =
        |network: &Network| imbalance(network, &held_out, 4 * config.rollouts, &mut Rng::new(config.seed));
    let (before, after) = (measure(&before)?, measure(&network)?);
    if args.json {
        let positions = held_out.len();
        return output.json(&json!({"out": path, "held_out": positions, "before": before, "after": after}));
    }
    output.line(format!(
        "mean squared imbalance of {} positions held out: {before:.4} before, {after:.4} after; the network is {}",
        held_out.len(),
        path.display()
    ))
}

/// A position from the middle of each game, and the weight of its file.
fn positions(args: &BalanceArgs, seed: u64) -> Result<Vec<(Game, f64)>> {
    let mut games = Vec::new();
    for file in &args.data {
        let of_file = read_games(&file.path, args.games)?;
        games.extend(of_file.into_iter().map(|game| (game, file.weight)));
    }
    let size = |(game, _): &(Game, f64)| (game.board().width(), game.board().height());
    if let Some(other) = games.iter().find(|game| size(game) != size(&games[0])) {
        let ((a, b), (c, d)) = (size(&games[0]), size(other));
        bail!("the games are on boards of several sizes ({a}x{b}, {c}x{d}): name files of one size");
    }
    let mut rng = Rng::new(seed);
    for (game, _) in &mut games {
        let length = game.moves().len();
        game.undo_to(length / 10 + rng.below(length * 7 / 10 + 1));
    }
    games.retain(|(game, _)| !game.is_over());
    ensure!(!games.is_empty(), "--data has no games");
    Ok(games)
}

/// What the teacher says about the positions; what it said before is in the folder.
fn targets(
    args: &BalanceArgs,
    games: &[(Game, f64)],
    seed: u64,
    stopped: &AtomicBool,
    output: &mut Output,
) -> Result<Vec<(Target, f64)>> {
    let path = args.out.join("values.txt");
    let files: Vec<String> = args.data.iter().map(|file| file.path.display().to_string()).collect();
    let most = args.games.map_or(String::new(), |most| format!(" games {most}"));
    let heading = format!("# {} seed {seed} {}{most}", args.teacher, files.join(" "));
    let mut values = read_values(&path, &heading)?;
    let spec: PlayerSpec = args.teacher.parse()?;
    let seed = spec.options.seed.unwrap_or(seed);
    let mut teacher = spec.build(seed)?;
    ensure!(
        teacher.searches(),
        "--teacher {}: it cannot evaluate positions; choose one that searches",
        args.teacher
    );
    let save = |values: &[f32]| {
        let lines: Vec<String> = values.iter().map(|value| format!("{value:.4}\n")).collect();
        write_whole(&path, format!("{heading}\n{}", lines.concat()))
            .with_context(|| format!("cannot write {}", path.display()))
    };
    let bar = output.bar(games.len() as u64, None, "positions");
    bar.set_position(values.len() as u64);
    for (position, (game, _)) in games.iter().enumerate().skip(values.len()) {
        // Each position has random numbers of its own, so that an interruption changes nothing.
        teacher.begin(derive_seed(seed, position as u64))?;
        let report = teacher
            .analyse(game, &Request::default())?
            .context("the teacher cannot analyse positions: choose a player that searches")?;
        // As it is written down, so that it is the same when it is read again.
        values.push((report.black_value * 1e4).round() / 1e4);
        bar.inc(1);
        let over = stopped.load(Ordering::Relaxed);
        if over || values.len().is_multiple_of(100) {
            save(&values)?;
        }
        ensure!(!over, "interrupted: run the same command again to continue");
    }
    bar.finish_and_clear();
    save(&values)?;
    Ok(games.iter().zip(values).map(|((game, weight), value)| (Target::new(game, value), *weight)).collect())
}

/// The values in the folder, if they are those of the same positions.
fn read_values(path: &Path, heading: &str) -> Result<Vec<f32>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = bounded::read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = text.lines();
    let said = lines.next().unwrap_or_default();
    ensure!(
        said == heading,
        "{} was made with other settings ({said}): choose another --out, or delete it",
        path.display()
    );
    let value = |line: &str| {
        line.parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value)).with_context(|| {
            format!("{}: {line:?} is not a value from 0 to 1; delete the file", path.display())
        })
    };
    lines.map(value).collect()
}
