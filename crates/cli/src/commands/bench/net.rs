//! `tengen bench net`: how fast a network evaluates positions.

use std::{
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use serde::Serialize;
use tengen_board::{Board, Game, Move, Rules, Symmetry};
use tengen_engine::rng::Rng;
use tengen_nets::{AnyNetwork, History, NetSpec, Network, planes::Position};

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
    /// A network with random weights instead: default, prior, rollout-a, rollout-b, rollout-a-reduced, rollout-b-reduced
    #[arg(long, value_name = "NAME", conflicts_with = "net")]
    arch: Option<String>,
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, default_value = "19")]
    size: BoardSize,
    /// Positions at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    batch: usize,
    /// Threads
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS")]
    seconds: f64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    net: String,
    size: BoardSize,
    batch: usize,
    threads: usize,
    evals: u64,
    seconds: f64,
    cpu_seconds: f64,
    per_second: f64,
    per_cpu_second: f64,
}

pub(crate) fn run(args: &NetArgs, output: &mut Output) -> Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads {}: must be from 1 to 1024", args.threads);
    ensure!((1..=1024).contains(&args.batch), "--batch {}: must be from 1 to 1024", args.batch);
    ensure!(args.seconds > 0.0 && args.seconds <= 1e6, "--seconds {}: must be more than 0", args.seconds);
    let (name, network) = network(args)?;
    let spinner = output.spinner("measuring");
    let begin = Instant::now();
    let tallies: Vec<(u64, Duration)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads).map(|_| scope.spawn(|| measure(args, &network))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a benchmark thread does not panic")).collect()
    });
    let seconds = begin.elapsed().as_secs_f64();
    drop(spinner);
    let evals: u64 = tallies.iter().map(|t| t.0).sum();
    let cpu_seconds = tallies.iter().map(|t| t.1.as_secs_f64()).sum();
    let report = Report {
        kind: "net",
        net: name,
        size: args.size,
        batch: args.batch,
        threads: args.threads,
        evals,
        seconds,
        cpu_seconds,
        per_second: evals as f64 / seconds,
        per_cpu_second: evals as f64 / cpu_seconds,
    };
    if args.json {
        return output.json(&report);
    }
    let Report { net, size, batch, threads, .. } = &report;
    output.line(format!("network         {net} on {size}, {batch} at a time, {threads} thread(s)"))?;
    output.line(format!("evaluations     {evals} in {seconds:.2} s ({cpu_seconds:.2} s of CPU time)"))?;
    output.line(format!("per second      {:.0}", report.per_second))?;
    output.line(format!("per CPU-second  {:.0}", report.per_cpu_second))
}

fn network(args: &NetArgs) -> Result<(String, AnyNetwork)> {
    if let Some(path) = &args.net {
        return Ok((path.display().to_string(), AnyNetwork::load(path)?));
    }
    let name = args.arch.clone().unwrap_or_default();
    let spec = NetSpec::named(&name);
    ensure!(spec.is_some(), "--arch {name}: choose one of {}", NetSpec::NAMES.join(", "));
    let network = Network::random(&spec.expect("just checked"), &mut Rng::new(1))?;
    Ok((name, AnyNetwork::Own(Arc::new(network))))
}

/// Evaluations of one thread, and the CPU time they took.
fn measure(args: &NetArgs, network: &AnyNetwork) -> (u64, Duration) {
    let BoardSize { width, height } = args.size;
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
            time(args, || runner.evaluate(&positions, &mut outputs))
        }
        AnyNetwork::Kata(network) => {
            let histories: Vec<_> = games.iter().map(History::new).collect();
            let positions: Vec<_> = histories.iter().map(|h| (h, Symmetry::IDENTITY)).collect();
            let mut runner = network.runner(width, height, args.batch);
            let mut outputs = Vec::new();
            time(args, || runner.evaluate(&positions, &mut outputs))
        }
    }
}

/// Random positions a third into the game.
fn games(args: &NetArgs) -> Vec<Game> {
    let BoardSize { width, height } = args.size;
    let mut rng = Rng::new(1);
    let game = || {
        let mut game = Game::new(width, height, Rules::default()).expect("a board size that was read");
        for _ in 0..width * height / 3 {
            let mv = game.board().clone().draw_empty(|n| rng.below(n), Board::is_legal);
            if game.try_play(mv).is_err() {
                break;
            }
        }
        game
    };
    std::iter::repeat_with(game).take(args.batch).collect()
}

/// Evaluates batches for as long as was asked for.
fn time(args: &NetArgs, mut evaluate: impl FnMut()) -> (u64, Duration) {
    // The first evaluation touches fresh memory.
    evaluate();
    let (begin, cpu) = (Instant::now(), ThreadTime::now());
    let mut evals = 0;
    while begin.elapsed().as_secs_f64() < args.seconds {
        evaluate();
        evals += args.batch as u64;
    }
    (evals, cpu.elapsed())
}
