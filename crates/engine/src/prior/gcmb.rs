//! **What.** Global corresponding move bias: replies that the tree visits often, whatever the position, get a better
//! start wherever the same move is answered.
//!
//! **Formula.** When the children of a node reached by move m are created, and T, the visits in the tree of all replies
//! to m by that colour, exceeds the threshold: RAVE_wins_i += RAVE_visits_i · T_i / T.
//!
//! **Source.** Chou, Yen, Yang 2011 (S3.2, S3.3), formula 2. The paper's thresholds are 100 and 500.
//!
//! **Differences.** `clamp` keeps the wins from exceeding the visits; it is off, as in the paper. What table 3 needs, the most
//! frequent replies at the moment when a node's children were created, is recorded on request.

use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{CELLS, Color, Move, Vertex};

use crate::{
    playout::LearnedReply,
    search::Candidate,
    tree::{Edge, NodeId, Tree},
};

/// Parameters of [`Gcmb`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GcmbConfig {
    /// Visits of all replies to a move that must be exceeded before they are used; 100 and 500 in the paper.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 4_294_967_295u32))]
    pub threshold: u32,
    /// Whether wins are kept from exceeding visits; not in the paper.
    #[schemars(extend("x-peer" = true))]
    pub clamp: bool,
    /// Whether the most frequent replies are recorded for each node (table 3). Costs memory and time.
    pub record: bool,
}

impl Default for GcmbConfig {
    fn default() -> Self {
        GcmbConfig { threshold: 100, clamp: false, record: false }
    }
}

/// How many of the most frequent replies are recorded.
pub const RECORDED_REPLIES: usize = 7;

/// The most frequent replies when a node's children were created.
#[derive(Clone, Debug, PartialEq)]
pub struct GcmbRecord {
    /// Visits of all replies.
    pub total: u32,
    /// The most frequent replies, best first.
    pub replies: Vec<Move>,
}

/// Visits of replies in the tree, by colour of the reply and the move replied to.
pub struct Gcmb {
    config: GcmbConfig,
    /// `[color][move][reply]`.
    counts: Box<[AtomicU32]>,
    /// `[color][move]`.
    totals: Box<[AtomicU32]>,
    records: Mutex<Vec<(NodeId, GcmbRecord)>>,
}

impl Gcmb {
    /// An empty table.
    pub fn new(config: &GcmbConfig) -> Gcmb {
        Gcmb {
            config: config.clone(),
            counts: bytemuck::zeroed_slice_box(2 * CELLS * CELLS),
            totals: bytemuck::zeroed_slice_box(2 * CELLS),
            records: Mutex::new(Vec::new()),
        }
    }

    /// Empties the table, as before each search.
    pub fn clear(&mut self) {
        self.counts = bytemuck::zeroed_slice_box(2 * CELLS * CELLS);
        self.totals = bytemuck::zeroed_slice_box(2 * CELLS);
        self.records_mut().clear();
    }

    fn records_mut(&mut self) -> &mut Vec<(NodeId, GcmbRecord)> {
        self.records.get_mut().expect("no thread panicked while recording")
    }

    #[inline]
    fn row(color: Color, mv: Move) -> usize {
        color.index() * CELLS + mv.vertex_or_none().index()
    }

    /// Counts that `color` answered `mv` by `reply` in the tree.
    #[inline]
    pub fn count(&self, color: Color, mv: Move, reply: Move) {
        if mv.is_pass() || reply.is_pass() {
            return;
        }
        let row = Self::row(color, mv);
        self.totals[row].fetch_add(1, Relaxed);
        self.counts[row * CELLS + reply.vertex_or_none().index()].fetch_add(1, Relaxed);
    }

    /// How often `color` answered `mv` by `reply`.
    pub fn replies(&self, color: Color, mv: Move, reply: Move) -> u32 {
        self.counts[Self::row(color, mv) * CELLS + reply.vertex_or_none().index()].load(Relaxed)
    }

    /// How often `color` answered `mv` at all.
    pub fn total(&self, color: Color, mv: Move) -> u32 {
        self.totals[Self::row(color, mv)].load(Relaxed)
    }

    /// The replies of `color` to `mv` and their shares, the most frequent first.
    pub fn learned_replies(&self, color: Color, mv: Move) -> Vec<LearnedReply> {
        let total = self.total(color, mv).max(1) as f32;
        let row = &self.counts[Self::row(color, mv) * CELLS..][..CELLS];
        let counted = row.iter().enumerate().filter_map(|(index, count)| {
            let count = count.load(Relaxed);
            let reply = Vertex::from_index(index).into();
            (count > 0).then_some(LearnedReply { reply, weight: count as f32 / total })
        });
        let mut replies: Vec<_> = counted.collect();
        replies.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        replies
    }

