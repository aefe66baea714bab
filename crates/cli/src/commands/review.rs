//! `tengen review`: what every move of finished games lost, and the better moves.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::Value;
use tengen_board::{
    Color,
    sgf::{self, Record},
};
use tengen_engine::{players::StopSignal, whole_file::write_whole};
use tengen_lab::review::{
    self, ACCURACY_FORMULA, Review, ReviewError, ReviewSettings, STEM_ENDING, find, is_review, stored,
};

use super::interruptible;
use crate::{args::PlayerArgs, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen review game.sgf                    game-review.sgf, .html, .csv and .json beside it
  tengen review games/ --out reviews        every record of a folder; can be interrupted
  tengen review game.sgf --json             one JSON object, no files
  tengen review game.sgf --playouts 400     a more thorough first pass
  tengen review game.sgf --net b10.bin.gz   by another network that tells the score

The annotated record opens in Sabaki, KaTrain and other programs: marks, comments, winning chances for \
Sabaki's graph, and the better lines as variations. The page has graphs, boards and both players' figures. \
Points are the network's, so choose an analyst with a network that tells the score.";

/// Review finished games: points lost, better moves, both players' figures.
#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("preset", |arg| arg.default_value(ReviewSettings::PLAYER)))]
pub(crate) struct ReviewArgs {
    /// Game records (.sgf, also packed as .sgf.gz), or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    player: PlayerArgs,
    /// How many times longer the second pass thinks about moves that seem to lose points; 1 for no second pass
    #[arg(long, default_value_t = ReviewSettings::DEEPER, value_name = "TIMES")]
    deeper: f64,
    /// Write the reviews here [default: beside each record]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object per game; files are written only with --out
    #[arg(long)]
    json: bool,
}

/// A game to be reviewed.
struct Task {
    /// What it is called in messages and in its review.
    name: String,
    /// The file of its review without the ending; none is written if absent.
    stem: Option<PathBuf>,
    record: Record,
}

impl Task {
    fn path(&self, ending: &str) -> Option<PathBuf> {
        let mut path = OsString::from(self.stem.as_ref()?);
        path.push(format!(".{ending}"));
        Some(PathBuf::from(path))
    }
}

pub(crate) fn run(args: &ReviewArgs, output: &mut Output) -> Result<()> {
    ensure!((1.0..=10_000.0).contains(&args.deeper), "--deeper {}: must be from 1 to 10000", args.deeper);
    let settings = ReviewSettings::new(args.player.spec()?, args.deeper);
    // Said before the first game is read, not after.
    drop(settings.player.build(1)?);
    let (tasks, mut failures) = tasks(args, output)?;
    let bar = output.bar(0, None, "positions");
    let stop = interruptible(&bar)?;
    let mut known = 0;
    for (i, task) in tasks.iter().enumerate() {
        bar.set_message(format!("{} ({} of {})", task.name, i + 1, tasks.len()));
        if let Some(review) = already(task, &settings)? {
            known += 1;
            if args.json {
                output.json(&review)?;
            }
            continue;
        }
        match review_one(task, &settings, &stop, &bar) {
            Ok(Some(review)) => bar.suspend(|| show(args, task, &review, output))?,
            Ok(None) => {
                let remedy =
                    if task.stem.is_some() { "; run the same command again to continue" } else { "" };
                bail!("interrupted after {i} of {} games{remedy}", tasks.len());
            }
            // One game that cannot be reviewed does not end a folder.
            Err(error) if tasks.len() > 1 => {
                failures += 1;
                bar.suspend(|| output.remark(format!("{}: {error}", task.name)));
            }
            Err(error) => return Err(error).with_context(|| task.name.clone()),
        }
    }
    bar.finish_and_clear();
    if known > 0 {
        output.remark(format!("{known} of {} games were reviewed before", tasks.len()));
    }
    ensure!(failures == 0, "{failures} games could not be reviewed");
    if args.json { Ok(()) } else { output.line(format!("\n{ACCURACY_FORMULA}")) }
}

/// All games, and how many cannot be read.
fn tasks(args: &ReviewArgs, output: &Output) -> Result<(Vec<Task>, usize)> {
    let mut paths = Vec::new();
    for named in &args.files {
        let found = find(named).with_context(|| format!("cannot read {}", named.display()))?;
        // Below another folder the folders of a folder stay.
        let inside = |path: &Path| path.strip_prefix(named).ok().and_then(Path::parent).map(Path::to_owned);
        paths.extend(found.into_iter().map(|path| (inside(&path).unwrap_or_default(), path)));
    }
    ensure!(!paths.is_empty(), "no game records found: name .sgf files, or folders that contain some");
    let (mut tasks, mut failures): (Vec<Task>, _) = (Vec::new(), 0);
    let mut taken = BTreeSet::new();
    for (inside, path) in &paths {
        ensure!(!is_review(path), "{} is a review: name the game itself", path.display());
        let games = sgf::read_file(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .and_then(|bytes| sgf::read_collection(&bytes).with_context(|| path.display().to_string()));
        match games {
            Ok(games) => {
                let count = games.len();
                tasks.extend(games.into_iter().enumerate().map(|(i, record)| {
                    let number = (count > 1).then_some(i + 1);
                    let stem = stem(args, inside, path, number).map(|stem| free(stem, &mut taken));
                    Task { name: name(path, number), stem, record }
                }));
            }
            Err(error) if paths.len() > 1 => {
                failures += 1;
                output.remark(format!("{error:#}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((tasks, failures))
}

fn name(path: &Path, number: Option<usize>) -> String {
    let number = number.map_or(String::new(), |number| format!(", game {number}"));
    format!("{}{number}", path.display())
}

/// Where the review of a game is written; `inside` are the folders of the game in the one that was named.
fn stem(args: &ReviewArgs, inside: &Path, path: &Path, number: Option<usize>) -> Option<PathBuf> {
    let folder = match &args.out {
        Some(folder) => folder.join(inside),
        None if args.json => return None,
        None => path.parent()?.to_owned(),
    };
    let file = path.file_name()?.to_string_lossy();
    let file = file.strip_suffix(".gz").unwrap_or(&file);
    let file = Path::new(file).file_stem()?.to_string_lossy();
    let number = number.map_or(String::new(), |number| format!("-{number}"));
    Some(folder.join(format!("{file}{number}{STEM_ENDING}")))
}

/// A name that no game before it has: files of the same name may come from different folders.
fn free(stem: PathBuf, taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    let text = stem.to_string_lossy();
    let bare = text.strip_suffix(STEM_ENDING).unwrap_or(&text).to_owned();
    let others = (2..).map(|n| PathBuf::from(format!("{bare}-{n}{STEM_ENDING}")));
    let free = std::iter::once(stem.clone()).chain(others).find(|name| !taken.contains(name));
    let free = free.unwrap_or(stem);
    taken.insert(free.clone());
    free
}

/// The review that an earlier run has written.
fn already(task: &Task, settings: &ReviewSettings) -> Result<Option<Value>, ReviewError> {
    match task.path("json") {
        Some(path) if path.exists() => stored(&path, &task.record, settings),
        _ => Ok(None),
    }
}

/// Reviews a game and writes its files.
fn review_one(
    task: &Task,
    settings: &ReviewSettings,
    stop: &StopSignal,
    bar: &ProgressBar,
) -> Result<Option<Review>> {
    let review = review::review(&task.name, &task.record, settings, stop, |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })?;
    let Some(review) = review else { return Ok(None) };
    if task.stem.is_some() {
        for (ending, text) in review.files()? {
            let Some(path) = task.path(ending) else { continue };
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| write_whole(&path, text))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(Some(review))
}

fn show(args: &ReviewArgs, task: &Task, review: &Review, output: &mut Output) -> Result<()> {
    if args.json {
        return output.json(review);
    }
    let result = review.result.as_ref().map_or(String::new(), |result| format!(", {result}"));
    output.line(format!("{}: {} moves{result}", review.file, review.moves.len()))?;
    output.line("       moves  points lost/move    accuracy  first choices  estimated rank (95%)")?;
    for color in Color::ALL {
        let player = review.player(color);
        let number =
            |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |v| format!("{v:.digits$}"));
        output.line(format!(
            "{color}  {:>5}  {:>18}  {:>8}  {:>12}%  {:<20}  {}",
            player.all.moves,
            number(player.all.mean_loss, 2),
            number(player.all.accuracy, 1),
            number(player.all.first_choices.map(|share| 100.0 * share), 0),
            player.rank_in_words().as_deref().unwrap_or("-"),
            player.name.as_deref().unwrap_or_default(),
        ))?;
    }
    for moment in &review.key_moments {
        output.line(&moment.text)?;
    }
    match &task.stem {
        Some(stem) => output.line(format!("{}.html, .sgf, .csv, .json", stem.display())),
        None => Ok(()),
    }
}
