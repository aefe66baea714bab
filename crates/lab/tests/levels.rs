//! The levels: more reading from one to the next, honest reports, and an end to lost games.
#![allow(clippy::unwrap_used)]

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::players::{Decision, Request, Seat};
use tengen_lab::PlayerSpec;

fn level(number: usize) -> PlayerSpec {
    format!("level-{number}").parse().unwrap()
}

/// The level, as hosts seat it: it thinks as long as its preset says.
fn seat(number: usize, seed: u64) -> Seat {
    level(number).build(seed).unwrap()
}

#[test]
fn the_search_grows_with_the_level() {
    let playouts: Vec<_> = (1..10).map(|number| level(number).options.playouts.unwrap()).collect();
    assert!(playouts.is_sorted_by(|a, b| a < b), "{playouts:?}");
    assert!(level(10).options.time.is_some_and(|seconds| seconds <= 0.5));
}

#[test]
fn what_a_level_reports_is_its_search_and_not_what_it_drew() {
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut is_other = false;
    for seed in 0..8 {
        let mut seat = seat(2, seed);
        let Decision::Play(played) = seat.decide(&game, &Request::default()).unwrap() else {
            panic!("it resigns")
        };
        let report = seat.report().unwrap();
        let most = report.moves.iter().map(|m| m.visits).max().unwrap();
        assert!(report.best().visits * 20 >= most * 3, "the search's rule chooses: {:?}", report.best());
        assert_eq!(
            report.moves.iter().map(|m| m.visits).sum::<u32>(),
            report.visits,
            "no visits are made up"
        );
        is_other |= played != report.best().mv;
    }
    assert!(is_other, "it plays its search's move every time");
}

#[test]
fn a_level_gives_up_a_lost_game_late() {
    // White owns everything but a corner.
    let lost = ". X O . O . . / X X O O . O O / . X O . O O . / O O O O O . O / . O . O . O O / O O O . O . O / . O . O O O .";
    for number in [1, 5] {
        let mut seat = seat(number, 1);
        let mut game = Game::from_board(Board::from_diagram(lost).unwrap(), Rules::CHINESE);
        game.set_to_play(Color::Black);
        let given_up = (1..=15).find(|_| {
            let decision = seat.decide(&game, &Request::default()).unwrap();
            game.play(Move::PASS);
            game.play(Move::PASS);
            decision == Decision::Resign
        });
        assert_eq!(given_up, Some(10), "level {number}");
    }
}
