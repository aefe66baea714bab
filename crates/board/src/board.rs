//! The position on the board: stones, chains, liberties, simple ko. No history and no komi: see
//! [`Game`](crate::Game).
//!
//! # How it works
//! Everything a playout asks about is kept incrementally in packed words:
//! * `around[v]`, a `u32`, holds the colours of the eight points around `v` in its upper half, two bits each; its lower half counts the empty, black and white orthogonal neighbours and the black and white diagonal
//!   neighbours of `v`, three bits each. Points on the edge start with one stone of either colour in the diagonal
//!   fields, so "is an eye" is one mask test for centre, edge and corner alike.
//! * `liberties[chain]`, a `u64`, holds the number, the sum and the sum of squares of the chain's pseudo-liberties
//!   (a liberty counts once for each stone that touches it). All three are additive, and by Cauchy and Schwarz a
//!   chain is in atari exactly when sum² = number · squares, at the point sum / number.
//! * `as_liberty[v]` is what an empty `v` contributes to such a word, and 0 while a stone is there.
//! * `chains[color][v]` is the chain of a stone of that colour on `v`, else [`Vertex::NONE`]. A chain is named by one of its stones.
//!   Border and empty points belong to the dummy chain `NONE`, so that updates need no branches.
//! * the stones of a chain form a ring through `next`. A point that names no chain has `next[v] = v`,
//!   `size[v] = 0` and `liberties[v] = 0`, so that starting a chain and joining one are the same code.

#![allow(unsafe_code)] // Neighbours of known points without wrapping; see the SAFETY comments.

use std::fmt;

use crate::{
    color::{Color, ColorMap},
    moves::Move,
    vertex::{CELLS, MAX_AREA, MAX_SIZE, STRIDE, Vertex, VertexMap},
    zobrist,
};

/// The smallest width and height of a board.
pub const MIN_SIZE: usize = 2;

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalMove {
    /// The point is not on this board.
    OffBoard,
    /// A stone is there already.
    Occupied,
    /// It would retake the ko at once.
    Ko,
    /// The stones would have no liberty, and the rules forbid suicide.
    Suicide,
    /// It would repeat an earlier position of the game.
    Superko,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalMove::OffBoard => "the point is not on the board",
            IllegalMove::Occupied => "the point is occupied",
            IllegalMove::Ko => "the ko cannot be retaken at once: play elsewhere first",
            IllegalMove::Suicide => "suicide is not allowed",
            IllegalMove::Superko => "the move repeats an earlier position (superko)",
        })
    }
}

impl std::error::Error for IllegalMove {}

/// The board's width or height is not from 2 to 19.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSize {
    width: usize,
    height: usize,
}

impl fmt::Display for InvalidSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a board of {}x{} is not supported: width and height are from 2 to 19",
            self.width, self.height
        )
    }
}

impl std::error::Error for InvalidSize {}

/// Fields of a word of `around`.
mod field {
    /// Bits of a counter.
    pub(super) const MASK: u32 = 7;
    /// Where the black and the white orthogonal counters begin; the empty counter begins at 0.
    pub(super) const NEIGHBORS: [u32; 2] = [3, 6];
    /// Where the black and the white diagonal counters begin.
    pub(super) const DIAGONALS: [u32; 2] = [9, 12];
    /// Any of these set: not an eye of the colour. A diagonal count of 2 or more has bit 1 or 2 set.
    pub(super) const SPOILS_EYE: [u32; 2] =
        [MASK | MASK << NEIGHBORS[1] | 6 << DIAGONALS[1], MASK | MASK << NEIGHBORS[0] | 6 << DIAGONALS[0]];
    /// What a stone adds to the row below it, to its left and right neighbours (and itself and the point beyond:
    /// nothing), and to the row above.
    pub(super) const STONE: [([u32; 4], [u32; 4], [u32; 4]); 2] = [stone(0), stone(1)];

    /// Where the colour of the `i`th surrounding point begins, in the order of `Vertex::surrounding`.
    pub(super) const fn surrounding(i: u32) -> u32 {
        16 + 2 * i
    }

