//! Playouts that see tactics.
//!
//! **What.** In this order, the first step that finds a move plays it:
//! 1. atari: save own chains that the last move put in atari (capture an attacker, or extend to a chain that is not
//!    caught at once), or capture the chain of the last move;
//! 2. two liberties: put the chain of the last move in atari if it cannot get out, defend own chains that the last move
//!    reduced to two liberties and that could be caught so;
//! 3. nakade: the vital point of a small eyespace beside the last two moves;
//! 4. 3x3 shapes around the last two moves, by their weights;
//! 5. capture anything, anywhere;
//! 6. any legal point.
//!
//! Own eyes are never filled. Moves that put many own stones in atari are never played, those that put few in atari only
//! sometimes: they may be a throw-in or a nakade.
//!
//! **Formula.** Each step is taken with its own probability.
//!
//! **Source.** The order is what the programs of 2008 to 2016 agree on (Pachi, Fuego, michi); Gelly et al. 2006 for the
//! shapes.
//!
//! **Differences.** Questions about liberties are answered from counts that are kept up to date and a walk along short
//! chains. If only moves are left that put many own stones in atari, it passes: a seki stays on the board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, Vertex};

use super::{FinishedPlayout, PlayoutPolicy};
use crate::{
    reading::{
        pattern3::{Patterns, code_around},
        tactics::{
            AtariWatch, Few, LARGEST_NAKADE, add_counter_captures, has_no_way_out, has_two_liberties_after,
            is_playable, is_self_atari, is_threatened, liberties_after, stones_at_stake, vital_point,
        },
    },
    rng::Rng,
};

/// Parameters of [`Heavy`]: with which probability each step is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeavyConfig {
    /// Save or capture around the last move. Pachi and michi: 0.9.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub atari: f32,
    /// Attack and defence of chains with two liberties. Pachi: 0.8 to 0.9.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub two_liberties: f32,
    /// Vital points of small eyespaces. Pachi: 0.8.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub nakade: f32,
    /// 3x3 shapes around the last move. Pachi: 1; michi: 0.95.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub pattern: f32,
    /// 3x3 shapes around the move before the last, if there are none around the last.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub pattern_before: f32,
    /// Capture anywhere.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub capture: f32,
    /// Refuse a move that puts few own stones in atari. Pachi: 0.6; michi: 0.5 to 0.9.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub self_atari: f32,
}

impl Default for HeavyConfig {
    fn default() -> Self {
        HeavyConfig {
            atari: 0.9,
            two_liberties: 0.8,
            nakade: 0.8,
            pattern: 0.95,
            pattern_before: 0.5,
            capture: 0.2,
            self_atari: 0.6,
        }
    }
}

/// Playouts that see tactics.
#[derive(Clone, Debug)]
pub struct Heavy {
    config: HeavyConfig,
    patterns: &'static Patterns,
    watch: AtariWatch,
}

/// A chain with exactly two liberties.
#[derive(Clone, Copy)]
struct Weak {
    chain: Vertex,
    liberties: [Vertex; 2],
}

impl Heavy {
    /// The policy with these parameters.
    pub fn new(config: &HeavyConfig) -> Heavy {
        Heavy { config: config.clone(), patterns: Patterns::standard(), watch: AtariWatch::default() }
    }

    /// Steps 4 and 5.
    #[inline]
    fn shape_or_capture(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        let (last, before) = last_two(moves);
        if last != Vertex::NONE
            && rng.chance(self.config.pattern)
            && let Some(v) = self.shape_around(board, last, rng)
        {
            return Some(v);
        }
        if before != Vertex::NONE
            && rng.chance(self.config.pattern_before)
            && let Some(v) = self.shape_around(board, before, rng)
        {
            return Some(v);
        }
        if rng.chance(self.config.capture) {
            let mut captures = Few::<16>::new();
            self.watch.add_captures(board, &mut captures);
            return captures.pick(rng);
        }
        None
    }

