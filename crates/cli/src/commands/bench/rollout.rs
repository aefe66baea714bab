//! `tengen bench rollout`: how fast a rollout network plays games from the empty board.

use std::{
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use serde::Serialize;
use tengen_board::Board;
use tengen_engine::{
    network::RolloutConfig,
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
};
use tengen_nets::{NetSpec, Network, RolloutNetwork, RolloutPolicy};

use crate::{args::BoardSize, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen bench rollout --net rollout-a
  tengen bench rollout --arch rollout-b --size 9            random weights: games are longer, moves as fast

On a shared machine look at the rollouts per CPU-second.";

/// Play games with a rollout network.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RolloutArgs {
    /// The network file
    #[arg(long, value_name = "FILE", required_unless_present = "arch")]
    net: Option<PathBuf>,
    /// A network with random weights instead: rollout-a, rollout-b, rollout-a-reduced, rollout-b-reduced
    #[arg(long, value_name = "NAME", conflicts_with = "net")]
    arch: Option<String>,
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, default_value = "19")]
    size: BoardSize,
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
    threads: usize,
    rollouts: u64,
    moves: u64,
    seconds: f64,
    cpu_seconds: f64,
    per_second: f64,
    per_cpu_second: f64,
}

pub(crate) fn run(args: &RolloutArgs, output: &mut Output) -> Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads {}: must be from 1 to 1024", args.threads);
    ensure!(args.seconds > 0.0 && args.seconds <= 1e6, "--seconds {}: must be more than 0", args.seconds);
    let (name, network) = network(args)?;
    let network = Arc::new(network);
    let spinner = output.spinner("measuring");
    let begin = Instant::now();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let measure = |seed| measure(args, &network, seed);
        let workers: Vec<_> =
            (0..args.threads).map(|thread| scope.spawn(move || measure(1 + thread as u64))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a benchmark thread does not panic")).collect()
    });
    let seconds = begin.elapsed().as_secs_f64();
    drop(spinner);
    let rollouts: u64 = tallies.iter().map(|tally| tally.rollouts).sum();
    let cpu_seconds: f64 = tallies.iter().map(|tally| tally.cpu.as_secs_f64()).sum();
    let report = Report {
        kind: "rollout",
        net: name,
        size: args.size,
        threads: args.threads,
        rollouts,
        moves: tallies.iter().map(|tally| tally.moves).sum(),
        seconds,
        cpu_seconds,
        per_second: rollouts as f64 / seconds,
        per_cpu_second: rollouts as f64 / cpu_seconds,
    };
    if args.json {
        return output.json(&report);
    }
    let Report { net, size, threads, .. } = &report;
    output.line(format!("network         {net} on {size}, {threads} thread(s)"))?;
    output.line(format!("rollouts        {rollouts} in {seconds:.2} s ({cpu_seconds:.2} s of CPU time)"))?;
    output.line(format!("mean length     {:.1} moves", report.moves as f64 / rollouts as f64))?;
    output.line(format!("per second      {:.0}", report.per_second))?;
    output.line(format!("per CPU-second  {:.0}", report.per_cpu_second))
}

fn network(args: &RolloutArgs) -> Result<(String, RolloutNetwork)> {
    if let Some(path) = &args.net {
        return Ok((path.display().to_string(), RolloutNetwork::load(path)?));
    }
    let name = args.arch.clone().unwrap_or_default();
    let spec = NetSpec::named(&name)
        .with_context(|| format!("--arch {name}: choose one of {}", NetSpec::NAMES.join(", ")))?;
    let network = RolloutNetwork::new(&Network::random(&spec, &mut Rng::new(1))?)?;
    Ok((name, network))
}

/// What a thread has done.
struct Tally {
    rollouts: u64,
    moves: u64,
    cpu: Duration,
}

fn measure(args: &RolloutArgs, network: &Arc<RolloutNetwork>, seed: u64) -> Tally {
    let mut policy = RolloutPolicy::new(Arc::clone(network), &RolloutConfig::default());
    let mut rng = Rng::new(seed);
    let empty = Board::new(args.size.width, args.size.height);
    let mut board = empty.clone();
    let mut moves = Vec::new();
    let mut play = || {
        board.clone_from(&empty);
        moves.clear();
        policy.play_out(&mut board, &mut moves, &PlayoutLimits::default(), &mut rng);
        moves.len() as u64
    };
    // The first rollout touches fresh memory.
    play();
    let (begin, cpu) = (Instant::now(), ThreadTime::now());
    let (mut rollouts, mut moves) = (0, 0);
    while rollouts == 0 || begin.elapsed().as_secs_f64() < args.seconds {
        moves += play();
        rollouts += 1;
    }
    Tally { rollouts, moves, cpu: cpu.elapsed() }
}
