//! Changing a player's parameters while it plays, by name.
//!
//! The front ends (GTP's `kata-set-param`, the browser, a tuner) know parameters as dotted keys with text values; who
//! builds players knows what they mean.

use thiserror::Error;

use crate::player::Player;

/// The parameters of a player, each with a dotted key such as `tree_policy.exploration`.
pub trait Configure: Send {
    /// Every key, in a stable order.
    fn keys(&self) -> Vec<String>;

    /// The value of a parameter.
    fn get(&self, key: &str) -> Result<String, ConfigureError>;

    /// Changes a parameter and returns the player that plays with it. After an error nothing has changed.
    fn set(&mut self, key: &str, value: &str) -> Result<Box<dyn Player>, ConfigureError>;
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
    /// The parameter does not take this value.
    #[error("{key} cannot be {value:?}: {reason}")]
    InvalidValue {
        /// The parameter.
        key: String,
        /// The value refused.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
}
