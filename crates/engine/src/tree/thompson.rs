//! **What.** Thompson sampling: each move draws from the posterior of its win rate, and the best draw is followed.
//!
//! **Formula.** argmax over draws from Beta(1 + w', 1 + n' − w'), w' = scale · w + P · p, n' = scale · n + P, where p is the
//! move's prior value and P the number of visits it is worth. P = 0 and scale = 1 give formula 1 of S4:
//! Beta(w + 1, n − w + 1).
//!
//! **Source.** Jin and Keutzer 2015 (S4.4).
//!
//! Visits under way, of the same batch or of other threads, do not count: draws spread by themselves, so no virtual loss is
//! needed.
//!
//! **Differences.** Where Go knowledge gives equivalent experience, it is counted too.

use rand_distr::{Beta, Distribution};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeView, TreePolicy, argmax};
use crate::rng::Rng;

/// Parameters of [`Thompson`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThompsonConfig {
    /// Visits that the prior probability is worth (P); 0 is the formula of the paper, 16 its program's setting.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub prior_equivalence: f32,
    /// Factor of all counts; below 1 the posteriors stay wide under large batches.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub scale: f32,
}

impl Default for ThompsonConfig {
    fn default() -> Self {
        ThompsonConfig { prior_equivalence: 0.0, scale: 1.0 }
    }
}

/// Selects the best draw from the posteriors.
pub struct Thompson(ThompsonConfig);

impl Thompson {
    /// The policy with these parameters.
    pub fn new(config: &ThompsonConfig) -> Thompson {
        Thompson(config.clone())
    }
}

impl TreePolicy for Thompson {
    fn select(&self, node: NodeView<'_>, rng: &mut Rng) -> usize {
        let worth = self.0.prior_equivalence;
        argmax(node.edges.iter().zip(node.experience).map(|(edge, known)| {
            let (s, known) = (edge.stats(node.to_play), known.stats(node.to_play));
            let wins = self.0.scale * s.wins + known.prior_wins + worth * edge.prior();
            let visits = self.0.scale * edge.visits() as f32 + known.prior_visits + worth;
            Beta::new(1.0 + wins.max(0.0), 1.0 + (visits - wins).max(0.0))
                .map_or(0.5, |beta| beta.sample(rng))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::root, *};
    use crate::tree::Tree;

    fn shares(edges: &[(u32, u32, f32, f32, f32)], config: &ThompsonConfig) -> Vec<f32> {
        let (tree, policy, mut rng) = (root(edges), Thompson::new(config), Rng::new(7));
        let mut counts = vec![0.0; edges.len()];
        for _ in 0..20_000 {
            counts[policy.select(tree.view(Tree::ROOT), &mut rng)] += 1.0 / 20_000.0;
        }
        counts
    }

    #[test]
    fn draws_follow_the_posterior() {
        // P(Beta(2, 1) > Beta(1, 1)) = 2/3, and equal posteriors are drawn equally.
        let share = shares(&[(1, 1, 0.0, 0.0, 0.0), (0, 0, 0.0, 0.0, 0.0)], &ThompsonConfig::default());
        assert!((share[0] - 2.0 / 3.0).abs() < 0.015, "{share:?}");
        let share = shares(&[(9, 4, 0.0, 0.0, 0.0), (9, 4, 0.0, 0.0, 0.0)], &ThompsonConfig::default());
        assert!((share[0] - 0.5).abs() < 0.015, "{share:?}");
    }

    #[test]
    fn the_prior_is_worth_visits() {
        let config = ThompsonConfig { prior_equivalence: 16.0, scale: 1.0 };
        let share = shares(&[(0, 0, 0.0, 0.0, 0.9), (0, 0, 0.0, 0.0, 0.1)], &config);
        assert!(share[0] > 0.99, "{share:?}");
    }
}
