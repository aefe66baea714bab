//! `tengen train rank`: how ranks follow from the figures of a review.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tengen_engine::whole_file::write_whole;
use tengen_lab::review::{Lesson, Ranks};

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen review ranked.sgf.gz --json > reviews.jsonl
  tengen train rank reviews.jsonl --out rank.toml

Reviews are JSON objects, one a line, of games whose records tell the players' ranks (BR, WR). The error is measured by \
holding out one game in five in turn. The fits that come with the program are the file crates/lab/src/review/rank.toml.";

/// Learn to estimate ranks from reviews of games whose players' ranks are known.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RankArgs {
    /// Reviews, as `tengen review --json` prints them and as it writes them beside records
    #[arg(required = true, value_name = "FILE")]
    reviews: Vec<PathBuf>,
    /// Where the fits go
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RankArgs, output: &mut Output) -> Result<()> {
    let mut lessons: Vec<Lesson> = Vec::new();
    for path in &args.reviews {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let lesson = serde_json::from_str(line)
                .with_context(|| format!("{}, line {}: this is no review", path.display(), i + 1))?;
            lessons.push(lesson);
        }
    }
    let ranks = Ranks::learn(&lessons);
    ensure!(!ranks.fit.is_empty(), "too few games whose records tell the ranks of both players (BR, WR)");
    if let Some(out) = &args.out {
        write_whole(out, ranks.to_toml()).with_context(|| format!("cannot write {}", out.display()))?;
    }
    if args.json {
        return output.json(&ranks);
    }
    for fit in &ranks.fit {
        let [width, height] = fit.size;
        output.line(format!(
            "{width}x{height}, {} players, reviewed by {}: held out in turn, their ranks are told with a mean error of {:.1} ({:.1} for \
             the mean rank alone) and a standard deviation of {:.1}; 95% of the errors are at most {:.1}",
            fit.players,
            fit.analyst,
            fit.error,
            fit.error_without,
            fit.spread,
            fit.reach,
        ))?;
    }
    Ok(())
}
