//! What a move costs: the one measure by which the page and reviews judge moves.

use tengen_board::Color;
use tengen_engine::search::value_for;

/// What a position is worth to Black.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Winning chances, 0 to 1.
    pub value: f32,
    /// Lead in points.
    pub score: f32,
}

/// What a move has lost; nothing if it has gained.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// Points.
    pub points: f32,
    /// Winning chances, 0 to 1.
    pub chances: f32,
}

impl Evaluation {
    /// What `color` loses where `after` comes instead of this.
    #[must_use]
    pub fn lost(self, after: Evaluation, color: Color) -> Loss {
        Loss {
            points: ((self.score - after.score) * color.sign() as f32).max(0.0),
            chances: (value_for(self.value, color) - value_for(after.value, color)).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_the_movers() {
        let before = Evaluation { value: 0.6, score: 2.0 };
        let after = Evaluation { value: 0.5, score: -1.0 };
        let lost = before.lost(after, Color::Black);
        assert!((lost.points - 3.0).abs() < 1e-6 && (lost.chances - 0.1).abs() < 1e-6, "{lost:?}");
        assert_eq!(before.lost(after, Color::White), Loss::default());
    }
}
