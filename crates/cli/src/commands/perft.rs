//! `tengen perft`: counts that prove a Go board right, or wrong.

use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use tengen_board::{Game, KoRule, Rules, perft};

use crate::{args::BoardSize, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen perft --size 3x3 --depth 6
  tengen perft --size 2x2 --ko positional --suicide --depth 9

All sequences of a row have the same number of plies; passing is always allowed, and two passes in a row end it.";

/// Count the legal move sequences of each length from the empty board.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PerftArgs {
    /// Board size: 3, or columns x rows such as 2x3
    #[arg(short, long, default_value = "3x3")]
    size: BoardSize,
    /// Which repetitions are forbidden
    #[arg(long, value_enum, default_value_t = Ko::Simple)]
    ko: Ko,
    /// Allow suicide
    #[arg(long)]
    suicide: bool,
    /// The longest sequences
    #[arg(short, long, default_value_t = 5, value_name = "PLIES")]
    depth: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Ko {
    Simple,
    Positional,
    Situational,
}

pub(crate) fn run(args: &PerftArgs, output: &mut Output) -> Result<()> {
    let ko = match args.ko {
        Ko::Simple => KoRule::Simple,
        Ko::Positional => KoRule::Positional,
        Ko::Situational => KoRule::Situational,
    };
    let rules = Rules { ko, suicide: args.suicide, ..Rules::default() };
    let game = Game::new(args.size.width, args.size.height, rules)?;
    let begin = Instant::now();
    let spinner = output.spinner(&format!("counting sequences of {} plies on {}", args.depth, args.size));
    let counts = perft(&game, args.depth);
    drop(spinner);
    if args.json {
        return output.json(&json!({"counts": counts}));
    }
    for (plies, count) in (1..).zip(&counts) {
        output.line(format!("{plies:2}  {count}"))?;
    }
    output.detail(format!("{:.2} s", begin.elapsed().as_secs_f64()));
    Ok(())
}
