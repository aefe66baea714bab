//! The answer that a match gives.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    config::Side,
    record::{Ending, GameRecord},
};
use crate::stats::{self, Interval, Sprt, SprtState};

/// The result of a match, from A's point of view. A draw is half a win.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The spec of the first player.
    pub a: String,
    /// The spec of the second player.
    pub b: String,
    /// Games played.
    pub games: usize,
    /// Games that A won.
    pub wins_a: usize,
    /// Games that B won.
    pub wins_b: usize,
    /// Games that nobody won.
    pub draws: usize,
    /// A's share of the points. Absent without games, as all estimates are.
    pub win_rate_a: Option<f64>,
    /// Its Wilson interval at 95%.
    pub ci95: Interval,
    /// The Elo difference that this share stands for, positive if A is stronger. Absent if one side won every game.
    pub elo: Option<f64>,
    /// That of the ends of the interval.
    pub elo_ci95: [Option<f64>; 2],
    /// Two-tailed z-test against equal strength.
    pub p_value: f64,
    /// Mean of A's points minus B's, komi included, over the games that were counted.
    pub mean_score: Option<f64>,
    /// Games with different moves.
    pub distinct_games: usize,
    /// Games lost by an illegal move.
    pub illegal: usize,
    /// Games lost by a program that ended, wrote nonsense or refused a command.
    pub crashes: usize,
    /// Games lost on time.
    pub time_losses: usize,
    /// CPU seconds of A, as far as they are known.
    pub cpu_seconds_a: Option<f64>,
    /// CPU seconds of B, as far as they are known.
    pub cpu_seconds_b: Option<f64>,
    /// How long the game in the middle took.
    pub median_game_seconds: Option<f64>,
    /// The sequential test that ended the match, if there was one. The intervals and the p-value above are then taken at a
    /// stopping time, and do not hold what they promise for a fixed number of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtState>,
}

impl Summary {
    /// Sums up games.
    pub fn new(a: &str, b: &str, records: &[GameRecord]) -> Summary {
        let games = records.len();
        let count = |is: &dyn Fn(&GameRecord) -> bool| records.iter().filter(|record| is(record)).count();
        let wins_a = count(&|record| record.winner == Some(Side::A));
        let wins_b = count(&|record| record.winner == Some(Side::B));
        let draws = games - wins_a - wins_b;
        let points = wins_a as f64 + draws as f64 / 2.0;
        let win_rate_a = (games > 0).then(|| points / games as f64);
        let ci95 = stats::wilson(points, games, 0.95);
        let elo = |p: f64| Some(stats::elo(p)).filter(|elo| elo.is_finite());
        let ended = |ending: Ending| count(&|record| record.ending == ending);
        let scores: Vec<f64> = records.iter().filter_map(|record| record.score).collect();
        let seconds: Vec<f64> = records.iter().map(|record| record.seconds).collect();
        let total = |of: &dyn Fn(&GameRecord) -> Option<f64>| {
            let known: Vec<f64> = records.iter().filter_map(of).collect();
            (!known.is_empty()).then(|| known.iter().sum())
        };
        Summary {
            a: a.to_owned(),
            b: b.to_owned(),
            games,
            wins_a,
            wins_b,
            draws,
            win_rate_a,
            ci95,
            elo: win_rate_a.and_then(elo),
            elo_ci95: [elo(ci95.0), elo(ci95.1)],
            p_value: stats::one_proportion_z(points, games, 0.5),
            mean_score: stats::mean(&scores),
            distinct_games: records.iter().map(|record| &record.fingerprint).collect::<BTreeSet<_>>().len(),
            illegal: ended(Ending::Illegal),
            crashes: ended(Ending::Crash),
            time_losses: ended(Ending::Time),
            cpu_seconds_a: total(&|record| record.cpu_a),
            cpu_seconds_b: total(&|record| record.cpu_b),
            median_game_seconds: stats::median(&seconds),
            sprt: None,
        }
    }

    /// What A scored: draws count one half.
    pub fn points_a(&self) -> f64 {
        self.wins_a as f64 + self.draws as f64 / 2.0
    }

    /// With the state of a sequential test after these games.
    #[must_use]
    pub fn with_sprt(self, test: Option<Sprt>) -> Summary {
        let sprt = test.map(|test| test.state(self.points_a(), self.games));
        Summary { sprt, ..self }
    }
}
