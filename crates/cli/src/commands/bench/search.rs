//! `tengen bench search`: how fast a player searches, and the signature of its searches.

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Serialize;
use tengen_lab::bench::{POSITIONS, SearchBench, bench_search, positions};

use super::Speed;
use crate::{
    args::{BoardSize, PlayerArgs},
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen bench search                                       the default player on 9x9
  tengen bench search --preset gcmb --size 19 --playouts 5000
  tengen bench search --preset rave --threads 2             speed with two threads
  tengen bench search --preset mc --playouts 20000          flat Monte Carlo, and its playouts alone
  tengen bench search --json | jq -r .signature             has a change altered how it plays?

The positions are always the same. With one thread the signature is the same on every machine and in every \
run, until a change of the program or of a parameter alters the searches. On a shared machine look at the \
playouts per CPU-second.";

/// Playouts a position where no number is asked for.
const PLAYOUTS: u64 = 1000;

/// Search fixed positions with a player.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    player: PlayerArgs,
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, default_value = "9")]
    size: BoardSize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'static str,
    preset: &'a str,
    size: BoardSize,
    threads: usize,
    playouts: u64,
    #[serde(flatten)]
    speed: Speed,
    mean_score: f64,
    black_wins: f64,
    nodes: u64,
    tree_bytes: usize,
    /// Absent with several threads, whose searches differ from run to run.
    signature: Option<String>,
    /// The speed of the playouts alone, for players without a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    bare_per_cpu_second: Option<f64>,
}

pub(crate) fn run(args: &SearchArgs, output: &mut Output) -> Result<()> {
    let spec = args.player.spec()?;
    ensure!(spec.options.time.is_none(), "--time: this benchmark takes a number of playouts, --playouts");
    let threads = spec.options.threads.unwrap_or(1);
    let playouts = spec.options.playouts.unwrap_or(PLAYOUTS);
    let positions = positions(args.size.width, args.size.height)?;
    let bar = output.bar(POSITIONS as u64, None, "positions");
    let seed = spec.options.seed.unwrap_or(1);
    let mut seat = spec.build(seed)?;
    let bare = spec.config.bare_playouts();
    let bench = bench_search(&mut seat, &positions, playouts, seed, bare, || bar.inc(1))?;
    bar.finish_and_clear();
    let bench = bench.with_context(|| {
        format!("{} does not search: choose another player (`tengen presets` lists them)", spec.name)
    })?;
    let report = report(&spec.name, args.size, threads, &bench);
    if args.json { output.json(&report) } else { show(&report, output) }
}

fn report<'a>(preset: &'a str, size: BoardSize, threads: usize, bench: &SearchBench) -> Report<'a> {
    Report {
        kind: "search",
        preset,
        size,
        threads,
        playouts: bench.playouts,
        speed: Speed::new(bench.playouts, bench.seconds, bench.cpu_seconds),
        mean_score: bench.mean_score,
        black_wins: bench.black_wins,
        nodes: bench.nodes,
        tree_bytes: bench.tree_bytes,
        signature: (threads == 1).then(|| format!("{:016x}", bench.signature)),
        bare_per_cpu_second: bench.bare_cpu_seconds.map(|seconds| bench.playouts as f64 / seconds),
    }
}

fn show(report: &Report<'_>, output: &mut Output) -> Result<()> {
    let Report { preset, size, threads, .. } = report;
    output.line(format!("player          {preset} on {size}, {threads} thread(s), {POSITIONS} positions"))?;
    report.speed.show("playouts", report.playouts, output)?;
    if let Some(bare) = report.bare_per_cpu_second {
        let share = 100.0 * report.speed.per_cpu_second / bare;
        output.line(format!(
            "bare playouts   {bare:.0} per CPU-second: the search reaches {share:.0} % of that"
        ))?;
    }
    output.line(format!("mean score      {:+.2} points for Black, no komi", report.mean_score))?;
    output.line(format!("Black wins      {:.1} %", 100.0 * report.black_wins))?;
    output.line(format!("nodes           {}", report.nodes))?;
    output.line(format!("largest tree    {:.1} MB", report.tree_bytes as f64 / 1e6))?;
    let signature = report.signature.as_deref().unwrap_or("none with several threads");
    output.line(format!("signature       {signature}"))
}