    const fn stone(color: usize) -> ([u32; 4], [u32; 4], [u32; 4]) {
        let beside = (1u32 << NEIGHBORS[color]) - 1;
        let diagonal = 1u32 << DIAGONALS[color];
        let bits = color as u32 + 1;
        // The stone is above and to the right of the first point of the row below, and so on.
        let below = [7, 6, 5];
        let middle = [4, 0, 3];
        let above = [2, 1, 0];
        (
            [
                diagonal + (bits << surrounding(below[0])),
                beside + (bits << surrounding(below[1])),
                diagonal + (bits << surrounding(below[2])),
                0,
            ],
            [beside + (bits << surrounding(middle[0])), 0, beside + (bits << surrounding(middle[2])), 0],
            [
                diagonal + (bits << surrounding(above[0])),
                beside + (bits << surrounding(above[1])),
                diagonal + (bits << surrounding(above[2])),
                0,
            ],
        )
    }
}

/// Packed pseudo-liberties: number in bits 0 to 11, sum of indices in 12 to 31, sum of squares in 32 to 63.
/// The largest values, 1,444 · 441² = 280,840,000 among them, fit.
mod pseudo {
    use super::Vertex;

    /// The dummy chain's word: never zero, whatever a move subtracts, and never an atari.
    pub(super) const DUMMY: u64 = 1 << 63;

    #[inline]
    pub(super) const fn liberty(v: Vertex) -> u64 {
        let i = v.index() as u64;
        1 | i << 12 | (i * i) << 32
    }

    #[inline]
    pub(super) const fn number(word: u64) -> u64 {
        word & 0xfff
    }

    #[inline]
    const fn sum(word: u64) -> u64 {
        word >> 12 & 0xf_ffff
    }

    /// The only liberty, if there is only one.
    #[inline]
    pub(super) const fn single(word: u64) -> Option<Vertex> {
        let (number, sum) = (number(word), sum(word));
        if number != 0 && sum * sum == number * (word >> 32) {
            Some(Vertex::from_index((sum / number) as usize))
        } else {
            None
        }
    }
}

/// A position: stones, whose turn it is, and the simple ko point.
///
/// ```
/// use tengen_board::{Board, Color, Move, Vertex};
/// let mut board = Board::new(9, 9);
/// board.play("E5".parse().unwrap());
/// assert_eq!(board.color_at("E5".parse().unwrap()), Some(Color::Black));
/// assert_eq!(board.to_play(), Color::White);
/// ```
pub struct Board {
    around: VertexMap<u32>,
    chains: ColorMap<VertexMap<Vertex>>,
    liberties: VertexMap<u64>,
    as_liberty: VertexMap<u64>,
    next: VertexMap<Vertex>,
    size: VertexMap<u16>,
    place: VertexMap<u16>,
    info: Info,
}

/// The parts of a board that are not arrays over vertices.
#[derive(Clone)]
struct Info {
    /// Longer than any board, so that masked indices need no bounds check.
    empties: [Vertex; CELLS],
    empty_count: usize,
    width: u8,
    height: u8,
    to_play: Color,
    ko: Vertex,
    hash: u64,
    stones: ColorMap<u16>,
    prisoners: ColorMap<u16>,
}

impl Clone for Board {
    fn clone(&self) -> Board {
        Board {
            around: self.around,
            chains: self.chains,
            liberties: self.liberties,
            as_liberty: self.as_liberty,
            next: self.next,
            size: self.size,
            place: self.place,
            info: self.info.clone(),
        }
    }

    /// Copies only the rows that a board of this height uses.
    #[inline]
    fn clone_from(&mut self, source: &Board) {
        let end = Vertex::from_index((self.height().max(source.height()) + 2) * STRIDE);
        self.around.copy_prefix(&source.around, end);
        for color in Color::ALL {
            self.chains[color].copy_prefix(&source.chains[color], end);
        }
        self.liberties.copy_prefix(&source.liberties, end);
        self.as_liberty.copy_prefix(&source.as_liberty, end);
        self.next.copy_prefix(&source.next, end);
        self.size.copy_prefix(&source.size, end);
        self.place.copy_prefix(&source.place, end);
        self.info.clone_from(&source.info);
    }
}

/// Up to `N` liberties of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Liberties<const N: usize> {
    list: [Vertex; N],
    len: usize,
}

