//! Memory for vectors: numbers that begin where a line of the caches begins, so that no vector lies in two lines.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

use super::kernels::LANES;

/// A line of the caches.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f32; LANES]);

/// So many numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    lines: Vec<Line>,
    len: usize,
}

impl Numbers {
    pub(crate) fn zeros(len: usize) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.resize(len);
        numbers
    }

    /// New numbers are 0.
    pub(crate) fn resize(&mut self, len: usize) {
        self.lines.resize(len.div_ceil(LANES), Line::zeroed());
        bytemuck::cast_slice_mut(&mut self.lines)[len..].fill(0.0f32);
        self.len = len;
    }
}

impl Deref for Numbers {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for Numbers {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
