//! How the games of a match begin. Two games in a row share an opening, so that both players get either colour of it, unless one of
//! them always has Black.

use std::path::Path;

use serde::Serialize;
use tengen_board::{Game, Move, bounded};
use tengen_engine::{players::RandomPlayer, playout::UniformConfig};

use super::{config::MatchConfig, error::MatchError};
use crate::journal::JournalError;

/// The beginnings of games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// The empty board.
    #[default]
    None,
    /// So many random moves.
    Random(usize),
    /// These, one after the other, and again from the first.
    Lines(Vec<Vec<Move>>),
}

impl Openings {
    /// Reads `none`, `random:N` or the name of a file: a sequence of GTP moves on each line, `#` begins a comment. `game` is an
    /// empty board of the right size.
    pub fn parse(text: &str, game: &Game) -> Result<Openings, MatchError> {
        if text == "none" {
            return Ok(Openings::None);
        }
        if let Some(number) = text.strip_prefix("random:") {
            let moves: Option<usize> = number.parse().ok().filter(|&n| n <= game.board().area());
            return moves.map(Openings::Random).ok_or_else(|| {
                MatchError::Choice(format!("openings {text:?}: write random:N, a number of moves"))
            });
        }
        Openings::read(Path::new(text), game)
    }

    fn read(path: &Path, game: &Game) -> Result<Openings, MatchError> {
        let text = bounded::read_text(path)
            .map_err(|source| JournalError::File { path: path.to_owned(), source })?;
        Openings::from_lines(&text, path, game)
    }

    /// As a file has them: `none`, `random:N`, or lines of moves.
    pub fn to_text(&self) -> String {
        match self {
            Openings::None => "none".to_owned(),
            Openings::Random(moves) => format!("random:{moves}"),
            Openings::Lines(lines) => lines.iter().fold(String::new(), |text, moves| {
                let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
                text + &moves.join(" ") + "\n"
            }),
        }
    }

    /// Reads what [`Openings::to_text`] has written; no file is opened.
    pub fn from_text(text: &str, game: &Game) -> Result<Openings, MatchError> {
        if text == "none" || text.starts_with("random:") {
            return Openings::parse(text, game);
        }
        Openings::from_lines(text, Path::new("openings"), game)
    }

    /// The moves of an opening on each line; `path` is named where they are wrong.
    fn from_lines(text: &str, path: &Path, game: &Game) -> Result<Openings, MatchError> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let error = |message| MatchError::Opening { file: path.to_owned(), line: number + 1, message };
            let words = line.split('#').next().unwrap_or_default();
            let mut game = game.clone();
            let mut moves = Vec::new();
            for word in words.split_whitespace() {
                let mv: Move = word.parse().map_err(|problem| error(format!("{problem}")))?;
                game.try_play(mv).map_err(|problem| error(format!("{mv}: {problem}")))?;
                moves.push(mv);
            }
            if game.passes() >= 2 {
                return Err(error("the game is over after two passes".to_owned()));
            }
            if !moves.is_empty() {
                lines.push(moves);
            }
        }
        if lines.is_empty() {
            let message = "there is no opening in this file".to_owned();
            return Err(MatchError::Opening { file: path.to_owned(), line: 1, message });
        }
        Ok(Openings::Lines(lines))
    }

    /// Plays the opening of a game of the match.
    pub(super) fn play(&self, config: &MatchConfig, index: usize, game: &mut Game) {
        match self {
            Openings::None => {}
            Openings::Random(moves) => {
                let mut player = RandomPlayer::new(&UniformConfig::default(), config.opening_seed(index));
                for _ in 0..*moves {
                    let mv = player.draw(game);
                    if mv.is_pass() {
                        break;
                    }
                    game.play_unchecked(mv);
                }
            }
            Openings::Lines(lines) => {
                lines[config.opening(index) % lines.len()].iter().for_each(|&mv| game.play_unchecked(mv));
            }
        }
    }
}
