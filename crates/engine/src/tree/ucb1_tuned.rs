//! **What.** UCB1-tuned: the exploration term shrinks where results vary little.
//!
//! **Formula.** v_i + exploration · √(ln N / T_i · min(1/4, v_i (1 − v_i) + √(2 ln N / T_i))).
//!
//! **Source.** Auer, Cesa-Bianchi, Fischer 2002, section 4; used for Go by Gelly et al. 2006.
//!
//! **Differences.** The variance is that of results that are won or lost; for evaluations in between it is an upper bound.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeView, TreePolicy, argmax};
use crate::rng::Rng;

/// Parameters of [`Ucb1Tuned`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ucb1TunedConfig {
    /// Weight of the exploration term: 1 in the paper, 0.4 in Orego.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub exploration: f32,
    /// Score of a move that was never tried and of which nothing is known.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub first_play_urgency: f32,
}

impl Default for Ucb1TunedConfig {
    fn default() -> Self {
        Ucb1TunedConfig { exploration: 1.0, first_play_urgency: 10.0 }
    }
}

/// Selects the highest upper confidence bound, tuned by the variance.
pub struct Ucb1Tuned(Ucb1TunedConfig);

impl Ucb1Tuned {
    /// The policy with these parameters.
    pub fn new(config: &Ucb1TunedConfig) -> Ucb1Tuned {
        Ucb1Tuned(config.clone())
    }
}

impl TreePolicy for Ucb1Tuned {
    fn select(&self, node: NodeView<'_>, _rng: &mut Rng) -> usize {
        let log = (node.visits.max(1) as f32).ln();
        argmax(node.edges.iter().zip(node.experience).map(|(edge, known)| {
            let (s, known) = (edge.stats(node.to_play), known.stats(node.to_play));
            let visits = s.visits + known.prior_visits;
            if visits == 0.0 {
                return self.0.first_play_urgency;
            }
            let value = (s.wins + known.prior_wins) / visits;
            let variance = value * (1.0 - value) + (2.0 * log / visits).sqrt();
            value + self.0.exploration * (log / visits * variance.min(0.25)).sqrt()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::root, *};
    use crate::tree::Tree;

    #[test]
    fn a_certain_result_is_explored_less() {
        // N = 2000, ln N = 7.60. Always lost in 1000: 0 + √(0.0076 · min(¼, 0 + 0.123)) = 0.031.
        // Half won in 1000: 0.5 + √(0.0076 · ¼) = 0.544.
        let tree = root(&[(1000, 0, 0.0, 0.0, 0.0), (1000, 500, 0.0, 0.0, 0.0)]);
        let policy = Ucb1Tuned::new(&Ucb1TunedConfig::default());
        assert_eq!(policy.select(tree.view(Tree::ROOT), &mut Rng::new(1)), 1);
        // Always won in 20 (1 + √(0.15·min(¼, 0.55)) = 1.19) against half won in 4 (0.5 + √(0.79·¼) = 0.945), N = 24.
        let tree = root(&[(20, 20, 0.0, 0.0, 0.0), (4, 2, 0.0, 0.0, 0.0)]);
        assert_eq!(policy.select(tree.view(Tree::ROOT), &mut Rng::new(1)), 0);
    }
}
