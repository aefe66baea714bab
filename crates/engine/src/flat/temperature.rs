//! Games whose moves are chosen by their values so far.
//!
//! **What.** Where nothing is urgent by the playout policy, each legal move that does not fill an own eye is played with a
//! probability that grows with its all-moves-as-first value. Values are those of the games before, so they change from
//! game to game. `K` may be constant or be annealed: then it goes evenly from a first to a last value during the search.
//!
//! **Formula.** P(move) ∝ exp(K·v), where `v` is the mean score of the games in which the player was first at the point,
//! from the player's side, divided by `scale`. What all moves have in common cancels, so `v` is counted from the mean of all
//! games; a point where the player was never first has `v` = 0.
//!
//! **Source.** Bouzy and Helmstetter 2003, "temperature" and "simulated annealing"; S2.4. On 9x9 the paper gives −8.1, 0,
//! +2.6, −4.9, −11.3 points for K = 0, 2, 5, 10, 20, and no gain for annealing from 0 to 5.
//!
//! **Differences.** The scale of `v` is not in the text: it is a parameter here, to be stated with every result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, CELLS, Color, ColorMap, Move, Vertex, VertexMap};

use super::amaf::AmafTable;
use crate::{
    playout::{EyeRule, FinishedPlayout, PlayoutPolicy},
    rng::Rng,
};

/// Parameters of the temperature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemperatureConfig {
    /// `K`, at the end of the search if it is annealed (paper: 2; 5 for annealing). 0 chooses evenly.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub k: f32,
    /// `K` at the begin of the search, if it is annealed (paper: 0); constant if absent.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub k_first: Option<f32>,
    /// Points that make `v` = 1.
    #[schemars(extend("x-peer" = true), range(min = 0.01, max = 1000.0))]
    pub scale: f32,
}

impl Default for TemperatureConfig {
    fn default() -> Self {
        TemperatureConfig { k: 2.0, k_first: None, scale: 20.0 }
    }
}

impl TemperatureConfig {
    /// `K` when a share of the search is over.
    fn k_at(&self, progress: f32) -> f32 {
        self.k_first.map_or(self.k, |first| first + (self.k - first) * progress)
    }
}

/// Exponents beyond this are cut, so that sums of weights stay finite.
const STEEPEST: f32 = 60.0;

pub(super) struct Tempered {
    config: TemperatureConfig,
    eyes: EyeRule,
    base: Box<dyn PlayoutPolicy>,
    points: Vec<Vertex>,
    /// exp(K·v).
    weights: ColorMap<VertexMap<f32>>,
    /// Of the empty points, in their order, while a move is chosen.
    drawn_from: [f32; CELLS],
}

impl Tempered {
    pub(super) fn new(
        config: &TemperatureConfig,
        board: &Board,
        eyes: EyeRule,
        base: Box<dyn PlayoutPolicy>,
    ) -> Tempered {
        Tempered {
            config: config.clone(),
            eyes,
            base,
            points: board.points().collect(),
            weights: ColorMap([VertexMap::filled(1.0); 2]),
            drawn_from: [0.0; CELLS],
        }
    }

    /// Takes the values after another game.
    pub(super) fn update(&mut self, table: &AmafTable, progress: f32) {
        let steepness = self.config.k_at(progress) / self.config.scale;
        for color in Color::ALL {
            for &v in &self.points {
                let exponent = steepness * table.advantage(color, v) as f32;
                self.weights[color][v] = exponent.clamp(-STEEPEST, STEEPEST).exp();
            }
        }
    }
}

impl PlayoutPolicy for Tempered {
    fn urgent(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        self.base.urgent(board, moves, rng)
    }

    /// Points that cannot be played are found out when they are drawn, and are not drawn again.
    fn quiet(&mut self, board: &mut Board, _moves: &[Move], rng: &mut Rng) -> Move {
        let me = board.to_play();
        let empties = board.empties();
        let weights = &mut self.drawn_from[..empties.len()];
        for (weight, &v) in weights.iter_mut().zip(empties) {
            *weight = self.weights[me][v];
        }
        loop {
            let mut place = rng.unit() * weights.iter().sum::<f32>();
            let mut drawn = None;
            for (i, &weight) in weights.iter().enumerate() {
                // The last one if rounding leads past the end.
                if weight > 0.0 {
                    drawn = Some(i);
                    place -= weight;
                    if place < 0.0 {
                        break;
                    }
                }
            }
            let Some(i) = drawn else { return Move::PASS };
            if self.eyes.is_playable(board, empties[i], me) {
                return empties[i].into();
            }
            weights[i] = 0.0;
        }
    }

