//! The search tree, and the rules by which moves are selected in it. One file a rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rng::Rng;

mod arena;
mod puct;
mod rave;
mod thompson;
mod ucb1;
mod ucb1_tuned;

pub use arena::{AtomicF32, Edge, EdgeStats, Experience, ExperienceStats, NodeId, NodeView, Tree};
pub use puct::{Puct, PuctConfig};
pub use rave::{Rave, RaveConfig, RaveSchedule};
pub use thompson::{Thompson, ThompsonConfig};
pub use ucb1::{Ucb1, Ucb1Config};
pub use ucb1_tuned::{Ucb1Tuned, Ucb1TunedConfig};

/// Selects moves in the tree.
pub trait TreePolicy: Send + Sync {
    /// The index of the edge to follow.
    fn select(&self, node: NodeView<'_>, rng: &mut Rng) -> usize;

    /// Whether all-moves-as-first statistics are needed.
    fn uses_amaf(&self) -> bool {
        false
    }

    /// Whether it looks at [`NodeView::experience`], which otherwise is not kept.
    fn uses_experience(&self) -> bool {
        true
    }
}

/// A tree policy and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TreePolicyConfig {
    /// See [`Ucb1`].
    Ucb1(Ucb1Config),
    /// See [`Ucb1Tuned`].
    Ucb1Tuned(Ucb1TunedConfig),
    /// See [`Rave`].
    Rave(RaveConfig),
    /// See [`Puct`].
    Puct(PuctConfig),
    /// See [`Thompson`].
    Thompson(ThompsonConfig),
}

impl Default for TreePolicyConfig {
    fn default() -> Self {
        TreePolicyConfig::Rave(RaveConfig::default())
    }
}

impl TreePolicyConfig {
    /// The running policy.
    pub fn build(&self) -> Box<dyn TreePolicy> {
        match self {
            TreePolicyConfig::Ucb1(config) => Box::new(Ucb1::new(config)),
            TreePolicyConfig::Ucb1Tuned(config) => Box::new(Ucb1Tuned::new(config)),
            TreePolicyConfig::Rave(config) => Box::new(Rave::new(config)),
            TreePolicyConfig::Puct(config) => Box::new(Puct::new(config)),
            TreePolicyConfig::Thompson(config) => Box::new(Thompson::new(config)),
        }
    }

    /// Every kind with its default parameters.
    pub fn all_kinds() -> Vec<TreePolicyConfig> {
        vec![
            TreePolicyConfig::Ucb1(Ucb1Config::default()),
            TreePolicyConfig::Ucb1Tuned(Ucb1TunedConfig::default()),
            TreePolicyConfig::Rave(RaveConfig::default()),
            TreePolicyConfig::Puct(PuctConfig::default()),
            TreePolicyConfig::Thompson(ThompsonConfig::default()),
        ]
    }
}

/// The index of the largest score; the first of equals.
#[inline]
fn argmax(scores: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (i, score) in scores.enumerate() {
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

#[cfg(test)]
pub(crate) mod fixture {
    use tengen_board::{Color, Vertex};

    use super::{NodeId, Rave, RaveConfig, Tree};
    use crate::search::Candidate;

    /// A root with Black to play and one edge for each (visits, wins, amaf visits, amaf wins, prior).
    pub(crate) fn root(edges: &[(u32, u32, f32, f32, f32)]) -> Tree {
        let tree = Tree::with_capacity(1 << 16, &Rave::new(&RaveConfig::default()));
        let candidates: Vec<_> = edges
            .iter()
            .enumerate()
            .map(|(i, &(_, _, amaf_visits, amaf_black_value, prior))| Candidate {
                prior,
                amaf_visits,
                amaf_black_value,
                ..Candidate::new(Vertex::new(i, 0).into())
            })
            .collect();
        let id: NodeId = tree.add(Color::Black, 0.5, &candidates).unwrap();
        for (edge, &(visits, wins, ..)) in tree.view(id).edges.iter().zip(edges) {
            for i in 0..visits {
                let value = if i < wins { 1.0 } else { 0.0 };
                edge.record(value);
                tree.visit(id, value);
            }
        }
        tree
    }
}
