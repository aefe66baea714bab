//! What playout policies ask about chains: liberties after a move, ways out of atari, chains that can be captured.
//!
//! Nothing here allocates. Answers are exact unless the name says otherwise; early exits come from the board's packed
//! pseudo-liberties, of which every liberty counts at most four times.

use tengen_board::{Board, Color, ColorMap, Move, OtherLiberties, Vertex};

use crate::rng::Rng;

/// A set of up to `N` vertices on the stack; what does not fit is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Few<const N: usize> {
    list: [Vertex; N],
    len: usize,
}

impl<const N: usize> Few<N> {
    /// The empty set.
    #[inline]
    pub const fn new() -> Few<N> {
        Few { list: [Vertex::NONE; N], len: 0 }
    }

    /// Adds a vertex that may be there already.
    #[inline]
    pub fn add(&mut self, v: Vertex) {
        if self.len < N && !self.contains(&v) {
            self.list[self.len] = v;
            self.len += 1;
        }
    }

    /// Whether nothing more fits.
    #[inline]
    pub const fn is_full(&self) -> bool {
        self.len == N
    }

    /// Keeps those that `keep` says.
    #[inline]
    pub fn retain(&mut self, keep: impl Fn(&Vertex) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(&self.list[i]) {
                self.list[kept] = self.list[i];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// One of them, each equally likely.
    #[inline]
    pub fn pick(&self, rng: &mut Rng) -> Option<Vertex> {
        match self.len {
            0 => None,
            1 => Some(self.list[0]),
            len => Some(self.list[rng.below(len)]),
        }
    }
}

impl<const N: usize> Default for Few<N> {
    fn default() -> Self {
        Few::new()
    }
}

impl<const N: usize> std::ops::Deref for Few<N> {
    type Target = [Vertex];
    #[inline]
    fn deref(&self) -> &[Vertex] {
        &self.list[..self.len]
    }
}

/// Whether a playout may play `v` at all: legal, and not an own eye.
#[inline]
pub fn is_playable(board: &Board, v: Vertex) -> bool {
    board.is_empty(v) && (board.empty_neighbors(v) != 0 || is_playable_without_space(board, v))
}

/// [`is_playable`] for an empty point without empty neighbours.
#[inline(never)]
fn is_playable_without_space(board: &Board, v: Vertex) -> bool {
    let me = board.to_play();
    !board.is_eye(v, me) && board.is_legal_without_space(v, me)
}

/// Up to `N` liberties of the chain that a stone of `me` on the empty point `v` would belong to: all of them if fewer
/// than `N` are returned.
#[inline]
pub fn liberties_after<const N: usize>(board: &Board, v: Vertex, me: Color) -> Few<N> {
    let mut found = Few::new();
    for n in v.neighbors() {
        if board.is_empty(n) {
            found.add(n);
        }
    }
    if !found.is_full() {
        add_joined_liberties(board, v, me, &mut found);
    }
    found
}

/// So many known points are quickly taken off a chain's liberties.
const MOST_KNOWN: usize = 3;

#[inline(never)]
fn add_joined_liberties<const N: usize>(board: &Board, v: Vertex, me: Color, found: &mut Few<N>) {
    let mut friends = Few::<4>::new();
    for friend in board.chains_beside(v, me) {
        if friend == Vertex::NONE || friends.contains(&friend) {
            continue;
        }
        friends.add(friend);
        // A walk along the chain is needed only where several liberties are new.
        if found.len() <= MOST_KNOWN {
            let mut known = Few::<{ MOST_KNOWN + 1 }>::new();
            known.add(v);
            for &liberty in found.iter() {
                known.add(liberty);
            }
            match board.liberties_besides(friend, me, &known) {
                OtherLiberties::None => continue,
                OtherLiberties::One(other) => {
                    found.add(other);
                    if found.is_full() {
                        return;
                    }
                    continue;
                }
                OtherLiberties::More => {}
            }
        }
        for stone in board.chain_stones(friend) {
            for s in stone.neighbors() {
                if board.is_empty(s) && s != v {
                    found.add(s);
                }
            }
            if found.is_full() {
                return;
            }
        }
    }
    for (enemy, n) in board.chains_beside(v, !me).into_iter().zip(v.neighbors()) {
        if !board.is_atari_at(enemy, v) {
            continue;
        }
        found.add(n);
        for stone in board.chain_stones(enemy) {
            if found.is_full() {
                return;
            }
            if board.chains_beside(stone, me).iter().any(|friend| friends.contains(friend)) {
                found.add(stone);
            }
        }
    }
}

/// Whether the chain that a stone of `me` on the empty point `v` would belong to would have two liberties that are not in
/// `without`.
#[inline]
pub fn has_two_liberties_after<const N: usize>(
    board: &Board,
    v: Vertex,
    me: Color,
    without: [Vertex; N],
) -> bool {
    if board.empty_neighbors(v) >= 2 + N {
        return true;
    }
    let mut known = Few::<8>::new();
    known.add(v);
    for point in without {
        known.add(point);
    }
    let enough = known.len() + 2;
    if board.empty_neighbors(v) != 0 {
        for n in v.neighbors() {
            if board.is_empty(n) {
                known.add(n);
            }
        }
    }
    known.len() >= enough || joins_or_captures_enough(board, v, me, known, enough)
}

/// Whether there are `enough` points if the liberties of the friends beside `v` are added, and what it captures.
#[inline(never)]
fn joins_or_captures_enough(board: &Board, v: Vertex, me: Color, mut known: Few<8>, enough: usize) -> bool {
    let mut friends = Few::<4>::new();
    for friend in board.chains_beside(v, me) {
        if friend == Vertex::NONE || friends.contains(&friend) {
            continue;
        }
        friends.add(friend);
        match board.liberties_besides(friend, me, &known) {
            OtherLiberties::None => {}
            OtherLiberties::One(other) => {
                known.add(other);
                if known.len() >= enough {
                    return true;
                }
            }
            OtherLiberties::More => return true,
        }
    }
    for (enemy, n) in board.chains_beside(v, !me).into_iter().zip(v.neighbors()) {
        if !board.is_atari_at(enemy, v) {
            continue;
        }
        known.add(n);
        for stone in board.chain_stones(enemy) {
            if known.len() >= enough {
                return true;
            }
            if board.chains_beside(stone, me).iter().any(|friend| friends.contains(friend)) {
                known.add(stone);
            }
        }
    }
    known.len() >= enough
}

/// Whether a stone of `me` on the empty point `v` would leave its chain at most one liberty.
#[inline]
pub fn is_self_atari(board: &Board, v: Vertex, me: Color) -> bool {
    board.empty_neighbors(v) < 2 && !has_two_liberties_after(board, v, me, [])
}

/// Adds the points where `me` captures an enemy chain that is in atari and touches the own chain `chain`.
#[inline]
pub fn add_counter_captures<const N: usize>(board: &Board, chain: Vertex, me: Color, found: &mut Few<N>) {
    for stone in board.chain_stones(chain) {
        if board.stone_neighbors(stone, !me) == 0 {
            continue;
        }
        for enemy in board.chains_beside(stone, !me) {
            if let Some(at) = board.atari(enemy)
                && is_playable(board, at)
            {
                found.add(at);
            }
        }
    }
}

/// Adds the ways to save the own chain `chain`, in atari at `liberty`: captures, and the extension if it leads to two
/// liberties.
#[inline]
pub fn add_escapes<const N: usize>(
    board: &Board,
    chain: Vertex,
    liberty: Vertex,
    me: Color,
    found: &mut Few<N>,
) {
    add_counter_captures(board, chain, me, found);
    if is_playable(board, liberty) && !is_self_atari(board, liberty, me) {
        found.add(liberty);
    }
}

/// Whether the chain `prey` has no two liberties left if its opponent plays `atari` and its owner extends to `extension`, the
/// chain's other liberty. Captures of attacking stones are not seen.
#[inline]
pub fn has_no_way_out(board: &Board, prey: Vertex, atari: Vertex, extension: Vertex) -> bool {
    board.color_at(prey).is_some_and(|color| !has_two_liberties_after(board, extension, color, [atari]))
}

/// Whether an atari would leave the own chain with these two liberties no way out.
#[inline]
pub fn is_threatened(board: &Board, chain: Vertex, [a, b]: [Vertex; 2], me: Color) -> bool {
    [(a, b), (b, a)]
        .into_iter()
        .any(|(at, other)| has_no_way_out(board, chain, at, other) && !is_self_atari(board, at, !me))
}

/// A self-atari of more stones than this is never a nakade.
pub const LARGEST_NAKADE: usize = 5;

/// How many own stones a self-atari on `v` would lose, itself included.
#[inline]
pub fn stones_at_stake(board: &Board, v: Vertex, me: Color) -> usize {
    let mut friends = Few::<4>::new();
    for friend in board.chains_beside(v, me) {
        if friend != Vertex::NONE {
            friends.add(friend);
        }
    }
    1 + friends.iter().map(|&friend| board.chain_size(friend)).sum::<usize>()
}

/// The point that decides whether the small eyespace around the empty point `start` is one eye or two.
///
/// The eyespace has three to six empty points and is enclosed by `owner` alone. Its vital point exists if it is a bent or
/// straight three, a pyramid four, a bulky or cross five, or a rabbity six.
#[inline]
pub fn vital_point(board: &Board, start: Vertex, owner: Color) -> Option<Vertex> {
    const LARGEST: usize = 6;
    if board.empty_neighbors(start) == 0 || board.stone_neighbors(start, !owner) != 0 {
        return None;
    }
    let mut region = Few::<{ LARGEST + 1 }>::new();
    region.add(start);
    let mut done = 0;
    let mut inner_pairs = 0;
    let mut vital = (0, Vertex::NONE);
    while done < region.len() {
        let v = region[done];
        done += 1;
        if board.stone_neighbors(v, !owner) != 0 {
            return None;
        }
        let degree = board.empty_neighbors(v);
        inner_pairs += degree;
        if degree > vital.0 {
            vital = (degree, v);
        }
        for n in v.neighbors() {
            if board.is_empty(n) {
                region.add(n);
            }
        }
        if region.is_full() {
            return None;
        }
    }
    // Twice the number of adjacent pairs tells shapes with a square of four points from those without.
    match (region.len(), vital.0, inner_pairs) {
        (3, 2, _) | (4, 3, _) | (5, 4, _) | (5, 3, 10) | (6, 4, 12) => Some(vital.1),
        _ => None,
    }
}

/// Knows the chains in atari anywhere on the board, without looking at all of it.
///
/// A chain comes into atari only by a move that touches it or joins it, so it is enough to look around the moves since
/// the last look, and once at the whole board when a playout begins. Chains that have left atari stay until they are
/// asked for.
#[derive(Clone, Debug, Default)]
pub struct AtariWatch {
    /// A stone of each chain that has been seen in atari.
    stones: ColorMap<Few<48>>,
    /// How many moves of the playout have been looked at.
    seen: usize,
    /// Whether a playout is running.
    running: bool,
}

impl AtariWatch {
    /// Ends a playout: the next look is at another position.
    pub fn reset(&mut self) {
        self.running = false;
    }

    /// Looks around the moves that were played since the last look.
    #[inline]
    pub fn look(&mut self, board: &Board, moves: &[Move]) {
        if !self.running || moves.len() < self.seen {
            self.look_everywhere(board);
        } else {
            for mv in &moves[self.seen..] {
                let v = mv.vertex_or_none();
                if v != Vertex::NONE {
                    self.look_at(board, v);
                    for n in v.neighbors() {
                        self.look_at(board, n);
                    }
                }
            }
        }
        self.seen = moves.len();
    }

    #[inline]
    fn look_at(&mut self, board: &Board, v: Vertex) {
        if board.is_in_atari(board.chain(v)) {
            let color = if board.is_color(v, Color::Black) { Color::Black } else { Color::White };
            self.add(board, v, color);
        }
    }

    #[inline(never)]
    fn look_everywhere(&mut self, board: &Board) {
        *self = AtariWatch { running: true, ..AtariWatch::default() };
        for &v in board.empties() {
            if board.empty_neighbors(v) < 4 {
                for n in v.neighbors() {
                    self.look_at(board, n);
                }
            }
        }
    }

    #[inline(never)]
    fn add(&mut self, board: &Board, v: Vertex, color: Color) {
        if self.stones[color].is_full() {
            self.drop_stale(board, color);
        }
        self.stones[color].add(v);
    }

    fn drop_stale(&mut self, board: &Board, color: Color) {
        self.stones[color].retain(|&stone| board.is_in_atari(board.chain_of(stone, color)));
    }

    /// Adds the playable points where the player to move captures.
    #[inline]
    pub fn add_captures<const N: usize>(&mut self, board: &Board, found: &mut Few<N>) {
        let enemy = !board.to_play();
        self.drop_stale(board, enemy);
        for &stone in self.stones[enemy].iter() {
            if let Some(at) = board.atari(board.chain_of(stone, enemy))
                && is_playable(board, at)
            {
                found.add(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playout::{PlayoutPolicy, Uniform, UniformConfig};

    fn vertex(name: &str) -> Vertex {
        name.parse().unwrap()
    }

    /// Plays and counts, to compare with.
    fn liberties_by_playing(board: &Board, v: Vertex) -> usize {
        let mut copy = board.clone();
        copy.play_unchecked(v.into());
        copy.liberty_count(copy.chain(v))
    }

    #[test]
    fn liberties_after_a_move_are_those_that_playing_it_gives() {
        let mut rng = Rng::new(1);
        let mut policy = Uniform::new(&UniformConfig::default());
        for (width, height) in [(5, 5), (9, 9), (7, 3)] {
            for _ in 0..20 {
                let mut board = Board::new(width, height);
                for _ in 0..2 * width * height {
                    let me = board.to_play();
                    for &v in board.empties() {
                        if board.is_legal(v) {
                            let expected = liberties_by_playing(&board, v);
                            assert_eq!(liberties_after::<100>(&board, v, me).len(), expected, "{v}\n{board}");
                            assert_eq!(liberties_after::<3>(&board, v, me).len(), expected.min(3));
                            assert_eq!(is_self_atari(&board, v, me), expected < 2, "{v}\n{board}");
                        }
                    }
                    let mv = policy.choose(&mut board, &[], &mut rng);
                    board.play_unchecked(mv);
                }
            }
        }
    }

    #[test]
    fn the_watch_finds_every_capture() {
        let mut rng = Rng::new(2);
        let mut policy = Uniform::new(&UniformConfig::default());
        let mut watch = AtariWatch::default();
        for game in 0..60 {
            let mut board = Board::new(9, 9);
            let mut moves = Vec::new();
            watch.reset();
            for turn in 0..200 {
                // A policy above may answer itself, so not every move is looked at when it is played.
                if (turn + game) % 3 != 0 {
                    watch.look(&board, &moves);
                    let mut found = Few::<81>::new();
                    watch.add_captures(&board, &mut found);
                    let enemy = !board.to_play();
                    let captures = |v: Vertex| {
                        let chains = v.neighbors().map(|n| board.chain_of(n, enemy));
                        chains.iter().any(|&c| c != Vertex::NONE && board.is_atari_at(c, v))
                    };
                    for v in board.points() {
                        let expected = board.is_empty(v) && is_playable(&board, v) && captures(v);
                        assert_eq!(found.contains(&v), expected, "{v}\n{board}");
                    }
                }
                let mv = policy.choose(&mut board, &moves, &mut rng);
                board.play_unchecked(mv);
                moves.push(mv);
            }
        }
    }

    #[test]
    fn escapes_are_captures_and_useful_extensions() {
        let escapes = |diagram: &str| {
            let board = Board::from_diagram(diagram).unwrap();
            let chain = board.chain(vertex("A2"));
            let mut found = Few::<8>::new();
            add_escapes(&board, chain, board.atari(chain).unwrap(), Color::Black, &mut found);
            let mut names: Vec<_> = found.iter().map(ToString::to_string).collect();
            names.sort();
            names
        };
        // Extending to A1 leaves one liberty.
        assert_eq!(escapes(". . . . . / . X . . . / O O X . . / X O X . . / . X . . ."), ["A4"]);
        assert_eq!(escapes(". . . . . / . X . . . / O O X . . / X O X . . / . X X . ."), ["A1", "A4"]);
        assert_eq!(escapes(". . . . . / . . . . . / O O X . . / X O X . . / . X X . ."), ["A1"]);
    }

    #[test]
    fn vital_points_of_small_eyespaces() {
        for (diagram, start, vital) in [
            // Straight three, bent three, pyramid four, bulky five.
            (". . . X . / X X X X . / . . . . .", "A3", Some("B3")),
            (". . X . . / . X X . . / X X . . .", "A2", Some("A3")),
            (". . . X . / X . X X . / X X X . .", "A3", Some("B3")),
            (". . X . . / . . . X . / X X X X .", "A2", Some("B2")),
            // Two points, four in a row and a square of four have none; nor has a space that both colours touch.
            (". . X . . / X X X . . / . . . . .", "A3", None),
            (". . . . X / X X X X X / . . . . .", "A3", None),
            (". . X . . / . . X . . / X X X . .", "A2", None),
            (". . . O . / X X X X . / . . . . .", "A3", None),
        ] {
            let board = Board::from_diagram(diagram).unwrap();
            let found = vital_point(&board, vertex(start), Color::Black);
            assert_eq!(found, vital.map(vertex), "{board}");
        }
    }
}
