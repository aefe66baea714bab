//! What can go wrong with self-play and with learning from it.

use std::path::PathBuf;

use tengen_nets::NetError;
use thiserror::Error;

use crate::{journal::JournalError, matches::MatchError, players::error::SpecError};

/// Why games are not played or learned from.
#[derive(Debug, Error)]
pub enum SelfPlayError {
    /// A setting makes no sense.
    #[error("{0}")]
    Settings(String),
    /// A network or a record.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A player cannot be made.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A player has failed.
    #[error(transparent)]
    Player(#[from] tengen_engine::players::PlayerError),
    /// A match against an anchor.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The log.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The games cannot be played there.
    #[error(transparent)]
    Venue(Box<dyn std::error::Error + Send + Sync>),
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl SelfPlayError {
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> SelfPlayError {
        let path = path.to_owned();
        move |source| SelfPlayError::File { path, source }
    }
}