    /// Steps 1 and 2.
    #[inline]
    fn tactical(&self, board: &Board, last: Vertex, rng: &mut Rng) -> Option<Vertex> {
        let me = board.to_play();
        let mut urgent = Few::<16>::new();
        let mut weak = [Weak { chain: Vertex::NONE, liberties: [Vertex::NONE; 2] }; 5];
        let mut weak_count = 0;
        let mut seen = Few::<5>::new();
        let [left, right, below, above] = board.chains_beside(last, me);
        for chain in [left, right, below, above, board.chain(last)] {
            if chain == Vertex::NONE || board.pseudo_liberties(chain) > 8 || seen.contains(&chain) {
                continue;
            }
            let own = board.is_color(chain, me);
            seen.add(chain);
            if let Some(at) = board.atari(chain) {
                if own {
                    add_rescues(board, chain, at, me, &mut urgent);
                } else if is_playable(board, at) {
                    urgent.add(at);
                }
            } else if let Some(liberties) = board.two_liberties(chain) {
                weak[weak_count] = Weak { chain, liberties };
                weak_count += 1;
            }
        }
        if !urgent.is_empty() && rng.chance(self.config.atari) {
            return urgent.pick(rng);
        }
        if weak_count == 0 || !rng.chance(self.config.two_liberties) {
            return None;
        }
        let mut found = Few::<16>::new();
        for weak in &weak[..weak_count] {
            if board.is_color(weak.chain, me) {
                add_defences(board, *weak, me, &mut found);
            } else {
                add_attacks(board, *weak, me, &mut found);
            }
        }
        found.pick(rng)
    }

    /// A 3x3 shape around `center`, by weight.
    #[inline]
    fn shape_around(&self, board: &Board, center: Vertex, rng: &mut Rng) -> Option<Vertex> {
        let me = board.to_play();
        let mut found = [(Vertex::NONE, 0); 8];
        let mut count = 0;
        let mut total = 0;
        for v in board.empty_surrounding(center) {
            let weight = self.patterns.weight(code_around(board, v, me));
            if weight != 0 && is_playable(board, v) {
                total += weight as usize;
                found[count] = (v, total);
                count += 1;
            }
        }
        if count == 0 {
            return None;
        }
        let at = rng.below(total);
        let (v, _) = *found[..count].iter().find(|&&(_, sum)| at < sum)?;
        (!is_self_atari(board, v, me) || !rng.chance(self.config.self_atari)).then_some(v)
    }
}

/// Adds what saves the own chain, in atari at `liberty`, and is not caught by the next atari.
#[inline]
fn add_rescues(board: &Board, chain: Vertex, liberty: Vertex, me: Color, found: &mut Few<16>) {
    add_counter_captures(board, chain, me, found);
    if !is_playable(board, liberty) {
        return;
    }
    match liberties_after::<3>(board, liberty, me)[..] {
        [a, b] if is_caught(board, a, b, liberty, me) || is_caught(board, b, a, liberty, me) => {}
        [] | [_] => {}
        _ => found.add(liberty),
    }
}

/// Whether a chain with liberties `atari` and `extension`, just extended to `from`, has no room after the next atari.
#[inline]
fn is_caught(board: &Board, atari: Vertex, extension: Vertex, from: Vertex, me: Color) -> bool {
    !has_two_liberties_after(board, extension, me, [atari, from])
}

/// Adds the liberties of an enemy chain where an atari leaves it no way out.
#[inline]
fn add_attacks(board: &Board, weak: Weak, me: Color, found: &mut Few<16>) {
    let [a, b] = weak.liberties;
    for (at, other) in [(a, b), (b, a)] {
        if has_no_way_out(board, weak.chain, at, other)
            && is_playable(board, at)
            && !is_self_atari(board, at, me)
        {
            found.add(at);
        }
    }
}

/// Adds what makes an own chain safe that could be caught by an atari.
#[inline]
fn add_defences(board: &Board, weak: Weak, me: Color, found: &mut Few<16>) {
    let [a, b] = weak.liberties;
    if !is_threatened(board, weak.chain, [a, b], me) {
        return;
    }
    add_counter_captures(board, weak.chain, me, found);
    for v in [a, b] {
        if is_playable(board, v) && liberties_after::<3>(board, v, me).is_full() {
            found.add(v);
        }
    }
}

