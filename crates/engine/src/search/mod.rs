//! Monte-Carlo tree search: one function whose parts are exchangeable.
//!
//! A search repeats four steps until its budget is spent. Selection follows a [`TreePolicy`] from the root; expansion adds a
//! node with its candidate moves; an [`Evaluator`] values a batch of leaves; and the values are
//! recorded on the way back. Threads share the tree without locks.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::Game;

use crate::{
    players::{DynamicKomi, Request},
    prior::{Gcmb, GcmbConfig, KnowledgeConfig},
    reading::status,
    rng::Rng,
    time::Spending,
    tree::{NodeView, Tree, TreePolicy, TreePolicyConfig},
};

mod eval;
mod lead;
mod mixed;
mod network;
mod noise;
mod report;
mod restriction;
mod threads;
mod totals;
mod watch;
mod worker;

pub(crate) use eval::play_to_end;
pub use eval::{CONTEXT, Candidate, Evaluator, Leaf, PlayoutEvaluator, area_komi, ended};
pub(crate) use lead::settle as settle_lead;
pub use mixed::Mixed;
pub use network::{NetworkConfig, RawEvaluation, RolloutConfig, Uncertainty};
pub use noise::{MoveTemperature, RootNoise};
pub(crate) use report::root_moves;
pub use report::{FinalMove, RootMove, SearchReport, value_for};
pub(crate) use restriction::permitted;
pub use restriction::{Restriction, RestrictionKind};
use threads::Run;
pub use totals::Totals;
pub(crate) use totals::{MoveTotals, OwnershipTotals};
pub use watch::Watch;
use worker::{Shared, Worker};

/// Progressive widening: only the moves with the best priors are considered at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Widening {
    /// All moves from the start.
    #[default]
    Off,
    /// `first` + ln(1 + N) / ln `base` moves after N visits (holmes: base 1.8), those under way counted as `virtual_loss` says: so the
    /// first batch already has more than one move.
    Logarithmic {
        /// Moves considered at once.
        #[schemars(extend("x-peer" = true), range(min = 0, max = 1000))]
        first: usize,
        /// The smaller, the faster the width grows.
        #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 1.0), range(max = 1000.0))]
        base: f32,
    },
    /// This many moves for good (holmes: 20 or 30).
    Fixed {
        /// The number of moves.
        #[schemars(extend("x-peer" = true), range(min = 1, max = 1000))]
        width: usize,
    },
}

impl Widening {
    /// Whether moves must be ordered by their priors.
    pub fn is_on(self) -> bool {
        self != Widening::Off
    }

    /// How many moves of a node are considered.
    #[inline]
    pub fn width(self, node: NodeView<'_>) -> usize {
        let all = node.edges.len();
        match self {
            Widening::Off => all,
            Widening::Logarithmic { first, base } => {
                let visits = u64::from(node.visits) + node.under_way();
                let more = ((1.0 + visits as f32).ln() / base.ln()) as usize;
                all.min(first.max(1).saturating_add(more))
            }
            Widening::Fixed { width } => all.min(width.max(1)),
        }
    }
}

/// How a search grows its tree and chooses a move from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// How moves are selected in the tree.
    #[schemars(extend("x-peer" = true))]
    pub tree_policy: TreePolicyConfig,
    /// Go knowledge as equivalent experience; none if absent.
    #[schemars(extend("x-peer" = true))]
    pub knowledge: Option<KnowledgeConfig>,
    /// Global corresponding move bias (S3); none if absent.
    #[schemars(extend("x-peer" = true))]
    pub gcmb: Option<GcmbConfig>,
    /// Progressive widening.
    #[schemars(extend("x-peer" = true))]
    pub widening: Widening,
    /// Visits of a move before its node is added (Pachi 8, Fuego 3, Orego 4).
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1_000_000_000))]
    pub expand_visits: u32,
    /// Leaves evaluated together.
    #[schemars(range(min = 1, max = 4096))]
    pub batch: usize,
    /// How many lost visits a visit under way counts as.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1000))]
    pub virtual_loss: u16,
    /// Longest path in the tree.
    #[schemars(extend("x-peer" = true), range(min = 1, max = 10_000))]
    pub max_depth: usize,
    /// Memory cap of the tree in megabytes.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tree_mb: usize,
    /// How the move is chosen when the search is over.
    #[schemars(extend("x-peer" = true))]
    pub final_move: FinalMove,
    /// Noise in the root's priors, for self-play.
    #[schemars(extend("x-peer" = true))]
    pub root_noise: RootNoise,
    /// Extra komi in handicap games.
    #[schemars(extend("x-peer" = true))]
    pub dynamic_komi: DynamicKomi,
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            tree_policy: TreePolicyConfig::default(),
            knowledge: None,
            gcmb: None,
            widening: Widening::Off,
            expand_visits: 2,
            batch: 1,
            virtual_loss: 1,
            max_depth: 400,
            max_tree_mb: 256,
            final_move: FinalMove::default(),
            root_noise: RootNoise::default(),
            dynamic_komi: DynamicKomi::default(),
        }
    }
}

/// What a search works with. The tree may already hold a subtree of the position.
pub struct SearchParts<'a> {
    /// The parameters.
    pub config: &'a SearchConfig,
    /// The tree.
    pub tree: &'a Tree,
    /// Selects moves in it.
    pub policy: &'a dyn TreePolicy,
    /// Values leaves; forked for each further thread.
    pub evaluator: &'a dyn Evaluator,
    /// The table of replies, if it is used.
    pub gcmb: Option<&'a Gcmb>,
    /// Number of threads.
    pub threads: usize,
}

