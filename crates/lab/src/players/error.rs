//! What can be wrong with a player spec.

use std::path::PathBuf;

use thiserror::Error;

/// Why a player spec, or a parameter in it, cannot be used.
#[derive(Debug, Error)]
pub enum SpecError {
    /// There is neither a preset nor a file of this name.
    #[error("unknown preset {name:?}{}: choose one of {}; or name a TOML file, or write gtp:COMMAND LINE", did_you_mean(near.as_deref()), known.join(", "))]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// A preset with a similar name.
        near: Option<String>,
        /// Every preset.
        known: Vec<String>,
    },
    /// No parameter has this name.
    #[error("unknown parameter {key:?}{}: {owner} has {}", did_you_mean(near.as_deref()), known.join(", "))]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// What was being configured.
        owner: String,
        /// A parameter with a similar name.
        near: Option<String>,
        /// Every parameter.
        known: Vec<String>,
    },
    /// The parameter is not one that messages may change.
    #[error("{0:?} cannot be changed while the program runs: set it when you start it")]
    Closed(String),
    /// The text is not `key=value`.
    #[error("{0:?} is not a setting: write key=value, as in threads=2")]
    NotASetting(String),
    /// A value of the wrong type, or outside its range.
    #[error("{context}: {message}")]
    Value {
        /// The parameter or the spec.
        context: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A TOML file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text of a file is not TOML.
    #[error("{file} is not valid TOML:\n{message}")]
    Toml {
        /// The file or preset.
        file: String,
        /// Line, column and what is wrong.
        message: String,
    },
    /// A player cannot be started.
    #[error("{0}")]
    Start(String),
}

impl SpecError {
    /// The error for a parameter that is not among those of `owner`.
    pub(crate) fn unknown_key(key: &str, owner: &str, mut known: Vec<String>) -> SpecError {
        known.retain(|key| key != "kind");
        known.sort();
        known.dedup();
        let near = nearest(key, known.iter().map(String::as_str));
        SpecError::UnknownKey { key: key.to_owned(), owner: owner.to_owned(), near, known }
    }
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!(" (did you mean {near:?}?)")).unwrap_or_default()
}

/// The candidate that looks most like `text`, if one does.
pub(crate) fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(text, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}
