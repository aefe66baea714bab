//! `tengen bench net`: how fast a network evaluates positions.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use serde::Serialize;
use tengen_board::{Board, Game, Move, Rules, Symmetry};
use tengen_engine::rng::Rng;
use tengen_nets::{AnyNetwork, History, NetSpec, Network, planes::Position};

use super::timed::{Done, Timed, TimedArgs};
use crate::{args::BoardSize, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen bench net --net net.safetensors
  tengen bench net --net kata.bin.gz --size 9
  tengen bench net --arch default --size 19 --batch 2      random weights: the speed is the same

On a shared machine look at the evaluations per CPU-second.";

/// Evaluate positions with a network.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NetArgs {
    /// The network file: ours (.safetensors) or KataGo's (.bin.gz, .txt.gz)
    #[arg(long, value_name = "FILE", required_unless_present = "arch")]
    net: Option<PathBuf>,
    /// A network with random weights instead: default, small, distilled, prior, prior-small, rollout-a, rollout-b, rollout-a-reduced, rollout-b-reduced
    #[arg(long, value_name = "NAME", conflicts_with = "net")]
    arch: Option<String>,
    /// Positions at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    batch: usize,
    #[command(flatten)]
    timed: TimedArgs,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    net: String,
    batch: usize,
    evals: u64,
    /// Billions of operations in a second of CPU time.
    gflops: f64,
    /// The same of a core that does nothing but multiply and add in registers.
    peak_gflops: f64,
    #[serde(flatten)]
    timed: Timed,
}

pub(crate) fn run(args: &NetArgs, output: &mut Output) -> Result<()> {
    args.timed.check()?;
    ensure!((1..=1024).contains(&args.batch), "--batch {}: must be from 1 to 1024", args.batch);
    let (net, network) = network(args)?;
    let ([evals], timed) = args.timed.run(output, |_| measure(args, &network));
    let BoardSize { width, height } = args.timed.size;
    let gflops = network.operations(width, height) as f64 * timed.speed.per_cpu_second / 1e9;
    let peak_gflops = tengen_nets::peak_operations() / 1e9;
    let report = Report { kind: "net", net, batch: args.batch, evals, gflops, peak_gflops, timed };
    if args.timed.json {
        return output.json(&report);
    }
    let Report { net, batch, timed, .. } = &report;
    let size = args.timed.size;
    output
        .line(format!("network         {net} on {size}, {batch} at a time, {} thread(s)", timed.threads))?;
    timed.speed.show("evaluations", evals, output)?;
    let share = 100.0 * gflops / peak_gflops;
    output.line(format!(
        "GFLOP/s         {gflops:.1} of {peak_gflops:.1} that a core has at most ({share:.0}%)"
    ))
}

fn network(args: &NetArgs) -> Result<(String, AnyNetwork)> {
    if let Some(path) = &args.net {
        return Ok((path.display().to_string(), AnyNetwork::load(path)?));
    }
    let name = args.arch.clone().unwrap_or_default();
    let network = random_network(&name)?;
    Ok((name, AnyNetwork::Own(Arc::new(network))))
}

/// A network with random weights, by the name of its architecture.
pub(super) fn random_network(name: &str) -> Result<Network> {
    let spec = NetSpec::named(name)
        .ok_or_else(|| anyhow!("--arch {name}: choose one of {}", NetSpec::NAMES.join(", ")))?;
    Ok(Network::random(&spec, &mut Rng::new(1))?)
}

/// Evaluations of one thread, and the CPU time they took.
fn measure(args: &NetArgs, network: &AnyNetwork) -> Done<1> {
    let BoardSize { width, height } = args.timed.size;
    let games = games(args);
    match network {
        AnyNetwork::Own(network) => {
            let moves: Vec<Vec<Move>> =
                games.iter().map(|game| game.moves().iter().map(|m| m.mv).collect()).collect();
            let positions: Vec<_> = games
                .iter()
                .zip(&moves)
                .map(|(game, moves)| Position { board: game.board(), moves, komi: 7.5, rank: None })
                .collect();
            let mut runner = network.runner(width, height, args.batch);
            let mut outputs = Vec::new();
            evaluate(args, || runner.evaluate(&positions, &mut outputs))
        }
        AnyNetwork::Kata(network) => {
            let histories: Vec<_> = games.iter().map(History::new).collect();
            let positions: Vec<_> = histories.iter().map(|h| (h, Symmetry::IDENTITY)).collect();
            let mut runner = network.runner(width, height, args.batch);
            let mut outputs = Vec::new();
            evaluate(args, || runner.evaluate(&positions, &mut outputs))
        }
    }
}

/// Random positions a third into the game.
fn games(args: &NetArgs) -> Vec<Game> {
    let BoardSize { width, height } = args.timed.size;
    let mut rng = Rng::new(1);
    let game = || {
        let mut game = Game::new(width, height, Rules::default()).expect("a board size that was read");
        for _ in 0..width * height / 3 {
            let mv = game.board().clone().draw_empty(|| rng.bits(), Board::is_legal);
            if game.try_play(mv).is_err() {
                break;
            }
        }
        game
    };
    std::iter::repeat_with(game).take(args.batch).collect()
}

/// Evaluates batches for as long as was asked for.
fn evaluate(args: &NetArgs, mut batch: impl FnMut()) -> Done<1> {
    args.timed.repeat(|| {
        batch();
        [args.batch as u64]
    })
}
