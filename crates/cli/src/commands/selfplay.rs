//! `tengen selfplay`: games of a network, or of any player, against itself, with records to learn from.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Result, ensure};
use clap::Args;
use tengen_board::Rules;
use tengen_lab::{
    PlayerSpec,
    selfplay::{self, Method, Run, SelfPlayConfig, Summary},
    stats::wilson,
    venue::{Here, Venue, Who},
    with_settings,
};
use tengen_nets::Network;

use super::interruptible;
use crate::{
    args::{RunArgs, Span, one_of},
    output::{Output, counted},
};

const EXAMPLES: &str = "\
Examples:
  tengen selfplay --net my-net.safetensors --size 9 --games 1000 --out games
  tengen selfplay --net my-net.safetensors --size 9 --games 2000 --out games --resume  more
  tengen selfplay --size 7:9 --komi 5.5:9.5 --method puct --simulations 100 --out games
  tengen selfplay --preset rave,playouts=200 --size 5 --games 20 --out games --sgf-dir sgf
  python -c \"import numpy; print(numpy.load('games/games-000000-9x9.npz')['boards'].shape)\"

The records are .npz files, described in docs/learning.md. The same seed plays the same games, however many \
threads there are.";

/// Play games against itself, and write records to learn from.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SelfplayArgs {
    /// The network, a file or one that comes with the program
    #[arg(long, default_value = "default", value_name = "FILE", conflicts_with = "preset")]
    net: PathBuf,
    /// Another player, a game at a time in each thread: a preset, NAME,key=value,…, or a TOML file
    #[arg(short, long, value_name = "SPEC")]
    preset: Option<PlayerSpec>,
    /// How the network finds its moves
    #[arg(long, default_value = "gumbel", value_name = "NAME", value_parser = one_of::<Method>())]
    method: Method,
    /// Simulations per move
    #[arg(long, value_name = "N")]
    simulations: Option<u32>,
    /// Board size: 9, or from the smallest to the largest such as 7:9
    #[arg(short, long, default_value = "9", value_name = "SIZE")]
    size: Span<usize>,
    /// Komi, or from the least to the largest such as 5.5:9.5, in steps of one point
    #[arg(short, long, default_value = "7.5", value_name = "POINTS", allow_hyphen_values = true)]
    komi: Span<f32>,
    /// Rule set; all stones are alive in the end
    #[arg(short, long, default_value = "tromp-taylor", value_name = "NAME")]
    rules: Rules,
    /// Number of games
    #[arg(short, long, default_value_t = 100, value_name = "N")]
    games: u64,
    /// Also write SGF records here
    #[arg(long, value_name = "DIR")]
    sgf_dir: Option<PathBuf>,
    /// Set any parameter, such as full_share=0.25 or resign=0.05
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
}

/// Plays them, on this machine or elsewhere.
pub(crate) fn run(args: &SelfplayArgs, venue: Option<&dyn Venue>, output: &mut Output) -> Result<()> {
    ensure!((1..=100_000_000).contains(&args.games), "--games {}: must be from 1 to 100000000", args.games);
    let mut config = SelfPlayConfig {
        sizes: args.size.0,
        komi: args.komi.0,
        rules: args.rules,
        method: args.method,
        ..SelfPlayConfig::default()
    };
    config.simulations = args.simulations.unwrap_or(config.simulations);
    let config = with_settings(&config, &args.settings, "self-play")?;
    let who = match &args.preset {
        Some(spec) => Who::Player(Box::new(spec.clone())),
        None => Who::Network(Arc::new(Network::load(&args.net)?)),
    };
    let here = Here(args.run.threads()?);
    let run = Run {
        who: &who,
        config: &config,
        games: args.games,
        seed: args.run.seed(),
        venue: venue.unwrap_or(&here),
        folder: &args.run.out,
        resume: args.run.resume,
        sgf: args.sgf_dir.as_deref(),
    };
    let bar = output.bar(args.games, None, "games");
    let stop = interruptible(&bar)?;
    let summary = selfplay::run(&run, &stop, |_| bar.inc(1))?;
    bar.finish_and_clear();
    if args.run.json { output.json(&summary) } else { show(&summary, output) }
}

fn show(summary: &Summary, output: &mut Output) -> Result<()> {
    let Summary { games, positions, evaluations, seconds, cpu_seconds, .. } = summary;
    let files = counted(summary.files.len() as u64, "file");
    output.line(format!("{}, {} in {files}", counted(*games, "game"), counted(*positions, "position")))?;
    if *evaluations > 0 {
        let speed = *evaluations as f64 / seconds.max(1e-9);
        let cpu_speed = *evaluations as f64 / cpu_seconds.max(1e-9);
        output.line(format!(
            "{evaluations} evaluations in {seconds:.1} s: {speed:.0} a second, {cpu_speed:.0} a CPU-second"
        ))?;
    }
    let (wrong, checked) = (summary.resignations_wrong as usize, summary.resignations_checked as usize);
    if checked > 0 {
        let interval = wilson(wrong as f64, checked, 0.95);
        output.line(format!(
            "{wrong} of {checked} resignations that were held back would have been wrong: {:.1}% ({:.1}% to {:.1}%)",
            100.0 * wrong as f64 / checked as f64,
            100.0 * interval.0,
            100.0 * interval.1
        ))?;
    }
    Ok(())
}
