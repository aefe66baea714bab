//! Shapes in the eight points around a move.
//!
//! **What.** A local shape is worth a reply: a hane, a cut, a push through a gap, a block at the edge. A point matches a
//! shape whatever the rotation and reflection, always seen by the player who would move there.
//!
//! **Formula.** The eight points around `v` give a code of 16 bits, two for each (empty 0, own 1, enemy 2, border 3), and
//! a table of 65,536 bytes names the shape of each code. Exchanging the two bits of each point exchanges the colours.
//!
//! **Source.** Gelly, Wang, Munos and Teytaud 2006 (INRIA report 6062), section 3.2 and its figures, for the kinds of
//! shapes; the keima cut and the shoulder hit are later additions of the literature.
//!
//! **Differences.** The diagrams are drawn here from the names of the shapes; where two of them overlap the first in
//! [`Shape::ALL`] gives the name. The weights follow the order that published tuning found, rounded.

use std::sync::LazyLock;

use tengen_board::{Board, Color, Vertex};

/// A kind of local shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Hane at a stone that has own stones on both sides.
    HaneEnclosing,
    /// Hane that leaves nothing to cut at once.
    HaneNonCutting,
    /// Turn around the head of an enemy stone.
    Magari,
    /// Hane at the head of two enemy stones.
    HaneThin,
    /// Shoulder hit, or attachment beside an own stone.
    Katatsuke,
    /// Cut that no enemy stone protects.
    CutUnprotected,
    /// Cut that an own stone peeps at.
    CutPeeped,
    /// Push through a one-point gap.
    PushThrough,
    /// Push through the waist of a knight's move.
    KeimaCut,
    /// On the first line, beside an enemy stone that an own stone caps.
    SideChase,
    /// On the first line, connect two own stones that could be cut.
    SideBlockCut,
    /// On the first line, keep two enemy stones apart.
    SideBlockConnection,
    /// Descend to the first line beside an enemy stone.
    Sagari,
    /// On the first line, cut.
    SideCut,
}

/// Rows from the top, the move at `*`. `X` own, `O` enemy, `.` empty, `#` border, `x` not own, `o` not enemy (both may
/// be border), `?` anything.
const DIAGRAMS: [(Shape, u8, &str); 14] = [
    (Shape::HaneEnclosing, 5, "X O X / . * . / ? ? ?"),
    (Shape::SideCut, 6, "? O X / o * O / # # #"),
    (Shape::CutUnprotected, 3, "X O ? / O * o / ? o ?"),
    (Shape::CutPeeped, 2, "X O ? / O * X / ? ? ?"),
    (Shape::KeimaCut, 8, "O X ? / o * O / ? o ?"),
    (Shape::PushThrough, 2, "? X ? / O * O / o o o"),
    (Shape::HaneNonCutting, 5, "X O . / . * . / ? . ?"),
    (Shape::Magari, 3, "X O ? / X * . / ? . ?"),
    (Shape::HaneThin, 2, "X O O / . * . / ? . ?"),
    (Shape::Katatsuke, 4, ". O ? / X * . / ? . ?"),
    (Shape::SideBlockCut, 2, "O X ? / X * x / # # #"),
    (Shape::SideBlockConnection, 2, "O X O / x * x / # # #"),
    (Shape::SideChase, 1, "X . ? / O * ? / # # #"),
    (Shape::Sagari, 2, "? X O / x * x / # # #"),
];

impl Shape {
    /// Every shape, in the order in which a code is named.
    pub const ALL: [Shape; DIAGRAMS.len()] = {
        let mut all = [Shape::HaneEnclosing; DIAGRAMS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = DIAGRAMS[i].0;
            i += 1;
        }
        all
    };

    /// How much likelier than others a move of this shape is to be played.
    pub const fn weight(self) -> u8 {
        let mut i = 0;
        while i < DIAGRAMS.len() {
            if DIAGRAMS[i].0 as u8 == self as u8 {
                return DIAGRAMS[i].1;
            }
            i += 1;
        }
        0
    }
}

/// The shapes of all codes.
#[derive(Debug)]
pub struct Patterns {
    /// 0, or one more than the position in [`Shape::ALL`].
    shapes: Box<[u8; 1 << 16]>,
}

/// One more than the position in [`Shape::ALL`] gives the weight; entry 0 is no shape.
const WEIGHTS: [u8; 16] = {
    let mut weights = [0; 16];
    let mut i = 0;
    while i < DIAGRAMS.len() {
        weights[i + 1] = DIAGRAMS[i].1;
        i += 1;
    }
    weights
};

