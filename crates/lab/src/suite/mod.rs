//! Position suites: problems with known answers, asked of any player.
//!
//! Two formats are read: GTP regression files (`.tst`, as GNU Go's; see [`tst`]) and SGF problems (see [`sgf`]).

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use tengen_board::{Game, Move};
use tengen_engine::players::{Decision, Request, StopSignal};
use thiserror::Error;

use crate::{
    matches::derive_seed,
    parallel,
    players::{error::SpecError, spec::PlayerSpec},
    stats::{self, Interval},
};

pub mod canonical;
pub mod prove;
pub mod sgf;
pub mod tst;

/// Why a suite cannot be used.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not a suite.
    #[error("{}, {place}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, or the problem.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The format is not known.
    #[error("{}: suites are .tst files (GTP regression tests) or .sgf files (problems)", .0.display())]
    Format(PathBuf),
    /// The player cannot be made.
    #[error(transparent)]
    Player(#[from] SpecError),
}

/// The moves that solve a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One of these.
    OneOf(Vec<Move>),
    /// Any but these.
    NoneOf(Vec<Move>),
}

impl Expected {
    /// Whether a move solves the problem.
    pub fn accepts(&self, mv: Move) -> bool {
        match self {
            Expected::OneOf(moves) => moves.contains(&mv),
            Expected::NoneOf(moves) => !moves.contains(&mv),
        }
    }

    fn to_text(&self) -> String {
        let (prefix, moves) = match self {
            Expected::OneOf(moves) => ("", moves),
            Expected::NoneOf(moves) => ("not ", moves),
        };
        prefix.to_owned() + &moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" or ")
    }
}

/// A position and what is to be played there.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The name of the file and of the problem in it.
    pub name: String,
    /// The position, with the right player to move.
    pub game: Game,
    /// What solves it.
    pub answer: Expected,
}

/// The problems of a file, and how many things in it could not be asked of every player.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The problems.
    pub problems: Vec<Problem>,
    /// Questions that only some engines understand, or that have no answer.
    pub skipped: usize,
}

/// Reads a suite; the ending of its name tells the format.
pub fn read(path: &Path) -> Result<Suite, SuiteError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("tst") => tst::read(path),
        Some("sgf") => sgf::read(path),
        _ => Err(SuiteError::Format(path.to_owned())),
    }
}

/// What a player answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// The problem.
    pub problem: String,
    /// Who was to play.
    pub to_play: String,
    /// What solves it.
    pub expected: String,
    /// What was played; `resign` for giving up.
    pub played: String,
    /// Whether that solves it.
    pub passed: bool,
}

/// The result of a suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuiteReport {
    /// The player.
    pub player: String,
    /// Problems asked.
    pub problems: usize,
    /// Problems solved.
    pub passed: usize,
    /// Questions that were left out.
    pub skipped: usize,
    /// The share of problems solved.
    pub pass_rate: Option<f64>,
    /// Its Wilson interval at 95%.
    pub ci95: Interval,
    /// Every problem.
    pub results: Vec<Answered>,
}

impl SuiteReport {
    fn new(player: &str, skipped: usize, results: Vec<Answered>) -> SuiteReport {
        let (problems, passed) = (results.len(), results.iter().filter(|answered| answered.passed).count());
        SuiteReport {
            player: player.to_owned(),
            problems,
            passed,
            skipped,
            pass_rate: (problems > 0).then(|| passed as f64 / problems as f64),
            ci95: stats::wilson(passed as f64, problems, 0.95),
            results,
        }
    }
}

/// Asks a player every problem, `concurrency` at a time, each with a seed that comes from `seed` and its number. `on_answer`
/// sees each answer.
pub fn run(
    spec: &PlayerSpec,
    suite: &Suite,
    seed: u64,
    concurrency: usize,
    stop: &StopSignal,
    mut on_answer: impl FnMut(&Answered),
) -> Result<SuiteReport, SuiteError> {
    // A player that cannot be made is reported even if there is nothing to ask it.
    drop(spec.build(seed)?);
    let numbers: Vec<usize> = (0..suite.problems.len()).collect();
    let mut results = vec![None; suite.problems.len()];
    parallel::work(
        &numbers,
        concurrency,
        stop,
        || spec.build(seed),
        |seat, number| {
            let failed = |why: String| SuiteError::Player(SpecError::Start(why));
            let seat = seat.as_mut().map_err(|error| failed(error.to_string()))?;
            let problem = &suite.problems[number];
            let decision = seat
                .begin(derive_seed(seed, number as u64))
                .and_then(|()| seat.decide(&problem.game, &Request::until(stop)));
            if stop.is_stopped() {
                return Ok(None);
            }
            let decision = decision.map_err(|error| failed(format!("{}: {error}", problem.name)))?;
            let (played, passed) = match decision {
                Decision::Play(mv) => (mv.to_string(), problem.answer.accepts(mv)),
                Decision::Resign => ("resign".to_owned(), false),
            };
            let (expected, to_play) = (problem.answer.to_text(), problem.game.to_play().to_string());
            Ok(Some((number, Answered { problem: problem.name.clone(), to_play, expected, played, passed })))
        },
        |(number, answered)| {
            on_answer(&answered);
            results[number] = Some(answered);
            Ok::<_, SuiteError>(())
        },
    )?;
    Ok(SuiteReport::new(&spec.name, suite.skipped, results.into_iter().flatten().collect()))
}
