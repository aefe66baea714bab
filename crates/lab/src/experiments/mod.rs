//! Experiments as data: `experiments/<slug>/experiment.toml` holds a claim of a paper, the players and conditions to test it
//! with, and the paper's figures.
//!
//! [`Experiment::run`] plays what is missing and keeps every game or run in `results/`, a file a cell, whose first line has the
//! configuration, commit, machine and seed. [`Results`] reads them and compares them with the claim; [`report`] makes
//! pages of it.

mod accuracy;
mod cells;
mod checks;
mod config;
mod corners;
mod error;
mod gcmb_ranks;
mod kind;
mod learning;
mod power;
mod queue;
mod reply_share;
pub mod report;
mod results;
mod rollout_speed;
mod run;
mod runs;
mod suite_share;

pub use cells::Cell;
pub use checks::{Checked, Verdict};
pub use config::{Conditions, Experiment, ExperimentConfig, list};
pub use corners::{PROBLEMS, Problem};
pub use error::LabError;
pub use kind::Kind;
pub use learning::{Axis, LearningConfig};
pub use power::power;
pub use queue::{Entry, Progress, Queue};
pub use results::{CellResult, Data, Records, Results, Value};
pub use run::RunOptions;
pub use runs::{RunRecord, Values};
