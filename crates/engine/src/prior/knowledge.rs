//! **What.** Go knowledge as equivalent experience: a move that experts would play starts with visits that were won.
//!
//! **Formula.** The probability of a move is p = Π γ(feature) over its features, divided by the sum over all candidates.
//! It starts with `even` visits, half of them won, and `weight` · √p visits that were won, in its own statistics or in its
//! all-moves-as-first statistics.
//!
//! **Source.** Gelly and Silver 2007 (heuristic priors); S3.1. Coulom 2007 for features whose weights are learned from
//! game records as Bradley-Terry strengths. Visits in proportion to √p as in Pachi, which gives 210 (9x9) to 300 of them.
//!
//! **Differences.** The learned weights are in `knowledge.weights`, whose first lines say what `tengen train knowledge` learned them
//! from; those of the wide shapes are in `knowledge.shapes`, five bytes each. Hand-made weights know captures, ways out of atari
//! and the 3x3 shapes of MoGo, as the programs before learned weights did.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move};

use crate::{
    prior::{
        feature_weights::{FeatureWeights, shape_log},
        features::{FeatureReader, Features},
    },
    search::Candidate,
};

/// Where equivalent experience is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnowledgeTarget {
    /// In the all-moves-as-first statistics, as in S3.1.
    #[default]
    Amaf,
    /// In the move's own statistics, as in Pachi.
    Value,
}

/// Where the weights of features come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnowledgeSource {
    /// Learned from games.
    #[default]
    Learned,
    /// Set by hand: capture, escape and 3x3 shapes, as in S3.1.
    HandMade,
}

/// Parameters of [`Knowledge`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Where the weights come from.
    #[schemars(extend("x-peer" = true))]
    pub source: KnowledgeSource,
    /// Where the experience is counted.
    #[schemars(extend("x-peer" = true))]
    pub target: KnowledgeTarget,
    /// Visits of every move, half of them won. Pachi: 14 to 20; michi: 10.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub even: f32,
    /// Won visits of a move of probability 1. Pachi: 210 to 300.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub weight: f32,
    /// The probability of a pass.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub pass: f32,
    /// The share of the probabilities that all moves get alike, so that none is forgotten.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub equal_share: f32,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        KnowledgeConfig {
            source: KnowledgeSource::Learned,
            target: KnowledgeTarget::Amaf,
            even: 20.0,
            weight: 250.0,
            pass: 0.001,
            equal_share: 0.0,
        }
    }
}

/// The weights that come with the program, as factors, computed once.
static STANDARD: LazyLock<Factors> = LazyLock::new(|| Factors::new(FeatureWeights::standard()));

/// Those set by hand.
static HAND_MADE: LazyLock<Factors> = LazyLock::new(|| Factors::new(FeatureWeights::hand_made()));

/// What the strengths of moves are multiplied from. The weights of wide shapes stay bytes, of which more fit a cache.
struct Factors {
    weights: FeatureWeights,
    named: Vec<f32>,
    shapes: Vec<u8>,
    steps: [f32; 256],
}

impl Factors {
    fn new(weights: FeatureWeights) -> Factors {
        Factors {
            named: weights.logs()[..Features::NAMED].iter().map(|log| log.exp()).collect(),
            shapes: weights.shape_bytes().into_iter().skip(4).step_by(5).collect(),
            steps: std::array::from_fn(|byte| shape_log(byte as u8).exp()),
            weights,
        }
    }

    #[inline]
    fn of(&self, feature: u32) -> f32 {
        let feature = feature as usize;
        match feature.checked_sub(Features::NAMED) {
            None => self.named[feature],
            Some(shape) => self.steps[usize::from(self.shapes[shape])],
        }
    }
}

/// Gives candidates their equivalent experience.
pub struct Knowledge {
    config: KnowledgeConfig,
    factors: &'static Factors,
    reader: FeatureReader,
}

impl Knowledge {
    /// The knowledge with these parameters.
    pub fn new(config: &KnowledgeConfig) -> Knowledge {
        let factors = match config.source {
            KnowledgeSource::Learned => &*STANDARD,
            KnowledgeSource::HandMade => &*HAND_MADE,
        };
        Knowledge { config: config.clone(), factors, reader: factors.weights.reader() }
    }

