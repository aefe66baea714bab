//! The search tree: nodes and edges in two slabs, shared by all threads without locks.
//!
//! Statistics live on edges (moves); a node is little more than the range of its edges. What only some tree policies look at is kept
//! in a slab of its own ([`Experience`]), and not at all for others: a node has hundreds of moves, most of them never visited. Every field is an atomic with
//! relaxed ordering, which costs nothing over a plain one; a node is published by a release store of its index in
//! the edge that leads to it. Sums may lose an update when two threads meet on one edge: that is harmless, and visits
//! of nodes and edges are counted exactly.
//!
//! The slabs are reserved once and touched only as the tree grows. When they are full the search goes on
//! without expanding.
//!
//! With `--cfg loom` the atomics are those of a model checker, which tries every order in which threads can do what they do
//! (`make races`).

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

#[cfg(not(loom))]
use bytemuck::Zeroable;
#[cfg(loom)]
use loom::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};
use tengen_board::{Color, MAX_AREA, Move, Vertex};

use super::TreePolicy;
use crate::search::Candidate;

/// A floating-point number in an atomic.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(Zeroable))]
#[repr(transparent)]
pub struct AtomicF32(AtomicU32);

impl AtomicF32 {
    /// The number.
    #[inline]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    /// Replaces the number.
    #[inline]
    pub fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Relaxed);
    }

    /// Adds to the number; of two additions at the same moment one may be lost.
    #[inline]
    pub fn add(&self, value: f32) {
        self.set(self.get() + value);
    }
}

/// A move from a node, with its statistics.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(Zeroable))]
#[repr(C)]
pub struct Edge {
    mv: AtomicU16,
    in_flight: AtomicU16,
    child: AtomicU32,
    visits: AtomicU32,
    black_value: AtomicF32,
    prior: AtomicF32,
}

/// What is known of a move besides its own visits.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(Zeroable))]
#[repr(C)]
pub struct Experience {
    amaf_visits: AtomicF32,
    amaf_black_value: AtomicF32,
    prior_visits: AtomicF32,
    prior_black_value: AtomicF32,
}

/// An edge's statistics as the player to move sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeStats {
    /// Visits, those under way included.
    pub visits: f32,
    /// Sum of values; a visit under way counts as lost.
    pub wins: f32,
}

/// [`Experience`] as the player to move sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExperienceStats {
    /// All-moves-as-first visits.
    pub amaf_visits: f32,
    /// All-moves-as-first wins.
    pub amaf_wins: f32,
    /// Visits that prior knowledge is worth.
    pub prior_visits: f32,
    /// Wins among those.
    pub prior_wins: f32,
}

impl Edge {
    /// The move.
    #[inline]
    pub fn mv(&self) -> Move {
        Vertex::from_index(self.mv.load(Relaxed) as usize).into()
    }

    /// Finished visits.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Mean of Black's value; one half before the first visit.
    #[inline]
    pub fn black_value(&self) -> f32 {
        let visits = self.visits();
        if visits == 0 { 0.5 } else { self.black_value.get() / visits as f32 }
    }

    /// Probability of the move according to a network or to Go knowledge.
    #[inline]
    pub fn prior(&self) -> f32 {
        self.prior.get()
    }

    /// Replaces that probability.
    pub(crate) fn set_prior(&self, prior: f32) {
        self.prior.set(prior);
    }

    /// The node behind the move, if it was expanded.
    #[inline]
    pub fn child(&self) -> Option<NodeId> {
        let child = self.child.load(Acquire);
        (child != 0).then_some(NodeId(child))
    }

    /// The statistics as `color` sees them.
    #[inline]
    pub fn stats(&self, color: Color) -> EdgeStats {
        let finished = self.visits() as f32;
        EdgeStats {
            visits: finished + self.in_flight.load(Relaxed) as f32,
            wins: wins_of(color, finished, self.black_value.get()),
        }
    }

