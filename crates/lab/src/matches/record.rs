//! One game of a match, as a line of the result file.

use std::fmt;

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Reason};

use super::config::Side;
use crate::bench::Fnv;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Two passes, then counted.
    Passes,
    /// It became too long, and was counted.
    Length,
    /// The loser resigned.
    Resignation,
    /// The loser played an illegal move.
    Illegal,
    /// The loser's program ended, wrote nonsense or refused a command.
    Crash,
    /// The loser took too long for a move and was stopped.
    Time,
}

impl Ending {
    /// What SGF says about a game that was lost this way.
    pub(super) fn reason(self) -> Reason {
        match self {
            Ending::Resignation => Reason::Resignation,
            Ending::Time => Reason::Time,
            _ => Reason::Forfeit,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Passes => "two passes",
            Ending::Length => "its length",
            Ending::Resignation => "resignation",
            Ending::Illegal => "an illegal move",
            Ending::Crash => "a failure of the program",
            Ending::Time => "time",
        })
    }
}

/// The result of one game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRecord {
    /// The number of the game, from 0.
    pub game: usize,
    /// Who played Black.
    pub black: Side,
    /// The winner; none for a draw.
    pub winner: Option<Side>,
    /// As in SGF: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`.
    pub result: String,
    /// How it ended.
    pub ending: Ending,
    /// A's points minus B's, komi included, if the game was counted.
    pub score: Option<f64>,
    /// Who counted it.
    pub referee: Option<String>,
    /// All moves, the opening first, separated by spaces; empty if they are not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub moves: String,
    /// A hash of the moves: games with the same fingerprint are the same.
    pub fingerprint: String,
    /// How many of them belong to the opening.
    pub opening: usize,
    /// The seed of A.
    pub seed_a: u64,
    /// The seed of B.
    pub seed_b: u64,
    /// How long the game took.
    pub seconds: f64,
    /// CPU time of A in seconds, where it can be measured.
    pub cpu_a: Option<f64>,
    /// CPU time of B in seconds, where it can be measured.
    pub cpu_b: Option<f64>,
    /// Seconds left on A's clock at the end, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_a: Option<f64>,
    /// Seconds left on B's clock at the end, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_b: Option<f64>,
    /// What went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl GameRecord {
    /// The number of moves, opening included.
    pub fn length(&self) -> usize {
        self.moves.split_whitespace().count()
    }

    /// A hash of moves (FNV-1a), which stays the same on all machines and in all versions.
    pub fn fingerprint_of(moves: &str) -> String {
        let mut hash = Fnv::default();
        hash.add(moves.as_bytes());
        hash.to_text()
    }

    /// What A scored: 1, 0, or one half.
    pub fn points_a(&self) -> f64 {
        match self.winner {
            Some(Side::A) => 1.0,
            Some(Side::B) => 0.0,
            None => 0.5,
        }
    }

    /// The side that plays `color`.
    pub fn side(&self, color: Color) -> Side {
        if color == Color::Black { self.black } else { self.black.other() }
    }
}
