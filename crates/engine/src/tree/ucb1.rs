//! **What.** UCB1 applied to trees (UCT): the move with the highest upper confidence bound.
//!
//! **Formula.** v_i + bias · √(ln N / T_i), with N the visits of the node and T_i those of the move.
//!
//! **Source.** Auer, Cesa-Bianchi, Fischer 2002; Kocsis and Szepesvári 2006; formula 1 of Chou, Yen, Yang 2011 (S3,
//! whose text exchanges N and T_i); algorithm 1 of Liu (S5.3).
//!
//! **Differences.** Prior knowledge counts as visits where it is given. Progressive bias (Chaslot et al. 2008) adds
//! weight · prior / (T_i + 1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeView, TreePolicy, argmax};
use crate::rng::Rng;

/// Parameters of [`Ucb1`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ucb1Config {
    /// Weight of the exploration term (`bias` in S3). Theory says √2 for values from 0 to 1; Go programs use less.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub exploration: f32,
    /// Score of a move that was never tried and of which nothing is known.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub first_play_urgency: f32,
    /// Weight of the progressive bias; 0 turns it off.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub progressive_bias: f32,
}

impl Default for Ucb1Config {
    fn default() -> Self {
        Ucb1Config { exploration: 0.5, first_play_urgency: 10.0, progressive_bias: 0.0 }
    }
}

/// Selects the highest upper confidence bound.
pub struct Ucb1(Ucb1Config);

impl Ucb1 {
    /// The policy with these parameters.
    pub fn new(config: &Ucb1Config) -> Ucb1 {
        Ucb1(config.clone())
    }
}

impl TreePolicy for Ucb1 {
    fn select(&self, node: NodeView<'_>, _rng: &mut Rng) -> usize {
        let log = (node.visits.max(1) as f32).ln();
        argmax(node.edges.iter().zip(node.experience).map(|(edge, known)| {
            let (s, known) = (edge.stats(node.to_play), known.stats(node.to_play));
            let visits = s.visits + known.prior_visits;
            if visits == 0.0 {
                return self.0.first_play_urgency + self.0.progressive_bias * edge.prior();
            }
            (s.wins + known.prior_wins) / visits
                + self.0.exploration * (log / visits).sqrt()
                + self.0.progressive_bias * edge.prior() / (visits + 1.0)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::root, *};
    use crate::tree::Tree;

    fn choice(edges: &[(u32, u32)], config: &Ucb1Config) -> usize {
        let edges: Vec<_> = edges.iter().map(|&(n, w)| (n, w, 0.0, 0.0, 0.0)).collect();
        Ucb1::new(config).select(root(&edges).view(Tree::ROOT), &mut Rng::new(1))
    }

    #[test]
    fn the_bound_decides() {
        let config = Ucb1Config { exploration: 1.0, ..Ucb1Config::default() };
        // N = 20: 0.60 + √(ln 20 / 10) = 1.147 against 0.40 + √(ln 20 / 5) = 1.174 and 0.60 + √(ln 20 / 5) = 1.374.
        assert_eq!(choice(&[(10, 6), (5, 2), (5, 3)], &config), 2);
        // Without the third: N = 15, 0.60 + 0.520 = 1.120 against 0.40 + 0.736 = 1.136.
        assert_eq!(choice(&[(10, 6), (5, 2)], &config), 1);
        // And greedily the first.
        assert_eq!(choice(&[(10, 6), (5, 2)], &Ucb1Config { exploration: 0.0, ..config }), 0);
    }

    #[test]
    fn untried_moves_come_first() {
        assert_eq!(choice(&[(10, 9), (0, 0)], &Ucb1Config::default()), 1);
    }
}