    /// Rates the candidates of a position that the last two moves led to, the later first.
    pub fn rate(&mut self, board: &Board, last_two: [Move; 2], candidates: &mut [Candidate]) {
        let factors = self.factors;
        self.reader.look(board, last_two);
        let mut total = 0.0;
        for candidate in candidates.iter_mut() {
            candidate.prior = match candidate.mv.vertex() {
                None => 0.0,
                Some(v) => {
                    let features = self.reader.features(board, v);
                    features.iter().map(|&feature| factors.of(feature)).product()
                }
            };
            total += candidate.prior;
        }
        let KnowledgeConfig { target, even, weight, pass, equal_share, .. } = self.config;
        let scale = if total > 0.0 { (1.0 - equal_share) / total } else { 0.0 };
        let equal = equal_share / candidates.len().max(1) as f32;
        for candidate in candidates {
            candidate.prior = if candidate.mv.is_pass() { pass } else { candidate.prior * scale + equal };
            let won = weight * candidate.prior.sqrt();
            let (visits, wins) = (even + won, even / 2.0 + won);
            let black = if board.to_play() == Color::Black { wins } else { visits - wins };
            match target {
                KnowledgeTarget::Amaf => {
                    candidate.amaf_visits += visits;
                    candidate.amaf_black_value += black;
                }
                KnowledgeTarget::Value => {
                    candidate.prior_visits += visits;
                    candidate.prior_black_value += black;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::features::lines;

    #[test]
    fn the_first_moves_on_a_large_board_are_in_the_corners() {
        let board = Board::new(19, 19);
        let mut candidates: Vec<_> = board.empties().iter().map(|&v| Candidate::new(v.into())).collect();
        Knowledge::new(&KnowledgeConfig::default()).rate(&board, [Move::PASS; 2], &mut candidates);
        let corner = |c: &&Candidate| {
            c.mv.vertex().is_some_and(|v| {
                let (cols, rows) = lines(&board, v);
                (2..=4).contains(&cols) && (2..=4).contains(&rows)
            })
        };
        let share: f32 = candidates.iter().filter(corner).map(|c| c.prior).sum();
        assert!(share > 0.7, "{share}");
    }

    #[test]
    fn probabilities_add_up_and_experience_follows_them() {
        let mut board =
            Board::from_diagram(". . . . . / . X O . . / . O X . . / . . . . . / . . . . .").unwrap();
        board.set_to_play(Color::White);
        let mut candidates: Vec<_> = board.empties().iter().map(|&v| Candidate::new(v.into())).collect();
        let config = KnowledgeConfig { even: 10.0, weight: 100.0, ..KnowledgeConfig::default() };
        Knowledge::new(&config).rate(&board, ["C3".parse().unwrap(), Move::PASS], &mut candidates);
        let total: f32 = candidates.iter().map(|c| c.prior).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
        for c in &candidates {
            let won = 100.0 * c.prior.sqrt();
            assert!((c.amaf_visits - (10.0 + won)).abs() < 1e-3);
            // White's wins are Black's losses.
            assert!((c.amaf_black_value - 5.0).abs() < 1e-3);
        }
    }

    #[test]
    fn hand_made_knowledge_is_captures_escapes_and_shapes() {
        // A4 captures two stones, E1 and E5 are nothing.
        let board = Board::from_diagram(". . . . . / . X . . . / O O X . . / X O X . . / . X . . .").unwrap();
        let mut candidates: Vec<_> = board.empties().iter().map(|&v| Candidate::new(v.into())).collect();
        let config = KnowledgeConfig { source: KnowledgeSource::HandMade, ..KnowledgeConfig::default() };
        Knowledge::new(&config).rate(&board, ["B2".parse().unwrap(), Move::PASS], &mut candidates);
        let prior = |at: &str| candidates.iter().find(|c| c.mv == at.parse().unwrap()).unwrap().prior;
        assert!(prior("A4") > 10.0 * prior("E1") && prior("A4") > prior("A1"), "{candidates:?}");
        assert!((prior("E5") - prior("E1")).abs() < 1e-6, "lines and distances do not count");
        let known = FeatureWeights::hand_made().logs().iter().filter(|log| **log != 0.0).count();
        assert!((100..1000).contains(&known), "{known}");
    }
}
