//! A game in the terminal, typed from a script.

use crate::common::tengen_with_input;

/// The output of a game on 5x5 against the preset `random` in which these lines are typed.
fn play(arguments: &[&str], lines: &[&str]) -> String {
    let mut all = vec!["--terminal", "--preset", "random", "--size", "5", "--seed", "1"];
    all.extend(arguments);
    let run = tengen_with_input(&all, &(lines.join("\n") + "\n"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout
}

#[test]
fn tengen_plays_in_the_terminal() {
    let text = play(&[], &["C3", "quit"]);
    assert!(text.contains("You play black"), "{text}");
    assert!(text.contains("random plays"), "{text}");
    assert!(text.contains("Move 3, black to play."), "{text}");
}

#[test]
fn the_board_is_drawn_with_the_last_move_marked() {
    let text = play(&["--board", "unicode", "--color", "white"], &["quit"]);
    let marked = text.lines().filter(|line| line.contains("(●)")).count();
    assert_eq!(marked, 1, "{text}");
    assert!(!text.contains('\u{1b}'), "no colours unless asked for");
    assert!(play(&["--board", "color"], &["quit"]).contains('\u{1b}'));
}

#[test]
fn mistakes_are_explained_and_the_game_goes_on() {
    let text = play(&[], &["C3", "C3", "Z9", "T19", "castle", "I1", "", "save", "help", "quit"]);
    assert!(text.contains("C3 is not possible: the point is occupied"), "{text}");
    assert!(text.contains("T19 is not possible: the point is not on the board"), "{text}");
    assert!(text.contains("\"castle\" is not a move: type a point from A1 to E5"), "{text}");
    assert!(text.contains("name a file"), "{text}");
    assert!(text.contains("take back your last move"), "{text}");
}

#[test]
fn undo_takes_back_both_moves() {
    let text = play(&[], &["undo", "C3", "undo", "board", "quit"]);
    assert!(text.contains("there is nothing to take back"), "{text}");
    assert_eq!(text.matches("Move 1, black to play.").count(), 3, "{text}");
}

#[test]
fn resigning_loses() {
    assert!(play(&[], &["hint", "score", "resign"]).contains("Result: W+R. random wins."));
}

#[test]
fn two_passes_end_the_game_with_a_score() {
    // White fills the board with living stones, passes when only eyes are left, and wins.
    let lines = vec!["pass"; 200];
    let text = play(&[], &[&lines[..], &["done"]].concat());
    assert!(text.contains("Both passed. Score: W+"), "{text}");
    assert!(text.ends_with("random wins.\n"), "{text}");
}

#[test]
fn the_end_of_input_ends_the_program() {
    let text = play(&[], &[]);
    assert!(text.contains("Move 1"), "{text}");
    assert!(!text.contains("Result"), "{text}");
}

#[test]
fn the_game_can_be_saved() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (during, after) = (directory.join("during.sgf"), directory.join("after.sgf"));
    let save = format!("save {}", during.display());
    let text =
        play(&["--sgf", after.to_str().unwrap()], &["C3", &save, "save /no/such/folder/x.sgf", "resign"]);
    assert!(text.contains("cannot write /no/such/folder/x.sgf"), "{text}");
    let during = std::fs::read_to_string(during).unwrap();
    assert!(during.contains(";B[cc]"), "{during}");
    assert!(!during.contains("RE["), "{during}");
    let after = std::fs::read_to_string(after).unwrap();
    assert!(
        after.contains("RE[W+R]") && after.contains("PB[Player]") && after.contains("PW[random]"),
        "{after}"
    );
    let date = after.split("DT[").nth(1).and_then(|text| text.split(']').next()).unwrap_or_default();
    assert_eq!((date.len(), date.matches('-').count()), (10, 2), "the day stands in it: {after}");
}

#[test]
fn the_level_follows_the_results() {
    let levels = ["resign\n", "resign\n", "quit\n"].map(|input| {
        let run = tengen_with_input(&["play", "--terminal", "--size", "19"], input);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    });
    assert!(levels[0].contains("white (tengen level 3)"), "{}", levels[0]);
    assert!(levels[0].contains("Next time you play tengen level 2."), "{}", levels[0]);
    assert!(levels[1].contains("white (tengen level 2)"), "{}", levels[1]);
    assert!(levels[2].contains("white (tengen level 1)"), "{}", levels[2]);
}

#[test]
fn the_opponent_has_its_name() {
    let run = tengen_with_input(&["--terminal", "--preset", "level-1", "--size", "5"], "board\nquit\n");
    assert!(run.stdout.contains("white (tengen level 1)"), "{}", run.stdout);
}
