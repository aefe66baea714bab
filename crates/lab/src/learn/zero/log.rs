//! The log of a run: a line for each generation.

use serde::{Deserialize, Serialize};
use tengen_nets::train::Accuracy;

use crate::learn::anchors::AnchorResult;

/// What a generation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u64,
    /// Games so far.
    pub games: u64,
    /// Positions to learn from so far.
    pub positions: u64,
    /// Evaluations by the network in games so far.
    pub evaluations: u64,
    /// Evaluations in a second of this generation's games.
    pub evaluations_per_second: f64,
    /// Moves of this generation's games, in the mean.
    pub mean_length: f64,
    /// Share of this generation's games that Black won, draws counting half.
    pub black_wins: f64,
    /// Games in which a resignation was held back, to check it; and those of them that would have been given up wrongly.
    pub resignations: (u64, u64),
    /// Positions in the window.
    pub window: u64,
    /// Steps so far.
    pub steps: u64,
    /// The learning rate.
    pub rate: f32,
    /// On the positions of this generation's steps, each before it was learned.
    pub train: Accuracy,
    /// How the new network did against the one that played, if it had to; and whether it plays from now on.
    pub gate: Option<(f64, bool)>,
    /// Games against fixed opponents.
    pub anchors: Vec<AnchorResult>,
    /// Identifies the network.
    pub network: String,
    /// Hours of games and learning so far, without interruptions and games against opponents.
    pub hours: f64,
    /// CPU time of them, in hours.
    #[serde(default)]
    pub cpu_hours: f64,
}
