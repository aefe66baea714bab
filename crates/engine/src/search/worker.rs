//! One thread of a search: selects leaves, has them evaluated, and records the results in the tree.

use tengen_board::{Color, Game, KoRule, Move, Vertex, VertexMap};

use crate::{
    prior::{Gcmb, Knowledge},
    reading::tactics::is_playable,
    rng::Rng,
    search::{
        CONTEXT, Candidate, Evaluator, Leaf, MoveTotals, Restriction, SearchConfig, Totals, ended, permitted,
    },
    tree::{NodeId, NodeView, Tree, TreePolicy},
};

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub(crate) config: &'a SearchConfig,
    pub(crate) game: &'a Game,
    pub(crate) tree: &'a Tree,
    pub(crate) policy: &'a dyn TreePolicy,
    pub(crate) gcmb: Option<&'a Gcmb>,
    pub(crate) komi: f32,
    pub(crate) restrictions: &'a [Restriction],
    pub(crate) moves_ownership: bool,
}

pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    evaluator: Box<dyn Evaluator>,
    knowledge: Option<Knowledge>,
    rng: Rng,
    paths: Vec<Vec<(NodeId, usize)>>,
    leaves: Vec<Leaf>,
    /// Who played first at each point, from some move of the playout on: 0 nobody, 1 Black, 2 White.
    first_play: VertexMap<u8>,
    totals: Totals,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>, evaluator: Box<dyn Evaluator>, rng: Rng) -> Worker<'a> {
        let batch = shared.config.batch.max(1);
        Worker {
            shared,
            evaluator,
            knowledge: shared.config.knowledge.as_ref().map(Knowledge::new),
            rng,
            paths: vec![Vec::with_capacity(64); batch],
            leaves: (0..batch).map(|_| Leaf::new(shared.game.board())).collect(),
            first_play: VertexMap::filled(0),
            totals: Totals::default(),
        }
    }

    /// The root's node, if the tree does not have it yet.
    pub(crate) fn prepare_root(&mut self) {
        if !self.shared.tree.is_empty() {
            return;
        }
        let mut leaf = Leaf::new(self.shared.game.board());
        leaf.reset(self.shared.game);
        self.gather(&mut leaf, &[]);
        let color = leaf.board.to_play();
        if self.evaluator.sets_priors() {
            self.evaluator.evaluate(std::slice::from_mut(&mut leaf), self.shared.komi, &mut self.rng);
        }
        self.order(&mut leaf.candidates);
        self.shared.tree.add(color, leaf.black_value + leaf.score_bonus, &leaf.candidates);
    }

    /// Leaves that a step evaluates.
    pub(crate) fn batch(&self) -> u64 {
        self.leaves.len() as u64
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn into_totals(self) -> Totals {
        self.totals
    }

    /// Evaluates so many leaves together, at most a batch.
    pub(crate) fn step(&mut self, count: usize) {
        let mut leaves = std::mem::take(&mut self.leaves);
        let mut paths = std::mem::take(&mut self.paths);
        let chosen = &mut leaves[..count];
        for (leaf, path) in chosen.iter_mut().zip(&mut paths) {
            self.descend(leaf, path);
        }
        self.evaluator.evaluate(chosen, self.shared.komi, &mut self.rng);
        for (leaf, path) in chosen.iter_mut().zip(&paths) {
            self.order(&mut leaf.candidates);
            self.record(leaf, path);
        }
        self.leaves = leaves;
        self.paths = paths;
    }

    /// Follows the tree policy from the root to a move without a node, and prepares the node if the move was visited
    /// often enough.
    fn descend(&mut self, leaf: &mut Leaf, path: &mut Vec<(NodeId, usize)>) {
        let Shared { config, tree, policy, .. } = *self.shared;
        leaf.reset(self.shared.game);
        path.clear();
        let mut id = Tree::ROOT;
        loop {
            let node = tree.view(id);
            let shown = NodeView { edges: &node.edges[..config.widening.width(node)], ..node };
            let chosen = policy.select(shown, &mut self.rng);
            let edge = &node.edges[chosen];
            edge.enter(config.virtual_loss);
            path.push((id, chosen));
            leaf.play(edge.mv());
            if let Some(child) = edge.child() {
                id = child;
                continue;
            }
            if edge.visits() >= config.expand_visits && !ended(leaf) && path.len() < config.max_depth {
                self.gather(leaf, path);
            }
            return;
        }
    }

    /// Collects the candidates of the node to be added at a leaf.
    fn gather(&mut self, leaf: &mut Leaf, path: &[(NodeId, usize)]) {
        let board = &leaf.board;
        let me = board.to_play();
        let last_two @ [last, _] = leaf.last_two();
        let candidates = &mut leaf.candidates;
        candidates.clear();
        let game = self.shared.game;
        let superko = (game.rules().ko != KoRule::Simple).then(|| self.keys_on_path(path));
        let repeats = |v: Vertex| {
            superko.as_ref().is_some_and(|keys| {
                let key = game.rules().ko.key(board.hash_after(v), !me);
                keys.contains(&key) || game.has_occurred(key)
            })
        };
        for &v in board.empties() {
            if is_playable(board, v) && !repeats(v) {
                candidates.push(Candidate::new(v.into()));
            }
        }
        // Passing is worth a thought when little is left to play, or when the game would end. A network knows when.
        if candidates.len() * 4 <= board.area() || leaf.passes > 0 || self.evaluator.sets_priors() {
            candidates.push(Candidate::new(Move::PASS));
        }
        let restrictions = self.shared.restrictions;
        if !restrictions.is_empty() {
            let moves = candidates.drain(..).map(|c| c.mv).collect();
            let allowed = |mv: Move| mv.vertex().is_none_or(|v| board.is_legal(v) && !repeats(v));
            let moves = permitted(restrictions, (me, path.len()), moves, allowed);
            candidates.extend(moves.into_iter().map(Candidate::new));
        }
        for i in (1..candidates.len()).rev() {
            candidates.swap(i, self.rng.below(i + 1));
        }
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.rate(board, last_two, candidates);
        }
        if let Some(gcmb) = self.shared.gcmb {
            gcmb.bias(me, last, candidates);
        }
    }

    /// The best priors first, where only the first moves are considered.
    fn order(&self, candidates: &mut [Candidate]) {
        if self.shared.config.widening.is_on() {
            candidates.sort_by(|a, b| b.prior.total_cmp(&a.prior));
        }
    }

    /// Superko keys of the positions in the tree above a leaf, the root's included.
    fn keys_on_path(&self, path: &[(NodeId, usize)]) -> Vec<u64> {
        let mut board = self.shared.game.board().clone();
        path.iter()
            .map(|&(id, chosen)| {
                board.play_unchecked(self.shared.tree.view(id).edges[chosen].mv());
                self.shared.game.rules().ko.key(board.hash(), board.to_play())
            })
            .collect()
    }

    /// Adds the leaf's node, and its value to the path.
    fn record(&mut self, leaf: &Leaf, path: &[(NodeId, usize)]) {
        let Shared { config, tree, gcmb, .. } = *self.shared;
        let moves = leaf.since_root();
        if let (false, Some(&(id, chosen))) = (leaf.candidates.is_empty(), path.last()) {
            let edge = &tree.view(id).edges[chosen];
            let color = !tree.view(id).to_play;
            let own = leaf.black_value + leaf.score_bonus;
            tree.expand(edge, color, own, &leaf.candidates);
            if let (Some(gcmb), Some(child)) = (gcmb.filter(|g| g.records()), edge.child()) {
                gcmb.record(child, color, edge.mv(), &leaf.candidates);
            }
        }
        let value = leaf.black_value + leaf.score_bonus;
        for &(id, chosen) in path {
            tree.visit(id, value);
            tree.view(id).edges[chosen].leave(config.virtual_loss, value);
        }
        if let Some(gcmb) = gcmb {
            let mut color = leaf.root_color;
            let before = &leaf.moves[CONTEXT - 1..][..leaf.tree_moves];
            for (&mv, &reply) in before.iter().zip(moves) {
                gcmb.count(color, mv, reply);
                color = !color;
            }
        }
        if self.shared.policy.uses_amaf() {
            self.record_amaf(leaf, path);
        }
        self.add_up(leaf, path);
    }

    /// Credits, at each node of the path, the moves that the same player was first to play later on.
    fn record_amaf(&mut self, leaf: &Leaf, path: &[(NodeId, usize)]) {
        let moves = leaf.since_root();
        let color_at = |i: usize| if i.is_multiple_of(2) { leaf.root_color } else { !leaf.root_color };
        let mark = |color: Color| color.index() as u8 + 1;
        for (i, mv) in moves.iter().enumerate().skip(path.len()).rev() {
            self.first_play[mv.vertex_or_none()] = mark(color_at(i));
        }
        for (i, &(id, _)) in path.iter().enumerate().rev() {
            let color = color_at(i);
            self.first_play[moves[i].vertex_or_none()] = mark(color);
            self.first_play[Move::PASS.vertex_or_none()] = 0;
            let node = self.shared.tree.view(id);
            for (edge, experience) in node.edges.iter().zip(node.experience) {
                if self.first_play[edge.mv().vertex_or_none()] == mark(color) {
                    experience.record_amaf(1.0, leaf.black_value);
                }
            }
        }
        for mv in moves {
            self.first_play[mv.vertex_or_none()] = 0;
        }
    }

    fn add_up(&mut self, leaf: &Leaf, path: &[(NodeId, usize)]) {
        let totals = &mut self.totals;
        totals.playouts += 1;
        totals.black_value += f64::from(leaf.black_value);
        let Some(&(_, chosen)) = path.first() else { return };
        if totals.moves.len() <= chosen {
            totals.moves.resize_with(chosen + 1, MoveTotals::default);
        }
        let of_move = &mut totals.moves[chosen];
        let score = f64::from(leaf.score);
        of_move.playouts += 1;
        of_move.score += score;
        of_move.score_squared += score * score;
        let value = f64::from(leaf.black_value);
        of_move.black_value += value;
        of_move.black_value_squared += value * value;
        if let Some(shares) = &leaf.ownership {
            totals.ownership.count_shares(&leaf.board, shares);
            if self.shared.moves_ownership {
                of_move.ownership.get_or_insert_default().count_shares(&leaf.board, shares);
            }
            return;
        }
        // Ownership is read off every fourth playout: plenty, and it costs a pass over the board.
        if leaf.finished && totals.playouts % 4 == 1 {
            totals.ownership.count(&leaf.board);
        }
        if leaf.finished && self.shared.moves_ownership && of_move.playouts % 4 == 1 {
            of_move.ownership.get_or_insert_default().count(&leaf.board);
        }
    }
}
