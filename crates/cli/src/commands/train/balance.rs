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
use tengen_engine::{player::Budget, rng::Rng, whole_file::write_whole};
use tengen_lab::{PlayerSpec, matches::derive_seed};
use tengen_nets::{
    Network,
    train::{BalanceConfig, Balancer, Target, imbalance},
};

use super::knowledge::read_games;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen train balance --net rollout-a-reduced --data games9.sgf.gz:3000 --out balanced
  tengen match holmes,rollout_net=balanced/net.safetensors holmes,rollout_net=rollout-a-reduced --size 9

The folder has values.txt (what the teacher said, which takes most of the time and is used again) and net.safetensors. Interrupt it
whenever you like: the same command goes on with the values; to go on with the network, name it with --net.";

/// Positions of which every tenth is held out.
const HELD_OUT: usize = 10;

/// Balance a rollout network (Silver and Tesauro 2009).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BalanceArgs {
    /// The rollout network to begin with
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// Files of game records, .sgf or .sgf.gz, on boards of one size; a position of each game is taken
    #[arg(long, required = true, num_args = 1.., value_name = "FILE[:GAMES]")]
    data: Vec<String>,
    /// The player whose values are right
    #[arg(long, default_value = "classic,playouts=1000", value_name = "SPEC")]
    teacher: String,
    /// The folder of the training
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Steps
    #[arg(long, default_value_t = BalanceConfig::default().steps, value_name = "N")]
    steps: u64,
    /// Positions a step
    #[arg(long, default_value_t = 16, value_name = "N")]
    batch: usize,
    /// Rollouts that tell a position's value
    #[arg(long, default_value_t = BalanceConfig::default().rollouts, value_name = "N")]
    rollouts: usize,
    /// Rollouts that tell the direction
    #[arg(long, default_value_t = BalanceConfig::default().gradient_rollouts, value_name = "N")]
    gradient_rollouts: usize,
    /// The largest step size
    #[arg(long, default_value_t = BalanceConfig::default().optimizer.learning_rate, value_name = "X")]
    learning_rate: f32,
    /// Start of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BalanceArgs, output: &mut Output) -> Result<()> {
    ensure!(args.batch > 0 && args.steps > 0, "--batch and --steps must be at least 1");
    ensure!(
        [args.batch, args.rollouts, args.gradient_rollouts].iter().all(|&count| count <= 1_000_000),
        "--batch, --rollouts and --gradient-rollouts must be at most 1000000"
    );
    ensure!(
        args.learning_rate > 0.0 && args.learning_rate < 100.0,
        "--learning-rate {}: must be more than 0 and less than 100",
        args.learning_rate
    );
    let mut config = BalanceConfig {
        rollouts: args.rollouts,
        gradient_rollouts: args.gradient_rollouts,
        steps: args.steps,
        seed: args.seed,
        ..BalanceConfig::default()
    };
    config.optimizer.learning_rate = args.learning_rate;
    let before = Network::load(&args.net)?;
    let mut balancer = Balancer::new(&before, &config)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stopped);
    ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed))?;

    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let games = positions(args)?;
    let targets = targets(args, &games, &stopped, output)?;
    let (held_out, learned): (Vec<_>, Vec<_>) =
        targets.into_iter().enumerate().partition(|(i, _)| i % HELD_OUT == 0);
    let plain = |targets: Vec<(usize, Target)>| targets.into_iter().map(|(_, t)| t).collect::<Vec<_>>();
    let (held_out, learned) = (plain(held_out), plain(learned));
    ensure!(!learned.is_empty(), "{} games are too few: two are needed at least", games.len());

    let bar = output.bar(args.steps, None, "steps");
    let mut rng = Rng::new(args.seed);
    let mut sum = 0.0;
    for step in 1..=args.steps {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        let batch: Vec<Target> = (0..args.batch).map(|_| learned[rng.below(learned.len())].clone()).collect();
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
    network.save(&path, &[("training", format!("{config:?}, teacher {}", args.teacher))])?;
    let measure =
        |network: &Network| imbalance(network, &held_out, 4 * args.rollouts, &mut Rng::new(args.seed));
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

/// A position from the middle of each game.
fn positions(args: &BalanceArgs) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    for file in &args.data {
        games.extend(read_games(file)?);
    }
    let size = |game: &Game| (game.board().width(), game.board().height());
    if let Some(other) = games.iter().find(|game| size(game) != size(&games[0])) {
        let ((a, b), (c, d)) = (size(&games[0]), size(other));
        bail!("the games are on boards of several sizes ({a}x{b}, {c}x{d}): name files of one size");
    }
    let mut rng = Rng::new(args.seed);
    for game in &mut games {
        let length = game.moves().len();
        game.undo_to(length / 10 + rng.below(length * 7 / 10 + 1));
    }
    games.retain(|game| !game.is_over());
    ensure!(!games.is_empty(), "--data has no games");
    Ok(games)
}

/// What the teacher says about the positions; what it said before is in the folder.
fn targets(
    args: &BalanceArgs,
    games: &[Game],
    stopped: &AtomicBool,
    output: &mut Output,
) -> Result<Vec<Target>> {
    let path = args.out.join("values.txt");
    let heading = format!("# {} seed {} {}", args.teacher, args.seed, args.data.join(" "));
    let mut values = read_values(&path, &heading)?;
    let spec: PlayerSpec = args.teacher.parse()?;
    let seed = spec.options.seed.unwrap_or(args.seed);
    let mut teacher = spec.build()?;
    ensure!(
        teacher.searches(),
        "--teacher {}: it does not tell who wins; take one that searches",
        args.teacher
    );
    let save = |values: &[f32]| {
        let lines: Vec<String> = values.iter().map(|value| format!("{value:.4}\n")).collect();
        write_whole(&path, format!("{heading}\n{}", lines.concat()))
            .with_context(|| format!("cannot write {}", path.display()))
    };
    let bar = output.bar(games.len() as u64, None, "positions");
    bar.set_position(values.len() as u64);
    for (position, game) in games.iter().enumerate().skip(values.len()) {
        // Each position has random numbers of its own, so that an interruption changes nothing.
        teacher.set_seed(derive_seed(seed, position as u64));
        teacher.new_game();
        let report = teacher.analyse(game, &Budget::default()).context("the teacher has nothing to say")?;
        // As it is written down, so that it is the same when it is read again.
        values.push((report.black_value * 1e4).round() / 1e4);
        bar.inc(1);
        let over = stopped.load(Ordering::Relaxed);
        if over || values.len().is_multiple_of(100) {
            save(&values)?;
        }
        ensure!(!over, "interrupted: the same command goes on from there");
    }
    bar.finish_and_clear();
    save(&values)?;
    Ok(games.iter().zip(values).map(|(game, value)| Target::new(game, value)).collect())
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