    /// Marks a visit as under way.
    #[inline]
    pub(crate) fn enter(&self, virtual_loss: u16) {
        self.in_flight.fetch_add(virtual_loss, Relaxed);
    }

    /// Ends a visit that was under way.
    #[inline]
    pub(crate) fn leave(&self, virtual_loss: u16, black_value: f32) {
        self.in_flight.fetch_sub(virtual_loss, Relaxed);
        self.record(black_value);
    }

    /// Counts a visit.
    #[inline]
    pub(crate) fn record(&self, black_value: f32) {
        self.visits.fetch_add(1, Relaxed);
        self.black_value.add(black_value);
    }

    fn start(&self, candidate: &Candidate) {
        self.mv.store(candidate.mv.vertex_or_none().index() as u16, Relaxed);
        self.in_flight.store(0, Relaxed);
        self.child.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.black_value.set(0.0);
        self.prior.set(candidate.prior);
    }

    fn copy_from(&self, other: &Edge) {
        self.mv.store(other.mv.load(Relaxed), Relaxed);
        self.in_flight.store(0, Relaxed);
        self.child.store(other.child.load(Relaxed), Relaxed);
        self.visits.store(other.visits(), Relaxed);
        self.black_value.set(other.black_value.get());
        self.prior.set(other.prior.get());
    }
}

/// A sum of Black's values over so many visits as `color` sees it.
#[inline]
fn wins_of(color: Color, visits: f32, black_value: f32) -> f32 {
    if color == Color::Black { black_value } else { visits - black_value }
}

impl Experience {
    /// All-moves-as-first visits and Black's mean value among them.
    pub fn amaf(&self) -> (f32, f32) {
        let visits = self.amaf_visits.get();
        (visits, if visits == 0.0 { 0.5 } else { self.amaf_black_value.get() / visits })
    }

    /// What is known as `color` sees it.
    #[inline]
    pub fn stats(&self, color: Color) -> ExperienceStats {
        let (amaf_visits, prior_visits) = (self.amaf_visits.get(), self.prior_visits.get());
        ExperienceStats {
            amaf_visits,
            amaf_wins: wins_of(color, amaf_visits, self.amaf_black_value.get()),
            prior_visits,
            prior_wins: wins_of(color, prior_visits, self.prior_black_value.get()),
        }
    }

    /// Counts an all-moves-as-first visit.
    #[inline]
    pub(crate) fn record_amaf(&self, weight: f32, black_value: f32) {
        self.amaf_visits.add(weight);
        self.amaf_black_value.add(weight * black_value);
    }

    fn start(&self, candidate: &Candidate) {
        self.amaf_visits.set(candidate.amaf_visits);
        self.amaf_black_value.set(candidate.amaf_black_value);
        self.prior_visits.set(candidate.prior_visits);
        self.prior_black_value.set(candidate.prior_black_value);
    }

    fn copy_from(&self, other: &Experience) {
        self.amaf_visits.set(other.amaf_visits.get());
        self.amaf_black_value.set(other.amaf_black_value.get());
        self.prior_visits.set(other.prior_visits.get());
        self.prior_black_value.set(other.prior_black_value.get());
    }
}

/// The name of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(Zeroable))]
#[repr(C)]
struct Node {
    first_edge: AtomicU32,
    visits: AtomicU32,
    own_value: AtomicF32,
    squares: AtomicF32,
    edge_count: AtomicU16,
    white_to_play: AtomicU8,
    _unused: u8,
}

/// A node as a tree policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// Who chooses among the edges.
    pub to_play: Color,
    /// Visits of the node.
    pub visits: u32,
    /// Black's value when the node was added.
    pub own_value: f32,
    /// Sum of the squares of Black's values over the visits.
    pub squares: f32,
    /// The moves, never empty. With progressive widening only the first few.
    pub edges: &'a [Edge],
    /// What is known of each of the moves besides; of none if the tree is for a policy that does not ask.
    pub experience: &'a [Experience],
}

