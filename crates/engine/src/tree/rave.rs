//! **What.** Rapid action value estimation: all-moves-as-first values guide the tree until a move has visits of its own.
//!
//! **Formula.** (1 − β) · Q + β · Q̃ + exploration · √(ln N / n) + (progressive_bias + prior_exploration · √N) · P / (n + 1),
//! with n, Q the visits and value of the move, ñ, Q̃ its all-moves-as-first visits and value, P its prior probability, N the
//! visits of the node, and
//! * minimum mean squared error: β = ñ / (n + ñ + 4 b² n ñ), b the bias of Q̃;
//! * hand-selected: β = √(k / (3 N + k)), k the equivalence.
//!
//! **Source.** Gelly and Silver 2007 and 2011. Drake 2009 (S1.2) uses b = 0 and no exploration. Chaslot et al. 2008 for the
//! progressive bias, Rosin 2011 (PUCT) for exploration that follows the priors.
//!
//! **Differences.** Prior knowledge is counted in n and Q, or in ñ and Q̃, as the search's `knowledge` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EdgeStats, ExperienceStats, NodeView, TreePolicy, argmax};
use crate::rng::Rng;

/// How fast the all-moves-as-first value loses its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RaveSchedule {
    /// β = ñ / (n + ñ + 4 b² n ñ).
    MinimumMse {
        /// The bias b; 0 in S1.2. An equivalence of E visits means b = 1 / (2 √E): 0.0091 for Pachi's 3000.
        #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
        bias: f32,
    },
    /// β = √(k / (3 N + k)).
    HandSelected {
        /// The number of visits k at which both values weigh the same; 1000 or more in Gelly and Silver 2007.
        #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1_000_000_000.0))]
        equivalence: f32,
    },
}

/// Parameters of [`Rave`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RaveConfig {
    /// How fast the all-moves-as-first value loses its weight.
    #[schemars(extend("x-peer" = true))]
    pub schedule: RaveSchedule,
    /// Weight of the exploration term; 0 in S1.2.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub exploration: f32,
    /// Score of a move of which nothing is known.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub first_play_urgency: f32,
    /// Weight of the progressive bias; 0 turns it off.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub progressive_bias: f32,
    /// Weight of exploration that follows the priors. Without it a move that its all-moves-as-first value wrongs may never
    /// be looked at again, however many playouts there are; 0 turns it off.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub prior_exploration: f32,
}

impl Default for RaveConfig {
    fn default() -> Self {
        RaveConfig {
            schedule: RaveSchedule::MinimumMse { bias: 0.0 },
            exploration: 0.0,
            first_play_urgency: 1.1,
            progressive_bias: 0.0,
            prior_exploration: 0.0,
        }
    }
}

/// What enters the scores of all moves of a node.
struct Terms {
    fixed_beta: Option<f32>,
    four_bias_squared: f32,
    log: f32,
    prior_weight: f32,
}

/// Selects the best mixture of a move's value and its all-moves-as-first value.
pub struct Rave(RaveConfig);

impl Rave {
    /// The policy with these parameters.
    pub fn new(config: &RaveConfig) -> Rave {
        Rave(config.clone())
    }

    /// What is the same for all moves of a node.
    fn terms(&self, visits: u32) -> Terms {
        let visits = visits as f32;
        let (fixed_beta, four_bias_squared) = match self.0.schedule {
            RaveSchedule::MinimumMse { bias } => (None, 4.0 * bias * bias),
            RaveSchedule::HandSelected { equivalence } => {
                (Some((equivalence / (3.0 * visits + equivalence)).sqrt()), 0.0)
            }
        };
        Terms {
            fixed_beta,
            four_bias_squared,
            log: visits.max(1.0).ln(),
            prior_weight: self.0.progressive_bias + self.0.prior_exploration * visits.sqrt(),
        }
    }

