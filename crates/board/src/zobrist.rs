//! Random numbers whose exclusive-or identifies a position.

use crate::{
    color::{Color, ColorMap},
    splitmix::splitmix,
    vertex::{CELLS, Vertex, VertexMap},
};

/// Mixed into the key of a position with White to play (situational superko).
pub const WHITE_TO_PLAY: u64 = 0x9d39_247e_3377_6d41;

static STONES: ColorMap<VertexMap<u64>> = stones();

/// The number of a stone of `color` on `v`.
#[inline]
pub fn stone(color: Color, v: Vertex) -> u64 {
    STONES[color][v]
}

/// Made at compile time.
const fn stones() -> ColorMap<VertexMap<u64>> {
    let mut table = [VertexMap::filled(0); 2];
    let mut i = 0;
    while i < 2 * CELLS {
        table[i / CELLS].set(i % CELLS, splitmix(0x7465_6e67_656e, i as u64));
        i += 1;
    }
    ColorMap(table)
}
