//! `tengen bench playout`: playouts from the empty board, with the statistics that show they are the right games.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use indicatif::ProgressBar;
use serde::Serialize;
use tengen_board::{Board, Color, Move, Outcome};
use tengen_engine::{
    playout::{FinishedPlayout, PlayoutConfig, PlayoutLimits},
    rng::Rng,
};
use tengen_lab::parse_config;

use super::Speed;
use crate::{args::BoardSize, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen bench playout                                    uniform playouts on 9x9 for three seconds
  tengen bench playout --size 19 --threads 2
  tengen bench playout --policy uniform,eyes=one-chain    another definition of eyes
  tengen bench playout --playouts 10000 --json            a fixed number: the same games every time

On a shared machine look at the playouts per CPU-second.";

/// How often the clock is looked at.
const CHUNK: u64 = 16;

/// Play games from the empty board with a playout policy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlayoutArgs {
    /// The policy, with any of its parameters: KIND,key=value,…
    #[arg(long, default_value = "uniform", value_name = "SPEC")]
    policy: String,
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, default_value = "9")]
    size: BoardSize,
    /// Threads
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    threads: u64,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS")]
    seconds: f64,
    /// Play this many games instead, however long they take
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    playouts: Option<u64>,
    /// Random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct PlayoutReport<'a> {
    kind: &'static str,
    policy: &'a str,
    size: BoardSize,
    threads: u64,
    playouts: u64,
    #[serde(flatten)]
    speed: Speed,
    mean_length: f64,
    mean_score: f64,
    black_wins: f64,
}

pub(crate) fn run(args: &PlayoutArgs, output: &mut Output) -> Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads {}: must be from 1 to 1024", args.threads);
    ensure!(args.seconds > 0.0 && args.seconds <= 1e6, "--seconds {}: must be more than 0", args.seconds);
    ensure!(args.playouts != Some(0), "--playouts 0: must be at least 1");
    let config: PlayoutConfig = parse_config(&args.policy)?;
    let duration = Duration::from_secs_f64(args.seconds);
    let bar = match args.playouts {
        Some(playouts) => output.bar(playouts, None, "playouts"),
        None => output.bar(duration.as_millis() as u64, Some(duration), "ms"),
    };

    let begin = Instant::now();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads)
            .map(|thread| {
                let goal = match args.playouts {
                    Some(all) => Goal::Playouts(all / args.threads + u64::from(thread < all % args.threads)),
                    None => Goal::Until(begin + duration),
                };
                let (bar, config) = (bar.clone(), &config);
                // Far apart, so that threads of runs with neighbouring seeds play different games.
                let rng = Rng::new(args.seed.wrapping_add(thread.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                scope.spawn(move || measure(config, args.size, goal, rng, begin, &bar))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a benchmark thread does not panic")).collect()
    });
    let seconds = begin.elapsed().as_secs_f64();
    bar.finish_and_clear();

    let total = tallies.into_iter().fold(Tally::default(), Tally::add);
    let report = report(args, &total, seconds);
    if args.json { output.json(&report) } else { show(&report, &total, output) }
}

/// When a thread stops.
#[derive(Clone, Copy)]
enum Goal {
    Playouts(u64),
    Until(Instant),
}

/// Sums over the games of a thread.
#[derive(Clone, Copy, Default)]
struct Tally {
    playouts: u64,
    cpu: Duration,
    length: u64,
    length_squared: u64,
    score: i64,
    score_squared: u64,
    black_wins: u64,
}

impl Tally {
    fn add(self, other: Tally) -> Tally {
        Tally {
            playouts: self.playouts + other.playouts,
            cpu: self.cpu + other.cpu,
            length: self.length + other.length,
            length_squared: self.length_squared + other.length_squared,
            score: self.score + other.score,
            score_squared: self.score_squared + other.score_squared,
            black_wins: self.black_wins + other.black_wins,
        }
    }

    /// Mean and standard error from a sum and a sum of squares.
    fn mean_and_error(&self, sum: f64, squares: f64) -> (f64, f64) {
        let n = self.playouts as f64;
        let mean = sum / n;
        (mean, ((squares / n - mean * mean).max(0.0) / n).sqrt())
    }
}

fn measure(
    config: &PlayoutConfig,
    size: BoardSize,
    goal: Goal,
    mut rng: Rng,
    begin: Instant,
    bar: &ProgressBar,
) -> Tally {
    let clock = ThreadTime::now();
    let mut policy = config.build();
    let limits = PlayoutLimits::default();
    let empty = Board::new(size.width, size.height);
    let mut board = empty.clone();
    let mut moves = Vec::new();
    let mut tally = Tally::default();
    loop {
        let chunk = match goal {
            Goal::Playouts(all) => (all - tally.playouts).min(CHUNK),
            Goal::Until(end) if Instant::now() < end => CHUNK,
            Goal::Until(_) => 0,
        };
        if chunk == 0 {
            break;
        }
        for _ in 0..chunk {
            board.clone_from(&empty);
            moves.clear();
            let score = policy.play_out(&mut board, &mut moves, &limits, &mut rng);
            policy.finish(&FinishedPlayout {
                before: [Move::PASS; 2],
                moves: &moves,
                first: Color::Black,
                tree_moves: 0,
                winner: Outcome::from_score(score as f32).winner(),
            });
            let length = moves.len() as u64;
            tally.length += length;
            tally.length_squared += length * length;
            tally.score += i64::from(score);
            tally.score_squared += u64::from(score.unsigned_abs()).pow(2);
            tally.black_wins += u64::from(score > 0);
        }
        tally.playouts += chunk;
        if !bar.is_hidden() && tally.playouts.is_multiple_of(64 * CHUNK) {
            match goal {
                Goal::Playouts(_) => bar.inc(64 * CHUNK),
                Goal::Until(_) => bar.set_position(begin.elapsed().as_millis() as u64),
            }
        }
    }
    tally.cpu = clock.elapsed();
    tally
}

fn report<'a>(args: &'a PlayoutArgs, total: &Tally, seconds: f64) -> PlayoutReport<'a> {
    let playouts = total.playouts as f64;
    PlayoutReport {
        kind: "playout",
        policy: &args.policy,
        size: args.size,
        threads: args.threads,
        playouts: total.playouts,
        speed: Speed::new(total.playouts, seconds, total.cpu.as_secs_f64()),
        mean_length: total.length as f64 / playouts,
        mean_score: total.score as f64 / playouts,
        black_wins: total.black_wins as f64 / playouts,
    }
}

fn show(report: &PlayoutReport<'_>, total: &Tally, output: &mut Output) -> Result<()> {
    let (length, length_error) = total.mean_and_error(total.length as f64, total.length_squared as f64);
    let (score, score_error) = total.mean_and_error(total.score as f64, total.score_squared as f64);
    let PlayoutReport { policy, size, threads, .. } = report;
    output.line(format!("policy          {policy} on {size}, {threads} thread(s)"))?;
    report.speed.show("playouts", report.playouts, output)?;
    output.line(format!("mean length     {length:.2} ± {length_error:.2} moves"))?;
    output.line(format!("mean score      {score:+.2} ± {score_error:.2} points for Black, no komi"))?;
    output.line(format!("Black wins      {:.1} %", 100.0 * report.black_wins))
}