    fn finish(&mut self, playout: &FinishedPlayout<'_>) {
        self.base.finish(playout);
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(Tempered {
            config: self.config.clone(),
            base: self.base.fork(),
            points: self.points.clone(),
            ..*self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        flat::stats::Sample,
        playout::{PlayoutConfig, Uniform, UniformConfig},
    };

    const DRAWS: usize = 40_000;

    fn tempered(config: &TemperatureConfig, board: &Board) -> Tempered {
        Tempered::new(config, board, EyeRule::default(), PlayoutConfig::default().build())
    }

    /// How often each point is chosen.
    fn shares(policy: &mut dyn PlayoutPolicy, board: &Board) -> VertexMap<f32> {
        let mut shares = VertexMap::filled(0.0);
        let (mut board, mut rng) = (board.clone(), Rng::new(3));
        for _ in 0..DRAWS {
            shares[policy.choose(&mut board, &[], &mut rng).vertex_or_none()] += 1.0 / DRAWS as f32;
        }
        shares
    }

    /// Black's eyes at A5 and C5 and the suicides at D1 and E2 are left out.
    const POSITION: &str = ". X . X . / X X X X . / . . . O O / . . O O . / . . O . O";

    fn three_games() -> AmafTable {
        let mut table = AmafTable::new();
        for (moves, score) in [(["A1", "B1"], 6.0), (["B2", "A2"], -2.0), (["A3", "B3"], 2.0)] {
            let moves = moves.map(|mv| mv.parse().unwrap());
            table.record(&moves, Color::Black, Sample { score, black_value: 1.0 });
        }
        table
    }

    #[test]
    fn k_of_0_chooses_evenly_whatever_the_values() {
        let board = Board::from_diagram(POSITION).unwrap();
        let mut policy = tempered(&TemperatureConfig { k: 0.0, ..TemperatureConfig::default() }, &board);
        policy.update(&three_games(), 0.5);
        let (even, ours) =
            (shares(&mut Uniform::new(&UniformConfig::default()), &board), shares(&mut policy, &board));
        for v in board.points() {
            // Five standard errors of the difference of two shares.
            let bound = 5.0 * (2.0 * even[v].max(ours[v]) / DRAWS as f32).sqrt();
            assert!((even[v] - ours[v]).abs() <= bound, "{v}: {} and {}", even[v], ours[v]);
            assert_eq!(even[v] == 0.0, ours[v] == 0.0, "{v}");
        }
    }

    #[test]
    fn shares_grow_with_the_exponential_of_the_value() {
        let board = Board::from_diagram(POSITION).unwrap();
        let config = TemperatureConfig { k: 3.0, k_first: None, scale: 12.0 };
        let mut policy = tempered(&config, &board);
        policy.update(&three_games(), 0.0);
        let shares = shares(&mut policy, &board);
        // The mean of all games is 2: A1 is worth 4 points more to Black, B2 4 less, and A3 and the rest nothing.
        let ratio = |a: &str, b: &str| shares[a.parse().unwrap()] / shares[b.parse().unwrap()];
        assert!((ratio("A1", "A3") - 1f32.exp()).abs() < 0.2, "{}", ratio("A1", "A3"));
        assert!((ratio("A3", "B2") - 1f32.exp()).abs() < 0.4, "{}", ratio("A3", "B2"));
        assert!((ratio("A2", "A3") - 1.0).abs() < 0.1, "White was first at A2");
    }

    #[test]
    fn annealing_goes_evenly_from_the_first_to_the_last_k() {
        let config = TemperatureConfig { k: 5.0, k_first: Some(0.0), scale: 1.0 };
        assert_eq!([0.0, 0.5, 1.0].map(|progress| config.k_at(progress)), [0.0, 2.5, 5.0]);
        assert_eq!(TemperatureConfig::default().k_at(0.3), 2.0);
    }

    #[test]
    fn it_passes_when_nothing_can_be_played() {
        let board = Board::from_diagram(". X . / X X X / X . X").unwrap();
        let mut policy = tempered(&TemperatureConfig::default(), &board);
        assert_eq!(policy.choose(&mut board.clone(), &[], &mut Rng::new(1)), Move::PASS);
    }
}