impl NodeView<'_> {
    /// Visits under way, each counted as often as `virtual_loss` says.
    pub fn under_way(&self) -> u64 {
        self.edges.iter().map(|edge| u64::from(edge.in_flight.load(Relaxed))).sum()
    }
}

#[cfg(not(loom))]
fn zeroed<T: Zeroable>(len: usize) -> Option<Box<[T]>> {
    bytemuck::try_zeroed_slice_box(len).ok()
}

#[cfg(loom)]
fn zeroed<T: Default>(len: usize) -> Option<Box<[T]>> {
    Some((0..len).map(|_| T::default()).collect())
}

/// Memory that a move takes.
const fn edge_bytes(experience: bool) -> usize {
    size_of::<Edge>() + if experience { size_of::<Experience>() } else { 0 }
}

/// A search tree with a fixed memory cap.
pub struct Tree {
    nodes: Box<[Node]>,
    edges: Box<[Edge]>,
    /// One for each edge, or none at all.
    experience: Box<[Experience]>,
    /// How many of them are in use: nodes in the upper half, edges in the lower. Both are taken at once, so that a node that
    /// stands before another also has its edges before those of the other: [`Tree::advance`] relies on it.
    used: AtomicU64,
}

impl Tree {
    /// The root, once there is one.
    pub const ROOT: NodeId = NodeId(0);

    /// An empty tree for a policy, that never uses more than `bytes`, but has room for a root; a smaller one where there is less memory.
    pub fn with_capacity(bytes: usize, policy: &dyn TreePolicy) -> Tree {
        // A node has at least a handful of edges on average; of the memory an eighth or less goes to nodes.
        const EDGES_PER_NODE: usize = 8;
        const FEWEST_NODES: usize = MAX_AREA.div_ceil(EDGES_PER_NODE) + 2;
        let experience = policy.uses_experience();
        let unit = EDGES_PER_NODE * edge_bytes(experience) + size_of::<Node>();
        let mut nodes = (bytes / unit).clamp(FEWEST_NODES, (u32::MAX / EDGES_PER_NODE as u32) as usize);
        loop {
            if let Some(tree) = Tree::with_room(nodes, nodes * EDGES_PER_NODE, experience) {
                return tree;
            }
            assert!(nodes > FEWEST_NODES, "no memory for the smallest tree");
            nodes = (nodes / 2).max(FEWEST_NODES);
        }
    }

