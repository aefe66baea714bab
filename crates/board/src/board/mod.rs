//! The position on the board: stones, chains, liberties, simple ko. No history and no komi: see
//! [`Game`](crate::Game).
//!
//! # How it works
//! Everything a playout asks about is kept incrementally in packed words:
//! * `around[v]`, a `u32`, holds the colours of the eight points around `v` in its upper half, two bits each; its lower half
//!   counts the empty, black and white orthogonal neighbours and the black and white diagonal neighbours of `v`, three bits
//!   each. Points on the edge start with one stone of either colour in the diagonal fields, so "is an eye" is one mask test
//!   for centre, edge and corner alike.
//! * `liberties[chain]`, a `u64`, holds the number, the sum and the sum of squares of the chain's pseudo-liberties
//!   (a liberty counts once for each stone that touches it). All three are additive, and by Cauchy and Schwarz a
//!   chain is in atari exactly when sum² = number · squares, at the point sum / number.
//! * `as_liberty[v]` is what an empty `v` contributes to such a word, and 0 while a stone is there.
//! * `chains[color][v]` is the chain of a stone of that colour on `v`, else [`Vertex::NONE`]. A chain is named by one of its stones.
//!   Border and empty points belong to the dummy chain `NONE`, so that updates need no branches.
//! * the stones of a chain form a ring through `next`. A point that names no chain has `next[v] = v`,
//!   `size[v] = 0` and `liberties[v] = 0`, so that starting a chain and joining one are the same code.
//!
//! `around.rs` and `pseudo.rs` have the two packed words, `empties.rs` the list of empty points, `liberties.rs` what the words tell
//! about liberties, `play.rs` legality and play.

use std::fmt;

use crate::{
    color::{Color, ColorMap},
    vertex::{MAX_SIZE, STRIDE, Vertex, VertexMap},
};

mod around;
mod empties;
mod liberties;
mod play;
mod pseudo;

use empties::Empties;
pub use liberties::{Liberties, OtherLiberties};

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
    empties: Empties,
    info: Info,
}

/// The small parts of a board.
#[derive(Clone)]
struct Info {
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
            empties: self.empties.clone(),
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
        self.empties.copy_prefix(&source.empties, end);
        self.info.clone_from(&source.info);
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
            empties: Empties::new(),
            info: Info {
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
                board.empties.add(v);
                for n in v.neighbors() {
                    board.around[n] += 1;
                }
                for (i, n) in v.surrounding().into_iter().enumerate() {
                    if !board.contains(n) {
                        board.around[v] |= 3 << around::surrounding(i as u32);
                    }
                }
                if row == 0 || col == 0 || row == height - 1 || col == width - 1 {
                    board.around[v] += 1 << around::DIAGONALS[0] | 1 << around::DIAGONALS[1];
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
        self.empties.as_slice()
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

    /// [`Board::chain_of`] for the four [`Vertex::neighbors`] of `v`.
    #[inline]
    pub fn chains_beside(&self, v: Vertex, color: Color) -> [Vertex; 4] {
        self.chains[color].beside(v)
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

    /// Empty orthogonal neighbours of `v`.
    #[inline]
    pub fn empty_neighbors(&self, v: Vertex) -> usize {
        (self.around[v] & around::MASK) as usize
    }

    /// Orthogonal neighbours of `v` with a stone of `color`.
    #[inline]
    pub fn stone_neighbors(&self, v: Vertex, color: Color) -> usize {
        (self.around[v] >> around::NEIGHBORS[color.index()] & around::MASK) as usize
    }

    /// Diagonal neighbours of `v` with a stone of `color`, and one more at the edge.
    #[inline]
    pub fn diagonal_stones_or_edge(&self, v: Vertex, color: Color) -> usize {
        (self.around[v] >> around::DIAGONALS[color.index()] & around::MASK) as usize
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

    /// The empty ones among the eight points around `v`, in the order of [`Vertex::surrounding`].
    #[inline]
    pub fn empty_surrounding(&self, v: Vertex) -> impl Iterator<Item = Vertex> + use<> {
        let colors = self.around[v] >> 16;
        let mut left = !(colors | colors >> 1) & 0x5555;
        std::iter::from_fn(move || {
            let i = left.trailing_zeros() as usize / 2;
            left &= left.wrapping_sub(1);
            (i < 8).then(|| v.surrounding_point(i))
        })
    }

    /// Whether every orthogonal neighbour of `v` is a stone of `color` (or border).
    #[inline]
    pub fn is_surrounded(&self, v: Vertex, color: Color) -> bool {
        let other = around::NEIGHBORS[(!color).index()];
        self.around[v] & (around::MASK | around::MASK << other) == 0
    }

    /// Whether the empty point `v` is an eye of `color` for a playout (S1.3): every orthogonal neighbour friendly, at
    /// most one enemy on the diagonals, none at an edge or corner.
    #[inline]
    pub fn is_eye(&self, v: Vertex, color: Color) -> bool {
        self.around[v] & around::SPOILS_EYE[color.index()] == 0
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
