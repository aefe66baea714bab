//! What can go wrong between machines.

use std::path::PathBuf;

use tengen_lab::{SpecError, matches::MatchError, selfplay::SelfPlayError};
use tengen_nets::NetError;
use thiserror::Error;

/// Why games cannot be handed out, played or counted.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The server does not answer, or lets nobody in.
    #[error(
        "NATS server {url}: {message}; check the address, that `nats-server` runs there, and the credentials"
    )]
    Connect {
        /// Its address, without a password.
        url: String,
        /// Why.
        message: String,
    },
    /// The server runs without JetStream.
    #[error(
        "the NATS server keeps no messages: start it with JetStream (nats-server --jetstream, or a `jetstream` block)"
    )]
    NoJetStream,
    /// The server refuses something.
    #[error("the NATS server could not {doing}: {message}")]
    Server {
        /// What was tried.
        doing: &'static str,
        /// Why not.
        message: String,
    },
    /// A file with credentials cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something that came in is not what it should be.
    #[error("{0}")]
    Message(String),
    /// Somebody else hands these games out already.
    #[error("{coordinator} hands out the same games at this moment: wait until it ends, or stop it")]
    Busy {
        /// Who.
        coordinator: String,
    },
    /// Jobs have failed three times.
    #[error(
        "{games} games could not be played: {reason}; mend that, then the same command with --resume plays them"
    )]
    Dead {
        /// How many games.
        games: usize,
        /// The first reason.
        reason: String,
    },
    /// A player cannot be built.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// Self-play.
    #[error(transparent)]
    SelfPlay(#[from] SelfPlayError),
    /// A network or a record.
    #[error(transparent)]
    Net(#[from] NetError),
}

impl ClusterError {
    /// The server could not do this.
    pub(crate) fn server<E: std::fmt::Display>(doing: &'static str) -> impl Fn(E) -> ClusterError {
        move |error| ClusterError::Server { doing, message: error.to_string() }
    }
}

impl From<ClusterError> for MatchError {
    fn from(error: ClusterError) -> MatchError {
        match error {
            ClusterError::Match(error) => error,
            other => MatchError::Venue(Box::new(other)),
        }
    }
}

impl From<ClusterError> for SelfPlayError {
    fn from(error: ClusterError) -> SelfPlayError {
        match error {
            ClusterError::SelfPlay(error) => error,
            other => SelfPlayError::Venue(Box::new(other)),
        }
    }
}
