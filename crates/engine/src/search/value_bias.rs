//! **What.** Subtree value bias: where the search below a position has found an evaluation too high or too low, evaluations of
//! positions with the same stones around the last move are corrected by a part of the error, here and elsewhere in the tree.
//!
//! **Formula.** A node's error is the mean value of the visits below it less its own evaluation, and counts with weight n^exponent for
//! n visits below. Evaluations of a bucket are corrected by factor · (weighted mean error of its nodes). A bucket has all positions
//! with the same player to move, ko, last two moves, and points up to two rows and columns from the last move, where stones in atari
//! count as different.
//!
//! **Source.** KataGo (*KataGoMethods*, subtree value bias correction): factor 0.35, exponent 0.8.
//!
//! **Differences.** KataGo looks at the stones before the last move, we after it, and works out a node's value from its moves at
//! every visit, where we keep sums: when a node is visited and its correction changes, so do the sums above it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Move, Vertex, splitmix};

use crate::tree::{AtomicF32, Edge, NodeView, Tree};

/// Parameters of [`ValueBias`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ValueBiasConfig {
    /// Share of the error by which evaluations are corrected (KataGo: 0.35).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub factor: f32,
    /// How fast the weight of a node grows with its visits (KataGo: 0.8).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub exponent: f32,
}

impl Default for ValueBiasConfig {
    fn default() -> Self {
        ValueBiasConfig { factor: 0.35, exponent: 0.8 }
    }
}

/// The errors of a bucket's nodes, and their weights.
#[derive(Default)]
struct Bucket {
    weight: AtomicF32,
    error: AtomicF32,
}

/// The errors of all buckets.
pub struct ValueBias {
    config: ValueBiasConfig,
    buckets: Box<[Bucket]>,
}

/// Buckets, which positions share if their hashes do.
const BITS: u32 = 16;
/// How far around the last move the stones matter.
const REACH: isize = 2;

impl ValueBias {
    /// Nothing is known yet.
    pub fn new(config: ValueBiasConfig) -> ValueBias {
        ValueBias { config, buckets: (0..1 << BITS).map(|_| Bucket::default()).collect() }
    }

    /// Knows the errors of the nodes in a tree, and no others.
    pub(crate) fn learn_from(&mut self, tree: &Tree) {
        for bucket in &self.buckets {
            bucket.weight.set(0.0);
            bucket.error.set(0.0);
        }
        tree.bias_shares().for_each(|share| self.add(share.bucket(), share.weight(), share.error()));
    }

    fn add(&self, bucket: u32, weight: f32, error: f32) {
        let bucket = &self.buckets[bucket as usize];
        bucket.weight.add(weight);
        bucket.error.add(error);
    }

    /// The bucket of a position after these two moves, the last one first.
    pub(crate) fn bucket(board: &Board, [last, before]: [Move; 2]) -> u32 {
        let mut stones = 0u128;
        if let Some(v) = last.vertex() {
            let (col, row) = (v.col() as isize, v.row() as isize);
            for row in row - REACH..=row + REACH {
                for col in col - REACH..=col + REACH {
                    stones = stones << 3 | code(board, col, row);
                }
            }
        }
        let places = [last.vertex_or_none(), before.vertex_or_none(), board.ko()];
        let places = places.iter().fold(board.to_play().index() as u64, |sum, v| sum << 9 | v.index() as u64);
        let hash = splitmix(splitmix(places, stones as u64), (stones >> 64) as u64);
        (hash >> (64 - BITS)) as u32
    }

    /// What is added to this evaluation of Black's value in this bucket.
    pub(crate) fn correction(&self, bucket: u32, own: f32) -> f32 {
        let Bucket { weight, error } = &self.buckets[bucket as usize];
        // Less than a visit says nothing; what rounding leaves of weights taken back must not be divided by.
        let weight = weight.get();
        if weight < 0.5 {
            return 0.0;
        }
        (own + self.config.factor * error.get() / weight).clamp(0.0, 1.0) - own
    }

    /// Takes account of another visit below the node behind an edge, and corrects the sum of the edge's values. Returns by how much.
    pub(crate) fn update(&self, edge: &Edge, node: NodeView<'_>) -> f32 {
        let (share, own, visits) = (node.bias, node.own_value, edge.visits().saturating_sub(1));
        if visits == 0 {
            return 0.0;
        }
        let mean = (edge.black_sum() - own - share.correction()) / visits as f32;
        let weight = (visits as f32).powf(self.config.exponent);
        let (weight_change, error_change) = share.replace(weight, weight * (mean - own));
        self.add(share.bucket(), weight_change, error_change);
        let change = share.correct(self.correction(share.bucket(), own));
        edge.add_to_sum(change);
        change
    }
}

