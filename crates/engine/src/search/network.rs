//! How a search uses networks, and what a network says about one position: plain numbers, no tensors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::VertexMap;

/// What a search takes from a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Share of a playout's result in the value of a leaf that becomes a node, λ (AlphaGo 2016: 0.5; AlphaGo Zero: 0, no playouts
    /// at all). Above 0, a leaf that does not become a node yet (`expand_visits`) is valued by a playout alone.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub mix: f32,
    /// Whether the network sees each position in a random symmetry, so that its quirks cancel out.
    #[schemars(extend("x-peer" = true))]
    pub symmetries: bool,
    /// Softmax temperature of the priors: above 1 they are more alike.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub policy_temperature: f32,
    /// How far priors lean towards the optimistic policy, which KataGo's networks have since 2023 (KataGo: 1).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub policy_optimism: f32,
    /// The same at the root (KataGo: 0.2).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub root_policy_optimism: f32,
    /// Share of the priors that is equal for all moves, so that none is overlooked for good.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub equal_share: f32,
    /// How much the expected score counts in the value of a leaf, beside the chance to win: of two moves that win as often the one
    /// that wins by more is better. Values of moves are then mixtures. 0 for not at all (KataGo: about 0.25).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub score_share: f32,
    /// Positions whose evaluations are remembered, by all threads together: about 3 kB each on 19x19.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub cache: usize,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        NetworkConfig {
            mix: 0.0,
            symmetries: true,
            policy_temperature: 1.0,
            policy_optimism: 1.0,
            root_policy_optimism: 0.2,
            equal_share: 0.0,
            score_share: 0.0,
            cache: 20_000,
        }
    }
}

/// How a network plays the rollouts of a search (S4.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RolloutConfig {
    /// Softmax temperature of its moves, from 0.1 to 100: below 1 rollouts are greedier, above 1 more alike uniform ones.
    #[schemars(extend("x-peer" = true), range(min = 0.1, max = 100.0))]
    pub temperature: f32,
}

impl Default for RolloutConfig {
    fn default() -> Self {
        RolloutConfig { temperature: 1.0 }
    }
}

/// What a network says about a position, with all that KataGo's `kata-raw-nn` shows.
#[derive(Clone, Debug)]
pub struct RawEvaluation {
    /// Probability that Black wins.
    pub black_win: f32,
    /// Probability that White wins.
    pub white_win: f32,
    /// Probability of a game without result.
    pub no_result: f32,
    /// Black's lead in points.
    pub lead: f32,
    /// Mean of Black's score in self-play games from here.
    pub score: f32,
    /// Mean of its square.
    pub score_squared: f32,
    /// Probabilities of the legal moves; not a number elsewhere.
    pub policy: VertexMap<f32>,
    /// Probability of a pass.
    pub pass: f32,
    /// Each point's owner, from −1 (White) to 1, if the network tells it.
    pub ownership: Option<VertexMap<f32>>,
    /// How sure the network is, if it tells that.
    pub uncertainty: Option<Uncertainty>,
}

/// How sure a network is of what it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uncertainty {
    /// After how many turns, roughly, the game is decided.
    pub variance_time: f32,
    /// By how much the chance to win less the chance to lose is likely to change within a few turns.
    pub value_error: f32,
    /// By how many points the score is likely to change.
    pub score_error: f32,
}
