//! Sums over the scores of games.

use tengen_board::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// Black's points minus White's, komi included.
    pub(super) score: f32,
    /// 1 if Black won, 0 if White did, ½ for a draw.
    pub(super) black_value: f32,
}

/// Mean and spread of scores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScoreStats {
    games: u32,
    black_value: f64,
    sum: f64,
    squares: f64,
}

impl ScoreStats {
    #[inline]
    pub(super) fn add(&mut self, sample: Sample) {
        let score = f64::from(sample.score);
        self.games += 1;
        self.black_value += f64::from(sample.black_value);
        self.sum += score;
        self.squares += score * score;
    }

    #[inline]
    pub(super) fn games(&self) -> u32 {
        self.games
    }

    /// The mean score; 0 before the first game.
    #[inline]
    pub(super) fn mean(&self) -> f64 {
        self.sum / f64::from(self.games.max(1))
    }

    /// The mean score as `color` sees it.
    #[inline]
    pub(super) fn mean_for(&self, color: Color) -> f64 {
        self.mean() * f64::from(color.sign())
    }

    /// Black's share of the games; ½ before the first.
    pub(super) fn black_value(&self) -> f32 {
        if self.games == 0 { 0.5 } else { (self.black_value / f64::from(self.games)) as f32 }
    }

    /// The standard deviation of single scores.
    pub(super) fn deviation(&self) -> f64 {
        let mean = self.mean();
        (self.squares / f64::from(self.games.max(1)) - mean * mean).max(0.0).sqrt()
    }

    /// The standard error of the mean; infinite before the second game.
    pub(super) fn error(&self) -> f64 {
        if self.games < 2 {
            return f64::INFINITY;
        }
        self.deviation() / f64::from(self.games - 1).sqrt()
    }
}

#[cfg(test)]
pub(super) fn stats_of(scores: &[f32]) -> ScoreStats {
    let mut stats = ScoreStats::default();
    for &score in scores {
        stats.add(Sample { score, black_value: if score > 0.0 { 1.0 } else { 0.0 } });
    }
    stats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_deviation_and_error_of_a_hand_worked_example() {
        // Deviations from the mean 5: −3, −1, −1, −1, 0, 0, 2, 4; their squares sum to 32.
        let stats = stats_of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((stats.games(), stats.mean(), stats.deviation()), (8, 5.0, 2.0));
        assert!((stats.error() - (32.0f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert_eq!((stats.mean_for(Color::White), stats.black_value()), (-5.0, 1.0));
    }

    #[test]
    fn nothing_is_known_before_the_first_game() {
        let stats = ScoreStats::default();
        assert_eq!((stats.mean(), stats.black_value(), stats.error()), (0.0, 0.5, f64::INFINITY));
    }
}
