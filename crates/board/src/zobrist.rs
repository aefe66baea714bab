//! Random numbers whose exclusive-or identifies a position.

use crate::{
    color::{Color, ColorMap},
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

/// `SplitMix64` (Steele, Lea, Flood 2014), run at compile time.
const fn stones() -> ColorMap<VertexMap<u64>> {
    let mut table = [VertexMap::filled(0); 2];
    let mut state: u64 = 0x7465_6e67_656e;
    let mut i = 0;
    while i < 2 * CELLS {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[i / CELLS].set(i % CELLS, z ^ (z >> 31));
        i += 1;
    }
    ColorMap(table)
}