impl<const N: usize> std::ops::Deref for Liberties<N> {
    type Target = [Vertex];
    #[inline]
    fn deref(&self) -> &[Vertex] {
        &self.list[..self.len]
    }
}

/// Setting up and looking.
impl Board {
    /// An empty board with Black to play.
    ///
    /// # Panics
    /// If width or height is not from 2 to 19; [`Board::try_new`] returns an error instead.
    pub fn new(width: usize, height: usize) -> Board {
        Board::try_new(width, height).expect("width and height are from 2 to 19")
    }

    /// An empty board with Black to play.
    pub fn try_new(width: usize, height: usize) -> Result<Board, InvalidSize> {
        if !(MIN_SIZE..=MAX_SIZE).contains(&width) || !(MIN_SIZE..=MAX_SIZE).contains(&height) {
            return Err(InvalidSize { width, height });
        }
        let mut board = Board {
            around: VertexMap::filled(0),
            chains: ColorMap([VertexMap::filled(Vertex::NONE); 2]),
            liberties: VertexMap::filled(0),
            as_liberty: VertexMap::filled(0),
            next: VertexMap::filled(Vertex::NONE),
            size: VertexMap::filled(0),
            place: VertexMap::filled(u16::MAX),
            info: Info {
                empties: [Vertex::NONE; CELLS],
                empty_count: 0,
                width: width as u8,
                height: height as u8,
                to_play: Color::Black,
                ko: Vertex::NONE,
                hash: 0,
                stones: ColorMap([0; 2]),
                prisoners: ColorMap([0; 2]),
            },
        };
        board.liberties[Vertex::NONE] = pseudo::DUMMY;
        for row in 0..height {
            for col in 0..width {
                let v = Vertex::new(col, row);
                board.next[v] = v;
                board.as_liberty[v] = pseudo::liberty(v);
                board.add_empty(v);
                for n in v.neighbors() {
                    board.around[n] += 1;
                }
                for (i, n) in v.surrounding().into_iter().enumerate() {
                    if !board.contains(n) {
                        board.around[v] |= 3 << field::surrounding(i as u32);
                    }
                }
                if row == 0 || col == 0 || row == height - 1 || col == width - 1 {
                    board.around[v] += 1 << field::DIAGONALS[0] | 1 << field::DIAGONALS[1];
                }
            }
        }
        Ok(board)
    }

