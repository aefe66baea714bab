//! Reviews of finished games: what every move lost, the better move, and both players' figures.
//!
//! [`review`] analyses a record in two passes (`analysis.rs`): a quick one over all positions, then deeper thought where points were
//! lost. Points are those of the search's network. From these come classes of mistakes, figures
//! for each player and phase, and the moments that mattered most, each told in a sentence. A [`Review`] is written as an annotated
//! record, a page, a table and JSON ([`Review::files`]).

mod analysis;
mod annotate;
mod diagram;
mod figures;
mod graph;
mod moments;
mod page;
pub(crate) mod rank;
mod store;
mod table;

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game, Move, sgf::Record};
use tengen_engine::players::StopSignal;
use thiserror::Error;

use crate::{PlayerSpec, SpecError};

pub use analysis::Progress;
pub use figures::{ACCURACY_FORMULA, Class, Classes, Figures, Phase, Phases, PlayerFigures};
pub use moments::KeyMoment;
pub use rank::{Fit, Lesson, Ranks};
pub use store::{STEM_ENDING, find, is_review, stored};

use analysis::{Opinion, Turn};

/// Why a game cannot be reviewed.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// The analyst cannot be made.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// The analyst has failed.
    #[error(transparent)]
    Failed(#[from] tengen_engine::players::PlayerError),
    /// The analyst has no opinion about positions.
    #[error("{0} cannot evaluate positions: choose a player that searches, such as zero")]
    NoOpinion(String),
    /// The record cannot be replayed.
    #[error(transparent)]
    Record(#[from] tengen_board::sgf::SgfError),
    /// There is nothing to review.
    #[error("the record has no moves")]
    NoMoves,
    /// A graph cannot be drawn.
    #[error("the graph cannot be drawn: {0}")]
    Graph(String),
}

/// How games are reviewed.
#[derive(Clone, Debug)]
pub struct ReviewSettings {
    /// The analyst. Its playouts or time are those of the first pass.
    pub player: PlayerSpec,
    /// How many times more the second pass thinks about a position; 1 for none.
    pub deeper: f64,
    /// Positions analysed at a time.
    pub concurrency: usize,
}

impl ReviewSettings {
    /// The analyst where no other is named: a network that tells score and ownership, and a search with it.
    pub const PLAYER: &'static str = "zero,net=distilled";
    /// Playouts a position in the first pass.
    pub const PLAYOUTS: u64 = 50;
    /// How many times more the second pass thinks.
    pub const DEEPER: f64 = 8.0;

    /// The board on which it is found out how the analyst behaves.
    const BEHAVIOUR: (usize, usize) = (9, 9);

    /// Reviews by a player; positions are analysed on all cores unless it says how many threads.
    pub fn new(mut player: PlayerSpec, deeper: f64) -> ReviewSettings {
        let concurrency =
            player.options.threads.take().unwrap_or_else(|| crate::parallel::concurrency_for(1).min(8));
        if player.options.playouts.is_none() && player.options.time.is_none() {
            player.options.playouts = Some(Self::PLAYOUTS);
        }
        player.options.seed.get_or_insert(1);
        ReviewSettings { player, deeper, concurrency }
    }

    /// Everything that decides the results: how the analyst behaves, and every parameter. Other changes of the program leave
    /// reviews valid.
    pub fn to_text(&self) -> Result<String, SpecError> {
        let (width, height) = Self::BEHAVIOUR;
        let behaviour = self.player.behaviour(width, height)?;
        Ok(format!("behaviour = {behaviour}\ndeeper = {}\n\n{}", self.deeper, self.player.to_toml()))
    }

    /// The analyst and its thought, in a line.
    pub fn name(&self) -> String {
        let options = &self.player.options;
        let thought = match (options.playouts, options.time) {
            (Some(playouts), _) => format!("{playouts} playouts"),
            (None, time) => format!("{} s", time.unwrap_or_default()),
        };
        let seed = options.seed.unwrap_or_default();
        format!(
            "{}, {thought} a position, {} times that for mistakes, seed {seed}",
            self.player.name, self.deeper
        )
    }
}

/// A move of the game, and what the analyst says of it. Lead and win rate are Black's, before the move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedMove {
    /// From 1.
    pub number: usize,
    /// Who played it.
    pub color: Color,
    /// The move.
    #[serde(rename = "move")]
    pub played: Move,
    /// Black's lead in points if both play best.
    pub lead: f64,
    /// Black's winning chances.
    pub win_rate: f64,
    /// Points that the move lost to its player; 0 for the first choice.
    pub points_lost: f64,
    /// Winning chances that it lost.
    pub win_rate_lost: f64,
    /// Black's lead after the move.
    pub lead_after: f64,
    /// Black's winning chances after it.
    pub win_rate_after: f64,
    /// How bad that is.
    pub class: Class,
    /// The first choice.
    pub best: Move,
    /// The line expected from it on.
    pub pv: Vec<Move>,
    /// The part of the game.
    pub phase: Phase,
    /// Points that a move drawn by the network would have lost in the mean: how hard the choice was.
    pub expected_loss: f64,
}

impl ReviewedMove {
    /// Whether the first choice was played.
    pub fn is_first_choice(&self) -> bool {
        self.played == self.best
    }
}

