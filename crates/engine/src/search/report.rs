//! What a search found out: the only thing that GTP, the web page, Python, self-play and the lab read.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, Move, VertexMap};

use crate::{
    playout::ReplyHits,
    tree::{Edge, Experience, NodeId, Tree},
};

/// A move at the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Visits.
    pub visits: u32,
    /// Mean of Black's value.
    pub black_value: f32,
    /// Probability according to a network or to Go knowledge.
    pub prior: f32,
    /// All-moves-as-first visits.
    pub amaf_visits: f32,
    /// Mean of Black's value among those.
    pub amaf_black_value: f32,
    /// Standard deviation of the value in single playouts of this search, if there were some.
    pub value_deviation: Option<f32>,
    /// The expected line of play, this move first.
    pub line: Vec<Move>,
    /// Visits of each move of that line.
    pub line_visits: Vec<u32>,
    /// Mean of Black's points minus White's after this move, komi included; that of the position before the first playout.
    pub score: f32,
    /// Standard deviation of that in single playouts.
    pub score_deviation: f32,
    /// As [`SearchReport::ownership`], after this move, if it was asked for.
    pub ownership: Option<Box<VertexMap<f32>>>,
    /// How many playouts the search had made when it left the move out for good, if it did. For players that prune.
    pub pruned_at: Option<u64>,
}

impl RootMove {
    /// The value as `color` sees it.
    pub fn value_for(&self, color: Color) -> f32 {
        value_for(self.black_value, color)
    }

    /// What the value is at least, for all that the visits tell: five standard errors less (KataGo).
    pub fn lower_bound(&self, color: Color) -> f32 {
        let (value, visits) = (self.value_for(color), self.visits as f32);
        let deviation = self.value_deviation.unwrap_or_else(|| {
            // That of games which are only won or lost, with one more of each: a few equal ones are not certain.
            let mean = (value * visits + 1.0) / (visits + 2.0);
            (mean * (1.0 - mean)).sqrt()
        });
        value - BOUND * deviation / visits.max(1.0).sqrt()
    }
}

/// Turns Black's value into that of `color`.
#[inline]
pub fn value_for(black_value: f32, color: Color) -> f32 {
    if color == Color::Black { black_value } else { 1.0 - black_value }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Hash of the stones of the position.
    pub position: u64,
    /// Who is to play.
    pub to_play: Color,
    /// The moves, best first by the rule that chose the move.
    pub moves: Vec<RootMove>,
    /// Mean of Black's value over all playouts from this position; without a tree, of the best move.
    pub black_value: f32,
    /// Mean of Black's points minus White's over the same playouts, komi included.
    pub score: f32,
    /// Standard deviation of that in single playouts.
    pub score_deviation: f32,
    /// Extra points for White with which values were counted, but not scores (dynamic komi).
    pub extra_komi: f32,
    /// Black's share of each point at the end of playouts, from −1 (White's) to 1.
    pub ownership: VertexMap<f32>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Visits of the root, those kept from earlier searches included.
    pub visits: u32,
    /// Nodes of the tree.
    pub nodes: usize,
    /// Memory of the tree.
    pub tree_bytes: usize,
    /// Whether the tree reached its memory cap.
    pub tree_full: bool,
    /// Time spent.
    pub elapsed: Duration,
    /// How often replies from a table were played, since the game began.
    pub reply_hits: Option<ReplyHits>,
}

impl SearchReport {
    /// The chosen move.
    pub fn best(&self) -> &RootMove {
        &self.moves[0]
    }
}

/// How the move is chosen when the search is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FinalMove {
    /// The most wins (S1.1).
    #[default]
    Wins,
    /// The most visits.
    Visits,
    /// The best value among moves with at least a tenth of the most visits.
    Value,
    /// The best lower confidence bound of the value among moves with at least 15% of the most visits, then by visits: so a
    /// move that was found late is played once it is proved better (Leela Zero; the figures are KataGo's).
    LowerBound,
}

/// Standard errors by which the lower bound is below the value.
const BOUND: f32 = 5.0;

