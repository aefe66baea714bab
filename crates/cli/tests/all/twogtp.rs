//! A whole game between `tengen gtp` and GNU Go, through GTP only: what gogui-twogtp sends, in its order.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use tengen_board::{Color, Game, Rules};
use tengen_engine::{
    gtp::{Client, Timeouts, find_executable},
    players::Decision,
};
use tengen_testing::skipped;

fn start(command: &str) -> Client {
    let timeouts = Timeouts { command: Duration::from_mins(2), genmove: Duration::from_mins(5) };
    Client::start(command, timeouts).unwrap()
}

#[test]
fn a_game_against_gnu_go_is_played_to_its_end() {
    let Some(gnugo) = find_executable("gnugo") else {
        skipped("a game against GNU Go as GoGui plays it", "install gnugo");
        return;
    };
    let tengen = format!("'{}' gtp --preset rave --playouts 100 --seed 1", env!("CARGO_BIN_EXE_tengen"));
    let gnugo = format!("'{}' --mode gtp --level 1 --chinese-rules --seed 1", gnugo.display());
    let mut players = [start(&tengen), start(&gnugo)];
    for player in &mut players {
        assert!(!player.name().unwrap().is_empty() && !player.version().unwrap().is_empty());
        player.boardsize(7, 7).unwrap();
        player.clear_board().unwrap();
        player.komi(7.0).unwrap();
        player.send("time_settings 600 0 0").unwrap();
    }
    let mut game = Game::new(7, 7, Rules::CHINESE.with_komi(7.0)).unwrap();
    let mut resigned = false;
    while game.passes() < 2 && !resigned {
        assert!(game.moves().len() < 300, "the game does not end");
        let color = game.to_play();
        let (mover, other) = if color == Color::Black { (0, 1) } else { (1, 0) };
        match players[mover].genmove(color).unwrap() {
            Decision::Play(mv) => {
                game.try_play(mv).unwrap_or_else(|error| panic!("{mv}: {error}\n{game:?}"));
                players[other].play(color, mv).unwrap();
            }
            Decision::Resign => resigned = true,
        }
    }
    if !resigned {
        // Both count every stone on the board; GNU Go's opinion of dead stones is the judge.
        let scores = players.each_mut().map(|player| player.final_score().unwrap());
        assert!(scores.iter().all(|score| score.abs() <= 56.0), "{scores:?}");
    }
    for mut player in players {
        assert!(player.send("cputime").unwrap().parse::<f32>().unwrap() > 0.0);
        player.quit();
    }
}