/// What both players did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Players {
    /// Black.
    pub black: PlayerFigures,
    /// White.
    pub white: PlayerFigures,
}

/// The review of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The record, as the caller names it.
    pub file: String,
    /// Who analysed it, and how.
    pub analyst: String,
    /// Whose word the losses are ([`PlayerSpec::evaluator`]).
    pub evaluator: String,
    /// Columns and rows of the board.
    pub size: [usize; 2],
    /// Everything that decides the results: the behaviour of the analyst and every parameter.
    pub settings: String,
    /// The result that the record tells.
    pub result: Option<String>,
    /// Every move of the main line.
    pub moves: Vec<ReviewedMove>,
    /// Both players' figures.
    pub players: Players,
    /// The moves that mattered most, the worst first.
    pub key_moments: Vec<KeyMoment>,
    #[serde(skip)]
    record: Record,
    #[serde(skip)]
    turns: Vec<Turn>,
}

/// Reviews the main line of a record. Returns nothing if `stop` interrupts it.
///
/// The same record and settings give the same review, on any number of threads, if the analyst thinks by playouts.
pub fn review(
    file: &str,
    record: &Record,
    settings: &ReviewSettings,
    stop: &StopSignal,
    on_progress: impl FnMut(Progress),
) -> Result<Option<Review>, ReviewError> {
    let turns = analysis::turns(record)?;
    if turns.is_empty() {
        return Err(ReviewError::NoMoves);
    }
    let Some(opinions) = analysis::analyse(record, &turns, settings, stop, on_progress)? else {
        return Ok(None);
    };
    let (width, height) = record.size()?;
    let evaluator = settings.player.evaluator();
    let moves: Vec<_> = turns
        .iter()
        .zip(&opinions)
        .enumerate()
        .map(|(i, (turn, (before, after)))| reviewed(i + 1, width * height, *turn, before, after))
        .collect();
    let info = record.info();
    let size = [width, height];
    let figures = |name, rank, color| {
        let mut figures = PlayerFigures::new(name, &moves, color);
        figures.recorded_rank = rank;
        if let Some(estimate) = rank::estimate(size, &evaluator, &figures.all) {
            (figures.rank, figures.rank_ci95) = (Some(estimate.rank), Some(estimate.ci95));
        }
        figures
    };
    let players = Players {
        black: figures(info.black, info.black_rank, Color::Black),
        white: figures(info.white, info.white_rank, Color::White),
    };
    Ok(Some(Review {
        file: file.to_owned(),
        analyst: settings.name(),
        settings: settings.to_text()?,
        result: info.result.map(|result| result.to_string()),
        key_moments: moments::key_moments(&moves),
        moves,
        players,
        evaluator,
        size,
        record: record.clone(),
        turns,
    }))
}

/// The opinions before and after a move as figures.
fn reviewed(number: usize, area: usize, turn: Turn, before: &Opinion, after: &Opinion) -> ReviewedMove {
    let round = |value: f32, digits: f64| (f64::from(value) * digits).round() / digits;
    let sign = turn.color.sign() as f32;
    // The first choice loses nothing, whatever the next search says.
    let loss = |difference: f32| if turn.played == before.best { 0.0 } else { (sign * difference).max(0.0) };
    let points_lost = round(loss(before.lead - after.lead), 100.0);
    ReviewedMove {
        number,
        color: turn.color,
        played: turn.played,
        lead: round(before.lead, 100.0),
        win_rate: round(before.win_rate, 10_000.0),
        points_lost,
        win_rate_lost: round(loss(before.win_rate - after.win_rate), 10_000.0),
        lead_after: round(after.lead, 100.0),
        win_rate_after: round(after.win_rate, 10_000.0),
        class: Class::of(points_lost),
        best: before.best,
        pv: before.line.clone(),
        phase: Phase::of(number, area),
        expected_loss: round(before.expected_loss, 100.0),
    }
}

impl Review {
    /// The figures of a player.
    pub fn player(&self, color: Color) -> &PlayerFigures {
        match color {
            Color::Black => &self.players.black,
            Color::White => &self.players.white,
        }
    }

    /// The position before a move, counted from 0.
    fn before(&self, index: usize) -> Result<Game, ReviewError> {
        Ok(self.turns[index].before(&self.record)?)
    }

    /// Everything that is written down about it, by the ending of the file's name.
    pub fn files(&self) -> Result<[(&'static str, String); 4], ReviewError> {
        let json = serde_json::to_string(self).expect("a review is plain data");
        // JSON is written last: where it is, the game is done.
        Ok([
            ("sgf", annotate::annotated(self).to_sgf()),
            ("html", page::page(self)?),
            ("csv", table::moves(self).to_csv()),
            ("json", json + "\n"),
        ])
    }
}

/// Black's lead as in results: `B+3.2`, `W+0.5`, `even`.
fn lead_text(lead: f64) -> String {
    match (lead * 10.0).round() / 10.0 {
        lead if lead > 0.0 => format!("B+{lead:.1}"),
        lead if lead < 0.0 => format!("W+{:.1}", -lead),
        _ => "even".to_owned(),
    }
}

/// A colour at the beginning of a sentence.
fn name_of(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
