//! Advantages: what ∇ log π of each move is multiplied by.

use tengen_board::Color;

use super::Algorithm;

/// A turn of the learner in a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Who moved.
    pub(super) color: Color,
    /// The network's expectation of the reward, Black's, from −1 to 1.
    pub(super) value: f32,
}

/// G for REINFORCE, and G − V(s) for actor-critic, as the player who moved sees them; `reward` is Black's.
///
/// G is the reward, or with λ below 1 a mixture of the expectations on the way: G(t) = λ · G(t + 1) + (1 − λ) · V(t + 1), and the
/// reward after the last turn.
pub(super) fn advantages(algorithm: Algorithm, lambda: f32, turns: &[Turn], reward: f32) -> Vec<f32> {
    let mut gain = reward;
    let mut all = vec![0.0; turns.len()];
    for (i, turn) in turns.iter().enumerate().rev() {
        let sign = turn.color.sign() as f32;
        all[i] = match algorithm {
            Algorithm::Reinforce => sign * reward,
            Algorithm::ActorCritic => sign * (gain - turn.value),
        };
        gain = lambda * gain + (1.0 - lambda) * turn.value;
    }
    all
}

/// Divides by the root mean square.
pub(super) fn normalise(advantages: &mut [f32]) {
    let square = advantages.iter().map(|a| a * a).sum::<f32>() / advantages.len().max(1) as f32;
    if square > 1e-12 {
        let scale = 1.0 / square.sqrt();
        for advantage in advantages {
            *advantage *= scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advantages_are_those_of_the_formulas() {
        let turn = |color, value| Turn { color, value };
        let turns = [turn(Color::Black, 0.0), turn(Color::White, 0.5), turn(Color::Black, 0.8)];
        assert_eq!(advantages(Algorithm::Reinforce, 1.0, &turns, 1.0), [1.0, -1.0, 1.0]);
        let close = |all: Vec<f32>, expected: [f32; 3]| {
            assert!(all.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{all:?} {expected:?}");
        };
        close(advantages(Algorithm::ActorCritic, 1.0, &turns, 1.0), [1.0, -0.5, 0.2]);
        // Each looks at the value of the next turn only.
        close(advantages(Algorithm::ActorCritic, 0.0, &turns, 1.0), [0.5, -0.3, 0.2]);
        // Half way: G = 1, then 0.9, then 0.7.
        close(advantages(Algorithm::ActorCritic, 0.5, &turns, 1.0), [0.7, -0.4, 0.2]);
    }

    #[test]
    fn normalised_advantages_have_a_mean_square_of_one() {
        let mut advantages = [3.0, -4.0, 0.0];
        normalise(&mut advantages);
        assert!((advantages.iter().map(|a| a * a).sum::<f32>() / 3.0 - 1.0).abs() < 1e-6);
        let mut none = [0.0; 2];
        normalise(&mut none);
        assert_eq!(none, [0.0; 2]);
    }
}
