//! Ratings of many players from the games between them.

use serde::Serialize;

use super::{Interval, z_for_confidence};

/// The games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// The first player, by number.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// What the first scored: a win 1, a draw one half.
    pub score: f64,
    /// Games played.
    pub games: f64,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// In Elo.
    pub elo: f64,
    /// Its interval at 95%.
    pub ci95: Interval,
}

/// The virtual draw between players who have met, so that who won every game has a finite rating.
pub const VIRTUAL_DRAWS: f64 = 1.0;

/// Maximum-likelihood ratings of the model of Bradley and Terry (Biometrika 39, 1952), in which a beats b with probability
/// 1 / (1 + 10^((r_b − r_a)/400)); a draw is half a win. Each pair that has met is given `virtual_draws`. Intervals come from
/// the inverse of the information matrix.
pub fn bradley_terry(players: usize, pairings: &[Pairing], virtual_draws: f64) -> Vec<Rating> {
    let (strength, covariance) = fit(players, pairings, virtual_draws);
    let mean = strength.iter().sum::<f64>() / players.max(1) as f64;
    let rating = |i: usize| rating(strength[i] - mean, covariance[i][i] - 1.0 / players as f64);
    (0..players).map(rating).collect()
}

/// The same ratings above that of one of the players, who has 0 and no interval: how far apart two of them are is known better than where
/// each stands in the field.
pub fn bradley_terry_above(
    players: usize,
    pairings: &[Pairing],
    virtual_draws: f64,
    reference: usize,
) -> Vec<Rating> {
    let (strength, covariance) = fit(players, pairings, virtual_draws);
    let above = |i: usize| {
        let variance = covariance[i][i] + covariance[reference][reference] - 2.0 * covariance[i][reference];
        rating(strength[i] - strength[reference], variance)
    };
    (0..players).map(above).collect()
}

fn rating(strength: f64, variance: f64) -> Rating {
    let unit = 400.0 / std::f64::consts::LN_10;
    let (elo, reach) = (strength * unit, z_for_confidence(0.95) * variance.max(0.0).sqrt() * unit);
    Rating { elo, ci95: Interval(elo - reach, elo + reach) }
}

/// The strengths of all players, and their covariances.
fn fit(players: usize, pairings: &[Pairing], virtual_draws: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let met: Vec<_> = pairings
        .iter()
        .filter(|p| p.games > 0.0)
        .map(|p| Pairing { score: p.score + virtual_draws / 2.0, games: p.games + virtual_draws, ..*p })
        .collect();
    let mut strength = vec![0.0; players];
    let mut covariance = inverse(information(players, &met, &strength));
    // Newton's method; a hundred steps are far more than it takes.
    for _ in 0..100 {
        let mut gradient = vec![0.0; players];
        for p in &met {
            let surplus = p.score - p.games * expected(strength[p.a] - strength[p.b]);
            gradient[p.a] += surplus;
            gradient[p.b] -= surplus;
        }
        let step: Vec<f64> =
            covariance.iter().map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum()).collect();
        let longest = step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
        // Long steps may overshoot.
        let scale = (1.0 / longest).min(1.0);
        strength.iter_mut().zip(&step).for_each(|(s, step)| *s += scale * step);
        covariance = inverse(information(players, &met, &strength));
        if longest < 1e-12 {
            break;
        }
    }
    (strength, covariance)
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The information matrix, with 1/n added everywhere: only differences are known, and this fixes their mean at 0. Its inverse has
/// 1/n too much everywhere. The diagonal is raised a little, so that players whom no games connect get wide intervals.
fn information(players: usize, pairings: &[Pairing], strength: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![1.0 / players.max(1) as f64; players]; players];
    (0..players).for_each(|i| matrix[i][i] += 1e-9);
    for p in pairings {
        let q = expected(strength[p.a] - strength[p.b]);
        let weight = p.games * q * (1.0 - q);
        matrix[p.a][p.a] += weight;
        matrix[p.b][p.b] += weight;
        matrix[p.a][p.b] -= weight;
        matrix[p.b][p.a] -= weight;
    }
    matrix
}

/// By Gauss and Jordan.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let divisor = matrix[column][column];
        for j in 0..n {
            matrix[column][j] /= divisor;
            inverse[column][j] /= divisor;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for j in 0..n {
                matrix[row][j] -= factor * matrix[column][j];
                inverse[row][j] -= factor * inverse[column][j];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{elo, near};

    /// Baseball, American League East 1987 (Agresti, Categorical Data Analysis, section 10.6): games won by the row's team against the
    /// column's. The abilities relative to Baltimore are Agresti's, also those of R's BradleyTerry2.
    #[test]
    fn agrestis_baseball_teams() {
        let won = [
            [0, 7, 9, 7, 7, 9, 11], // Milwaukee
            [6, 0, 7, 5, 11, 9, 9], // Detroit
            [4, 6, 0, 7, 7, 8, 12], // Toronto
            [6, 8, 6, 0, 6, 7, 10], // New York
            [6, 2, 6, 7, 0, 7, 12], // Boston
            [4, 4, 5, 6, 6, 0, 6],  // Cleveland
            [2, 4, 1, 3, 1, 7, 0],  // Baltimore
        ];
        let mut pairings = Vec::new();
        for (a, row) in won.iter().enumerate() {
            for (b, &wins) in row.iter().enumerate().skip(a + 1) {
                let (score, lost) = (f64::from(wins), f64::from(won[b][a]));
                pairings.push(Pairing { a, b, score, games: score + lost });
            }
        }
        let ratings = bradley_terry(7, &pairings, 0.0);
        let abilities = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
        for (rating, ability) in ratings.iter().zip(abilities) {
            near((rating.elo - ratings[6].elo) * std::f64::consts::LN_10 / 400.0, ability, 5e-5);
        }
        near(ratings.iter().map(|rating| rating.elo).sum(), 0.0, 1e-6);
    }

    /// With two players the difference is that of the score, and its standard error in log-odds is 1/√(n p (1−p)); each rating has
    /// half of it.
    #[test]
    fn two_players() {
        let ratings = bradley_terry(2, &[Pairing { a: 0, b: 1, score: 75.0, games: 100.0 }], 0.0);
        near(ratings[0].elo - ratings[1].elo, elo(0.75), 1e-6);
        let reach =
            z_for_confidence(0.95) / (100.0f64 * 0.75 * 0.25).sqrt() * 400.0 / std::f64::consts::LN_10;
        near(ratings[0].ci95.half_width(), reach / 2.0, 1e-6);
    }

    #[test]
    fn in_a_chain_intervals_grow_with_the_distance() {
        let step = |a| Pairing { a, b: a + 1, score: 15.0, games: 20.0 };
        let all = bradley_terry_above(4, &[step(0), step(1), step(2)], 0.0, 3);
        near(all[3].elo, 0.0, 1e-9);
        near(all[3].ci95.half_width(), 0.0, 1e-3);
        near(all[2].elo, elo(0.75), 1e-6);
        near(all[0].elo, 3.0 * elo(0.75), 1e-6);
        near(all[0].ci95.half_width(), 3f64.sqrt() * all[2].ci95.half_width(), 1e-3);
    }

    #[test]
    fn who_wins_every_game_has_a_finite_rating() {
        let ratings = bradley_terry(3, &[Pairing { a: 0, b: 1, score: 10.0, games: 10.0 }], VIRTUAL_DRAWS);
        near(ratings[0].elo - ratings[1].elo, elo(10.5 / 11.0), 1e-6);
        assert!(ratings.iter().all(|rating| rating.elo.is_finite()), "{ratings:?}");
    }
}
