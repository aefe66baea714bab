//! What an experiment measures.

use serde::Deserialize;

use super::{
    accuracy,
    config::ExperimentConfig,
    corners,
    error::LabError,
    gcmb_ranks, learning, reply_share, rollout_speed,
    runs::{RunContext, Values},
    suite_share,
};
use crate::players::config::PlayerConfig;

/// What an experiment measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The share of games that an arm wins against the opponent, in percent.
    WinRate,
    /// The mean of its points minus the opponent's.
    Score,
    /// The share of playout moves that come from a table of replies; see `reply_share.rs`.
    ReplyShare,
    /// The share of playouts that play four corners correctly; see `corners.rs`.
    Corners,
    /// How often the best move is among the most frequent replies; see `gcmb_ranks.rs`.
    GcmbRanks,
    /// How often a network finds the next move of game records; see `accuracy.rs`.
    Accuracy,
    /// How fast rollouts are; see `rollout_speed.rs`.
    RolloutSpeed,
    /// How many problems of a suite are solved; see `suite_share.rs`.
    Suite,
    /// How well networks play while they learn; see `learning.rs`.
    Learning,
}

impl Kind {
    /// Whether games against an opponent are played.
    pub fn is_match(self) -> bool {
        matches!(self, Kind::WinRate | Kind::Score)
    }

    /// What the numbers are, for tables and axes.
    pub fn unit(self) -> &'static str {
        match self {
            Kind::WinRate => "wins in percent",
            Kind::Score => "points of score",
            Kind::ReplyShare => "moves from the table in percent",
            Kind::Corners => "playouts in which the corner is played correctly, in percent",
            Kind::GcmbRanks => "nodes in percent",
            Kind::Accuracy => "moves that are found, in percent",
            Kind::RolloutSpeed => "rollouts in a CPU-second",
            Kind::Suite => "problems solved, in percent",
            Kind::Learning => "wins in percent, or what the quantity says",
        }
    }

    /// A figure of this kind with its unit; differences and scores have a sign.
    pub fn figure(self, value: f64, is_difference: bool) -> String {
        match self {
            Kind::Score => format!("{value:+.1} points"),
            Kind::RolloutSpeed if is_difference => format!("{value:+.0} a second"),
            Kind::RolloutSpeed => format!("{value:.0} a second"),
            Kind::Learning if is_difference => format!("{value:+.1}"),
            Kind::Learning => format!("{value:.1}"),
            _ if is_difference => format!("{value:+.1} points"),
            _ => format!("{value:.1}%"),
        }
    }

    /// What the share of a run is multiplied by: percent, or rollouts in a second for time in units of 100 µs; what is learned has its
    /// units already.
    pub(super) fn scale(self) -> f64 {
        match self {
            Kind::RolloutSpeed => 10_000.0,
            Kind::Learning => 1.0,
            _ => 100.0,
        }
    }

    /// What a cell consists of.
    pub fn item(self) -> &'static str {
        if self.is_match() { "games" } else { "runs" }
    }

    /// What an arm is as good as its opponent at.
    pub fn even(self) -> f64 {
        if self == Kind::WinRate { 50.0 } else { 0.0 }
    }

    /// The largest standard deviation of a single game or run that is expected, for the statement of power: that of a fair coin,
    /// of scores on 9x9, of shares.
    pub fn deviation(self) -> f64 {
        match self {
            Kind::WinRate => 50.0,
            Kind::Score => 30.0,
            Kind::RolloutSpeed => 200.0,
            _ => 10.0,
        }
    }

    /// The board of a dummy run.
    pub(super) fn dummy_size(self, size: usize) -> usize {
        if self == Kind::Corners { size } else { size.min(5) }
    }

    /// Whether an experiment has what this kind needs.
    pub(super) fn check(self, config: &ExperimentConfig) -> Result<(), LabError> {
        match (self.is_match(), &config.opponent) {
            (true, None) => Err(LabError::Config("opponent: name whom the arms play".to_owned())),
            (false, Some(_)) => {
                Err(LabError::Config("opponent: no games are played in this experiment".to_owned()))
            }
            _ if (self == Kind::Learning) != config.learning.is_some() => Err(LabError::Config(
                "learning: say when and how networks are tried out, for kind = \"learning\" only".to_owned(),
            )),
            _ if (self == Kind::Accuracy) != config.records.is_some() => Err(LabError::Config(
                "records: name the file whose moves are to be found, for kind = \"accuracy\" only".to_owned(),
            )),
            _ if (self == Kind::Suite) != config.suite.is_some() => Err(LabError::Config(
                "suite: name the file of problems, for kind = \"suite\" only".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// One run of an experiment in which no games are played.
    pub(super) fn run(self, context: &RunContext<'_>) -> Result<Option<Values>, LabError> {
        let search = || match &context.cell.player.config {
            PlayerConfig::Mcts(config) => Ok(config),
            _ => Err(LabError::Config(format!(
                "arm {}: this experiment looks into a tree search (kind = \"mcts\")",
                context.cell.arm
            ))),
        };
        Ok(match self {
            Kind::WinRate | Kind::Score => None,
            Kind::ReplyShare => reply_share::run(context, search()?),
            Kind::Corners => Some(corners::run(context, search()?)),
            Kind::GcmbRanks => Some(gcmb_ranks::run(context, search()?)?),
            Kind::Accuracy => Some(accuracy::run(context)?),
            Kind::RolloutSpeed => Some(rollout_speed::run(context, search()?)?),
            Kind::Suite => suite_share::run(context)?,
            Kind::Learning => learning::run(context)?,
        })
    }
}
