//! A whole game against GNU Go, with nothing but GTP between the two programs.
#![allow(clippy::unwrap_used)]

use tengen_board::{Color, Move};
use tengen_engine::{
    gtp::{Client, Timeouts, find_executable},
    players::Decision,
};
use tengen_testing::skipped;

/// Plays a game on 9x9; the moves and, if it was not resigned, the scores that each engine gives.
fn play(rules: &str, clock: &str) -> (usize, Option<[f32; 2]>) {
    let tengen = format!(
        "{} gtp --preset default,seed=3,resign=0 --rules {rules} --playouts 400",
        env!("CARGO_BIN_EXE_tengen")
    );
    let gnugo = format!("gnugo --mode gtp --level 1 --seed 3 --{rules}-rules");
    let mut engines = [tengen, gnugo].map(|command| Client::start(&command, Timeouts::default()).unwrap());
    for engine in &mut engines {
        engine.boardsize(9, 9).unwrap();
        engine.clear_board().unwrap();
        engine.komi(6.5).unwrap();
        engine.send(clock).unwrap();
    }
    let (mut moves, mut passes) = (0, 0);
    while passes < 2 {
        let color = Color::ALL[moves % 2];
        let [mover, other] = if moves % 2 == 0 { [0, 1] } else { [1, 0] };
        engines[mover].send(&format!("time_left {color} 30 0")).unwrap();
        let Decision::Play(mv) = engines[mover].genmove(color).unwrap() else { return (moves, None) };
        engines[other].play(color, mv).unwrap();
        passes = if mv == Move::PASS { passes + 1 } else { 0 };
        moves += 1;
        assert!(moves < 200, "the game does not end");
    }
    let [a, b] = &mut engines;
    (moves, Some([a.final_score().unwrap(), b.final_score().unwrap()]))
}

#[test]
fn a_game_is_played_to_its_end_and_both_count_the_same() {
    if find_executable("gnugo").is_none() {
        skipped("a game against GNU Go, counted by both", "install gnugo");
        return;
    }
    for rules in ["chinese", "japanese"] {
        let (moves, scores) = play(rules, "time_settings 60 0 0");
        assert!(moves > 20, "{rules}: over after {moves} moves");
        if let Some([ours, theirs]) = scores {
            assert!(ours * theirs > 0.0, "{rules}: tengen says {ours}, GNU Go {theirs}");
            assert!((ours - theirs).abs() <= 2.0, "{rules}: tengen says {ours}, GNU Go {theirs}");
        }
    }
}
