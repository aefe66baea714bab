//! **What.** PUCT: the prior probability of a move decides how much it is explored.
//!
//! **Formula.** Q + c · P · √N / (1 + n) with c = exploration + growth · ln((N + growth_visits) / growth_visits). A move
//! without visits has the node's value less fpu_reduction · √t, where t is the sum of P over tried moves. With fpu_blend the
//! node's value is t² · mean + (1 − t²) · own, its own evaluation before any move was tried.
//!
//! With deviation_scale, c is multiplied by 1 + deviation_scale · (σ / expected_deviation − 1): more is tried where values differ
//! much, less where they are alike. σ² is the variance of the values below the node, with two values' worth of the expected one.
//!
//! **Source.** Rosin 2011; Silver et al. 2016 and 2017 (S5.6); c grows as in Silver et al. 2018 and KataGo. The reduction is
//! Leela Zero's; the blend and the scaling by deviation are KataGo's (*KataGoMethods*, dynamic variance-scaled cPUCT).
//!
//! **Differences.** Values are from 0 to 1, so KataGo's constants for utilities from −1 to 1 are halved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeView, TreePolicy, argmax};
use crate::{rng::Rng, search::value_for};

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
    /// Whether its node's own evaluation counts in that until moves of most of the prior have been tried (KataGo does it).
    #[schemars(extend("x-peer" = true))]
    pub fpu_blend: bool,
    /// How much the exploration follows the deviation of the values below a node; 0 for not at all (KataGo: 0.85).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 10.0))]
    pub deviation_scale: f32,
    /// The deviation at which the exploration is as `exploration` says (KataGo: 0.2).
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub expected_deviation: f32,
}

impl Default for PuctConfig {
    fn default() -> Self {
        PuctConfig {
            exploration: 0.5,
            growth: 0.0,
            growth_visits: 500.0,
            fpu_reduction: 0.25,
            fpu_blend: false,
            deviation_scale: 0.0,
            expected_deviation: 0.2,
        }
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

/// The deviation of so many values with this mean and sum of squares, and of two more that differ as expected.
fn deviation(count: f32, mean: f32, squares: f32, expected: f32) -> f32 {
    const EXPECTED_COUNT: f32 = 2.0;
    let spread = (squares - count * mean * mean).max(0.0);
    ((EXPECTED_COUNT * expected * expected + spread) / (EXPECTED_COUNT + (count - 1.0).max(0.0))).sqrt()
}

impl TreePolicy for Puct {
    fn select(&self, node: NodeView<'_>, _rng: &mut Rng) -> usize {
        let PuctConfig { exploration, growth, growth_visits, fpu_reduction, .. } = self.0;
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
        let mean = if finished > 0.0 { wins / finished } else { 0.5 };
        let value = if self.0.fpu_blend {
            let share = (tried * tried).min(1.0);
            share * mean + (1.0 - share) * value_for(node.own_value, node.to_play)
        } else {
            mean
        };
        let urgency = value - fpu_reduction * tried.sqrt();
        let mut weight = exploration + growth * (visits / growth_visits.max(1.0)).ln_1p();
        if self.0.deviation_scale > 0.0 {
            let expected = self.0.expected_deviation;
            // The squares are those of Black's values.
            let black_mean = value_for(mean, node.to_play);
            let seen = deviation(node.visits as f32, black_mean, node.squares, expected);
            weight *= (1.0 + self.0.deviation_scale * (seen / expected - 1.0)).max(0.0);
        }
        let scale = weight * visits.max(1.0).sqrt();
        argmax(node.edges.iter().map(|edge| {
            let s = edge.stats(node.to_play);
            let q = if s.visits > 0.0 { s.wins / s.visits } else { urgency };
            q + scale * edge.prior() / (1.0 + s.visits)
        }))
    }

    fn uses_experience(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Vertex};

    use super::{super::fixture::root, *};
    use crate::{search::Candidate, tree::Tree};

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

    fn node(config: &PuctConfig, own_value: f32, values: &[&[f32]], priors: &[f32]) -> usize {
        let tree = Tree::with_capacity(1 << 16, &Puct::new(config));
        let candidate = |(i, &prior)| Candidate { prior, ..Candidate::new(Vertex::new(i, 0).into()) };
        let candidates: Vec<_> = priors.iter().enumerate().map(candidate).collect();
        tree.add(Color::Black, own_value, &candidates).unwrap();
        for (edge, values) in tree.view(Tree::ROOT).edges.iter().zip(values) {
            for &value in *values {
                edge.record(value);
                tree.visit(Tree::ROOT, value);
            }
        }
        Puct::new(config).select(tree.view(Tree::ROOT), &mut Rng::new(1))
    }

    #[test]
    fn the_nodes_own_evaluation_counts_until_enough_was_tried() {
        // One move of prior 0.5 came out at 0.2, the node itself at 0.8: the other is worth 0.25 · 0.2 + 0.75 · 0.8 = 0.65.
        let config = PuctConfig { exploration: 0.0, fpu_reduction: 0.0, ..PuctConfig::default() };
        let blended = PuctConfig { fpu_blend: true, ..config.clone() };
        let choice = |config, seen| node(config, 0.8, &[&[seen], &[]], &[0.5, 0.5]);
        assert_eq!((choice(&blended, 0.2), choice(&blended, 0.7), choice(&blended, 0.9)), (1, 1, 0));
        assert_eq!((choice(&config, 0.2), choice(&config, 0.7)), (0, 0), "equal to the mean: the first");
    }

    #[test]
    fn exploration_follows_the_deviation() {
        assert_eq!(deviation(0.0, 0.5, 0.0, 0.2), 0.2);
        // Four values 0, 1, 0, 1: a spread of 1, and 0.08 expected, over 5.
        assert!((deviation(4.0, 0.5, 2.0, 0.2) - (1.08f32 / 5.0).sqrt()).abs() < 1e-6);
        let config = PuctConfig { exploration: 0.15, fpu_reduction: 0.0, ..PuctConfig::default() };
        let scaled = PuctConfig { deviation_scale: 0.85, ..config.clone() };
        let alike: &[&[f32]] = &[&[0.6; 8], &[0.5]];
        let different: &[&[f32]] = &[&[1.0, 0.2, 1.0, 0.2, 1.0, 0.2, 0.6, 0.6], &[0.5]];
        let choice = |config, values| node(config, 0.5, values, &[0.4, 0.6]);
        // Unscaled, 0.6 + 0.15·3·0.4/9 = 0.62 against 0.5 + 0.15·3·0.6/2 = 0.635.
        assert_eq!((choice(&config, alike), choice(&config, different)), (1, 1));
        assert_eq!((choice(&scaled, alike), choice(&scaled, different)), (0, 1));
    }
}