static STANDARD: LazyLock<Patterns> = LazyLock::new(|| {
    let mut patterns = Patterns { shapes: Box::new([0; 1 << 16]) };
    for (i, (_, _, diagram)) in DIAGRAMS.iter().enumerate() {
        for grid in symmetric_grids(diagram) {
            patterns.add(grid, 0, 0, i as u8 + 1);
        }
    }
    patterns
});

impl Patterns {
    /// The table of every shape, built once.
    pub fn standard() -> &'static Patterns {
        &STANDARD
    }

    /// The shape of a code.
    #[inline]
    pub fn shape(&self, code: u16) -> Option<Shape> {
        let index = self.shapes[code as usize];
        Shape::ALL.get((index as usize).wrapping_sub(1)).copied()
    }

    /// The weight of the code's shape, 0 if it has none.
    #[inline]
    pub fn weight(&self, code: u16) -> u8 {
        WEIGHTS[self.shapes[code as usize] as usize % WEIGHTS.len()]
    }

    /// Whether a move of `me` on the empty point `v` has a shape.
    #[inline]
    pub fn matches(&self, board: &Board, v: Vertex, me: Color) -> bool {
        self.shapes[code_around(board, v, me) as usize] != 0
    }

    /// Enters every code that a grid of symbols stands for; `at` points are in `code` already.
    fn add(&mut self, grid: [u8; 8], at: usize, code: u16, name: u8) {
        let Some(&symbol) = grid.get(at) else {
            let entry = &mut self.shapes[code as usize];
            if *entry == 0 {
                *entry = name;
            }
            return;
        };
        let values: &[u16] = match symbol {
            b'.' => &[0],
            b'X' => &[1],
            b'O' => &[2],
            b'#' => &[3],
            b'x' => &[0, 2, 3],
            b'o' => &[0, 1, 3],
            _ => &[0, 1, 2, 3],
        };
        for value in values {
            self.add(grid, at + 1, code | value << (2 * at), name);
        }
    }
}

/// The code of the eight points around `v`, seen by `me`; the board keeps it up to date.
#[inline]
pub fn code_around(board: &Board, v: Vertex, me: Color) -> u16 {
    board.surrounding_code(v, me)
}

/// The eight images of a diagram, as the points of [`Vertex::surrounding`].
fn symmetric_grids(diagram: &str) -> [[u8; 8]; 8] {
    let mut rows = [[b'?'; 3]; 3];
    let symbols = diagram.bytes().filter(|c| !matches!(c, b' ' | b'/'));
    for (i, symbol) in symbols.enumerate() {
        rows[2 - i / 3][i % 3] = symbol;
    }
    std::array::from_fn(|symmetry| {
        let mut grid = [0; 8];
        let points = (0..3).flat_map(|row| (0..3).map(move |col| (row, col)));
        for (slot, (row, col)) in grid.iter_mut().zip(points.filter(|&point| point != (1, 1))) {
            let col = if symmetry & 1 == 0 { col } else { 2 - col };
            let row = if symmetry & 2 == 0 { row } else { 2 - row };
            *slot = if symmetry & 4 == 0 { rows[row][col] } else { rows[col][row] };
        }
        grid
    })
}

#[cfg(test)]
mod tests {
    use tengen_board::Symmetry;

    use super::*;

