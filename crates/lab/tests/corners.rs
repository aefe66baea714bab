//! The vital points of the corner experiment are the only ones, by exhaustive search.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use tengen_board::{Board, Color, Game, Move, Rules, Vertex};
use tengen_lab::experiments::{PROBLEMS, Problem};

const DEFENDER: Color = Color::White;

/// A corner whose attackers have liberties outside, and the points that are fought for.
struct Fight {
    game: Game,
    space: Vec<Move>,
    stone: Vertex,
}

impl Fight {
    fn new(problem: &Problem) -> Fight {
        let rows: Vec<Vec<&str>> =
            problem.diagram.split('/').map(|row| row.split_whitespace().collect()).collect();
        let (width, height) = (rows[0].len() + 2, rows.len() + 2);
        let mut diagram = vec![vec!["."; width]; 2];
        for row in &rows {
            diagram.push(row.iter().copied().chain([".", "."]).collect());
        }
        let text: Vec<_> = diagram.iter().map(|row| row.join(" ")).collect();
        let board = Board::from_diagram(&text.join("/")).unwrap();
        assert_eq!((board.width(), board.height()), (width, height));
        let points: Vec<Vertex> = board.points().collect();
        let stone = *points.iter().find(|&&v| board.color(v) == Some(DEFENDER)).unwrap();
        let chain = board.chain_of(stone, DEFENDER);
        for &v in &points {
            if board.color(v) == Some(DEFENDER) {
                assert_eq!(board.chain_of(v, DEFENDER), chain, "the defender is one chain");
            }
        }
        let liberties = |v: &&Vertex| board.is_empty(**v);
        // The eye space: empty points that cannot be reached from outside.
        let mut outside: Vec<Vertex> = vec![Vertex::new(width - 1, height - 1)];
        let mut next = 0;
        while next < outside.len() {
            for n in outside[next].neighbors() {
                if points.contains(&n) && board.is_empty(n) && !outside.contains(&n) {
                    outside.push(n);
                }
            }
            next += 1;
        }
        let space: Vec<Move> =
            points.iter().filter(liberties).filter(|v| !outside.contains(v)).map(|&v| v.into()).collect();
        Fight { game: Game::from_board(board, Rules::CHINESE_SUPERKO), space, stone }
    }

    /// Whether the defender's stones stay on the board with `color` to move, both sides playing their best in the eye space. Two
    /// passes end the fight.
    fn lives(&self, game: &Game, color: Color, passes: usize) -> bool {
        if game.board().is_empty(self.stone) {
            return false;
        }
        if passes == 2 {
            return true;
        }
        let wanted = color == DEFENDER;
        let mut moves = self.space.iter().copied().chain([Move::PASS]);
        moves.any(|mv| {
            let mut next = game.clone();
            if next.try_play_as(color, mv).is_err() {
                return false;
            }
            let passes = if mv.is_pass() { passes + 1 } else { 0 };
            self.lives(&next, !color, passes) == wanted
        }) == wanted
    }

    fn lives_after(&self, mv: Move) -> bool {
        let mut game = self.game.clone();
        game.try_play_as(DEFENDER, mv).unwrap();
        self.lives(&game, !DEFENDER, usize::from(mv.is_pass()))
    }
}

#[test]
fn the_vital_point_is_the_only_move_that_lives() {
    for problem in &PROBLEMS {
        let fight = Fight::new(problem);
        assert!((3..=5).contains(&fight.space.len()), "{}: {:?}", problem.name, fight.space);
        let living: Vec<_> =
            fight.space.iter().filter(|&&mv| fight.lives_after(mv)).map(Move::to_string).collect();
        assert_eq!(living, [problem.vital], "{}", problem.name);
        assert!(!fight.lives_after(Move::PASS), "{} dies if the attacker begins", problem.name);
    }
}
