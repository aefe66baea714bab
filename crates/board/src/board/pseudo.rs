//! The pseudo-liberties of a chain, packed into 64 bits: number in bits 0 to 11, sum of indices in 12 to 31, sum of squares in 32
//! to 63. The largest values, 1,444 · 441² = 280,840,000 among them, fit.

use crate::vertex::Vertex;

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

/// Whether there is only one liberty: sum² = number · squares exactly if all that was added up is the same.
#[inline]
pub(super) const fn is_single(word: u64) -> bool {
    let (number, sum) = (number(word), sum(word));
    number != 0 && sum * sum == number * (word >> 32)
}

/// The only liberty, if there is only one.
#[inline]
pub(super) const fn single(word: u64) -> Option<Vertex> {
    if is_single(word) {
        // In 32 bits, because a division takes longer in 64.
        Some(Vertex::from_index((sum(word) as u32 / number(word) as u32) as usize))
    } else {
        None
    }
}
