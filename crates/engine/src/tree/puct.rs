//! **What.** PUCT: the prior probability of a move decides how much it is explored.
//!
//! **Formula.** Q + c · P · √N / (1 + n) with c = exploration + growth · ln((N + growth_visits) / growth_visits). A move
//! without visits has the node's value less fpu_reduction · √(sum of P over tried moves).
//!
//! **Source.** Rosin 2011; Silver et al. 2016 and 2017 (S5.6); c grows as in Silver et al. 2018 and KataGo. The reduction is
//! Leela Zero's.
//!
//! **Differences.** None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeView, TreePolicy, argmax};
use crate::rng::Rng;

/// Parameters of [`Puct`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Weight of the exploration term for values from 0 to 1.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub exploration: f32,
    /// How much that weight grows with the logarithm of the visits; 0 for not at all.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub growth: f32,
    /// Visits from which on it grows (KataGo: 500).
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1_000_000_000.0))]
    pub growth_visits: f32,
    /// How much worse than its node an untried move is assumed to be.
    #[schemars(extend("x-peer" = true), range(min = -1.0, max = 1.0))]
    pub fpu_reduction: f32,
}

impl Default for PuctConfig {
    fn default() -> Self {
        PuctConfig { exploration: 0.5, growth: 0.0, growth_visits: 500.0, fpu_reduction: 0.25 }
    }
}

/// Selects by value and prior probability.
pub struct Puct(PuctConfig);

impl Puct {
    /// The policy with these parameters.
    pub fn new(config: &PuctConfig) -> Puct {
        Puct(config.clone())
    }
}

impl TreePolicy for Puct {
    fn select(&self, node: NodeView<'_>, _rng: &mut Rng) -> usize {
        let PuctConfig { exploration, growth, growth_visits, fpu_reduction } = self.0;
        let (mut visits, mut finished, mut wins, mut tried) = (0.0, 0.0, 0.0, 0.0);
        for edge in node.edges {
            let s = edge.stats(node.to_play);
            visits += s.visits;
            finished += edge.visits() as f32;
            wins += s.wins;
            if s.visits > 0.0 {
                tried += edge.prior();
            }
        }
        // Visits under way count against their moves, not against the node.
        let value = if finished > 0.0 { wins / finished } else { 0.5 };
        let urgency = value - fpu_reduction * tried.sqrt();
        let weight = exploration + growth * (visits / growth_visits.max(1.0)).ln_1p();
        let scale = weight * visits.max(1.0).sqrt();
        argmax(node.edges.iter().map(|edge| {
            let s = edge.stats(node.to_play);
            let q = if s.visits > 0.0 { s.wins / s.visits } else { urgency };
            q + scale * edge.prior() / (1.0 + s.visits)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::root, *};
    use crate::tree::Tree;

    fn choice(edges: &[(u32, u32, f32)]) -> usize {
        let edges: Vec<_> = edges.iter().map(|&(n, w, p)| (n, w, 0.0, 0.0, p)).collect();
        Puct::new(&PuctConfig { exploration: 1.0, fpu_reduction: 0.0, ..PuctConfig::default() })
            .select(root(&edges).view(Tree::ROOT), &mut Rng::new(1))
    }

    #[test]
    fn prior_and_value_are_weighed() {
        assert_eq!(choice(&[(0, 0, 0.2), (0, 0, 0.7), (0, 0, 0.1)]), 1);
        // N = 16: 0.5 + 4·0.7/17 = 0.665 against 0.5 + 4·0.2/1 = 1.3.
        assert_eq!(choice(&[(16, 8, 0.7), (0, 0, 0.2)]), 1);
        // N = 16: 1.0 + 4·0.9/17 = 1.21 against the node's value 1.0 + 4·0.02 = 1.08.
        assert_eq!(choice(&[(16, 16, 0.9), (0, 0, 0.02)]), 0);
    }
}
