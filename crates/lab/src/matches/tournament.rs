//! More than two players: who meets whom, and what follows for each.

use serde::Serialize;

use super::summary::Summary;
use crate::stats::{Interval, Pairing, VIRTUAL_DRAWS, bradley_terry};

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
    /// Each meets the next.
    Ladder,
}

impl Schedule {
    /// The pairs among so many players, by number.
    pub fn pairs(self, players: usize) -> Vec<(usize, usize)> {
        let firsts = if self == Schedule::Gauntlet { 1 } else { players };
        let reach = if self == Schedule::Ladder { 1 } else { players };
        let pairs_of = |a: usize| (a + 1..players.min(a + 1 + reach)).map(move |b| (a, b));
        (0..firsts.min(players)).flat_map(pairs_of).collect()
    }
}

/// The rating of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerRating {
    /// The spec of the player.
    pub player: String,
    /// In Elo; the mean of all players is 0.
    pub elo: f64,
    /// Its interval at 95%.
    pub ci95: Interval,
    /// Games played.
    pub games: usize,
    /// Points won in them.
    pub points: f64,
}

/// The result of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tournament {
    /// Every pair's match.
    pub pairs: Vec<Summary>,
    /// Bradley-Terry ratings, best first, a virtual draw added between players who have met.
    pub ratings: Vec<PlayerRating>,
}

impl Tournament {
    /// From the matches of `pairs` between `players`.
    pub fn new(players: &[String], pairs: &[(usize, usize)], summaries: Vec<Summary>) -> Tournament {
        let pairings = Tournament::pairings(pairs, &summaries);
        let rated = bradley_terry(players.len(), &pairings, VIRTUAL_DRAWS);
        let mut ratings: Vec<_> = players
            .iter()
            .zip(rated)
            .enumerate()
            .map(|(i, (player, rating))| {
                let (mut games, mut points) = (0.0, 0.0);
                for p in pairings.iter().filter(|p| p.a == i || p.b == i) {
                    games += p.games;
                    points += if p.a == i { p.score } else { p.games - p.score };
                }
                let (elo, ci95) = (rating.elo, rating.ci95);
                PlayerRating { player: player.clone(), elo, ci95, games: games as usize, points }
            })
            .collect();
        ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        Tournament { pairs: summaries, ratings }
    }

    /// The matches of pairs, as ratings are fitted to them.
    pub(crate) fn pairings(pairs: &[(usize, usize)], summaries: &[Summary]) -> Vec<Pairing> {
        let pairing = |(&(a, b), s): (&(usize, usize), &Summary)| Pairing {
            a,
            b,
            score: s.points_a(),
            games: s.games as f64,
        };
        pairs.iter().zip(summaries).map(pairing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules() {
        assert_eq!(Schedule::RoundRobin.pairs(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Schedule::Gauntlet.pairs(4), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(Schedule::Ladder.pairs(4), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(Schedule::RoundRobin.pairs(2), Schedule::Gauntlet.pairs(2));
    }
}