    /// Number of columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.info.width as usize
    }

    /// Number of rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.info.height as usize
    }

    /// Number of points.
    #[inline]
    pub fn area(&self) -> usize {
        self.width() * self.height()
    }

    /// Every point, from `A1` along the bottom row and upwards.
    pub fn points(&self) -> impl Iterator<Item = Vertex> + use<> {
        let (width, height) = (self.width(), self.height());
        (0..height).flat_map(move |row| (0..width).map(move |col| Vertex::new(col, row)))
    }

    /// The rows of points as a board is drawn: the top one first, each from the left.
    pub fn rows_from_top(&self) -> impl Iterator<Item = Vec<Vertex>> + use<> {
        let (width, height) = (self.width(), self.height());
        (0..height).rev().map(move |row| (0..width).map(|col| Vertex::new(col, row)).collect())
    }

    /// Whether the vertex is a point of this board, not border.
    #[inline]
    pub fn contains(&self, v: Vertex) -> bool {
        v.col() < self.width() && v.row() < self.height()
    }

    /// The colour of the stone on `v`, if there is one.
    #[inline]
    pub fn color_at(&self, v: Vertex) -> Option<Color> {
        if self.chains[Color::Black][v] != Vertex::NONE {
            Some(Color::Black)
        } else if self.chains[Color::White][v] != Vertex::NONE {
            Some(Color::White)
        } else {
            None
        }
    }

    /// Whether a stone of `color` stands on `v`.
    #[inline]
    pub fn is_color(&self, v: Vertex, color: Color) -> bool {
        self.chains[color][v] != Vertex::NONE
    }

    /// Whether `v` is a point of the board without a stone.
    #[inline]
    pub fn is_empty(&self, v: Vertex) -> bool {
        self.as_liberty[v] != 0
    }

    /// The empty points, in no particular order.
    #[inline]
    pub fn empties(&self) -> &[Vertex] {
        &self.info.empties[..self.info.empty_count % CELLS]
    }

    /// An empty point that `accept` takes, each equally likely; a pass if it takes none. `below(n)` gives a random
    /// number below `n`.
    ///
    /// The position stays the same, but refused points change places in [`Board::empties`] with the last of those
    /// that are still drawn from: that keeps the draw exact, and it ends.
    #[inline]
    pub fn draw_empty(
        &mut self,
        mut below: impl FnMut(usize) -> usize,
        accept: impl Fn(&Board, Vertex) -> bool,
    ) -> Move {
        let mut left = self.info.empty_count;
        while left > 0 {
            let i = below(left) % CELLS;
            let v = self.info.empties[i];
            if accept(self, v) {
                return v.into();
            }
            left -= 1;
            let last = self.info.empties[left % CELLS];
            self.info.empties[i] = last;
            self.info.empties[left % CELLS] = v;
            self.place[last] = i as u16;
            self.place[v] = left as u16;
        }
        Move::PASS
    }

    /// Whose turn it is.
    #[inline]
    pub fn to_play(&self) -> Color {
        self.info.to_play
    }

    /// Gives the turn to `color`. The ko ends if the turn changes.
    #[inline]
    pub fn set_to_play(&mut self, color: Color) {
        if color != self.info.to_play {
            self.info.to_play = color;
            self.info.ko = Vertex::NONE;
        }
    }

    /// The point where simple ko forbids the player to move, or [`Vertex::NONE`].
    #[inline]
    pub fn ko(&self) -> Vertex {
        self.info.ko
    }

    /// Zobrist hash of the stones; neither turn nor ko is part of it.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.info.hash
    }

    /// Stones of `color` on the board.
    #[inline]
    pub fn stones(&self, color: Color) -> usize {
        self.info.stones[color] as usize
    }

    /// Stones that `color` has captured (including what the opponent lost by suicide).
    #[inline]
    pub fn prisoners(&self, color: Color) -> usize {
        self.info.prisoners[color] as usize
    }

    /// Sets what [`Board::prisoners`] returns for Black and White: for a position that is put together by hand.
    pub(crate) fn set_prisoners(&mut self, prisoners: [usize; 2]) {
        self.info.prisoners = ColorMap(prisoners.map(|n| n as u16));
    }

    /// The chain of the stone on `v`, named by one of its stones; [`Vertex::NONE`] if there is no stone.
    #[inline]
    pub fn chain(&self, v: Vertex) -> Vertex {
        self.chains[Color::Black][v].or(self.chains[Color::White][v])
    }

    /// The chain of the stone of `color` on `v`; [`Vertex::NONE`] if there is none.
    #[inline]
    pub fn chain_of(&self, v: Vertex, color: Color) -> Vertex {
        self.chains[color][v]
    }

    /// Number of stones of a chain as [`Board::chain`] names it.
    #[inline]
    pub fn chain_size(&self, chain: Vertex) -> usize {
        self.size[chain] as usize
    }

    /// The stones of a chain.
    #[inline]
    pub fn chain_stones(&self, chain: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        let mut current = chain;
        (0..self.chain_size(chain)).map(move |_| {
            current = self.next[current];
            current
        })
    }

    /// The only liberty of a chain that has just one.
    #[inline]
    pub fn atari(&self, chain: Vertex) -> Option<Vertex> {
        pseudo::single(self.liberties[chain])
    }

    /// Whether the empty point `v` is the only liberty of the chain.
    #[inline]
    pub fn is_atari_at(&self, chain: Vertex, v: Vertex) -> bool {
        let word = self.liberties[chain];
        word == pseudo::number(word).wrapping_mul(self.as_liberty[v])
    }

    /// An upper bound of a chain's number of liberties, at no cost: each counted once for each stone that touches it.
    #[inline]
    pub fn pseudo_liberties(&self, chain: Vertex) -> usize {
        pseudo::number(self.liberties[chain]) as usize
    }

    /// The first `N` liberties found: all of them if fewer than `N` are returned.
    #[inline]
    pub fn liberties<const N: usize>(&self, chain: Vertex) -> Liberties<N> {
        let mut found = Liberties { list: [Vertex::NONE; N], len: 0 };
        for stone in self.chain_stones(chain) {
            for n in stone.neighbors() {
                if self.is_empty(n) && !found.contains(&n) {
                    found.list[found.len] = n;
                    found.len += 1;
                    if found.len == N {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// The exact number of liberties of a chain, up to 361.
    pub fn liberty_count(&self, chain: Vertex) -> usize {
        self.liberties::<MAX_AREA>(chain).len()
    }

    /// Empty orthogonal neighbours of `v`.
    #[inline]
    pub fn empty_neighbors(&self, v: Vertex) -> usize {
        (self.around[v] & field::MASK) as usize
    }

    /// Orthogonal neighbours of `v` with a stone of `color`.
    #[inline]
    pub fn stone_neighbors(&self, v: Vertex, color: Color) -> usize {
        (self.around[v] >> field::NEIGHBORS[color.index()] & field::MASK) as usize
    }

    /// Diagonal neighbours of `v` with a stone of `color`, and one more at the edge.
    #[inline]
    pub fn diagonal_stones_or_edge(&self, v: Vertex, color: Color) -> usize {
        (self.around[v] >> field::DIAGONALS[color.index()] & field::MASK) as usize
    }

    /// The colours of the eight points around `v`, two bits each in the order of [`Vertex::surrounding`], as `me` sees
    /// them: empty 0, own 1, enemy 2, border 3.
    #[inline]
    pub fn surrounding_code(&self, v: Vertex, me: Color) -> u16 {
        let code = (self.around[v] >> 16) as u16;
        match me {
            Color::Black => code,
            Color::White => (code & 0x5555) << 1 | code >> 1 & 0x5555,
        }
    }

    /// Whether every orthogonal neighbour of `v` is a stone of `color` (or border).
    #[inline]
    pub fn is_surrounded(&self, v: Vertex, color: Color) -> bool {
        let other = field::NEIGHBORS[(!color).index()];
        self.around[v] & (field::MASK | field::MASK << other) == 0
    }

    /// Whether the empty point `v` is an eye of `color` for a playout (S1.3): every orthogonal neighbour friendly, at
    /// most one enemy on the diagonals, none at an edge or corner.
    #[inline]
    pub fn is_eye(&self, v: Vertex, color: Color) -> bool {
        self.around[v] & field::SPOILS_EYE[color.index()] == 0
    }
}

/// Legality and play.
impl Board {
    /// Whether the player to move may play on the empty point `v`: no suicide, no simple ko.
    #[inline]
    pub fn is_legal(&self, v: Vertex) -> bool {
        self.is_empty(v) && (self.empty_neighbors(v) != 0 || self.is_legal_without_space(v))
    }

    /// [`Board::is_legal`] for an empty point without empty neighbours: it must capture, or join a chain that has
    /// another liberty.
    #[inline]
    pub fn is_legal_without_space(&self, v: Vertex) -> bool {
        v != self.info.ko && !self.is_suicide(v)
    }

    /// Whether a stone on the empty point `v`, which has no empty neighbour, would be captured itself.
    #[inline]
    pub(crate) fn is_suicide(&self, v: Vertex) -> bool {
        let me = self.to_play();
        // An enemy in atari is captured, and a friend not in atari has another liberty: either will do. Without branches,
        // because which neighbour decides cannot be predicted.
        let mut saviors = Vertex::NONE;
        for n in v.neighbors() {
            let (friend, enemy) = (self.chains[me][n], self.chains[!me][n]);
            let atari = self.is_atari_at(friend.or(enemy), v);
            saviors = saviors.or(std::hint::select_unpredictable(atari, enemy, friend));
        }
        saviors == Vertex::NONE
    }

    /// [`Board::hash`] after a stone of the player to move on the empty point `v`.
    pub fn hash_after(&self, v: Vertex) -> u64 {
        let me = self.to_play();
        let mut hash = self.hash() ^ zobrist::stone(me, v);
        let mut remove = |chain: Vertex, color: Color| {
            for stone in self.chain_stones(chain) {
                hash ^= zobrist::stone(color, stone);
            }
        };
        let neighbors = v.neighbors();
        let distinct = |i: usize, color: Color| {
            let chain = self.chains[color][neighbors[i]];
            let seen = neighbors[..i].iter().any(|&n| self.chains[color][n] == chain);
            (chain != Vertex::NONE && !seen).then_some(chain)
        };
        if self.empty_neighbors(v) == 0 && self.is_suicide(v) {
            (0..4).filter_map(|i| distinct(i, me)).for_each(|chain| remove(chain, me));
            return hash ^ zobrist::stone(me, v);
        }
        (0..4)
            .filter_map(|i| distinct(i, !me))
            .filter(|&chain| self.is_atari_at(chain, v))
            .for_each(|chain| remove(chain, !me));
        hash
    }

    /// Whether the player to move may play, and if not, why.
    pub fn check(&self, mv: Move, suicide_allowed: bool) -> Result<(), IllegalMove> {
        let Some(v) = mv.vertex() else { return Ok(()) };
        if !self.contains(v) {
            Err(IllegalMove::OffBoard)
        } else if !self.is_empty(v) {
            Err(IllegalMove::Occupied)
        } else if v == self.info.ko {
            Err(IllegalMove::Ko)
        } else if !suicide_allowed && self.empty_neighbors(v) == 0 && self.is_suicide(v) {
            Err(IllegalMove::Suicide)
        } else {
            Ok(())
        }
    }

    /// Plays a move from outside if it is legal; otherwise leaves the board as it is and says why.
    pub fn try_play(&mut self, mv: Move, suicide_allowed: bool) -> Result<(), IllegalMove> {
        self.check(mv, suicide_allowed)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a legal move (suicide is not).
    ///
    /// # Panics
    /// If the move is illegal: for tests and examples.
    pub fn play(&mut self, mv: Move) {
        if let Err(error) = self.try_play(mv, false) {
            panic!("{} cannot play {mv}: {error}\n{self}", self.to_play());
        }
    }

    /// Plays a move that the caller knows to be legal. A suicide takes its own stones off; a move on an occupied point
    /// is a pass.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) {
        let me = self.info.to_play;
        self.info.ko = Vertex::NONE;
        self.info.to_play = !me;
        let v = mv.vertex_or_none();
        if self.is_empty(v) {
            // SAFETY: `as_liberty` is 0 but for empty points of this board.
            unsafe {
                match me {
                    Color::Black => self.put_stone::<0>(v),
                    Color::White => self.put_stone::<1>(v),
                }
            }
        } else {
            debug_assert!(mv.is_pass(), "{mv} is occupied\n{self}");
        }
    }

    /// # Safety
    /// `v` is an empty point of this board.
    #[inline]
    unsafe fn put_stone<const ME: usize>(&mut self, v: Vertex) {
        let me = Color::ALL[ME];
        let in_enemy_eye = self.is_surrounded(v, !me);
        // SAFETY: `v` is a point of this board.
        let neighbors = unsafe { v.neighbors_of_point() };

        // 1. The point is no longer empty.
        self.remove_empty(v);
        self.info.hash ^= zobrist::stone(me, v);
        self.info.stones[me] += 1;
        let liberty = std::mem::take(&mut self.as_liberty[v]);
        // SAFETY: `v` is a point of this board.
        unsafe { self.count_stone::<true>(v, me) };

        // 2. Neighbouring chains lose a liberty; the dummy chain absorbs empty points and border.
        let enemies = neighbors.map(|n| self.chains[!me][n]);
        let friends = neighbors.map(|n| self.chains[me][n]);
        for (friend, enemy) in friends.into_iter().zip(enemies) {
            self.liberties[friend.or(enemy)] -= liberty;
        }

        // 3. The stone starts a chain or joins the one with the largest name; others are merged into that.
        let [a, b, c, d] = friends;
        let largest = a.max(b).max(c.max(d));
        let [a, b, c, d] = friends.map(Vertex::before);
        let smallest = a.min(b).min(c.min(d));
        let mut chain = if largest == Vertex::NONE { v } else { largest };
        self.chains[me][v] = chain;
        self.liberties[chain] += neighbors.into_iter().map(|n| self.as_liberty[n]).sum::<u64>();
        self.size[chain] += 1;
        let after = self.next[chain];
        self.next[chain] = self.next[v];
        self.next[v] = after;
        if smallest != largest.before() {
            for friend in friends {
                let friend = self.chains[me][friend];
                if friend != Vertex::NONE && friend != chain {
                    chain = self.merge(chain, friend, me);
                }
            }
        }

        // 4. Enemies without liberties are captured.
        let mut captured = 0;
        for enemy in enemies {
            if self.liberties[enemy] == 0 && self.chains[!me][enemy] == enemy {
                captured += self.size[enemy];
                if captured == 1 && in_enemy_eye {
                    self.info.ko = enemy;
                }
                self.remove_chain(enemy, !me);
            }
        }
        if captured != 0 {
            self.info.prisoners[me] += captured;
            if captured != 1 {
                self.info.ko = Vertex::NONE;
            }
        }

        // 5. Suicide.
        if self.liberties[chain] == 0 {
            self.info.prisoners[!me] += self.size[chain];
            self.remove_chain(chain, me);
        }
        self.liberties[Vertex::NONE] = pseudo::DUMMY;
    }

    /// Adds (or takes back) a stone in the counters of the eight points around it, a row at a time.
    ///
    /// # Safety
    /// `v` is a point of this board.
    #[inline]
    unsafe fn count_stone<const ADD: bool>(&mut self, v: Vertex, color: Color) {
        let (below, beside, above) = field::STONE[color.index()];
        // SAFETY: the caller's promise.
        let rows = unsafe { v.rows_around_point() };
        for (start, add) in rows.into_iter().zip([below, beside, above]) {
            let words = self.around.run_mut(start);
            for (word, add) in words.iter_mut().zip(add) {
                *word = if ADD { word.wrapping_add(add) } else { word.wrapping_sub(add) };
            }
        }
    }

    #[inline]
    fn add_empty(&mut self, v: Vertex) {
        let end = self.info.empty_count;
        self.info.empties[end % CELLS] = v;
        self.place[v] = end as u16;
        self.info.empty_count = end + 1;
    }

    #[inline]
    fn remove_empty(&mut self, v: Vertex) {
        let end = self.info.empty_count - 1;
        let hole = self.place[v];
        let last = self.info.empties[end % CELLS];
        self.info.empties[hole as usize % CELLS] = last;
        self.place[last] = hole;
        self.info.empty_count = end;
    }

    /// Joins two chains and returns the name of the result: the smaller one is renamed.
    #[inline(never)]
    fn merge(&mut self, a: Vertex, b: Vertex, color: Color) -> Vertex {
        let (keep, drop) = if self.size[a] >= self.size[b] { (a, b) } else { (b, a) };
        let mut stone = drop;
        for _ in 0..self.size[drop] {
            self.chains[color][stone] = keep;
            stone = self.next[stone];
        }
        let after = self.next[keep];
        self.next[keep] = self.next[drop];
        self.next[drop] = after;
        self.size[keep] += std::mem::take(&mut self.size[drop]);
        self.liberties[keep] += std::mem::take(&mut self.liberties[drop]);
        keep
    }

    /// Takes the stones of a chain off the board.
    #[inline(never)]
    fn remove_chain(&mut self, chain: Vertex, color: Color) {
        let count = std::mem::take(&mut self.size[chain]);
        self.info.stones[color] -= count;
        let mut stone = chain;
        for _ in 0..count {
            let after = self.next[stone];
            self.next[stone] = stone;
            self.chains[color][stone] = Vertex::NONE;
            self.info.hash ^= zobrist::stone(color, stone);
            let liberty = pseudo::liberty(stone);
            self.as_liberty[stone] = liberty;
            // SAFETY: a stone stands on a point of this board.
            for n in unsafe { stone.neighbors_of_point() } {
                let neighbor = self.chain(n);
                self.liberties[neighbor] = self.liberties[neighbor].wrapping_add(liberty);
            }
            // SAFETY: a stone stands on a point of this board.
            unsafe { self.count_stone::<false>(stone, color) };
            self.add_empty(stone);
            stone = after;
        }
        self.liberties[chain] = 0;
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
