//! `tengen lab tune`: parameters by matches.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Args;
use tengen_lab::{
    parallel::concurrency_for,
    tune::{Range, Spsa, TuneConfig},
};

use crate::{
    args::{GameArgs, PlayerArgs},
    commands::interruptible,
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen lab tune --preset uct,playouts=200 --param tree_policy.exploration=0.1..2.0 \\
      --out experiments/tune-uct
  tengen lab run tune-uct                  does the tuned player beat the one it started from?

Two settings around the current one play each other, and the parameters move towards the winner (SPSA). \
Every iteration is kept in DIR/tuning.jsonl; after an interruption run the same command again. At the end DIR \
holds the tuned player (tuned.toml) and an experiment that compares it with the one it started from.";

/// Tune the parameters of a player by matches against itself.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    game: GameArgs,
    /// A parameter and its bounds; may be repeated
    #[arg(long = "param", required = true, value_name = "NAME=LEAST..MOST")]
    params: Vec<String>,
    /// Iterations
    #[arg(long, default_value_t = 200, value_name = "N")]
    iterations: usize,
    /// Games of each iteration
    #[arg(short, long, default_value_t = 2, value_name = "N")]
    games: usize,
    /// How far parameters are perturbed at first, as a share of their range
    #[arg(long, default_value_t = 0.15, value_name = "SHARE")]
    perturb: f64,
    /// The length of the first step after a clean win, as a share of the range
    #[arg(long, default_value_t = 0.04, value_name = "SHARE")]
    step: f64,
    /// Games of the experiment that compares the tuned player with the one it started from
    #[arg(long, default_value_t = 400, value_name = "N")]
    final_games: usize,
    /// Games at a time [default: one per core]
    #[arg(short, long, value_name = "N")]
    concurrency: Option<usize>,
    /// The directory of results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &TuneArgs, output: &mut Output) -> Result<()> {
    ensure!(args.iterations > 0 && args.games > 0, "--iterations and --games must be at least 1");
    let is_share = |share: f64| share > 0.0 && share <= 0.5;
    ensure!(
        is_share(args.perturb) && is_share(args.step),
        "--perturb and --step must be more than 0 and at most 0.5"
    );
    let mut player = args.player.spec()?;
    let seed = player.options.seed.take().unwrap_or(1);
    let game = args.game.game(9)?;
    ensure!(game.board().width() == game.board().height(), "--size: the board must be square");
    let mut ranges = args.params.iter().map(|text| Range::parse(text)).collect::<Result<Vec<_>, _>>()?;
    for range in &mut ranges {
        let is_whole = |value: String| value.parse::<i64>().is_ok();
        range.whole &= player.get(&range.parameter).is_none_or(is_whole);
    }
    let spsa = Spsa { iterations: args.iterations, shake: args.perturb, step: args.step };
    let (size, rules) = (game.board().width(), *game.rules());
    let config =
        TuneConfig { player, ranges, spsa, games: args.games.next_multiple_of(2), size, rules, seed };
    let bar = output.bar(args.iterations as u64, None, "iterations");
    let stop = interruptible(&bar)?;
    let concurrency =
        args.concurrency.unwrap_or_else(|| concurrency_for(config.player.options.threads.unwrap_or(1)));
    let done = config.run(&args.out, concurrency, &stop, |iteration| {
        bar.set_position(iteration.iteration as u64 + 1);
        bar.set_message(format!("{:.4?}", iteration.values));
    })?;
    bar.finish_and_clear();
    if stop.is_stopped() {
        bail!("interrupted after {} iterations: run the same command again to continue", done.len());
    }
    config.write_experiment(&args.out, &done, args.final_games)?;
    for (i, range) in config.ranges.iter().enumerate() {
        let before = config.player.get(&range.parameter).unwrap_or_default();
        let after = done.last().map_or(f64::NAN, |last| last.values[i]);
        output.line(format!("{}: {before} -> {after:.6}", range.parameter))?;
    }
    output.line(args.out.join("tuned.toml").display().to_string())
}