    /// An empty tree for so many nodes and edges; `None` if there is not enough memory.
    fn with_room(nodes: usize, edges: usize, experience: bool) -> Option<Tree> {
        Some(Tree {
            nodes: zeroed(nodes)?,
            edges: zeroed(edges)?,
            experience: zeroed(if experience { edges } else { 0 })?,
            used: AtomicU64::new(0),
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.used.store(0, Relaxed);
    }

    /// The nodes and the edges in use.
    fn used(&self) -> (usize, usize) {
        let used = self.used.load(Relaxed);
        ((used >> 32) as usize, used as u32 as usize)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.used().0
    }

    /// Whether there is no root yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the memory cap keeps an ordinary node from being added.
    pub fn is_full(&self) -> bool {
        let (nodes, edges) = self.used();
        nodes == self.nodes.len() || edges + MAX_AREA > self.edges.len()
    }

    /// Memory in use.
    pub fn bytes(&self) -> usize {
        let (nodes, edges) = self.used();
        nodes * size_of::<Node>() + edges * edge_bytes(!self.experience.is_empty())
    }

    /// A node's view.
    #[inline]
    pub fn view(&self, id: NodeId) -> NodeView<'_> {
        let node = &self.nodes[id.0 as usize];
        let first = node.first_edge.load(Relaxed) as usize;
        let count = node.edge_count.load(Relaxed) as usize;
        NodeView {
            to_play: if node.white_to_play.load(Relaxed) == 0 { Color::Black } else { Color::White },
            visits: node.visits.load(Relaxed),
            own_value: node.own_value.get(),
            squares: node.squares.get(),
            edges: &self.edges[first..first + count],
            experience: self.experience.get(first..first + count).unwrap_or_default(),
        }
    }

    /// Counts a visit of a node.
    #[inline]
    pub(crate) fn visit(&self, id: NodeId, black_value: f32) {
        let node = &self.nodes[id.0 as usize];
        node.visits.fetch_add(1, Relaxed);
        node.squares.add(black_value * black_value);
    }

    /// Adds a node whose position was given this value; `None` when the memory cap is reached.
    pub(crate) fn add(&self, to_play: Color, own_value: f32, candidates: &[Candidate]) -> Option<NodeId> {
        let count = candidates.len() as u32;
        let take = |used: u64| {
            let (nodes, edges) = (used >> 32, u64::from(used as u32) + u64::from(count));
            let fits = nodes < self.nodes.len() as u64 && edges <= self.edges.len() as u64;
            fits.then_some((nodes + 1) << 32 | edges)
        };
        let mut used = self.used.load(Relaxed);
        while let Err(now) = self.used.compare_exchange_weak(used, take(used)?, Relaxed, Relaxed) {
            used = now;
        }
        let (id, first) = ((used >> 32) as u32, used as u32);
        let node = &self.nodes[id as usize];
        node.first_edge.store(first, Relaxed);
        node.edge_count.store(count as u16, Relaxed);
        node.visits.store(0, Relaxed);
        node.own_value.set(own_value);
        node.squares.set(0.0);
        node.white_to_play.store(to_play.index() as u8, Relaxed);
        for (edge, candidate) in self.edges[first as usize..].iter().zip(candidates) {
            edge.start(candidate);
        }
        for (experience, candidate) in self.experience.iter().skip(first as usize).zip(candidates) {
            experience.start(candidate);
        }
        Some(NodeId(id))
    }

    /// Adds the node behind an edge, unless another thread has done so or the memory cap is reached.
    pub(crate) fn expand(&self, edge: &Edge, to_play: Color, own_value: f32, candidates: &[Candidate]) {
        if edge.child.load(Relaxed) == 0
            && let Some(child) = self.add(to_play, own_value, candidates)
        {
            let _ = edge.child.compare_exchange(0, child.0, Release, Relaxed);
        }
    }

    /// Makes the node behind `mv` the root and gives the memory of all others free. Without such a node the tree is
    /// empty afterwards.
    pub fn advance(&mut self, mv: Move) {
        if self.is_empty() {
            return;
        }
        let child = self.view(Tree::ROOT).edges.iter().find(|e| e.mv() == mv).and_then(Edge::child);
        match child {
            Some(child) => self.keep_subtree(child),
            None => self.clear(),
        }
    }

    /// Slides the subtree of `root` to the front. Nodes are stored after their parents, their edges in the same order as they
    /// are, and both keep their order: so every node and edge moves towards the front, and over nothing that is still needed.
    fn keep_subtree(&mut self, root: NodeId) {
        const DROPPED: u32 = u32::MAX;
        let len = self.len();
        let mut new_ids = vec![DROPPED; len];
        new_ids[root.0 as usize] = 0;
        let (mut nodes, mut edges) = (0u32, 0u32);
        for old in root.0 as usize..len {
            if new_ids[old] == DROPPED {
                continue;
            }
            new_ids[old] = nodes;
            let (from, to) = (&self.nodes[old], &self.nodes[nodes as usize]);
            let first = from.first_edge.load(Relaxed) as usize;
            let count = from.edge_count.load(Relaxed);
            to.edge_count.store(count, Relaxed);
            to.visits.store(from.visits.load(Relaxed), Relaxed);
            to.own_value.set(from.own_value.get());
            to.squares.set(from.squares.get());
            to.white_to_play.store(from.white_to_play.load(Relaxed), Relaxed);
            to.first_edge.store(edges, Relaxed);
            for offset in 0..count as usize {
                let edge = &self.edges[edges as usize + offset];
                edge.copy_from(&self.edges[first + offset]);
                if let Some(experience) = self.experience.get(edges as usize + offset) {
                    experience.copy_from(&self.experience[first + offset]);
                }
                if let Some(child) = edge.child() {
                    // Any value but DROPPED marks the child; its name is final when its turn comes.
                    new_ids[child.0 as usize] = 0;
                }
            }
            nodes += 1;
            edges += u32::from(count);
        }
        for edge in &self.edges[..edges as usize] {
            if let Some(child) = edge.child() {
                edge.child.store(new_ids[child.0 as usize], Relaxed);
            }
        }
        self.used.store(u64::from(nodes) << 32 | u64::from(edges), Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tree::{Puct, PuctConfig, Rave, RaveConfig};

    fn rave() -> Rave {
        Rave::new(&RaveConfig::default())
    }

    fn candidates(moves: &[&str]) -> Vec<Candidate> {
        moves.iter().map(|m| Candidate::new(m.parse().expect("a move"))).collect()
    }

    #[test]
    fn advancing_keeps_the_subtree_and_nothing_else() {
        let mut tree = Tree::with_capacity(1 << 20, &rave());
        tree.add(Color::Black, 0.5, &candidates(&["A1", "B1", "C1"])).unwrap();
        let root = tree.view(Tree::ROOT);
        for edge in root.edges {
            tree.expand(edge, Color::White, 0.5, &candidates(&["D4", "E5"]));
        }
        let b1 = tree.view(root.edges[1].child().unwrap());
        b1.edges[0].record(1.0);
        tree.visit(root.edges[1].child().unwrap(), 0.5);
        tree.expand(&b1.edges[1], Color::Black, 0.5, &candidates(&["A2"]));
        tree.advance("B1".parse().unwrap());
        assert_eq!(tree.len(), 2);
        let root = tree.view(Tree::ROOT);
        assert_eq!(root.to_play, Color::White);
        assert_eq!(root.edges[0].visits(), 1);
        assert_eq!(root.edges[0].black_value(), 1.0);
        assert_eq!((root.visits, root.own_value, root.squares), (1, 0.5, 0.25));
        let below = tree.view(root.edges[1].child().unwrap());
        assert_eq!(below.edges[0].mv(), "A2".parse().unwrap());
        tree.advance("H8".parse().unwrap());
        assert!(tree.is_empty());
    }

    #[test]
    fn experience_moves_with_its_edge_and_takes_no_memory_where_nobody_asks() {
        let grow = |policy: &dyn TreePolicy| {
            let mut tree = Tree::with_capacity(1 << 20, policy);
            tree.add(Color::Black, 0.5, &candidates(&["A1", "B1"])).unwrap();
            let known = Candidate { amaf_visits: 8.0, amaf_black_value: 2.0, ..Candidate::new(Move::PASS) };
            tree.expand(&tree.view(Tree::ROOT).edges[1], Color::White, 0.5, &[known]);
            tree.advance("B1".parse().unwrap());
            tree
        };
        let tree = grow(&rave());
        assert_eq!(tree.view(Tree::ROOT).experience[0].amaf(), (8.0, 0.25));
        assert_eq!(tree.bytes() - size_of::<Node>(), 36);
        let tree = grow(&Puct::new(&PuctConfig::default()));
        assert!(tree.view(Tree::ROOT).experience.is_empty());
        assert_eq!(tree.bytes() - size_of::<Node>(), 20);
    }

    #[test]
    fn nodes_stand_in_the_order_of_their_edges_whoever_adds_them() {
        const EACH: usize = 50_000;
        let mut tree = Tree::with_capacity(3 * EACH * (8 * edge_bytes(true) + size_of::<Node>()), &rave());
        let list = candidates(&["A1"]);
        // Threads are seldom interrupted at the wrong moment: they get many chances.
        for _ in 0..20 {
            let start = std::sync::Barrier::new(3);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        start.wait();
                        (0..EACH).for_each(|_| assert!(tree.add(Color::Black, 0.5, &list).is_some()));
                    });
                }
            });
            let first_edge = |node: &Node| node.first_edge.load(Relaxed);
            assert!(tree.nodes[..3 * EACH].is_sorted_by(|a, b| first_edge(a) < first_edge(b)));
            tree.clear();
        }
    }

    #[test]
    fn a_full_tree_refuses_nodes_and_stays_whole() {
        let tree = Tree::with_capacity(40_000, &rave());
        let list = candidates(&["A1", "B1", "C1"]);
        let added = (0..2000).filter(|_| tree.add(Color::Black, 0.5, &list).is_some()).count();
        assert!(added > 0 && added < 2000);
        assert!(tree.bytes() <= 40_000);
    }
}