    /// The shape that Black and, with exchanged colours, White find at `at`, checked in all eight positions.
    fn shape(diagram: &str, at: &str) -> Option<Shape> {
        let board = Board::from_diagram(diagram).unwrap();
        let at: Vertex = at.parse().unwrap();
        let (width, height) = (board.width(), board.height());
        let mut found = Vec::new();
        for symmetry in Symmetry::ALL {
            for me in Color::ALL {
                let (w, h) = if symmetry.transposes() { (height, width) } else { (width, height) };
                let mut image = Board::new(w, h);
                let stones: Vec<_> = board
                    .points()
                    .filter_map(|v| board.color_at(v).map(|c| (v, c)))
                    .map(|(v, c)| {
                        (symmetry.vertex(v, width, height), if me == Color::Black { c } else { !c })
                    })
                    .collect();
                image.set_up(&stones).unwrap();
                let v = symmetry.vertex(at, width, height);
                let shape = Patterns::standard().shape(code_around(&image, v, me));
                assert_eq!(Patterns::standard().matches(&image, v, me), shape.is_some());
                found.push(shape);
            }
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{board}\n{found:?}");
        found[0]
    }

    #[test]
    fn shapes_in_the_centre() {
        for (diagram, expected) in [
            (". . . . . / . X O X . / . . . . . / . . . . . / . . . . .", Some(Shape::HaneEnclosing)),
            (". . . . . / . X O . . / . . . . . / . . . . . / . . . . .", Some(Shape::HaneNonCutting)),
            (". . . . . / . X O . . / . X . . . / . . . . . / . . . . .", Some(Shape::Magari)),
            (". . . . . / . X O O . / . . . . . / . . . . . / . . . . .", Some(Shape::HaneThin)),
            (". . . . . / . . O . . / . X . . . / . . . . . / . . . . .", Some(Shape::Katatsuke)),
            (". . . . . / . X O . . / . O . . . / . . . . . / . . . . .", Some(Shape::CutUnprotected)),
            (". . . . . / . X O . . / . O . X . / . . O . . / . . . . .", Some(Shape::CutPeeped)),
            (". . . . . / . . X . . / . O . O . / . . . . . / . . . . .", Some(Shape::PushThrough)),
            (". . . . . / . O X . . / . . . O . / . . . . . / . . . . .", Some(Shape::KeimaCut)),
        ] {
            assert_eq!(shape(diagram, "C3"), expected, "{diagram}");
        }
    }

    #[test]
    fn shapes_at_the_edge() {
        for (diagram, expected) in [
            (". . . . . / . . . . . / . X . . . / . O . . .", Some(Shape::SideChase)),
            (". . . . . / . . . . . / . O X . . / . X . . .", Some(Shape::SideBlockCut)),
            (". . . . . / . . . . . / . O X O . / . . . . .", Some(Shape::SideBlockConnection)),
            (". . . . . / . . . . . / . . X O . / . . . . .", Some(Shape::Sagari)),
            (". . . . . / . . . . . / . . O X . / . . . O .", Some(Shape::SideCut)),
            (". . . . . / . . . . . / . . O X . / . O . O .", None),
        ] {
            assert_eq!(shape(diagram, "C1"), expected, "{diagram}");
        }
    }

    #[test]
    fn what_is_no_shape() {
        for diagram in [
            ". . . . . / . . . . . / . . . . . / . . . . . / . . . . .",
            // A lone stone beside the point.
            ". . . . . / . . O . . / . . . . . / . . . . . / . . . . .",
            // Both sides are enclosed already.
            ". . . . . / . X O X . / . O . O . / . . O . . / . . . . .",
            // The cutting point is protected.
            ". . . . . / . X O . . / . O . O . / . . . . . / . . . . .",
            // The gap is closed below.
            ". . . . . / . . X . . / . O . O . / . . O . . / . . . . .",
        ] {
            assert_eq!(shape(diagram, "C3"), None, "{diagram}");
        }
    }

    #[test]
    fn every_shape_has_a_code_and_a_weight() {
        let patterns = Patterns::standard();
        for shape in Shape::ALL {
            let mut codes = (0..=u16::MAX).filter(|&code| patterns.shape(code) == Some(shape));
            let code = codes.next().unwrap_or_else(|| panic!("{shape:?} is always named otherwise"));
            assert_eq!(patterns.weight(code), shape.weight());
            assert!(shape.weight() > 0);
        }
    }

    #[test]
    fn codes_stay_true_through_captures() {
        let mut board = Board::new(7, 5);
        let mut rng = crate::rng::Rng::new(4);
        for _ in 0..300 {
            let mv = board.draw_empty(|| rng.bits(), Board::is_legal);
            board.play(mv);
            for v in board.points() {
                for me in Color::ALL {
                    let mut code = 0;
                    for n in v.surrounding().into_iter().rev() {
                        let bits = match board.color_at(n) {
                            Some(color) => 1 + (color != me) as u16,
                            None if board.is_empty(n) => 0,
                            None => 3,
                        };
                        code = code << 2 | bits;
                    }
                    assert_eq!(code_around(&board, v, me), code, "{v}\n{board}");
                }
            }
        }
        assert!(board.prisoners(Color::Black) > 0 && board.prisoners(Color::White) > 0);
    }

    #[test]
    fn codes_see_own_enemy_and_border() {
        let board = Board::from_diagram(". O . / . . X / . . .").unwrap();
        let corner = code_around(&board, "A1".parse().unwrap(), Color::Black);
        // Below left, below, below right, left, right, above left, above, above right.
        assert_eq!(corner, 0b00_00_11_00_11_11_11_11);
        let middle = code_around(&board, "B2".parse().unwrap(), Color::Black);
        assert_eq!(middle, 0b00_10_00_01_00_00_00_00);
        assert_eq!(
            code_around(&board, "B2".parse().unwrap(), Color::White),
            (middle & 0x5555) << 1 | (middle >> 1) & 0x5555
        );
    }
}
