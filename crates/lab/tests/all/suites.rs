//! Position suites: both formats, and our own suite on a player that can solve it.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tengen_board::{Color, Move};
use tengen_engine::players::StopSignal;
use tengen_lab::{
    PlayerSpec,
    suite::{Expected, Suite, SuiteReport, read, run},
};

fn solve(spec: &str, suite: &Suite) -> SuiteReport {
    let spec: PlayerSpec = spec.parse().unwrap();
    run(&spec, suite, 1, 2, &StopSignal::default(), |_| {}).unwrap()
}

fn basics() -> Suite {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/basics.sgf")).unwrap()
}

#[test]
fn a_search_solves_our_own_suite_and_a_random_player_does_not() {
    let suite = basics();
    assert!(suite.problems.len() >= 12 && suite.skipped == 0);
    for topic in ["capture", "ladder", "snapback", "nakade", "two eyes", "seki", "ko", "endgame"] {
        assert!(suite.problems.iter().any(|problem| problem.name.starts_with(topic)), "{topic}");
    }
    let report = solve("default,playouts=1500,resign=0", &suite);
    assert!(report.passed + 1 >= report.problems, "{:#?}", report.results);
    assert!(report.ci95.contains(report.pass_rate.unwrap()));
    let random = solve("random", &suite);
    assert!(random.passed * 2 < random.problems, "{:#?}", random.results);
    assert_eq!(solve("random", &suite), random, "the same seed gives the same answers");
}

#[test]
fn an_engine_that_dies_is_told_of_and_not_counted() {
    let engine =
        "gtp:sh -c 'while read line; do case $line in genmove*) exit;; *) echo =; echo;; esac; done'";
    let spec: PlayerSpec = engine.parse().unwrap();
    let error = run(&spec, &basics(), 1, 1, &StopSignal::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("ended"), "{error}");
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("suite-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("games")).unwrap();
    path
}

#[test]
fn regression_files_set_up_positions_and_ask() {
    let path = directory("tst");
    fs::write(path.join("games/g.sgf"), "(;SZ[5]KM[0.5];B[cc];W[bb];B[dd];W[dc])").unwrap();
    let text = "# A suite.\nloadsgf games/g.sgf 3\n10 reg_genmove black\n#? [D2|(D4)]*\n\n20 reg_genmove black\n#? [D2|D4]\n\
                boardsize 9\nclear_board\nkomi 5.5\nplay black C3\n30 reg_genmove white\n#? [!C4]*\n40 attack C3\n#? [1 C4]\n\
                50 reg_genmove black\n#? [(PASS|A1)]\n";
    fs::write(path.join("t.tst"), text).unwrap();
    let suite = read(&path.join("t.tst")).unwrap();
    let mv = |name: &str| name.parse::<Move>().unwrap();
    let asked: Vec<_> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
    assert_eq!(asked, ["t:20", "t:30", "t:50"]);
    assert_eq!(suite.skipped, 2, "a regular expression, and a question of GNU Go's own");
    let [first, second, third] = &suite.problems[..] else { panic!() };
    assert_eq!(first.answer, Expected::OneOf(vec![mv("D2"), mv("D4")]));
    // The position before move 3.
    assert_eq!(
        (first.game.moves().len(), first.game.to_play(), first.game.board().width()),
        (2, Color::Black, 5)
    );
    assert_eq!(
        (second.game.to_play(), second.game.rules().komi, second.game.board().width()),
        (Color::White, 5.5, 9)
    );
    assert!(second.answer.accepts(mv("D4")) && !second.answer.accepts(mv("C4")));
    assert!(third.answer.accepts(Move::PASS));

    for (text, message) in [
        ("play black Z99\n", "line 1"),
        ("\nloadsgf games/none.sgf\n", "none.sgf"),
        ("boardsize 99\n", "not a board size"),
        ("1 reg_genmove green\n", "line 1"),
    ] {
        fs::write(path.join("bad.tst"), text).unwrap();
        let error = read(&path.join("bad.tst")).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let error = read(&path.join("t.txt")).unwrap_err().to_string();
    assert!(error.contains(".tst files"), "{error}");
}

#[test]
fn problems_mark_right_and_wrong_variations() {
    let path = directory("sgf");
    let text = "(;SZ[5]GN[marked]AB[bb](;B[cc];W[dd]C[RIGHT])(;B[dd]C[WRONG]))(;SZ[5]AB[bb]PL[W](;W[cc]C[WRONG]))\
                (;SZ[5];B[cc];W[dd])(;SZ[5]AB[cc])";
    fs::write(path.join("p.sgf"), text).unwrap();
    let suite = read(&path.join("p.sgf")).unwrap();
    let mv = |name: &str| name.parse::<Move>().unwrap();
    let answers: Vec<_> = suite.problems.iter().map(|problem| problem.answer.clone()).collect();
    let one = |name: &str| Expected::OneOf(vec![mv(name)]);
    assert_eq!(answers, [one("C3"), Expected::NoneOf(vec![mv("C3")]), one("C3")]);
    assert_eq!((suite.problems[0].name.as_str(), suite.problems[1].name.as_str()), ("marked", "problem 2"));
    assert_eq!(suite.problems[1].game.to_play(), Color::White);
    assert_eq!(suite.skipped, 1, "a position without an answer");
}
