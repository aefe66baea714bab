//! **What.** Go knowledge as equivalent experience: a good move starts with visits that were won, a bad one with visits
//! that were lost.
//!
//! **Formula.** Each feature adds |w| visits, all won if w > 0 and all lost if w < 0, to the move's own statistics or to
//! its all-moves-as-first statistics.
//!
//! **Source.** Gelly and Silver 2007 (heuristic priors); S3.1. The features and the first values are those that
//! programs of the time agree on (michi's table: even 10, self-atari −10, capture 15 or 30, pattern 10, distance 24, 22, 8).
//!
//! **Differences.** Distances are measured in the common fate graph, where a chain is one point.

use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, MAX_AREA, Move, Vertex, VertexMap};

use crate::{
    eval::Candidate,
    ladder::LadderReader,
    playout::{Patterns, tactics::is_self_atari},
};

/// Where equivalent experience is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnowledgeTarget {
    /// In the all-moves-as-first statistics, as in S3.1.
    #[default]
    Amaf,
    /// In the move's own statistics, as in Pachi.
    Value,
}

/// Parameters of [`Knowledge`]. Weights are visits: won if positive, lost if negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Where the experience is counted.
    pub target: KnowledgeTarget,
    /// Factor of all weights.
    pub scale: f32,
    /// Visits of every move, half of them won.
    pub even: f32,
    /// Captures one stone.
    pub capture: f32,
    /// Captures more.
    pub capture_many: f32,
    /// Saves own stones in atari.
    pub escape: f32,
    /// Puts own stones in atari without need.
    pub self_atari: f32,
    /// Matches a 3x3 pattern.
    pub pattern: f32,
    /// Captures a chain in a ladder, or starts one that works.
    pub ladder: f32,
    /// Runs out of a ladder that works.
    pub bad_escape: f32,
    /// At distance 1, 2 and 3 from the last move.
    pub near: [f32; 3],
    /// On the first line with no stone near.
    pub first_line: f32,
    /// On the second line with no stone near.
    pub second_line: f32,
    /// On the third line with no stone near.
    pub third_line: f32,
    /// Passes.
    pub pass: f32,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        KnowledgeConfig {
            target: KnowledgeTarget::Amaf,
            scale: 1.0,
            even: 10.0,
            capture: 15.0,
            capture_many: 30.0,
            escape: 15.0,
            self_atari: -15.0,
            pattern: 10.0,
            ladder: 15.0,
            bad_escape: -20.0,
            near: [24.0, 22.0, 8.0],
            first_line: -10.0,
            second_line: -6.0,
            third_line: 6.0,
            pass: -10.0,
        }
    }
}

/// Gives candidates their equivalent experience.
pub struct Knowledge {
    config: KnowledgeConfig,
    ladders: LadderReader,
}

impl Knowledge {
    /// The knowledge with these weights.
    pub fn new(config: &KnowledgeConfig) -> Knowledge {
        Knowledge { config: config.clone(), ladders: LadderReader::new() }
    }

