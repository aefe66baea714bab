//! Random games on boards of every shape: after each move everything that the board tells is compared with a board
//! that works by flood fill, and with the image of the game under each symmetry.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tengen_board::{Board, Color, IllegalMove, Move, Symmetry, Vertex, zobrist};

use crate::reference::{Point, Reference, Verdict};

fn vertex((x, y): Point) -> Vertex {
    Vertex::new(x, y)
}

fn point(v: Vertex) -> Point {
    (v.col(), v.row())
}

fn points(vertices: impl IntoIterator<Item = Vertex>) -> BTreeSet<Point> {
    vertices.into_iter().map(point).collect()
}

fn hash_of(reference: &Reference) -> u64 {
    let stone = |p: Point| reference.at(p).map(|color| zobrist::stone(Color::ALL[color], vertex(p)));
    reference.points().into_iter().filter_map(stone).fold(0, |hash, stone| hash ^ stone)
}

/// Compares everything.
fn compare(board: &Board, reference: &Reference) {
    assert_eq!(board.to_play().index(), reference.turn);
    let ko = reference.ko.map_or(Vertex::NONE, vertex);
    assert_eq!(board.ko(), ko, "{board}");
    let mut empties = BTreeSet::new();
    let mut counts = [0; 2];
    for p in reference.points() {
        let v = vertex(p);
        assert_eq!(board.color_at(v).map(Color::index), reference.at(p), "{v}\n{board}");
        assert_eq!(board.is_empty(v), reference.at(p).is_none(), "{v}\n{board}");
        if let Some(color) = reference.at(p) {
            counts[color] += 1;
            compare_chain(board, reference, p);
        } else {
            empties.insert(p);
            assert_eq!(board.chain(v), Vertex::NONE);
        }
        compare_point(board, reference, p);
    }
    assert_eq!(board.hash(), hash_of(reference), "{board}");
    assert_eq!(board.empties().len(), empties.len(), "no point twice");
    assert_eq!(points(board.empties().iter().copied()), empties);
    for color in Color::ALL {
        assert_eq!(board.stones(color), counts[color.index()]);
        assert_eq!(board.prisoners(color), reference.prisoners[color.index()], "{color}\n{board}");
    }
}

fn compare_chain(board: &Board, reference: &Reference, p: Point) {
    let (stones, liberties) = reference.chain(p);
    let chain = board.chain(vertex(p));
    assert_eq!(board.chain_size(chain), stones.len(), "{chain}\n{board}");
    assert_eq!(points(board.chain_stones(chain)), stones, "{chain}\n{board}");
    assert!(stones.iter().all(|&s| board.chain(vertex(s)) == chain), "{chain}\n{board}");
    assert_eq!(board.liberty_count(chain), liberties.len(), "{chain}\n{board}");
    assert_eq!(points(board.liberties::<361>(chain).iter().copied()), liberties);
    assert!(board.pseudo_liberties(chain) >= liberties.len());
    let atari = (liberties.len() == 1).then(|| vertex(*liberties.first().unwrap()));
    assert_eq!(board.atari(chain), atari, "{chain}\n{board}");
    for &liberty in &liberties {
        assert_eq!(board.is_atari_at(chain, vertex(liberty)), liberties.len() == 1, "{chain}\n{board}");
    }
}

fn compare_point(board: &Board, reference: &Reference, p: Point) {
    let v = vertex(p);
    for suicide in [false, true] {
        let expected = match reference.check(p, suicide) {
            Verdict::Legal => Ok(()),
            Verdict::Occupied => Err(IllegalMove::Occupied),
            Verdict::Ko => Err(IllegalMove::Ko),
            Verdict::Suicide => Err(IllegalMove::Suicide),
        };
        assert_eq!(board.check(v.into(), suicide), expected, "{v}, suicide {suicide}\n{board}");
    }
    assert_eq!(board.is_legal(v), reference.check(p, false) == Verdict::Legal, "{v}\n{board}");
    if reference.at(p).is_none() {
        let mut after = reference.clone();
        after.play(Some(p));
        assert_eq!(board.hash_after(v), hash_of(&after), "{v}\n{board}");
    }
    let neighbors = reference.neighbors(p);
    assert_eq!(board.empty_neighbors(v), neighbors.iter().filter(|&&n| reference.at(n).is_none()).count());
    for color in Color::ALL {
        let of_color = |n: &&Point| reference.at(**n) == Some(color.index());
        let stones = neighbors.iter().filter(of_color).count();
        assert_eq!(board.stone_neighbors(v, color), stones, "{v}\n{board}");
        assert_eq!(board.is_surrounded(v, color), stones == neighbors.len(), "{v}\n{board}");
        if reference.at(p).is_none() {
            assert_eq!(board.is_eye(v, color), reference.is_eye(p, color.index()), "{v} {color}\n{board}");
        }
        let diagonals = reference.diagonals(p);
        let edge = usize::from(diagonals.len() < 4);
        assert_eq!(board.diagonal_stones_or_edge(v, color), diagonals.iter().filter(of_color).count() + edge);
    }
}

