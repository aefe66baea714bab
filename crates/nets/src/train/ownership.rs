//! Whose each point is at the end of a counted game.
//!
//! Records do not tell which stones are dead when both players pass. Playouts decide, and the score that the players agreed
//! on tells whether they are right: where they are not, nothing is learned.

use tengen_board::{Board, Color, VertexMap, area_owners, without_chains};
use tengen_engine::{
    reading::status::{lost_stones, ownership},
    rng::Rng,
};

/// Playouts for one position: the owners are mostly clear at the end of a game.
const PLAYOUTS: usize = 8;

/// Points by which a count of the area may differ from the players' count: territory, and what was left open.
const TOLERANCE: f32 = 3.0;

/// Each point's owner, 1 for Black, −1 for White; nothing if they do not explain Black's score (komi counted).
pub(crate) fn final_owners(board: &Board, komi: f32, score: f32) -> Option<VertexMap<f32>> {
    let mean = ownership(board, PLAYOUTS, &mut Rng::new(board.hash()));
    let (cleared, _) = without_chains(board, &lost_stones(board, &mean));
    let owners = area_owners(&cleared);
    let mut signs = VertexMap::filled(0.0);
    let mut total = -komi;
    for v in board.points() {
        signs[v] = owners[v].map_or(0.0, |color: Color| color.sign() as f32);
        total += signs[v];
    }
    ((total - score).abs() <= TOLERANCE).then_some(signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_stones_are_the_surrounding_player_s_if_the_score_says_so() {
        let board = Board::from_diagram(
            "
            . . X . O . .
            . . X . O . .
            . O X . O . .
            . . X . O . .
            . . X . O . .
            . . X . O . .
            . . X . O . .",
        )
        .unwrap();
        // Black has 21 points and White 21, the column between them is nobody's.
        let owners = final_owners(&board, 0.5, -0.5).unwrap();
        let sums: f32 = board.points().map(|v| owners[v]).sum();
        assert_eq!(sums, 0.0);
        // With the white stone alive Black would have lost by far.
        assert!(final_owners(&board, 0.5, -20.5).is_none());
    }
}