/// Searches the position of `game` until what it may spend is spent.
///
/// `known` are the sums over earlier searches of this position whose tree was kept; this search adds its own.
///
/// The same seed, one thread and a fixed number of playouts give the same tree.
pub fn search(
    game: &Game,
    parts: &SearchParts<'_>,
    known: &mut Totals,
    request: &Request,
    spending: &Spending,
    rng: &mut Rng,
) -> SearchReport {
    let start = Instant::now();
    let Request { stop, watch, query, .. } = request;
    let extra_komi = if query.true_komi { 0.0 } else { parts.config.dynamic_komi.extra(game) };
    let shared = Shared {
        config: parts.config,
        game,
        tree: parts.tree,
        policy: parts.policy,
        gcmb: parts.gcmb,
        komi: area_komi(game) + extra_komi,
        restrictions: &query.restrictions,
        moves_ownership: query.moves_ownership,
    };
    let run = Run::new(parts, spending, stop, start);
    let mut workers: Vec<_> = (0..parts.threads.max(1))
        .map(|_| {
            let mut evaluator = parts.evaluator.fork();
            evaluator.begin(&with_extra_komi(game, extra_komi));
            Worker::new(&shared, evaluator, rng.split())
        })
        .collect();
    workers[0].prepare_root();
    parts.config.root_noise.apply(parts.tree.view(Tree::ROOT).edges, rng);
    let totals: Vec<Totals> = if workers.len() == 1 && watch.is_none() {
        workers.into_iter().map(|worker| run.work(worker, |_, _| {})).collect()
    } else {
        run.work_in_threads(workers, watch.as_ref(), |watch, totals| {
            let mut shown = report(game, parts, known, totals, extra_komi, start.elapsed());
            if parts.evaluator.sets_priors() {
                settle_lead(game, &mut shown);
            }
            watch.show(&shown);
        })
    };
    let report = report(game, parts, known, &totals, extra_komi, start.elapsed());
    for of_thread in &totals {
        known.add(of_thread);
    }
    report
}

/// Playouts that tell ownership where leaves do not.
const PLAYOUTS: usize = 64;

/// The game as an evaluator is to see it, which may look at the komi.
fn with_extra_komi(game: &Game, extra: f32) -> Cow<'_, Game> {
    if extra == 0.0 {
        return Cow::Borrowed(game);
    }
    let mut game = game.clone();
    game.set_rules(game.rules().with_komi(game.rules().komi + extra));
    Cow::Owned(game)
}

/// What the threads have found out, together with what was `known` before.
fn report(
    game: &Game,
    parts: &SearchParts<'_>,
    known: &Totals,
    threads: &[Totals],
    extra_komi: f32,
    elapsed: Duration,
) -> SearchReport {
    let root = parts.tree.view(Tree::ROOT);
    let mut moves = root_moves(parts.tree);
    let mut totals = known.clone();
    for of_thread in threads {
        totals.add(of_thread);
    }
    let mut all = MoveTotals::default();
    for of_move in &totals.moves {
        all.add(of_move);
    }
    let (score, score_deviation) = all.mean_and_deviation().unwrap_or_default();
    totals.moves.resize(moves.len(), MoveTotals::default());
    for (root_move, of_move) in moves.iter_mut().zip(&totals.moves) {
        (root_move.score, root_move.score_deviation) =
            of_move.mean_and_deviation().unwrap_or((score, score_deviation));
        root_move.score += extra_komi;
        root_move.value_deviation = of_move.value_deviation();
        root_move.ownership = of_move.ownership.as_ref().map(|ownership| Box::new(ownership.mean()));
    }
    // A network without ownership tells nothing of it: playouts from the position do.
    let ownership = match totals.ownership.playouts {
        0 if totals.playouts > 0 => {
            status::ownership(game.board(), PLAYOUTS, &mut Rng::new(game.board().hash()))
        }
        _ => totals.ownership.mean(),
    };
    parts.config.final_move.order(root.to_play, &mut moves);
    SearchReport {
        position: game.board().hash(),
        to_play: root.to_play,
        moves,
        black_value: (totals.black_value / totals.playouts.max(1) as f64) as f32,
        score: score + extra_komi,
        score_deviation,
        extra_komi,
        ownership,
        playouts: threads.iter().map(|of_thread| of_thread.playouts).sum(),
        visits: root.visits,
        nodes: parts.tree.len(),
        tree_bytes: parts.tree.bytes(),
        tree_full: parts.tree.is_full(),
        elapsed,
        reply_hits: parts.evaluator.reply_hits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    /// A batch is selected before any of its visits is finished.
    #[test]
    fn widening_counts_visits_under_way() {
        let tree = fixture::root(&[(0, 0, 0.0, 0.0, 0.5); 8]);
        let widening = Widening::Logarithmic { first: 1, base: 1.8 };
        let width = || widening.width(tree.view(Tree::ROOT));
        assert_eq!(width(), 1);
        for _ in 0..3 {
            tree.view(Tree::ROOT).edges[0].enter(1);
        }
        // ln 4 / ln 1.8 = 2.36.
        assert_eq!(width(), 3);
        tree.view(Tree::ROOT).edges[0].leave(1, 1.0);
        tree.visit(Tree::ROOT, 0.5);
        assert_eq!(width(), 3, "a finished visit counts as much");
    }
}
