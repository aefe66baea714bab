//! What can stop a match.

use std::path::PathBuf;

use tengen_board::InvalidSize;
use thiserror::Error;

use crate::error::SpecError;

/// Why a match cannot be played or continued.
#[derive(Debug, Error)]
pub enum MatchError {
    /// A player cannot be built or started.
    #[error("player {name}: {source}")]
    Player {
        /// Its spec.
        name: String,
        /// Why.
        source: SpecError,
    },
    /// The board cannot be made.
    #[error("{0}")]
    Size(#[from] InvalidSize),
    /// A line of the openings is not a legal sequence of moves.
    #[error("{}, line {line}: {message}", file.display())]
    Opening {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The text is not a choice of openings or of a referee.
    #[error("{0}")]
    Choice(String),
    /// The referee cannot be used.
    #[error("referee: {0}")]
    Referee(String),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is a match in the directory already.
    #[error("{} holds a match already: continue it with --resume, or choose another directory", .0.display())]
    Exists(PathBuf),
    /// The file is not the result of a match.
    #[error("{}, line {line}: {message}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The match in the directory is another one.
    #[error(
        "{} holds another match ({difference}): run it with the same settings, or choose another directory", path.display()
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The first setting that differs.
        difference: String,
    },
}
