//! The eight symmetries of the board.

use crate::{moves::Move, vertex::Vertex};

/// One of the eight reflections and rotations of a square board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    transpose: bool,
    flip_col: bool,
    flip_row: bool,
}

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry { transpose: false, flip_col: false, flip_row: false };

    /// All eight, the identity first. Only the first four keep a board's width and height.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry::IDENTITY; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry { transpose: i & 4 != 0, flip_col: i & 1 != 0, flip_row: i & 2 != 0 };
            i += 1;
        }
        all
    };

    /// Whether rows become columns, so that width and height are exchanged.
    pub const fn transposes(self) -> bool {
        self.transpose
    }

    /// The symmetry that brings everything back; a `width` x `height` board that this one transposes is then
    /// `height` x `width`.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.transpose {
            Symmetry { transpose: true, flip_col: self.flip_row, flip_row: self.flip_col }
        } else {
            self
        }
    }

    /// Where a point of a `width` x `height` board goes: flipped first, then transposed.
    #[must_use]
    pub const fn vertex(self, v: Vertex, width: usize, height: usize) -> Vertex {
        let col = if self.flip_col { width - 1 - v.col() } else { v.col() };
        let row = if self.flip_row { height - 1 - v.row() } else { v.row() };
        if self.transpose { Vertex::new(row, col) } else { Vertex::new(col, row) }
    }

    /// Where a move of a `width` x `height` board goes.
    #[must_use]
    pub fn apply(self, mv: Move, width: usize, height: usize) -> Move {
        mv.vertex().map_or(Move::PASS, |v| self.vertex(v, width, height).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_bring_everything_back() {
        let (width, height) = (5, 3);
        for symmetry in Symmetry::ALL {
            let (w, h) = if symmetry.transposes() { (height, width) } else { (width, height) };
            for (col, row) in (0..width).flat_map(|col| (0..height).map(move |row| (col, row))) {
                let v = Vertex::new(col, row);
                let image = symmetry.vertex(v, width, height);
                assert!(image.col() < w && image.row() < h);
                assert_eq!(symmetry.inverse().vertex(image, w, h), v, "{symmetry:?}");
            }
        }
        assert_eq!(Symmetry::IDENTITY.apply(Move::PASS, width, height), Move::PASS);
    }
}
