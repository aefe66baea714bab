//! What can be wrong with an experiment.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::{journal::JournalError, matches::MatchError, players::error::SpecError, selfplay::SelfPlayError};

/// Why an experiment cannot be read, run or reported.
#[derive(Debug, Error)]
pub enum LabError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("{} is not an experiment:\n{message}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, column and what is wrong.
        message: String,
    },
    /// The file of the papers is not what it should be.
    #[error("{} is not a list of papers:\n{message}", path.display())]
    Papers {
        /// The file.
        path: PathBuf,
        /// Line, column and what is wrong.
        message: String,
    },
    /// The file of a queue is not what it should be.
    #[error("{} is not a queue:\n{message}", path.display())]
    Queue {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The parts of an experiment do not fit together.
    #[error("{}: {problem}", path.display())]
    Experiment {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: Box<LabError>,
    },
    /// A setting cannot be used.
    #[error("{0}")]
    Config(String),
    /// A player cannot be made.
    #[error("arm {arm}: {source}")]
    Player {
        /// The arm.
        arm: String,
        /// Why.
        source: SpecError,
    },
    /// A player fails.
    #[error("arm {arm}: {source}")]
    Engine {
        /// The arm.
        arm: String,
        /// Why.
        source: Box<tengen_engine::players::PlayerError>,
    },
    /// A network does not learn.
    #[error("arm {arm}: {source}")]
    Learning {
        /// The arm.
        arm: String,
        /// Why.
        source: Box<SelfPlayError>,
    },
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// Results cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A plot cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Plot(String),
}
