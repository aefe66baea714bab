//! The positions that a game has had, for superko: exact, and decided without a look at them for most moves.
//!
//! A move that is no suicide leaves a stone on its point, so it can repeat only positions with a stone of that colour there:
//! points where none has stood are no question. The same holds for every other stone that is left. The last stone that
//! was put where its colour had not stood before is in no position before it, so as long as it stays, only the positions since then
//! can come back; after a move of that kind, none but the one that captures it.

use crate::{
    board::Board,
    color::{Color, ColorMap},
    vertex::{CELLS, Vertex},
};

/// Bits of the filter; a power of two.
const BITS: usize = 1 << 14;

/// Keys of positions, and what rules most moves out without a look at them.
#[derive(Clone)]
pub(crate) struct Past {
    keys: Vec<u64>,
    /// A bit for the last digits of every key. Keys that were taken back may have left theirs.
    filter: [u64; BITS / 64],
    /// Points on which a stone of a colour has stood.
    stood: ColorMap<[u64; CELLS / 64]>,
    fresh: Fresh,
}

/// The last stone that was put where its colour had not stood before.
#[derive(Clone, Copy)]
struct Fresh {
    at: Vertex,
    color: Color,
    /// The number of positions before it.
    before: usize,
}

impl Past {
    /// Nothing has happened yet but that `start` was set up.
    pub(crate) fn new(start: &Board) -> Past {
        let fresh = Fresh { at: Vertex::NONE, color: Color::Black, before: 0 };
        let stood = ColorMap([[0; CELLS / 64]; 2]);
        let mut past = Past { keys: Vec::new(), filter: [0; BITS / 64], stood, fresh };
        for v in start.points() {
            if let Some(color) = start.color_at(v) {
                past.stood[color][v.index() / 64] |= 1 << (v.index() % 64);
            }
        }
        past
    }

    /// Notes a position.
    pub(crate) fn push(&mut self, key: u64) {
        self.keys.push(key);
        let bit = key as usize % BITS;
        self.filter[bit / 64] |= 1 << (bit % 64);
    }

    /// Notes that a stone was put on the board, where it has stayed; the position follows.
    pub(crate) fn put(&mut self, color: Color, v: Vertex) {
        if !self.has_stood(color, v) {
            self.stood[color][v.index() / 64] |= 1 << (v.index() % 64);
            self.fresh = Fresh { at: v, color, before: self.keys.len() };
        }
    }

    #[inline]
    fn has_stood(&self, color: Color, v: Vertex) -> bool {
        self.stood[color][v.index() / 64] >> (v.index() % 64) & 1 != 0
    }

    /// Whether the player to move would repeat a position by a stone on the empty point `v`. `key` tells the key of the position
    /// after it.
    #[inline]
    pub(crate) fn repeats(&self, board: &Board, v: Vertex, key: impl FnOnce() -> u64) -> bool {
        if board.empty_neighbors(v) == 0 && board.is_suicide(v, board.to_play()) {
            return self.contains(key());
        }
        if !self.has_stood(board.to_play(), v) {
            return false;
        }
        let Fresh { at, color, before } = self.fresh;
        let stays = board.is_color(at, color)
            && (color == board.to_play() || !board.is_atari_at(board.chain_of(at, color), v));
        if stays && before + 1 == self.keys.len() {
            return false;
        }
        let key = key();
        let bit = key as usize % BITS;
        self.filter[bit / 64] >> (bit % 64) & 1 != 0
            && self.keys[if stays { before } else { 0 }..].contains(&key)
    }

    /// Whether a position has been.
    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        let bit = key as usize % BITS;
        self.filter[bit / 64] >> (bit % 64) & 1 != 0 && self.keys.contains(&key)
    }

    /// The keys, oldest first.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Forgets all positions but the first `count`.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.keys.truncate(count);
    }
}