impl FinalMove {
    /// Orders the root's moves, best first.
    pub(crate) fn order(self, to_play: Color, moves: &mut [RootMove]) {
        let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
        let enough = most / 10;
        let key = |m: &RootMove| match self {
            FinalMove::Wins => m.value_for(to_play) * m.visits as f32,
            FinalMove::Visits => m.visits as f32,
            FinalMove::Value if m.visits < enough => -1.0,
            FinalMove::Value => m.value_for(to_play),
            // A bound is above −5; visits order the moves below that.
            FinalMove::LowerBound if m.visits == 0 || m.visits * 20 < most * 3 => m.visits as f32 - 1e9,
            FinalMove::LowerBound => m.lower_bound(to_play),
        };
        moves.sort_by(|a, b| {
            key(b).total_cmp(&key(a)).then(b.visits.cmp(&a.visits)).then(b.prior.total_cmp(&a.prior))
        });
    }
}

/// The moves of the root, in the order of the tree; without what only the playouts of a search tell.
pub(crate) fn root_moves(tree: &Tree) -> Vec<RootMove> {
    let root = tree.view(Tree::ROOT);
    root.edges
        .iter()
        .enumerate()
        .map(|(i, edge)| {
            let (amaf_visits, amaf_black_value) = root.experience.get(i).map_or((0.0, 0.5), Experience::amaf);
            let (line, line_visits) = line(tree, edge).into_iter().unzip();
            RootMove {
                mv: edge.mv(),
                visits: edge.visits(),
                black_value: edge.black_value(),
                prior: edge.prior(),
                amaf_visits,
                amaf_black_value,
                value_deviation: None,
                line,
                line_visits,
                score: 0.0,
                score_deviation: 0.0,
                ownership: None,
                pruned_at: None,
            }
        })
        .collect()
}

/// The most visited line from an edge on, and its visits.
fn line(tree: &Tree, edge: &Edge) -> Vec<(Move, u32)> {
    const LONGEST: usize = 30;
    let mut line = vec![(edge.mv(), edge.visits())];
    let mut node: Option<NodeId> = edge.child();
    while let Some(id) = node {
        let best = tree.view(id).edges.iter().max_by_key(|e| e.visits());
        let Some(best) = best.filter(|e| e.visits() > 0 && line.len() < LONGEST) else { break };
        line.push((best.mv(), best.visits()));
        node = best.child();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture::root;

    /// The order of moves with so many visits, wins and deviation of the value.
    fn order<D: Copy + Into<Option<f32>>>(rule: FinalMove, moves: &[(u32, u32, D)]) -> Vec<u32> {
        let edges: Vec<_> = moves.iter().map(|&(visits, wins, _)| (visits, wins, 0.0, 0.0, 0.0)).collect();
        let mut found = root_moves(&root(&edges));
        for (found, (.., deviation)) in found.iter_mut().zip(moves) {
            found.value_deviation = (*deviation).into();
        }
        rule.order(Color::Black, &mut found);
        found.iter().map(|m| m.visits).collect()
    }

    #[test]
    fn a_few_lost_games_do_not_make_a_move_certain() {
        assert_eq!(order(FinalMove::LowerBound, &[(1, 0, None), (4, 3, None), (3, 0, None)]), [4, 3, 1]);
        assert_eq!(order(FinalMove::LowerBound, &[(3, 0, None), (20, 10, None)]), [20, 3]);
    }

    #[test]
    fn a_move_that_is_surely_better_is_chosen_with_fewer_visits() {
        // 0.5 − 5 · 0.1 / 10 = 0.45 against 0.6 − 5 · 0.1 / √50 = 0.53; 10 visits of 100 are too few.
        let moves = [(100, 50, 0.1), (50, 30, 0.1), (10, 9, 0.01)];
        assert_eq!(order(FinalMove::LowerBound, &moves), [50, 100, 10]);
        // 0.6 − 5 · 0.3 / √50 = 0.39
        assert_eq!(order(FinalMove::LowerBound, &[(100, 50, 0.1), (50, 30, 0.3)]), [100, 50]);
        assert_eq!(order(FinalMove::Visits, &moves), [100, 50, 10]);
        assert_eq!(order(FinalMove::LowerBound, &[(0, 0, 0.0), (3, 1, 0.5)]), [3, 0]);
    }
}