/// What holds in whatever order two threads work.
#[cfg(all(test, loom))]
mod model {
    use loom::{sync::Arc, thread};

    use super::*;

    fn moves(names: &[&str]) -> Vec<Candidate> {
        names.iter().map(|name| Candidate::new(name.parse().unwrap())).collect()
    }

    /// The moves of the node behind an edge, if it was expanded.
    fn below(tree: &Tree, edge: &Edge) -> Option<Vec<String>> {
        let edges = tree.view(edge.child()?).edges;
        Some(edges.iter().map(|edge| edge.mv().to_string()).collect())
    }

    /// Each of two threads expands a move of its own and looks at the other's; then the tree is advanced.
    #[test]
    fn nodes_of_two_threads_are_whole_and_apart() {
        const BELOW: [&[&str]; 2] = [&["C1", "C2"], &["D1"]];
        loom::model(|| {
            let tree = Tree::with_room(4, 6, true).unwrap();
            tree.add(Color::Black, 0.5, &moves(&["E5"])).unwrap();
            tree.expand(&tree.view(Tree::ROOT).edges[0], Color::White, 0.5, &moves(&["A1", "B1"]));
            let tree = Arc::new(tree);
            let work = |tree: &Tree, own: usize| {
                let node = tree.view(tree.view(Tree::ROOT).edges[0].child().unwrap());
                tree.expand(&node.edges[own], Color::Black, 0.5, &moves(BELOW[own]));
                if let Some(names) = below(tree, &node.edges[1 - own]) {
                    assert_eq!(names, BELOW[1 - own]);
                }
            };
            let theirs = Arc::clone(&tree);
            let other = thread::spawn(move || work(&theirs, 1));
            work(&tree, 0);
            other.join().unwrap();
            let mut tree = Arc::try_unwrap(tree).ok().unwrap();
            tree.advance("E5".parse().unwrap());
            for own in 0..2 {
                let edge = &tree.view(Tree::ROOT).edges[own];
                assert_eq!(below(&tree, edge).unwrap(), BELOW[own]);
            }
        });
    }

    /// Two threads visit the same move and expand it; there is room for one node only.
    #[test]
    fn visits_are_counted_exactly_and_a_move_is_expanded_once() {
        loom::model(|| {
            let tree = Tree::with_room(2, 4, true).unwrap();
            tree.add(Color::Black, 0.5, &moves(&["A1"])).unwrap();
            let tree = Arc::new(tree);
            let work = |tree: &Tree| {
                let edge = &tree.view(Tree::ROOT).edges[0];
                tree.visit(Tree::ROOT, 1.0);
                edge.enter(1);
                tree.expand(edge, Color::White, 0.5, &moves(&["C1", "C2"]));
                edge.leave(1, 1.0);
            };
            let theirs = Arc::clone(&tree);
            let other = thread::spawn(move || work(&theirs));
            work(&tree);
            other.join().unwrap();
            let root = tree.view(Tree::ROOT);
            let edge = &root.edges[0];
            assert_eq!((root.visits, edge.visits(), edge.stats(Color::Black).visits), (2, 2, 2.0));
            assert_eq!(below(&tree, edge).unwrap(), ["C1", "C2"]);
            assert_eq!(tree.len(), 2);
        });
    }
}