/// The image of a game under one symmetry.
struct Image {
    symmetry: Symmetry,
    board: Board,
}

impl Image {
    fn all(width: usize, height: usize) -> Vec<Image> {
        let image = |symmetry: Symmetry| {
            let (w, h) = if symmetry.transposes() { (height, width) } else { (width, height) };
            Image { symmetry, board: Board::new(w, h) }
        };
        Symmetry::ALL.into_iter().map(image).collect()
    }

    fn play(&mut self, original: &Board, mv: Move, suicide: bool) {
        let (width, height) = (original.width(), original.height());
        self.board.try_play(self.symmetry.apply(mv, width, height), suicide).unwrap();
    }

    fn compare(&self, original: &Board) {
        let (width, height) = (original.width(), original.height());
        let image = |v| self.symmetry.vertex(v, width, height);
        for v in original.points() {
            assert_eq!(self.board.color_at(image(v)), original.color_at(v));
            assert_eq!(self.board.is_legal(image(v)), original.is_legal(v));
            for color in Color::ALL {
                assert_eq!(self.board.is_eye(image(v), color), original.is_eye(v, color));
            }
        }
        let ko = if original.ko() == Vertex::NONE { Vertex::NONE } else { image(original.ko()) };
        assert_eq!(self.board.ko(), ko);
    }
}

/// A random game: each number picks one of the legal moves, or now and then a pass, or a change of turn.
fn play_game(width: usize, height: usize, suicide: bool, picks: &[u32]) {
    let mut board = Board::new(width, height);
    let mut reference = Reference::new(width, height);
    let mut images = Image::all(width, height);
    compare(&board, &reference);
    for &pick in picks {
        if pick % 29 == 0 {
            let turn = !board.to_play();
            board.set_to_play(turn);
            for image in &mut images {
                image.board.set_to_play(turn);
            }
            (reference.turn, reference.ko) = (turn.index(), None);
        }
        let legal: Vec<_> = board.points().filter(|&v| board.check(v.into(), suicide).is_ok()).collect();
        let mv = if legal.is_empty() || pick % 31 == 0 {
            Move::PASS
        } else {
            Move::from(legal[(pick / 31) as usize % legal.len()])
        };
        board.try_play(mv, suicide).unwrap();
        reference.play(mv.vertex().map(point));
        compare(&board, &reference);
        for image in &mut images {
            image.play(&board, mv, suicide);
            image.compare(&board);
        }
    }
    let mut copy = Board::new(2, 2);
    copy.clone_from(&board);
    compare(&copy, &reference);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_boards(width in 2..=6_usize, height in 2..=6_usize, suicide: bool, picks in prop::collection::vec(any::<u32>(), 120)) {
        play_game(width, height, suicide, &picks);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_boards(width in 2..=19_usize, height in 2..=19_usize, suicide: bool, picks in prop::collection::vec(any::<u32>(), 60..300)) {
        play_game(width, height, suicide, &picks);
    }
}

/// Every shape once, since a random choice would miss some.
#[test]
fn every_shape() {
    let mut state = 1_u64;
    for width in 2..=19 {
        for height in 2..=19 {
            let picks: Vec<u32> = (0..(width * height).min(24))
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) as u32
                })
                .collect();
            play_game(width, height, width % 2 == 0, &picks);
        }
    }
}