    #[inline]
    fn score(&self, s: EdgeStats, known: ExperienceStats, prior: f32, terms: &Terms) -> f32 {
        let n = s.visits + known.prior_visits;
        let wins = s.wins + known.prior_wins;
        let value = if n + known.amaf_visits == 0.0 {
            self.0.first_play_urgency
        } else if known.amaf_visits == 0.0 {
            wins / n
        } else {
            let amaf = known.amaf_wins / known.amaf_visits;
            if n == 0.0 {
                amaf
            } else {
                let beta = terms.fixed_beta.unwrap_or_else(|| {
                    known.amaf_visits
                        / (n + known.amaf_visits + terms.four_bias_squared * n * known.amaf_visits)
                });
                (1.0 - beta) * (wins / n) + beta * amaf
            }
        };
        let bonus =
            if self.0.exploration > 0.0 { self.0.exploration * (terms.log / (n + 1.0)).sqrt() } else { 0.0 };
        value + bonus + terms.prior_weight * prior / (n + 1.0)
    }
}

impl TreePolicy for Rave {
    fn select(&self, node: NodeView<'_>, _rng: &mut Rng) -> usize {
        let terms = self.terms(node.visits);
        let me = node.to_play;
        argmax(
            node.edges
                .iter()
                .zip(node.experience)
                .map(|(edge, known)| self.score(edge.stats(me), known.stats(me), edge.prior(), &terms)),
        )
    }

    fn uses_amaf(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::root, *};
    use crate::tree::Tree;

    fn choice(edges: &[(u32, u32, f32, f32, f32)], schedule: RaveSchedule) -> usize {
        let policy = Rave::new(&RaveConfig { schedule, ..RaveConfig::default() });
        policy.select(root(edges).view(Tree::ROOT), &mut Rng::new(1))
    }

    #[test]
    fn weights_follow_the_schedules() {
        // Move 0: Q = 0.2 in 10, Q̃ = 0.8 in 40. Move 1: Q = 0.6 in 10, Q̃ = 0.6 in 40.
        let edges = [(10, 2, 40.0, 32.0, 0.0), (10, 6, 40.0, 24.0, 0.0)];
        // b = 0: β = 40/50 = 0.8, move 0 scores 0.2·0.2 + 0.8·0.8 = 0.68, move 1 scores 0.60.
        assert_eq!(choice(&edges, RaveSchedule::MinimumMse { bias: 0.0 }), 0);
        // b = 0.5: β = 40/(50 + 400) = 0.089, move 0 scores 0.25.
        assert_eq!(choice(&edges, RaveSchedule::MinimumMse { bias: 0.5 }), 1);
        // k = 1000, N = 20: β = √(1000/1060) = 0.97, move 0 scores 0.78.
        assert_eq!(choice(&edges, RaveSchedule::HandSelected { equivalence: 1000.0 }), 0);
        // k = 1: β = √(1/61) = 0.13, move 0 scores 0.28.
        assert_eq!(choice(&edges, RaveSchedule::HandSelected { equivalence: 1.0 }), 1);
    }

    #[test]
    fn a_likely_move_is_tried_again_however_bad_its_first_visits_were() {
        // N = 10,000. Move 0: Q = 0.6 in 9,999; move 1: one visit, lost, all-moves-as-first 0.3, and likely.
        let edges = [(9_999, 6_000, 40.0, 24.0, 0.01), (1, 0, 40.0, 12.0, 0.3)];
        let choice = |prior_exploration| {
            let policy = Rave::new(&RaveConfig { prior_exploration, ..RaveConfig::default() });
            policy.select(root(&edges).view(Tree::ROOT), &mut Rng::new(1))
        };
        assert_eq!(choice(0.0), 0);
        // The bonus of move 1 is 0.8 · √10,000 · 0.3 / 2 = 12, that of move 0 nothing.
        assert_eq!(choice(0.8), 1);
    }

    #[test]
    fn unknown_moves_get_the_first_play_urgency() {
        assert_eq!(
            choice(&[(10, 10, 10.0, 10.0, 0.0), (0, 0, 0.0, 0.0, 0.0)], RaveConfig::default().schedule),
            1
        );
    }
}
