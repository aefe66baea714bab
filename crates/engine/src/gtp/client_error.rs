//! What can go wrong with another engine, told so that the user can do something about it.

use std::fmt;

use thiserror::Error;

/// Why an engine did not do what it was asked to.
#[derive(Clone, Debug, Error)]
pub enum ClientError {
    /// The command line is empty or its quotes are not closed.
    #[error("cannot read the command line {0:?}: it is empty or a quote is not closed")]
    CommandLine(String),
    /// There is no such program.
    #[error(
        "{program} was not found: is it installed, and is its directory on the PATH? (command line: {command_line})"
    )]
    NotFound {
        /// The first word of the command line.
        program: String,
        /// The command line.
        command_line: String,
    },
    /// The program is there but does not start.
    #[error("{command_line} does not start: {reason}")]
    Start {
        /// The command line.
        command_line: String,
        /// What the system says.
        reason: String,
    },
    /// The engine answered `?`; it can go on.
    #[error("{command_line} refused `{request}`: {message}")]
    Refused {
        /// The command line.
        command_line: String,
        /// The GTP command.
        request: String,
        /// What follows the `?`.
        message: String,
    },
    /// The engine did not answer in time and was killed.
    #[error("{command_line} did not answer `{request}` within {seconds} s and was killed{stderr}")]
    TimedOut {
        /// The command line.
        command_line: String,
        /// The GTP command.
        request: String,
        /// The time limit.
        seconds: f64,
        /// Its last lines on standard error.
        stderr: LastWords,
    },
    /// It was to stop while the engine thought, and the engine was ended.
    #[error("{command_line} was stopped at `{request}`")]
    Stopped {
        /// The command line.
        command_line: String,
        /// The GTP command.
        request: String,
    },
    /// The engine ended.
    #[error("{command_line} ended at `{request}` ({status}){stderr}")]
    Died {
        /// The command line.
        command_line: String,
        /// The GTP command.
        request: String,
        /// How it ended.
        status: String,
        /// Its last lines on standard error.
        stderr: LastWords,
    },
    /// The engine's answer makes no sense.
    #[error("{command_line} answered `{request}` with {answer:?}, which is not GTP{stderr}")]
    Garbage {
        /// The command line.
        command_line: String,
        /// The GTP command.
        request: String,
        /// The beginning of the answer.
        answer: String,
        /// Its last lines on standard error.
        stderr: LastWords,
    },
}

impl ClientError {
    /// Whether the engine is gone; after a refusal it goes on.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, ClientError::Refused { .. })
    }
}

/// What an engine wrote last on standard error.
#[derive(Clone, Debug, Default)]
pub struct LastWords(pub(super) Vec<String>);

impl fmt::Display for LastWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; it last wrote:\n  {}", self.0.join("\n  ")) }
    }
}
