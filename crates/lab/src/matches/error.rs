//! What can stop a match.

use std::path::PathBuf;

use tengen_board::InvalidSize;
use thiserror::Error;

use crate::{journal::JournalError, players::error::SpecError};

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
    /// The games cannot be played there.
    #[error(transparent)]
    Venue(Box<dyn std::error::Error + Send + Sync>),
    /// The result file, a game record or a file of openings cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
