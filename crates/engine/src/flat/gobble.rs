//! Gobble: games that follow lists of moves, annealed.
//!
//! **What.** Each player has a list of all points, ordered by their all-moves-as-first values so far. Before each game the
//! lists are disturbed a little: going down a list, a move changes places with the next one with a probability that falls
//! evenly to 0 during the search. In the game each player always plays the first move of its list that is legal and does
//! not fill an own eye. So games are nearly random at first, and both sides play what has proved best at the end.
//!
//! **Formula.** A move is carried down `n` places or more with probability `pⁿ` = exp(−n/T), where the temperature is
//! T = −1 / ln p.
//!
//! **Source.** Brügmann 1993, *Monte Carlo Go*, as Bouzy and Helmstetter 2003 tell it; S2.4.
//!
//! **Differences.** The first probability and its course are not in the text. Where the playout policy finds a move urgent
//! (uniform ones never do), that move is played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, ColorMap, Move, Vertex, VertexMap};

use super::{
    amaf::AmafTable,
    method::{Finding, Method, Start},
    sampler::Sampler,
};
use crate::{
    playout::{EyeRule, FinishedPlayout, PlayoutPolicy},
    rng::Rng,
};

/// Parameters of Gobble.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GobbleConfig {
    /// Probability that two neighbours in a list change places, at the begin of the search.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub swap: f32,
}

impl Default for GobbleConfig {
    fn default() -> Self {
        GobbleConfig { swap: 0.9 }
    }
}

pub(super) struct Gobble {
    config: GobbleConfig,
    color: Color,
    candidates: Vec<Move>,
    table: AmafTable,
    policy: Ordered,
    /// All points by their values, best first; in random order at first.
    ranked: ColorMap<Vec<Vertex>>,
}

impl Gobble {
    pub(super) fn new(config: &GobbleConfig, start: Start<'_>) -> Gobble {
        let points: Vec<_> = start.game.board().points().collect();
        Gobble {
            config: config.clone(),
            color: start.game.to_play(),
            candidates: start.candidates,
            table: AmafTable::new(),
            policy: Ordered {
                eyes: start.eyes,
                base: start.policy,
                lists: ColorMap([Vec::new(), Vec::new()]),
            },
            ranked: ColorMap([points.clone(), points]),
        }
    }

    /// The lists for the next game.
    fn arrange(&mut self, progress: f32, rng: &mut Rng) {
        let swap = self.config.swap * (1.0 - progress);
        for color in Color::ALL {
            let ranked = &mut self.ranked[color];
            if self.table.is_empty() {
                shuffle(ranked, rng);
            }
            let mut values = VertexMap::filled(0.0);
            for &v in ranked.iter() {
                values[v] = self.table.advantage(color, v);
            }
            ranked.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let list = &mut self.policy.lists[color];
            list.clone_from(ranked);
            disturb(list, swap, rng);
        }
    }
}

fn shuffle(list: &mut [Vertex], rng: &mut Rng) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.below(i + 1));
    }
}

/// Each move changes places with the next one with probability `swap`, from the first on.
fn disturb(list: &mut [Vertex], swap: f32, rng: &mut Rng) {
    for i in 1..list.len() {
        if rng.chance(swap) {
            list.swap(i - 1, i);
        }
    }
}

impl Method for Gobble {
    fn play(&mut self, sampler: &mut Sampler<'_>, progress: f32) -> bool {
        self.arrange(progress, sampler.rng());
        let sample = sampler.play(self.table.opening(&self.candidates), &mut self.policy);
        self.table.record(sampler.moves(), self.color, sample);
        true
    }

    fn findings(&self) -> Vec<Finding> {
        self.table.findings(self.color, &self.candidates)
    }

    fn positions(&self) -> usize {
        1
    }
}

/// Plays the first move of a list that can be played.
struct Ordered {
    eyes: EyeRule,
    base: Box<dyn PlayoutPolicy>,
    lists: ColorMap<Vec<Vertex>>,
}

impl PlayoutPolicy for Ordered {
    fn urgent(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        self.base.urgent(board, moves, rng)
    }

    fn quiet(&mut self, board: &mut Board, _moves: &[Move], _rng: &mut Rng) -> Move {
        let me = board.to_play();
        let mut list = self.lists[me].iter().copied();
        let first = list.find(|&v| board.is_empty(v) && self.eyes.is_playable(board, v, me));
        first.map_or(Move::PASS, Move::from)
    }

    fn finish(&mut self, playout: &FinishedPlayout<'_>) {
        self.base.finish(playout);
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(Ordered { eyes: self.eyes, base: self.base.fork(), lists: self.lists.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playout::PlayoutConfig;

    #[test]
    fn a_move_is_carried_down_a_list_by_the_power_of_the_probability() {
        const TIMES: u32 = 20_000;
        let list: Vec<_> = Board::new(9, 9).points().take(20).collect();
        let mut rng = Rng::new(1);
        let mut carried = [0u32; 20];
        for _ in 0..TIMES {
            let mut copy = list.clone();
            disturb(&mut copy, 0.5, &mut rng);
            carried[copy.iter().position(|&v| v == list[0]).unwrap()] += 1;
        }
        for n in 1..5 {
            let at_least = carried[n..].iter().sum::<u32>() as f32 / TIMES as f32;
            assert!((at_least - 0.5f32.powi(n as i32)).abs() < 0.02, "{n} places: {at_least}");
        }
        let mut copy = list.clone();
        disturb(&mut copy, 0.0, &mut rng);
        assert_eq!(copy, list, "at the end of the search the lists are in order");
    }

    #[test]
    fn the_first_move_of_the_list_that_can_be_played_is_played() {
        // A3 and C3 are Black's eyes, B3 is occupied.
        let mut board = Board::from_diagram(". X . / X X X / . . .").unwrap();
        let list: Vec<Vertex> = ["A3", "B3", "B1", "A1"].map(|v| v.parse().unwrap()).to_vec();
        let mut policy = Ordered {
            eyes: EyeRule::default(),
            base: PlayoutConfig::default().build(),
            lists: ColorMap([list.clone(), list]),
        };
        let mut rng = Rng::new(1);
        assert_eq!(policy.choose(&mut board, &[], &mut rng), "B1".parse().unwrap());
        board.play("B1".parse().unwrap());
        assert_eq!(policy.choose(&mut board, &[], &mut rng), Move::PASS, "A1 would be suicide");
    }
}
