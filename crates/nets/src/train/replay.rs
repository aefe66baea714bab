//! Positions of recent self-play, drawn by their weights.

use std::collections::VecDeque;

use tengen_board::Symmetry;
use tengen_engine::rng::Rng;

use super::{
    data::{self, Group},
    example::{Example, Source},
};
use crate::records::Records;

/// A window over self-play: what was added first leaves first.
#[derive(Default)]
pub struct Replay {
    generations: VecDeque<Vec<Set>>,
    /// Sum of all weights.
    total: f64,
}

/// Games on boards of one size that were played by the same network.
struct Set {
    group: Group,
    /// Sums of the weights up to each position.
    ends: Vec<f64>,
}

impl Set {
    fn new(group: Group) -> Set {
        let mut sum = 0.0;
        let ends = group.weights().map(|weight| {
            sum += f64::from(weight);
            sum
        });
        Set { ends: ends.collect(), group }
    }

    fn total(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }
}

impl Replay {
    /// Adds a generation.
    pub fn add(&mut self, records: impl IntoIterator<Item = Records>) {
        let mut groups = Vec::new();
        for set in records {
            data::add_records(&mut groups, set, 1.0);
        }
        self.generations.push_back(groups.into_iter().map(Set::new).collect());
        self.total = self.sets().map(Set::total).sum();
    }

    /// Drops the oldest generations as long as so many positions are left without them.
    pub fn keep(&mut self, positions: u64) {
        let length = |generation: &Vec<Set>| generation.iter().map(|set| set.group.len()).sum::<u64>();
        while let Some(first) = self.generations.front()
            && self.generations.len() > 1
            && self.positions() - length(first) >= positions
        {
            self.generations.pop_front();
        }
        self.total = self.sets().map(Set::total).sum();
    }

    fn sets(&self) -> impl Iterator<Item = &Set> {
        self.generations.iter().flatten()
    }

    /// Number of generations.
    pub fn generations(&self) -> usize {
        self.generations.len()
    }

    /// Number of positions to learn from.
    pub fn positions(&self) -> u64 {
        self.sets().map(|set| set.group.len()).sum()
    }

    /// Positions drawn by their weights, each in a random symmetry. An example's own weight is 1.
    pub fn draws(&self, rng: Rng) -> Draws<'_> {
        Draws { replay: self, rng }
    }

    fn draw(&self, rng: &mut Rng) -> Option<Example> {
        // Twice 24 bits: the weights of a window are many.
        let unit = f64::from(rng.unit()) + f64::from(rng.unit()) / f64::from(1u32 << 24);
        let mut left = unit * self.total;
        let mut last = None;
        for set in self.sets().filter(|set| !set.ends.is_empty()) {
            last = Some(set);
            if left < set.total() {
                break;
            }
            left -= set.total();
        }
        let set = last?;
        let index = set.ends.partition_point(|end| *end <= left).min(set.ends.len() - 1);
        let symmetries = if set.group.width == set.group.height { 8 } else { 4 };
        let symmetry = Symmetry::ALL[rng.below(symmetries)];
        Some(Example { weight: 1.0, ..set.group.example(index as u64, symmetry, true) })
    }
}

/// Positions of a [`Replay`], drawn at random.
pub struct Draws<'a> {
    replay: &'a Replay,
    rng: Rng,
}

impl Source for Draws<'_> {
    fn examples(&mut self, count: usize) -> Vec<Example> {
        (0..count).filter_map(|_| self.replay.draw(&mut self.rng)).collect()
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Move, Rules};

    use super::*;
    use crate::records::{Opinion, RecordedGame, RecordedPosition, shares};

    /// A game of passes with these weights; the values tell the positions apart.
    fn game(weights: &[f32], value: f32) -> RecordedGame {
        let position = |(i, &weight): (usize, &f32)| RecordedPosition {
            color: if i % 2 == 0 { Color::Black } else { Color::White },
            mv: Move::PASS,
            weight,
            opinion: (weight > 0.0).then(|| Opinion {
                policy: shares((0..10).map(|i| f32::from(u8::from(i == 9)))),
                value: value + i as f32 / 10.0,
                score: 0.0,
                ownership: Box::default(),
            }),
            network: None,
        };
        RecordedGame {
            rules: Rules::CHINESE,
            setup: Vec::new(),
            reward: 0,
            net_hash: String::new(),
            behaviour: String::new(),
            positions: weights.iter().enumerate().map(position).collect(),
        }
    }

    fn records(weights: &[f32], value: f32) -> Records {
        Records { width: 3, height: 3, games: vec![game(weights, value)] }
    }

    #[test]
    fn positions_are_drawn_by_their_weights_and_the_oldest_leave() {
        let mut replay = Replay::default();
        assert!(replay.draw(&mut Rng::new(1)).is_none());
        replay.add([records(&[1.0, 0.0, 3.0], 0.0)]);
        replay.add([records(&[4.0], 0.5)]);
        assert_eq!((replay.positions(), replay.generations()), (3, 2));
        let mut rng = Rng::new(1);
        let mut count = |replay: &Replay, value: f32| {
            let draws = (0..4000).filter_map(|_| replay.draw(&mut rng)?.value);
            draws.filter(|v| (v * 2.0 - 1.0 - value).abs() < 1e-3).count()
        };
        let counts = [0.0, 0.1, 0.2, 0.5].map(|value| count(&replay, value));
        assert!((430..570).contains(&counts[0]) && counts[1] == 0, "{counts:?}");
        assert!((1380..1620).contains(&counts[2]) && (1880..2120).contains(&counts[3]), "{counts:?}");
        replay.keep(2);
        assert_eq!(replay.positions(), 3, "without the oldest only one would be left");
        replay.keep(1);
        assert_eq!((replay.positions(), count(&replay, 0.5)), (1, 4000));
    }
}
