//! Whose each point is at the end of a counted game.
//!
//! Records do not tell which stones are dead when both players pass, so a few playouts decide.

use tengen_board::{Board, Color, Move, VertexMap, area_owners};
use tengen_engine::rng::Rng;

/// Playouts for one position: the owners are clear at the end of a game.
const PLAYOUTS: usize = 16;

/// Each point's owner, from −1 (White) to 1, by uniform playouts from the final position.
pub(crate) fn final_owners(board: &Board, seed: u64) -> VertexMap<f32> {
    let mut rng = Rng::new(seed);
    let mut sums = VertexMap::filled(0.0);
    let mut copy = board.clone();
    for _ in 0..PLAYOUTS {
        copy.clone_from(board);
        let (mut passes, mut moves) = (0, 0);
        while passes < 2 && moves < 3 * board.area() {
            let me = copy.to_play();
            let mv = copy.draw_empty(|n| rng.below(n), |b, v| b.is_legal(v) && !b.is_eye(v, me));
            copy.play_unchecked(mv);
            passes = if mv == Move::PASS { passes + 1 } else { 0 };
            moves += 1;
        }
        let owners = area_owners(&copy);
        for v in board.points() {
            sums[v] += owners[v].map_or(0.0, |color: Color| color.sign() as f32) / PLAYOUTS as f32;
        }
    }
    sums
}
