//! Positions with one right answer, read by the strongest search without a network. Komi is set so that the game hangs on them.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::players::{Decision, Request, Seat};
use tengen_lab::PlayerSpec;

fn seat() -> Seat {
    "classic,threads=1,resign=0".parse::<PlayerSpec>().unwrap().build(1).unwrap()
}

fn game(diagram: &str, to_play: Color, komi: f32) -> Game {
    let mut board = Board::from_diagram(diagram).unwrap();
    board.set_to_play(to_play);
    Game::from_board(board, Rules::CHINESE.with_komi(komi))
}

/// The move chosen after 3,000 playouts.
fn choice(game: &Game) -> Move {
    match seat().decide(game, &Request::playouts(3000)).unwrap() {
        Decision::Play(mv) => mv,
        Decision::Resign => panic!("resigned\n{game:?}"),
    }
}

fn assert_plays(diagram: &str, to_play: Color, komi: f32, answers: &[&str]) {
    let game = game(diagram, to_play, komi);
    let mv = choice(&game);
    assert!(answers.iter().any(|a| a.parse() == Ok(mv)), "{to_play} played {mv}, not {answers:?}\n{game:?}");
}

/// White lives in the corner with two eyes, or dies with one, as the point C1 goes.
const THREE_IN_A_ROW: &str = "
    . . . . . . .
    . . . . . . .
    . . . X . . .
    . . X . X . .
    X X X X X X .
    O O O O O X .
    O . . . O X .";

#[test]
fn nakade_kills_three_in_a_row() {
    assert_plays(THREE_IN_A_ROW, Color::Black, 40.5, &["C1"]);
}

#[test]
fn the_vital_point_makes_two_eyes() {
    assert_plays(THREE_IN_A_ROW, Color::White, 40.5, &["C1"]);
}

#[test]
fn a_ladder_that_works_is_played_and_the_stone_is_not_run_away() {
    // D4 is caught by E4 or D5: the ladder runs into the edge.
    let caught = "
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X . . . . .
        . . X O . . . . .
        . . . X X . . . .
        . . . . . . . . .
        . . . . . . . . .";
    let game = game(caught, Color::White, 7.5);
    let mv = choice(&game);
    assert_ne!(mv, "E4".parse().unwrap(), "running only makes it bigger\n{game:?}");
}

/// White's six stones around C2 and Black's five around E2 share the liberties D1 and D2: who plays there first dies.
const SEKI: &str = "
    . X . X O . O
    X X X X O O O
    X X X X O . O
    X X X X O O O
    X X O O X O O
    X O O . X X O
    X O O . X X O";

#[test]
fn seki_is_left_alone() {
    // Black has 25 points and White 22.
    assert_plays(SEKI, Color::Black, 2.5, &["pass"]);
    assert_plays(SEKI, Color::White, 3.5, &["pass"]);
}

/// The ko at D2 and E2 is worth four points; nobody has a threat.
const KO: &str = "
    . X . X O . O
    X X X X O O O
    X X X X O . O
    X X X X O O O
    X X X X O O O
    X X X O . O O
    X X X X O O O";

#[test]
fn a_ko_that_decides_the_game_is_taken_or_connected() {
    assert_plays(KO, Color::Black, 7.5, &["E2"]);
    assert_plays(KO, Color::White, 7.5, &["E2"]);
}

/// Black throws in at D2; White may capture by D1, but then three stones have one liberty, D2 again.
const SNAPBACK: &str = "
    . X X O . O .
    X X X O O O O
    . X X O O X X
    X X X O O X .
    X X X O O X X
    X X O . O X .
    X X O . X X X";

#[test]
fn a_snapback_is_played_and_prevented() {
    // Black leads by 19 points if C1 and C2 are caught, else by 11 at most.
    assert_plays(SNAPBACK, Color::Black, 14.5, &["D2"]);
    assert_plays(SNAPBACK, Color::White, 14.5, &["D2"]);
}