/// What lies on a point: nothing, a stone, one in atari, or the border.
fn code(board: &Board, col: isize, row: isize) -> u128 {
    let inside = |place: isize, end: usize| (0..end as isize).contains(&place);
    if !inside(col, board.width()) || !inside(row, board.height()) {
        return 7;
    }
    let v = Vertex::new(col as usize, row as usize);
    match board.color_at(v) {
        None => 0,
        Some(color) => 1 + color.index() as u128 + 2 * u128::from(board.is_in_atari(board.chain(v))),
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Game, Rules};

    use super::*;
    use crate::{
        players::Request,
        rng::Rng,
        search::{Evaluator, Leaf, SearchConfig, SearchParts, Totals, search},
        tree::{NodeId, Puct, PuctConfig, TreePolicyConfig},
    };

    fn bucket(diagram: &str) -> u32 {
        let board = Board::from_diagram(diagram).unwrap();
        ValueBias::bucket(&board, ["C3".parse().unwrap(), Move::PASS])
    }

    #[test]
    fn positions_alike_around_the_last_move_share_a_bucket() {
        let far = bucket(". . . . . .\n. . . . . O\n. . . . . .\n. . X O . .\n. . . . . .\n. . . . . .");
        assert_eq!(
            far,
            bucket(". X . . . .\n. . . . . .\n. . . . . .\n. . X O . .\n. . . . . .\n. . . . . .")
        );
        let near = ". . . . . .\n. . . . . .\n. . . . . .\n. . X O . .\n. . . X . .\n. . . . . .";
        assert_ne!(far, bucket(near));
        // O in atari, by a stone that is too far away to be seen.
        let safe = bucket(". . . . . .\n. . . . . .\n. . . X . .\n. . X O O .\n. . . X X .\n. . . . . .");
        assert_ne!(
            safe,
            bucket(". . . . . .\n. . . . . .\n. . . X . .\n. . X O O X\n. . . X X .\n. . . . . .")
        );
    }

    /// Thinks well of Black wherever a stone is in atari, and otherwise calls it even.
    struct Optimist;

    impl Evaluator for Optimist {
        fn evaluate(&mut self, leaves: &mut [Leaf], _komi: f32, _rng: &mut Rng) {
            for leaf in leaves {
                let board = &leaf.board;
                let atari = board.points().any(|v| !board.is_empty(v) && board.is_in_atari(board.chain(v)));
                leaf.black_value = if atari { 0.9 } else { 0.5 };
                let prior = 1.0 / leaf.candidates.len() as f32;
                leaf.candidates.iter_mut().for_each(|candidate| candidate.prior = prior);
            }
        }

        fn sets_priors(&self) -> bool {
            true
        }

        fn fork(&self) -> Box<dyn Evaluator> {
            Box::new(Optimist)
        }
    }

    fn grow(tree: &Tree, bias: Option<&ValueBias>, playouts: u64) {
        let tree_policy = TreePolicyConfig::Puct(PuctConfig::default());
        let config = SearchConfig { tree_policy, expand_visits: 0, ..SearchConfig::default() };
        let policy = config.tree_policy.build();
        let parts = SearchParts {
            config: &config,
            tree,
            policy: &*policy,
            evaluator: &Optimist,
            gcmb: None,
            value_bias: bias,
            threads: 1,
        };
        let request = Request::playouts(playouts);
        let spending = request.limits.into();
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        search(&game, &parts, &mut Totals::default(), &request, &spending, &mut Rng::new(1));
    }

    /// The sum of the corrected evaluations in a subtree, and how many there are. Sees that each edge has just that.
    fn sum_up(tree: &Tree, id: NodeId) -> (f32, u32) {
        let node = tree.view(id);
        let (mut sum, mut count) = (0.0, 0);
        for edge in node.edges.iter().filter(|edge| edge.visits() > 0) {
            let child = tree.view(edge.child().unwrap());
            let (below, visits) = sum_up(tree, edge.child().unwrap());
            let own = child.own_value + child.bias.correction();
            assert!(
                (edge.black_sum() - own - below).abs() < 1e-3,
                "{} and {own} + {below}",
                edge.black_sum()
            );
            sum += own + below;
            count += 1 + visits;
        }
        (sum, count)
    }

    #[test]
    fn sums_are_those_of_the_corrected_evaluations_and_less_wrong_than_the_others() {
        let tree = || Tree::with_capacity(1 << 22, &Puct::new(&PuctConfig::default()));
        let (plain, corrected) = (tree(), tree());
        grow(&plain, None, 600);
        let mut bias = ValueBias::new(ValueBiasConfig::default());
        grow(&corrected, Some(&bias), 600);
        let (sum, count) = sum_up(&corrected, Tree::ROOT);
        assert_eq!(count, 600);
        let (plain, plain_count) = sum_up(&plain, Tree::ROOT);
        assert!(sum / 600.0 < plain / plain_count as f32, "{sum} of 600, {plain} of {plain_count}");
        // What is known of a tree does not depend on the searches that grew it.
        let mut shares = corrected.bias_shares();
        let (share, before) = shares
            .find_map(|share| Some((share, bias.correction(share.bucket(), 0.5))).filter(|s| s.1 != 0.0))
            .unwrap();
        bias.learn_from(&corrected);
        assert!((bias.correction(share.bucket(), 0.5) - before).abs() < 1e-4);
        bias.learn_from(&tree());
        assert_eq!(bias.correction(share.bucket(), 0.5), 0.0);
        assert_eq!(corrected.view(Tree::ROOT).to_play, Color::Black);
    }
}