/// The vital points of small eyespaces of the opponent beside the last move and of ours beside the move before.
#[inline]
fn nakade(board: &Board, last: Vertex, before: Vertex) -> Few<4> {
    let me = board.to_play();
    let mut found = Few::new();
    for (center, owner) in [(last, !me), (before, me)] {
        // Beside an eyespace that small the board is full: most moves are not worth a look.
        if center == Vertex::NONE || !(1..3).contains(&board.empty_neighbors(center)) {
            continue;
        }
        for n in center.neighbors() {
            if board.is_empty(n)
                && let Some(v) = vital_point(board, n, owner)
                && is_playable(board, v)
            {
                found.add(v);
            }
        }
    }
    found
}

/// The last move and the one before it.
#[inline]
fn last_two(moves: &[Move]) -> (Vertex, Vertex) {
    match *moves {
        [.., before, last] => (last.vertex_or_none(), before.vertex_or_none()),
        [last] => (last.vertex_or_none(), Vertex::NONE),
        [] => (Vertex::NONE, Vertex::NONE),
    }
}

impl PlayoutPolicy for Heavy {
    #[inline]
    fn urgent(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        self.watch.look(board, moves);
        let (last, before) = last_two(moves);
        if last != Vertex::NONE
            && let Some(v) = self.tactical(board, last, rng)
        {
            return Some(v);
        }
        if rng.chance(self.config.nakade) { nakade(board, last, before).pick(rng) } else { None }
    }

    #[inline]
    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        if let Some(v) = self.shape_or_capture(board, moves, rng) {
            return v.into();
        }
        let me = board.to_play();
        let largest = if rng.chance(self.config.self_atari) { 0 } else { LARGEST_NAKADE };
        let draw = |board: &mut Board, rng: &mut Rng, largest: usize| {
            board.draw_empty(
                || rng.bits(),
                |board, v| {
                    board.empty_neighbors(v) >= 2
                        || (is_playable(board, v)
                            && (!is_self_atari(board, v, me) || stones_at_stake(board, v, me) <= largest))
                },
            )
        };
        match draw(board, rng, largest) {
            Move::PASS if largest == 0 => draw(board, rng, LARGEST_NAKADE),
            mv => mv,
        }
    }

    fn finish(&mut self, _playout: &FinishedPlayout<'_>) {
        self.watch.reset();
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(self.clone())
    }

    fn clear(&mut self) {
        self.watch.reset();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Everything that is played in 100 tries after White's move `last`, every step being taken.
    fn replies(diagram: &str, last: &str) -> BTreeSet<String> {
        let mut board = Board::from_diagram(diagram).unwrap();
        board.set_to_play(Color::White);
        board.play(last.parse().unwrap());
        let config = HeavyConfig {
            atari: 1.0,
            two_liberties: 1.0,
            nakade: 1.0,
            self_atari: 1.0,
            ..HeavyConfig::default()
        };
        let mut policy = Heavy::new(&config);
        let mut rng = Rng::new(3);
        (0..100)
            .map(|_| {
                policy.clear();
                policy.choose(&mut board, &[last.parse().unwrap()], &mut rng).to_string()
            })
            .collect()
    }

    fn set(moves: &[&str]) -> BTreeSet<String> {
        moves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_chain_in_atari_runs_if_it_can() {
        let diagram =
            ". . . . . . . / . . . . . . . / . O . . . . . / . X . . . . . / . O . . . . . / . . . . . . .";
        assert_eq!(replies(diagram, "A3"), set(&["C3"]));
    }

    #[test]
    fn a_chain_without_a_way_out_is_attacked() {
        // After the atari at B1 White's two stones can only crawl into the corner.
        let diagram = ". . . . . . / . . . . . . / X X . . . . / . O X . . . / . . X . . .";
        let found = replies(diagram, "A2");
        assert!(found.is_subset(&set(&["A1", "B1"])), "{found:?}");
    }

    #[test]
    fn the_vital_point_of_an_eyespace_is_taken() {
        let diagram = ". . . O X . / O O . O X . / X X O O X . / . X X X X . / . . . . . .";
        assert_eq!(replies(diagram, "C4"), set(&["B5"]));
    }
}
