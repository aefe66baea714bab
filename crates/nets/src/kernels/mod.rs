//! The arithmetic: convolutions, pooling and matrix products on the CPU, forwards and backwards.
//!
//! Points stand in rows, channels are contiguous ("channels last") and padded to a multiple of [`LANES`]. The boards of a
//! chunk follow each other, and behind the last one stands a point of zeros that serves as the border. Instruction sets
//! are chosen at run time, by `pulp`.

// Vector instructions are only generated inside functions that are inlined into one with the right target features.
#![allow(clippy::inline_always)]
// Formulas with row, column and channel indices are clearest as such.
#![allow(clippy::needless_range_loop)]

pub(crate) mod direct;
pub(crate) mod matmul;
pub(crate) mod plain;
pub(crate) mod pointwise;
pub(crate) mod pool;
pub(crate) mod winograd;

/// Channels are padded to a multiple of this, the widest vector of any instruction set.
pub(crate) const LANES: usize = 16;

/// Channels as they are stored.
pub(crate) const fn padded(channels: usize) -> usize {
    channels.next_multiple_of(LANES)
}

/// Which pass weights are arranged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}
