//! Which positions are learned from, in which order.
//!
//! Every chunk consists of positions from one group of games. Groups take turns by their weights; the positions of a group
//! come in a random order without repetition until all have been seen. The order depends on the seed only, and the
//! state is a number for each group, so that a training can be resumed exactly.

use serde::{Deserialize, Serialize};
use tengen_board::{Symmetry, splitmix};

use super::data::Group;

/// A position to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Draw {
    pub(crate) group: usize,
    pub(crate) index: u64,
    pub(crate) symmetry: Symmetry,
}

/// The order, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    seed: u64,
    /// Positions drawn from each group.
    drawn: Vec<u64>,
    /// What each group counts; checkpoints of old do not tell.
    #[serde(default)]
    shares: Vec<u64>,
}

/// What groups count, to a thousandth of a position.
fn shares(groups: &[Group]) -> Vec<u64> {
    groups.iter().map(|group| (group.len() as f64 * group.weight * 1000.0).round() as u64).collect()
}

/// Where `i` goes in a random order of 0 to `n` − 1: a Feistel network over the next even number of bits, applied until it is
/// below `n`.
fn shuffled(i: u64, n: u64, key: u64) -> u64 {
    let half = (u64::BITS - n.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut x = i;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (splitmix(key ^ round, right) & mask));
        }
        x = (left << half) | right;
        if x < n {
            return x;
        }
    }
}

impl Order {
    pub(crate) fn new(seed: u64, groups: &[Group]) -> Order {
        Order { seed, drawn: vec![0; groups.len()], shares: shares(groups) }
    }

    /// Whether it was made for such groups.
    pub(crate) fn fits(&self, groups: &[Group]) -> bool {
        self.drawn.len() == groups.len() && (self.shares.is_empty() || self.shares == shares(groups))
    }

    /// The next chunk.
    pub(crate) fn chunk(&mut self, groups: &[Group], size: usize) -> Vec<Draw> {
        let share = |g: &Group| g.len() as f64 * g.weight;
        // The group that is furthest behind its share.
        let group = (0..groups.len())
            .min_by(|&a, &b| {
                let progress = |i: usize| (self.drawn[i] + 1) as f64 / share(&groups[i]);
                progress(a).total_cmp(&progress(b))
            })
            .expect("there is at least one group");
        let length = groups[group].len();
        (0..size)
            .map(|_| {
                let n = self.drawn[group];
                self.drawn[group] += 1;
                let key = splitmix(self.seed, ((group as u64) << 32) | (n / length));
                let symmetries = if groups[group].width == groups[group].height { 8 } else { 4 };
                Draw {
                    group,
                    index: shuffled(n % length, length, key),
                    symmetry: Symmetry::ALL[(splitmix(key, n) % symmetries) as usize],
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_comes_once() {
        for n in [1, 2, 3, 100, 1000, 1025] {
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = shuffled(i, n, 7) as usize;
                assert!(!std::mem::replace(&mut seen[at], true));
            }
        }
    }
}
