//! Points of the board, and arrays indexed by them.
//!
//! Every board, whatever its size, is embedded in the same bordered array with a stride of 21, so neighbour
//! offsets are constants, one compiled copy serves all sizes, and a vertex has the same name (`D4`) everywhere.
//! Row 0 is the bottom row, the first line of a Go player.
//!
//! A [`Vertex`] is always below [`CELLS`], a power of two: arithmetic wraps, so that indexing a [`VertexMap`] needs no
//! bounds check.

#![allow(unsafe_code)] // Indexing, with the invariant above; see the SAFETY comments.

use std::{
    fmt,
    ops::{Index, IndexMut},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// The largest board is `MAX_SIZE` x `MAX_SIZE`.
pub const MAX_SIZE: usize = 19;
/// Points of the largest board.
pub const MAX_AREA: usize = MAX_SIZE * MAX_SIZE;
/// Distance between a vertex and the one above it.
pub(crate) const STRIDE: usize = MAX_SIZE + 2;
/// Every vertex is below this: the bordered 21x21 array, rounded up to a power of two.
pub const CELLS: usize = 512;
/// Entries before the first vertex and behind the last one, so that the points around any vertex can be looked up at
/// constant distances, without wrapping: a row and a few.
const MARGIN: usize = STRIDE + 3;

/// A point of the board, or of the border around it.
#[allow(clippy::unsafe_derive_deserialize)] // It is read through `FromStr`, which checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Vertex(u16);

impl Vertex {
    /// No point of any board: the corner of the border.
    pub const NONE: Vertex = Vertex(0);

    /// The point in column `col` (0 is `A`) and row `row` (0 is the bottom line).
    ///
    /// # Panics
    /// If either is 19 or more.
    #[inline]
    pub const fn new(col: usize, row: usize) -> Vertex {
        assert!(col < MAX_SIZE && row < MAX_SIZE, "column and row are below 19");
        Vertex(((row + 1) * STRIDE + col + 1) as u16)
    }

    /// The inverse of [`Vertex::index`]; wraps beyond [`CELLS`].
    #[inline]
    pub const fn from_index(index: usize) -> Vertex {
        Vertex((index & (CELLS - 1)) as u16)
    }

    /// Position in a [`VertexMap`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Column, 0 at the left.
    #[inline]
    pub const fn col(self) -> usize {
        (self.0 as usize % STRIDE).wrapping_sub(1)
    }

    /// Row, 0 at the bottom.
    #[inline]
    pub const fn row(self) -> usize {
        (self.0 as usize / STRIDE).wrapping_sub(1)
    }

    /// Its place in the order of [`Board::points`](crate::Board::points), on a board of so many columns.
    #[inline]
    pub const fn place(self, width: usize) -> usize {
        self.row() * width + self.col()
    }

    /// Its place where rows are counted from the top, as in arrays for other programs, on a board of this size.
    #[inline]
    pub const fn place_from_top(self, width: usize, height: usize) -> usize {
        (height - 1 - self.row()) * width + self.col()
    }

    /// The point at a place that [`Vertex::place_from_top`] tells.
    #[inline]
    pub const fn from_top(place: usize, width: usize, height: usize) -> Vertex {
        Vertex::new(place % width, height - 1 - place / width)
    }

    /// The vertex `offset` cells away.
    #[inline]
    pub(crate) const fn step(self, offset: isize) -> Vertex {
        Vertex::from_index(self.0.wrapping_add(offset as u16) as usize)
    }

    /// The other one, if either is [`Vertex::NONE`].
    #[inline]
    pub(crate) const fn or(self, other: Vertex) -> Vertex {
        Vertex(self.0 | other.0)
    }

    /// The four orthogonal neighbours: left, right, below, above. Some may be border.
    #[inline]
    pub const fn neighbors(self) -> [Vertex; 4] {
        [self.step(-1), self.step(1), self.step(-(STRIDE as isize)), self.step(STRIDE as isize)]
    }

    /// The four diagonal neighbours: below left, below right, above left, above right. Some may be border.
    #[inline]
    pub const fn diagonals(self) -> [Vertex; 4] {
        const S: isize = STRIDE as isize;
        [self.step(-S - 1), self.step(-S + 1), self.step(S - 1), self.step(S + 1)]
    }

    /// The eight points around this one, by rows from below left to above right. Some may be border.
    #[inline]
    pub const fn surrounding(self) -> [Vertex; 8] {
        let [bl, br, al, ar] = self.diagonals();
        let [l, r, b, a] = self.neighbors();
        [bl, b, br, l, r, al, a, ar]
    }

    /// One of [`Vertex::surrounding`], without computing the others.
    #[inline]
    pub(crate) const fn surrounding_point(self, i: usize) -> Vertex {
        const S: isize = STRIDE as isize;
        const OFFSETS: [isize; 8] = [-S - 1, -S, -S + 1, -1, 1, S - 1, S, S + 1];
        self.step(OFFSETS[i])
    }

    /// Columns plus rows between two points.
    pub const fn manhattan(self, other: Vertex) -> usize {
        self.col().abs_diff(other.col()) + self.row().abs_diff(other.row())
    }
}

/// The letter of a column: `A` to `T` without `I`.
pub const fn column_letter(col: usize) -> char {
    (b'A' + col as u8 + (col >= 8) as u8) as char
}

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Vertex::NONE {
            return f.write_str("none");
        }
        write!(f, "{}{}", column_letter(self.col()), self.row() + 1)
    }
}

