//! `tengen bench selfplay`: how fast a network plays against itself, and how much of the bare network's speed that is.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Result, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use serde::Serialize;
use tengen_board::{Game, Move};
use tengen_engine::players::StopSignal;
use tengen_lab::selfplay::{Pool, SelfPlayConfig};
use tengen_nets::{Network, planes::Position};

use super::{
    net::random_network,
    timed::{Done, Timed, TimedArgs},
};
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen bench selfplay --arch small --size 9
  tengen bench selfplay --net default --size 9 --simulations 32 --games 64

Every thread plays --games games at a time; then the network alone evaluates their positions in batches of the same \
size, for --seconds. On a shared machine look at the evaluations per CPU-second.";

/// Play games of a network against itself.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SelfplayArgs {
    /// The network, a file or one that comes with the program
    #[arg(long, value_name = "FILE", conflicts_with = "arch")]
    net: Option<PathBuf>,
    /// A network with random weights instead, by name
    #[arg(long, default_value = "small", value_name = "NAME")]
    arch: String,
    /// Simulations per move
    #[arg(long, default_value_t = 16, value_name = "N")]
    simulations: u32,
    /// Games of each thread
    #[arg(short, long, default_value_t = 128, value_name = "N")]
    games: u64,
    #[command(flatten)]
    timed: TimedArgs,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    games: u64,
    positions: u64,
    evals: u64,
    positions_per_second: f64,
    /// The bare network's evaluations in a second of CPU time.
    net_per_cpu_second: f64,
    /// Self-play's share of them.
    share: f64,
    #[serde(flatten)]
    timed: Timed,
}

pub(crate) fn run(args: &SelfplayArgs, output: &mut Output) -> Result<()> {
    args.timed.check()?;
    ensure!((1..=1_000_000).contains(&args.games), "--games {}: must be from 1 to 1000000", args.games);
    let size = args.timed.size;
    ensure!(size.width == size.height, "--size {size}: self-play is on square boards");
    let network = Arc::new(match &args.net {
        Some(path) => Network::load(path)?,
        None => random_network(&args.arch)?,
    });
    let config =
        SelfPlayConfig { sizes: [size.width; 2], simulations: args.simulations, ..SelfPlayConfig::default() };
    config.check()?;
    let ([evals, positions, games], timed) =
        args.timed.run(output, |thread| play(args.games, &config, &network, 1 + thread));
    let ([bare], bare_timed) = args.timed.run(output, |thread| evaluate(args, &config, &network, 1 + thread));
    ensure!(bare > 0 && evals > 0, "nothing was evaluated");
    let net_per_cpu_second = bare_timed.speed.per_cpu_second;
    let report = Report {
        kind: "selfplay",
        games,
        positions,
        evals,
        positions_per_second: positions as f64 / timed.speed.seconds,
        net_per_cpu_second,
        share: timed.speed.per_cpu_second / net_per_cpu_second,
        timed,
    };
    if args.timed.json {
        return output.json(&report);
    }
    output.line(format!(
        "self-play       {games} games, {positions} positions on {size}, {} thread(s)",
        report.timed.threads
    ))?;
    report.timed.speed.show("evaluations", evals, output)?;
    output.line(format!("positions       {:.0} per second", report.positions_per_second))?;
    output.line(format!(
        "bare network    {net_per_cpu_second:.0} per CPU-second: self-play reaches {:.0}% of it",
        100.0 * report.share
    ))
}

/// One thread's games: evaluations, positions, games.
fn play(games: u64, config: &SelfPlayConfig, network: &Arc<Network>, seed: u64) -> Done<3> {
    let cpu = ThreadTime::now();
    let mut done = [0; 3];
    games_of(games, config, network, seed, |evaluations, game| {
        let one = [evaluations, game.moves().len() as u64, 1];
        done.iter_mut().zip(one).for_each(|(sum, count)| *sum += count);
    });
    (done, cpu.elapsed())
}

fn games_of(
    games: u64,
    config: &SelfPlayConfig,
    network: &Arc<Network>,
    seed: u64,
    mut on_over: impl FnMut(u64, &Game),
) {
    let (networks, stop) = ([Arc::clone(network)], StopSignal::default());
    let pool = Pool { config, networks: &networks, seed, threads: 1, stop: &stop };
    pool.play(0..games, |_| [0, 0], |played| on_over(played.evaluations, &played.game));
}

/// One thread's evaluations of positions half way through such games, as many at a time as in them.
fn evaluate(args: &SelfplayArgs, config: &SelfPlayConfig, network: &Arc<Network>, seed: u64) -> Done<1> {
    let quick = SelfPlayConfig { simulations: 2, ..config.clone() };
    let mut games = Vec::new();
    games_of(Pool::BATCH as u64, &quick, network, seed, |_, game| games.push(half(game)));
    let moves: Vec<Vec<Move>> =
        games.iter().map(|game| game.moves().iter().map(|played| played.mv).collect()).collect();
    let positions: Vec<_> = games
        .iter()
        .zip(&moves)
        .map(|(game, moves)| Position { board: game.board(), moves, komi: game.rules().komi, rank: None })
        .collect();
    let mut runner = network.runner(config.sizes[0], config.sizes[0], Pool::BATCH);
    let mut outputs = Vec::new();
    args.timed.repeat(|| {
        runner.evaluate(&positions, &mut outputs);
        [positions.len() as u64]
    })
}

/// A game up to its middle.
fn half(game: &Game) -> Game {
    let mut half = Game::from_board(game.start().clone(), *game.rules());
    for played in &game.moves()[..game.moves().len() / 2] {
        half.play_unchecked(played.mv);
    }
    half
}
