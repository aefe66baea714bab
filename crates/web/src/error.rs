//! What can be wrong with a request; the page shows the message.

use thiserror::Error;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WebError {
    /// A message that is not one of the protocol.
    #[error("unknown message: {0}")]
    Message(String),
    /// A setting that cannot be.
    #[error("{0}")]
    Setting(String),
    /// A player that is not on the list.
    #[error("there is no player {name:?}: choose one of {}", .known.join(", "))]
    Player {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A move that the rules forbid.
    #[error("{0}")]
    Move(String),
    /// Something that is not possible at this moment.
    #[error("{0}")]
    NotNow(&'static str),
    /// A record that cannot be read.
    #[error("this record cannot be opened: {0}")]
    Record(String),
    /// A game that is not stored.
    #[error("That game is no longer stored here.")]
    NoGame,
    /// Something that cannot be stored, and so has not happened.
    #[error("This could not be saved and was not done: {0}.")]
    Store(String),
    /// A folder whose games cannot be read.
    #[error("The stored games cannot be read: {0}.")]
    Folder(String),
    /// Another server has gone on with the same game.
    #[error("This game was continued in another window: this is its current position.")]
    Elsewhere,
    /// Too many of something.
    #[error("{0}")]
    Limit(&'static str),
}