impl fmt::Debug for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a letter from A to T (without I) and a number from 1 to 19.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseVertexError(pub(crate) String);

impl fmt::Display for ParseVertexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid vertex {:?}: write a point like D4 (columns A to T without I, rows 1 to 19)",
            self.0
        )
    }
}

impl std::error::Error for ParseVertexError {}

impl FromStr for Vertex {
    type Err = ParseVertexError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseVertexError(text.chars().take(20).collect());
        let (&letter, digits) = text.as_bytes().split_first().ok_or_else(error)?;
        let col = match letter.to_ascii_uppercase() {
            c @ b'A'..=b'H' => c - b'A',
            c @ b'J'..=b'T' => c - b'A' - 1,
            _ => return Err(error()),
        };
        if digits.is_empty() || digits.len() > 2 || !digits.iter().all(u8::is_ascii_digit) {
            return Err(error());
        }
        let row = digits.iter().fold(0, |n, d| n * 10 + (d - b'0') as usize);
        if row == 0 || row > MAX_SIZE {
            return Err(error());
        }
        Ok(Vertex::new(col as usize, row - 1))
    }
}

impl From<Vertex> for String {
    fn from(v: Vertex) -> String {
        v.to_string()
    }
}

impl TryFrom<String> for Vertex {
    type Error = ParseVertexError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// An array with one entry for each [`Vertex`], and indexable by nothing else.
#[derive(Clone, Copy)]
pub struct VertexMap<T>([T; MARGIN + CELLS + MARGIN]);

impl<T: Copy> VertexMap<T> {
    /// Every entry `value`.
    pub const fn filled(value: T) -> Self {
        VertexMap([value; MARGIN + CELLS + MARGIN])
    }

    /// Sets an entry at compile time.
    pub(crate) const fn set(&mut self, index: usize, value: T) {
        self.0[MARGIN + index] = value;
    }

    /// The entries of [`Vertex::neighbors`], without computing those.
    #[inline]
    pub(crate) fn beside(&self, v: Vertex) -> [T; 4] {
        const S: isize = STRIDE as isize;
        let at = |offset: isize| {
            // SAFETY: every vertex is below CELLS, and there are MARGIN entries on both sides, more than a row.
            unsafe { *self.0.as_ptr().add(v.index()).offset(MARGIN as isize + offset) }
        };
        [at(-1), at(1), at(-S), at(S)]
    }

    /// Changes the rows below, beside and above `v`, which have the numbers 0 to 2: each the three points around `v` and one more.
    #[inline]
    pub(crate) fn change_rows(&mut self, v: Vertex, mut change: impl FnMut(usize, &mut [T; 4])) {
        for row in 0..3 {
            // SAFETY: every vertex is below CELLS, and there are MARGIN entries on both sides: a row, one to the left, and two
            // to the right.
            change(row, unsafe {
                &mut *self
                    .0
                    .as_mut_ptr()
                    .add(v.index())
                    .add(MARGIN - STRIDE - 1 + row * STRIDE)
                    .cast::<[T; 4]>()
            });
        }
    }

    /// Copies the entries below `end`.
    #[inline]
    pub(crate) fn copy_prefix(&mut self, other: &Self, end: Vertex) {
        let used = MARGIN..MARGIN + end.index();
        self.0[used.clone()].copy_from_slice(&other.0[used]);
    }
}

impl<T> Index<Vertex> for VertexMap<T> {
    type Output = T;
    #[inline]
    fn index(&self, v: Vertex) -> &T {
        // SAFETY: every vertex is below CELLS.
        unsafe { &*self.0.as_ptr().add(v.index()).add(MARGIN) }
    }
}

impl<T> IndexMut<Vertex> for VertexMap<T> {
    #[inline]
    fn index_mut(&mut self, v: Vertex) -> &mut T {
        // SAFETY: every vertex is below CELLS.
        unsafe { &mut *self.0.as_mut_ptr().add(v.index()).add(MARGIN) }
    }
}

impl<T> fmt::Debug for VertexMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VertexMap")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for row in 0..MAX_SIZE {
            for col in 0..MAX_SIZE {
                let v = Vertex::new(col, row);
                assert_eq!((v.col(), v.row()), (col, row));
                assert_eq!(v.to_string().parse(), Ok(v));
            }
        }
        assert_eq!("j10".parse(), Ok(Vertex::new(8, 9)));
    }

    #[test]
    fn bad_names_are_refused() {
        for text in ["", "I5", "A0", "A20", "U1", "AA", "5", "A-1", "A+1", "é4", "A1x", "A001"] {
            assert!(text.parse::<Vertex>().is_err(), "{text}");
        }
    }
}
