//! Which stones are dead at the end of a game, judged by random games.
//!
//! **What.** The position is played out many times by uniformly random moves that spare own eyes, Black and White
//! moving first in turn. A chain is dead if most of these games end with its points in the opponent's hands.
//!
//! **Limits.** It suits finished positions. Random players neither see a ladder nor keep a seki, so a position that is
//! still open is only estimated, and nothing is ever reported as seki.

use tengen_board::{Board, Color, Game, Scoring, Vertex, VertexMap};

use crate::{
    playout::{PlayoutLimits, PlayoutPolicy, Uniform, UniformConfig},
    rng::Rng,
};

/// Playouts for one judgement: the share of a chain is then known to about 2%.
const PLAYOUTS: usize = 600;

/// What becomes of a stone at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneStatus {
    /// It stays on the board.
    Alive,
    /// It is taken off as a prisoner.
    Dead,
    /// It stays, and the points around it count for nobody under territory scoring.
    Seki,
}

/// The mean owner of every point at the end of random games: +1 always Black's, −1 always White's.
pub fn ownership(board: &Board, playouts: usize, rng: &mut Rng) -> VertexMap<f32> {
    let mut policy = Uniform::new(&UniformConfig::default());
    let limits = PlayoutLimits::default();
    let mut sums = VertexMap::filled(0i32);
    let mut moves = Vec::new();
    for i in 0..playouts {
        let mut end = board.clone();
        end.set_to_play(Color::ALL[i % 2]);
        moves.clear();
        policy.play_out(&mut end, &mut moves, &limits, rng);
        for v in board.points() {
            sums[v] += owner(&end, v).map_or(0, Color::sign);
        }
    }
    let mut mean = VertexMap::filled(0.0);
    for v in board.points() {
        mean[v] = sums[v] as f32 / playouts.max(1) as f32;
    }
    mean
}

/// Whose point `v` is at the end of a playout: every empty point is an eye, or shared.
#[inline]
pub(crate) fn owner(board: &Board, v: Vertex) -> Option<Color> {
    board.color_at(v).or_else(|| Color::ALL.into_iter().find(|&color| board.is_surrounded(v, color)))
}

/// The dead stones of a finished game, in the order of [`Board::points`].
///
/// Where the rules know no agreement about dead stones (Tromp-Taylor), none is dead: what is on the board counts. The judgement depends on the position only,
/// so asking twice gives the same answer.
pub fn dead_stones(game: &Game) -> Vec<Vertex> {
    let rules = game.rules();
    if rules.scoring == Scoring::Area && !rules.friendly_pass {
        return Vec::new();
    }
    let board = game.board();
    let mean = ownership(board, PLAYOUTS, &mut Rng::new(board.hash()));
    lost_stones(board, &mean)
}

/// The stones of chains that end up as the other side's more often than not, in the order of [`Board::points`].
pub fn lost_stones(board: &Board, ownership: &VertexMap<f32>) -> Vec<Vertex> {
    let is_lost = |v: &Vertex| {
        let Some(color) = board.color_at(*v) else { return false };
        let share: f32 = board.chain_stones(board.chain(*v)).map(|stone| ownership[stone]).sum();
        share * (color.sign() as f32) < 0.0
    };
    board.points().filter(is_lost).collect()
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;

    #[test]
    fn a_lone_stone_in_the_opponents_area_is_dead() {
        let board = Board::from_diagram(
            ". X O . O . . /
             . X O O . O O /
             X X X O O O . /
             . X . X O . O /
             X . X X O O O /
             . X O X O . O /
             X X . X O O .",
        )
        .unwrap();
        let game = Game::from_board(board, Rules::CHINESE);
        assert_eq!(dead_stones(&game), vec!["C2".parse().unwrap()]);
        let game = Game::from_board(game.board().clone(), Rules::TROMP_TAYLOR);
        assert_eq!(dead_stones(&game), vec![]);
    }

    #[test]
    fn ownership_of_a_settled_board_is_certain() {
        let board = Board::from_diagram(". X . O . / X X X O O / . X . O . / X X X O O / . X . O .").unwrap();
        let mean = ownership(&board, 100, &mut Rng::new(1));
        assert!(mean["A1".parse().unwrap()] > 0.99);
        assert!(mean["E5".parse().unwrap()] < -0.99);
    }
}
