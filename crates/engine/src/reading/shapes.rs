//! Classes of 3x3 shapes: the eight stones around a point, whatever the rotation and reflection.

use std::sync::LazyLock;

/// Number of classes.
pub const SHAPES: usize = 1117;

/// The classes of the codes that [`tengen_board::Board::surrounding_code`] gives.
#[derive(Debug)]
pub struct ShapeClasses {
    of: Box<[u16; 1 << 16]>,
    /// The smallest code of each class.
    smallest: Vec<u16>,
}

static CLASSES: LazyLock<ShapeClasses> = LazyLock::new(|| {
    const NONE: u16 = u16::MAX;
    let mut of = Box::new([NONE; 1 << 16]);
    let mut smallest = Vec::with_capacity(SHAPES);
    for code in 0..=u16::MAX {
        if of[code as usize] == NONE && is_possible(code) {
            for image in images(code) {
                of[image as usize] = smallest.len() as u16;
            }
            smallest.push(code);
        }
    }
    for class in of.iter_mut().filter(|class| **class == NONE) {
        *class = 0;
    }
    ShapeClasses { of, smallest }
});

impl ShapeClasses {
    /// The classes, found once.
    pub fn get() -> &'static ShapeClasses {
        &CLASSES
    }

    /// The class of a code.
    #[inline]
    pub fn of(&self, code: u16) -> usize {
        self.of[code as usize] as usize
    }

    /// The smallest code of a class.
    pub fn smallest_code(&self, class: usize) -> u16 {
        self.smallest[class]
    }
}

/// Whether the border points of a code are some of the four sides, as on a board.
fn is_possible(code: u16) -> bool {
    // Bits in the order of `Vertex::surrounding`: 0 1 2 below, 3 left, 4 right, 5 6 7 above.
    const SIDES: [u8; 4] = [0b0000_0111, 0b0010_1001, 0b1001_0100, 0b1110_0000];
    let border = (0..8).filter(|i| code >> (2 * i) & 3 == 3).fold(0, |bits, i| bits | 1 << i);
    let covered = SIDES.into_iter().filter(|side| border & side == *side).fold(0, |bits, side| bits | side);
    border == covered
}

/// A code in its eight positions.
fn images(code: u16) -> [u16; 8] {
    let cell = |slot: usize| if slot < 4 { slot } else { slot + 1 };
    let slot = |cell: usize| if cell < 4 { cell } else { cell - 1 };
    std::array::from_fn(|symmetry| {
        (0..8).fold(0, |image, i| {
            let (mut row, mut col) = (cell(i) / 3, cell(i) % 3);
            if symmetry & 4 != 0 {
                (row, col) = (col, row);
            }
            if symmetry & 2 != 0 {
                row = 2 - row;
            }
            if symmetry & 1 != 0 {
                col = 2 - col;
            }
            image | (code >> (2 * i) & 3) << (2 * slot(3 * row + col))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_classes_as_shapes_up_to_symmetry() {
        // Burnside: (3^8 + 2·3^2 + 3^4 + 4·3^5) / 8 in the centre; (3^5 + 3^3) / 2 at a side, (3^3 + 3^2) / 2 in a
        // corner; on boards two or three lines wide also two or three sides around the point. A point has all four
        // sides only on a 1x1 board; between two opposite ones lie 3^2, up to turning round (9 + 3) / 2.
        let centre = (6561 + 2 * 9 + 81 + 4 * 243) / 8;
        let (side, corner) = (270 / 2, 36 / 2);
        let (between, end, alone) = (12 / 2, 3, 1);
        assert_eq!(centre + side + corner + between + end + alone, SHAPES);
        assert_eq!(ShapeClasses::get().smallest.len(), SHAPES);
    }

    #[test]
    fn a_class_does_not_depend_on_the_position() {
        let classes = ShapeClasses::get();
        for code in (0..=u16::MAX).step_by(7).filter(|&code| is_possible(code)) {
            assert!(images(code).iter().all(|&image| classes.of(image) == classes.of(code)));
        }
    }
}
