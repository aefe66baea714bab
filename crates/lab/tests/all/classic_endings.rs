//! How the player `classic` ends its games.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use tengen_engine::gtp::Server;
use tengen_lab::PlayerSpec;

/// What it answers to the last of these lines.
fn asked(playouts: usize, lines: &[&str]) -> String {
    let spec: PlayerSpec = format!("classic,playouts={playouts},threads=1,seed=1").parse().unwrap();
    let mut server = Server::new(spec.build(1).unwrap());
    let mut answer = String::new();
    for line in lines {
        answer = server.execute(line).unwrap().to_string();
        assert!(answer.starts_with('='), "{line}: {answer}");
    }
    answer.trim_start_matches('=').trim().to_owned()
}

#[test]
fn a_game_that_is_won_by_passing_is_not_lost_in_the_own_territory() {
    // White is half a point ahead; the black stone at H5 is dead.
    let position = "set_position b F1 b G1 b E2 b G2 b E3 b G3 b H3 b E4 b F4 b E5 b H5 b B6 b C6 b D6 b E6 b F6 b A7 b B7 \
                    b A8 b A9 w H1 w H2 w J2 w J3 w G4 w H4 w F5 w G5 w G6 w H6 w C7 w D7 w E7 w F7 w B8 w C8 w G8 w B9";
    let lines = ["boardsize 9", "kata-set-rules japanese", "komi 3.5", position, "play b pass", "genmove w"];
    assert_eq!(asked(500, &lines), "pass");
}

#[test]
fn dead_stones_are_approached_where_they_must_be_captured() {
    // The white stones in the upper left cannot be captured before A7 is played.
    let position = "set_position b A1 b G1 b J1 b A2 b B2 b H2 b B3 b C3 b G3 b A4 b C4 b G4 b H4 b B5 b D5 b G5 b A6 b B6 \
                    b D6 b E6 b G6 b B7 b E7 b G7 b A8 b D8 b E8 b F8 b G8 b C9 b D9 b F9 b G9 b H9 w B1 w C1 w D1 w C2 w E2 \
                    w F2 w G2 w D3 w F3 w H3 w J3 w D4 w F4 w J4 w C5 w E5 w F5 w H5 w J5 w C6 w F6 w H6 w C7 w F7 w H7 \
                    w B8 w C8 w H8 w J8 w B9 w J9";
    let lines =
        ["boardsize 9", "kata-set-rules tromp-taylor", "komi 5.5", position, "play w pass", "genmove b"];
    assert_eq!(asked(2000, &lines), "A7", "by passing Black would lose");
}

#[test]
fn extra_komi_is_no_reason_to_resign() {
    // The nine handicap stones are the wall between Black's side and White's.
    let mut lines = vec!["boardsize 9", "kata-set-rules japanese", "komi 0.5"];
    lines.push("set_free_handicap E1 E2 E3 E4 E5 E6 E7 E8 E9");
    for white in ["play w F1", "play w F2", "play w F3", "play w F4", "play w F5", "play w F6", "play w F7"] {
        lines.extend([white, "play b pass"]);
    }
    lines.extend(["play w F8", "play b D8", "play w F9"]);
    lines.extend(["genmove b", "play w G5", "genmove b", "play w G4", "genmove b"]);
    assert_ne!(asked(300, &lines), "resign", "Black is seven points ahead");
}
