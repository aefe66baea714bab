//! What is around a point, packed into 32 bits: in the upper half the colours of the eight points, two bits each; in the lower
//! half the numbers of empty, black and white orthogonal neighbours and of black and white diagonal neighbours, three bits
//! each.

/// Bits of a counter.
pub(super) const MASK: u32 = 7;
/// Where the black and the white orthogonal counters begin; the empty counter begins at 0.
pub(super) const NEIGHBORS: [u32; 2] = [3, 6];
/// Where the black and the white diagonal counters begin.
pub(super) const DIAGONALS: [u32; 2] = [9, 12];
/// Any of these set: not an eye of the colour. A diagonal count of 2 or more has bit 1 or 2 set.
pub(super) const SPOILS_EYE: [u32; 2] =
    [MASK | MASK << NEIGHBORS[1] | 6 << DIAGONALS[1], MASK | MASK << NEIGHBORS[0] | 6 << DIAGONALS[0]];
/// What a stone adds to the row below it, to its left and right neighbours (and itself and the point beyond:
/// nothing), and to the row above.
pub(super) const STONE: [[[u32; 4]; 3]; 2] = [stone(0), stone(1)];

/// Where the colour of the `i`th surrounding point begins, in the order of `Vertex::surrounding`.
pub(super) const fn surrounding(i: u32) -> u32 {
    16 + 2 * i
}

/// Where the colours of the orthogonal neighbours begin, in the order of `Vertex::neighbors`: a bit for Black and one for White,
/// and both for border.
pub(super) const BESIDE: [u32; 4] = [surrounding(3), surrounding(4), surrounding(1), surrounding(6)];
/// The first of their bits.
pub(super) const ALL_BESIDE: u32 = 1 << BESIDE[0] | 1 << BESIDE[1] | 1 << BESIDE[2] | 1 << BESIDE[3];

const fn stone(color: usize) -> [[u32; 4]; 3] {
    let beside = (1u32 << NEIGHBORS[color]) - 1;
    let diagonal = 1u32 << DIAGONALS[color];
    let bits = color as u32 + 1;
    // The stone is above and to the right of the first point of the row below, and so on.
    let below = [7, 6, 5];
    let middle = [4, 0, 3];
    let above = [2, 1, 0];
    [
        [
            diagonal + (bits << surrounding(below[0])),
            beside + (bits << surrounding(below[1])),
            diagonal + (bits << surrounding(below[2])),
            0,
        ],
        [beside + (bits << surrounding(middle[0])), 0, beside + (bits << surrounding(middle[2])), 0],
        [
            diagonal + (bits << surrounding(above[0])),
            beside + (bits << surrounding(above[1])),
            diagonal + (bits << surrounding(above[2])),
            0,
        ],
    ]
}
