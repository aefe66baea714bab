//! Unconditional life against diagrams, and against a search that tries everything.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use tengen_board::{Board, Color, Move, Vertex, unconditional_life};

/// The stones of Black that live, and the points of Black's regions, as names.
fn life(diagram: &str) -> (Vec<String>, Vec<String>) {
    let board = Board::from_diagram(diagram).unwrap();
    let life = unconditional_life(&board, Color::Black, false);
    let names = |marked: &dyn Fn(Vertex) -> bool| {
        let mut names: Vec<_> = board.points().filter(|&v| marked(v)).map(|v| v.to_string()).collect();
        names.sort();
        names
    };
    (names(&|v| life.stones[v]), names(&|v| life.regions[v]))
}

#[test]
fn two_eyes_live_and_one_does_not() {
    let (stones, regions) = life(". X . X . / X X X X . / . . . . . / O O O . . / . . . . .");
    assert_eq!(stones, ["A4", "B4", "B5", "C4", "D4", "D5"]);
    assert_eq!(regions, ["A5", "C5"]);
    let (stones, regions) = life(". X . . . / X X . . . / . . . . . / O O O . . / . . . . .");
    assert!(stones.is_empty() && regions.is_empty());
}

#[test]
fn chains_live_together_through_shared_eyes() {
    let (stones, regions) = life(". X O / X O . / O . .");
    assert!(stones.is_empty() && regions.is_empty(), "a false eye: {stones:?} {regions:?}");
    let (stones, regions) = life(". X X . X / X X . X X / X . X X . / . . . . . / O O O . .");
    assert_eq!((stones.len(), regions), (10, vec!["A5".to_owned(), "C4".to_owned(), "D5".to_owned()]));
    let (stones, regions) = life(". X . X . / X . X . X / . X . X . / X . X . X / . X . X .");
    assert_eq!((stones.len(), regions.len()), (12, 13), "no chain can be taken first");
}

#[test]
fn stones_in_a_vital_region_are_dead() {
    let (stones, regions) = life("O . X . X . / . X X X X . / X X . . . . / . . . . . . / O O . . . .");
    assert_eq!(stones.len(), 8);
    assert_eq!(regions, ["A4", "A5", "B5", "D5"]);
}

#[test]
fn a_large_eye_with_room_is_not_unconditional() {
    let (stones, _) = life(". . . X . / . . . X . / . . . X . / X X X X . / . . . . .");
    assert!(stones.is_empty());
}

#[test]
fn where_suicide_is_allowed_stones_inside_may_vanish() {
    // The white stone in the middle touches no black one; taken off by its owner, it leaves a point that no chain touches.
    let board =
        Board::from_diagram("X X X X X X / X . . . X . / X . O . X X / X . . . X . / X X X X X X").unwrap();
    let lives = |suicide| unconditional_life(&board, Color::Black, suicide).stones["A1".parse().unwrap()];
    assert!(lives(false), "three regions, each touched everywhere it is empty");
    assert!(lives(true), "the two small ones are enough");
    let board =
        Board::from_diagram("X X X X X X / X . . . X . / X . O . X X / X . . . X X / X X X X X X").unwrap();
    let lives = |suicide| unconditional_life(&board, Color::Black, suicide).stones["A1".parse().unwrap()];
    assert!(lives(false) && !lives(true));
}

/// The stones of Black that White can capture by moving alone, found by trying all orders of moves.
fn capturable(board: &Board) -> BTreeSet<Vertex> {
    let mut seen = BTreeSet::new();
    let mut open = vec![board.clone()];
    let start: Vec<_> = board.points().filter(|&v| board.is_color(v, Color::Black)).collect();
    let mut captured = BTreeSet::new();
    while let Some(position) = open.pop() {
        for &v in &position.empties().to_vec() {
            let mut next = position.clone();
            next.set_to_play(Color::White);
            // Black passes in between, which ends any ko.
            if next.try_play(Move::from(v), false).is_err() {
                continue;
            }
            captured.extend(start.iter().copied().filter(|&stone| !next.is_color(stone, Color::Black)));
            next.set_to_play(Color::Black);
            if seen.insert(next.hash()) {
                open.push(next);
            }
        }
    }
    captured
}

/// A board on which every chain has a liberty.
fn position() -> impl Strategy<Value = Board> {
    proptest::collection::vec(prop_oneof![4 => Just('X'), 2 => Just('.'), 1 => Just('O')], 15)
        .prop_filter_map("a chain without liberties", |cells| {
            let rows: Vec<String> =
                cells.chunks(5).map(|row| row.iter().flat_map(|&c| [c, ' ']).collect()).collect();
            Board::from_diagram(&rows.join("/ ")).ok()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn benson_finds_exactly_what_cannot_be_captured(board in position()) {
        let life = unconditional_life(&board, Color::Black, false);
        let captured = capturable(&board);
        for v in board.points().filter(|&v| board.is_color(v, Color::Black)) {
            prop_assert_eq!(life.stones[v], !captured.contains(&v), "{} on\n{}", v, board);
        }
        let strict = unconditional_life(&board, Color::Black, true);
        for v in board.points() {
            prop_assert!(!strict.stones[v] || life.stones[v], "suicide can only take life away");
        }
    }
}
