//! The vital points of the corner experiment are the only ones, by exhaustive search.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::collections::{BTreeMap, BTreeSet};

use tengen_board::{Board, Color, Move, Vertex};
use tengen_lab::experiments::{PROBLEMS, Problem};

const DEFENDER: Color = Color::White;

/// A corner whose attackers have liberties outside, and the points that are fought for.
struct Fight {
    board: Board,
    space: Vec<Vertex>,
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
        let stone = *points.iter().find(|&&v| board.color_at(v) == Some(DEFENDER)).unwrap();
        let chain = board.chain_of(stone, DEFENDER);
        for &v in &points {
            if board.color_at(v) == Some(DEFENDER) {
                assert_eq!(board.chain_of(v, DEFENDER), chain, "the defender is one chain");
            }
        }
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
        let space = points.iter().filter(|v| board.is_empty(**v) && !outside.contains(v)).copied().collect();
        Fight { board, space, stone }
    }

    /// The positions from which the attacker captures whatever the defender does, among all that can arise when both play in the eye
    /// space or pass. A fight that goes round in circles is not a capture.
    fn captured(&self) -> BTreeSet<Key> {
        let mut known: BTreeMap<Key, (Board, Vec<Key>)> = BTreeMap::new();
        let mut open = Vec::new();
        for color in Color::ALL {
            let mut board = self.board.clone();
            board.set_to_play(color);
            open.push(board);
        }
        while let Some(board) = open.pop() {
            if known.contains_key(&key(&board)) {
                continue;
            }
            let mut next = Vec::new();
            if !board.is_empty(self.stone) {
                next = self.moves(&board).map(|mv| after(&board, mv)).collect::<Vec<_>>();
            }
            known.insert(key(&board), (board, next.iter().map(key).collect()));
            open.extend(next);
        }
        let mut captured = BTreeSet::new();
        loop {
            let before = captured.len();
            for (key, (board, next)) in &known {
                let is_captured = if board.is_empty(self.stone) {
                    true
                } else if board.to_play() == DEFENDER {
                    next.iter().all(|key| captured.contains(key))
                } else {
                    next.iter().any(|key| captured.contains(key))
                };
                if is_captured {
                    captured.insert(*key);
                }
            }
            if captured.len() == before {
                return captured;
            }
        }
    }

    fn moves<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = Move> + 'a {
        self.space.iter().copied().filter(|&v| board.is_legal(v)).map(Move::from).chain([Move::PASS])
    }
}

/// Stones, player to move, ko.
type Key = (u64, bool, Vertex);

fn key(board: &Board) -> Key {
    (board.hash(), board.to_play() == DEFENDER, board.ko())
}

fn after(board: &Board, mv: Move) -> Board {
    let mut board = board.clone();
    board.play_unchecked(mv);
    board
}

#[test]
fn the_vital_point_is_the_only_move_that_lives() {
    for problem in &PROBLEMS {
        let fight = Fight::new(problem);
        assert!((3..=5).contains(&fight.space.len()), "{}: {:?}", problem.name, fight.space);
        let captured = fight.captured();
        let mut board = fight.board.clone();
        board.set_to_play(DEFENDER);
        let lives = |mv: &Move| !captured.contains(&key(&after(&board, *mv)));
        let living: Vec<_> = fight.moves(&board).filter(lives).map(|mv| mv.to_string()).collect();
        assert_eq!(living, [problem.vital], "{}", problem.name);
    }
}
