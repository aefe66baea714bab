//! The arithmetic: convolutions, pooling and matrix products on the CPU, forwards and backwards.
//!
//! Points stand in rows, channels are contiguous ("channels last") and padded to a multiple of [`LANES`]. The boards of a
//! chunk follow each other, and behind the last one stands a point of zeros that serves as the border. Instruction sets
//! are chosen at run time, by `pulp`.

// Vector instructions are only generated inside functions that are inlined into one with the right target features.
#![allow(clippy::inline_always)]
// Formulas with row, column and channel indices are clearest as such.
#![allow(clippy::needless_range_loop)]

pub(crate) mod activation;
pub(crate) mod attention;
pub(crate) mod direct;
pub(crate) mod matmul;
pub(crate) mod norm;
pub(crate) mod pairs;
pub(crate) mod peak;
pub(crate) mod plain;
pub(crate) mod pointwise;
pub(crate) mod pool;
pub(crate) mod winograd;

use pulp::{Arch, Simd, WithSimd};

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

/// Work on panels of [`LANES`] channels, each of which is `W` vectors of the instruction set at hand.
pub(crate) trait Kernel {
    fn run<S: Simd, const W: usize>(self, simd: S);
}

/// Does it with the best instruction set of the machine.
pub(crate) fn run(kernel: impl Kernel) {
    Arch::new().dispatch(Chosen(kernel));
}

/// Does it from within another kernel, as a function of its own: it is compiled once, not wherever it is needed.
#[inline(always)]
fn run_within<S: Simd>(simd: S, kernel: impl Kernel) {
    simd.vectorize(Chosen(kernel));
}

struct Chosen<K>(K);

impl<K: Kernel> WithSimd for Chosen<K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.0.run::<S, 1>(simd),
            8 => self.0.run::<S, 2>(simd),
            4 => self.0.run::<S, 4>(simd),
            _ => self.0.run::<S, 16>(simd),
        }
    }
}

/// Numbers as panels.
#[inline(always)]
fn panels<S: Simd, const W: usize>(numbers: &[f32]) -> &[[S::f32s; W]] {
    S::as_simd_f32s(numbers).0.as_chunks().0
}

#[inline(always)]
fn panels_mut<S: Simd, const W: usize>(numbers: &mut [f32]) -> &mut [[S::f32s; W]] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut().0
}
