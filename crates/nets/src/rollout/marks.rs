//! Sets of points by rows, in which squares are marked quickly.

/// Rows and columns around the board that a square may reach.
const MARGIN: usize = 16;

/// A set of points.
#[derive(Clone)]
pub(super) struct Marks([u64; 19 + 2 * MARGIN]);

impl Marks {
    pub(super) const fn none() -> Marks {
        Marks([0; 19 + 2 * MARGIN])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Marks everything.
    pub(super) fn fill(&mut self) {
        self.0.fill(u64::MAX);
    }

    /// Marks the square whose points are at most so many rows and columns away.
    #[inline(always)]
    pub(super) fn mark(&mut self, (col, row): (usize, usize), radius: usize) {
        let bits = ((1u64 << (2 * radius + 1)) - 1) << (col + MARGIN - radius);
        for word in &mut self.0[row + MARGIN - radius..][..=2 * radius] {
            *word |= bits;
        }
    }

    /// The marked columns of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize, width: usize) -> u32 {
        ((self.0[row + MARGIN] >> MARGIN) & ((1 << width) - 1)) as u32
    }

    /// The points of `self` that are marked in `other` too; they are unmarked there.
    #[inline(always)]
    pub(super) fn take_from(&mut self, other: &mut Marks) {
        for (mine, theirs) in self.0.iter_mut().zip(&mut other.0) {
            *mine &= *theirs;
            *theirs &= !*mine;
        }
    }
}

/// The positions of a row's bits, from the left.
#[inline(always)]
pub(super) fn columns(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let col = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (col < 32).then_some(col)
    })
}