    /// Rates the candidates of a position that was reached by `last`.
    pub fn rate(&mut self, board: &Board, last: Move, candidates: &mut [Candidate]) {
        let distances = last.vertex().map(|v| fate_distances(board, v));
        let me = board.to_play();
        for candidate in candidates {
            let (visits, wins) = match candidate.mv.vertex() {
                None => add((self.config.even, self.config.even / 2.0), self.config.pass),
                Some(v) => self.rate_point(board, v, distances.as_ref()),
            };
            let (visits, wins) = (visits * self.config.scale, wins * self.config.scale);
            let black = if me == Color::Black { wins } else { visits - wins };
            candidate.prior = if visits > 0.0 { wins / visits } else { 0.0 };
            match self.config.target {
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

    /// Visits and wins of a stone on `v` for the player to move.
    fn rate_point(&mut self, board: &Board, v: Vertex, distances: Option<&VertexMap<u8>>) -> (f32, f32) {
        let Knowledge { config, ladders } = self;
        let me = board.to_play();
        let mut rating = (config.even, config.even / 2.0);
        let mut captured = 0;
        let mut saved = Vertex::NONE;
        let mut laddered = false;
        for n in v.neighbors() {
            let enemy = board.chain_of(n, !me);
            if enemy != Vertex::NONE {
                if board.is_atari_at(enemy, v) {
                    captured += board.chain_size(enemy);
                } else if ladders.is_captured_by(board, enemy, v) {
                    laddered = true;
                }
            }
            let friend = board.chain_of(n, me);
            if friend != Vertex::NONE && board.is_atari_at(friend, v) {
                saved = friend;
            }
        }
        if captured > 0 {
            rating = add(rating, if captured == 1 { config.capture } else { config.capture_many });
        } else if saved != Vertex::NONE {
            rating = if is_self_atari(board, v, me) {
                add(rating, config.self_atari)
            } else if ladders.is_doomed(board, saved) {
                add(rating, config.bad_escape)
            } else {
                add(rating, config.escape)
            };
        } else if is_self_atari(board, v, me) {
            rating = add(rating, config.self_atari);
        }
        if laddered {
            rating = add(rating, config.ladder);
        }
        if Patterns::standard().matches(board, v, me) {
            rating = add(rating, config.pattern);
        }
        if let Some(distances) = distances {
            let distance = distances[v] as usize;
            if (1..=3).contains(&distance) {
                rating = add(rating, config.near[distance - 1]);
            }
        }
        add(rating, line_weight(board, v, config))
    }
}

/// Adds a weight to (visits, wins).
#[inline]
fn add((visits, wins): (f32, f32), weight: f32) -> (f32, f32) {
    (visits + weight.abs(), wins + weight.max(0.0))
}

/// The weight of the line of `v`, if no stone is within two columns and rows.
fn line_weight(board: &Board, v: Vertex, config: &KnowledgeConfig) -> f32 {
    let (col, row) = (v.col(), v.row());
    let line = col.min(row).min(board.width() - 1 - col).min(board.height() - 1 - row);
    let weight = match line {
        0 => config.first_line,
        1 => config.second_line,
        2 => config.third_line,
        _ => return 0.0,
    };
    let near = |at: usize, size: usize| at.saturating_sub(2)..=(at + 2).min(size - 1);
    let crowded = near(row, board.height())
        .any(|r| near(col, board.width()).any(|c| board.chain(Vertex::new(c, r)) != Vertex::NONE));
    if crowded { 0.0 } else { weight }
}

/// Distances up to 3 from `start` in the common fate graph, where a chain is one point; 255 beyond.
fn fate_distances(board: &Board, start: Vertex) -> VertexMap<u8> {
    const FARTHEST: u8 = 3;
    let mut distances = VertexMap::filled(u8::MAX);
    let mut queue = [Vertex::NONE; MAX_AREA];
    let mut end = reach(board, start, 0, &mut distances, &mut queue, 0);
    let mut done = 0;
    while done < end {
        let v = queue[done];
        done += 1;
        let distance = distances[v];
        if distance == FARTHEST {
            break;
        }
        for n in v.neighbors() {
            if distances[n] == u8::MAX && board.contains(n) {
                end = reach(board, n, distance + 1, &mut distances, &mut queue, end);
            }
        }
    }
    distances
}

/// Gives `v`, or all stones of the chain there, a distance and appends them to the queue; returns its end.
fn reach(
    board: &Board,
    v: Vertex,
    distance: u8,
    distances: &mut VertexMap<u8>,
    queue: &mut [Vertex; MAX_AREA],
    mut end: usize,
) -> usize {
    let mut append = |v: Vertex| {
        distances[v] = distance;
        queue[end] = v;
        end += 1;
    };
    match board.chain(v) {
        Vertex::NONE => append(v),
        chain => board.chain_stones(chain).for_each(append),
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_one_point_in_the_common_fate_graph() {
        let board = Board::from_diagram(
            ". . . . .
             . . . . .
             X X X X .
             . . . . .
             . . . . .",
        )
        .unwrap();
        let distances = fate_distances(&board, "A2".parse().unwrap());
        let at = |name: &str| distances[name.parse().unwrap()];
        assert_eq!(
            [at("A2"), at("A3"), at("D3"), at("D4"), at("E3"), at("E5")],
            [0, 1, 1, 2, 2, 4].map(|d: u8| if d > 3 { 255 } else { d })
        );
    }
}