    /// Adds the bias to candidate replies of `color` to `mv`.
    pub fn bias(&self, color: Color, mv: Move, candidates: &mut [Candidate]) {
        let total = self.total(color, mv);
        if mv.is_pass() || total <= self.config.threshold {
            return;
        }
        for candidate in candidates.iter_mut().filter(|c| !c.mv.is_pass()) {
            let share = self.replies(color, mv, candidate.mv) as f32 / total as f32;
            let mut wins = candidate.amaf_visits * share;
            if self.config.clamp {
                let black = candidate.amaf_black_value;
                let own = if color == Color::Black { black } else { candidate.amaf_visits - black };
                wins = wins.min(candidate.amaf_visits - own);
            }
            candidate.amaf_black_value += color.sign() as f32 * wins;
        }
    }

    /// Whether records are kept.
    pub fn records(&self) -> bool {
        self.config.record
    }

    /// Records the most frequent replies of `color` to `mv` for the node that was just created.
    pub fn record(&self, node: NodeId, color: Color, mv: Move, candidates: &[Candidate]) {
        let total = self.total(color, mv);
        let mut replies: Vec<_> = candidates
            .iter()
            .map(|c| (self.replies(color, mv, c.mv), c.mv))
            .filter(|(count, _)| *count > 0)
            .collect();
        replies.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        replies.truncate(RECORDED_REPLIES);
        let record = GcmbRecord { total, replies: replies.into_iter().map(|(_, mv)| mv).collect() };
        self.records.lock().expect("no thread panicked while recording").push((node, record));
    }

    /// For each recorded node with more than `visits` visits: the record, and the rank of its most visited move among the recorded
    /// replies (table 3).
    pub fn ranks(&mut self, tree: &Tree, visits: u32) -> Vec<(GcmbRecord, Option<usize>)> {
        let records = std::mem::take(self.records_mut());
        records
            .into_iter()
            .filter(|(id, _)| tree.view(*id).visits > visits)
            .filter_map(|(id, record)| {
                let best = tree.view(id).edges.iter().max_by_key(|e| e.visits()).map(Edge::mv)?;
                let rank = record.replies.iter().position(|&mv| mv == best);
                Some((record, rank))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(name: &str) -> Move {
        name.parse().unwrap()
    }

    /// The example of the paper's figure 4: E4 answered by E5 120 times, F3 42 times, F2 30 times.
    fn figure_4(config: &GcmbConfig) -> Gcmb {
        let table = Gcmb::new(config);
        for (reply, times) in [("E5", 120), ("F3", 42), ("F2", 30)] {
            for _ in 0..times {
                table.count(Color::White, mv("E4"), mv(reply));
            }
        }
        table
    }

    fn candidate(name: &str) -> Candidate {
        Candidate { amaf_visits: 20.0, amaf_black_value: 10.0, ..Candidate::new(mv(name)) }
    }

    #[test]
    fn wins_grow_by_the_share_of_the_reply() {
        let table = figure_4(&GcmbConfig::default());
        let mut list = [candidate("E5"), candidate("F2"), candidate("A1")];
        table.bias(Color::White, mv("E4"), &mut list);
        // White's wins: 10 + 20·120/192 = 22.5 (more than the 20 visits, as in the paper), 10 + 20·30/192 = 13.125, 10.
        assert_eq!(list.map(|c| 20.0 - c.amaf_black_value), [22.5, 13.125, 10.0]);
        let mut list = [candidate("E5")];
        table.bias(Color::Black, mv("E4"), &mut list);
        assert_eq!(list[0], candidate("E5"), "the other colour's replies are counted apart");
    }

    #[test]
    fn the_threshold_must_be_exceeded_and_the_clamp_holds() {
        let mut list = [candidate("E5")];
        figure_4(&GcmbConfig { threshold: 192, ..GcmbConfig::default() }).bias(
            Color::White,
            mv("E4"),
            &mut list,
        );
        assert_eq!(list[0], candidate("E5"));
        figure_4(&GcmbConfig { clamp: true, ..GcmbConfig::default() }).bias(
            Color::White,
            mv("E4"),
            &mut list,
        );
        assert_eq!(list[0].amaf_black_value, 0.0);
    }
}
