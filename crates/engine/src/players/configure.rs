//! Changing a player's parameters while it plays, by name.
//!
//! Whoever sends a message (GTP's `kata-set-param`, `overrideSettings` of an analysis, the browser) knows parameters as dotted
//! keys with text values; who builds players knows what they mean, and which of them a message may change.

use thiserror::Error;

use crate::players::Seat;

/// The parameters of a player that messages may read and change, each with a dotted key such as `tree_policy.exploration`.
pub trait Configure: Send + Sync {
    /// Every key, in a stable order.
    fn keys(&self) -> Vec<String>;

    /// The value of a parameter.
    fn get(&self, key: &str) -> Result<String, ConfigureError>;

    /// The same player with other values of some parameters. Nothing is started or read for it: that is left to
    /// [`Configure::build`].
    fn with(&self, settings: &[(String, String)]) -> Result<Box<dyn Configure>, ConfigureError>;

    /// The player that plays with these parameters, in its seat.
    fn build(&self) -> Result<Seat, ConfigureError>;
}

/// Why a parameter cannot be read or changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigureError {
    /// No parameter has this key.
    #[error("unknown parameter {key:?}: choose one of {}", .valid.join(", "))]
    UnknownKey {
        /// The key asked for.
        key: String,
        /// The keys there are.
        valid: Vec<String>,
    },
    /// The parameter is not one that a message may change.
    #[error("{key:?} cannot be changed while the program runs: set it when you start it")]
    Closed {
        /// The parameter.
        key: String,
    },
    /// A parameter does not take its value, or no player can be built with it; the text says why.
    #[error("{0}")]
    Refused(String),
}
