//! The answers of `suites/tactics.sgf` and `suites/lines.sgf` are the only ones, by exhaustive search in the marked region.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{collections::BTreeMap, path::Path};

use tengen_board::{Move, sgf};
use tengen_lab::suite::{
    Expected,
    canonical::canonical,
    prove::{Prover, marked_region, moves},
    read,
};

/// Positions that a proof may look at.
const LIMIT: usize = 60_000;

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/tactics.sgf")
}

#[test]
fn no_two_are_alike() {
    let suite = read(&path()).unwrap();
    let records = sgf::read_collection(&std::fs::read(path()).unwrap()).unwrap();
    let mut known = BTreeMap::new();
    for (problem, record) in suite.problems.iter().zip(&records) {
        let board = problem.game.board();
        let twin = known.insert(canonical(board, &marked_region(record, board)), &problem.name);
        assert_eq!(twin, None, "{} is the same", problem.name);
    }
}

#[test]
fn answers_are_proved() {
    let suite = read(&path()).unwrap();
    let records = sgf::read_collection(&std::fs::read(path()).unwrap()).unwrap();
    assert_eq!(suite.problems.len(), records.len());
    for (problem, record) in suite.problems.iter().zip(&records) {
        let board = problem.game.board();
        let region = marked_region(record, board);
        let Expected::OneOf(answers) = &problem.answer else { panic!("{}", problem.name) };
        let [answer] = answers[..] else { panic!("{}", problem.name) };
        let (me, komi) = (board.to_play(), problem.game.rules().komi);
        // More than komi for Black, less for White: the answer wins.
        let needed = (me.sign() as f32 * komi + 0.5) as i32;
        let mut mine = Prover::new(&region, me, needed, LIMIT);
        let mut theirs = Prover::new(&region, !me, 1 - needed, LIMIT);
        for mv in moves(board, &region) {
            let proof = if mv == answer { &mut mine } else { &mut theirs };
            let wins = proof.holds_after(board, mv, 0).unwrap();
            assert!(wins, "{}: {mv}\n{board:?}", problem.name);
        }
        assert_ne!(answer, Move::PASS);
    }
}

#[test]
fn there_are_enough_of_each_kind() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for problem in read(&path()).unwrap().problems {
        let kind = problem.name.rsplit_once(' ').unwrap().0.to_owned();
        *kinds.entry(kind).or_default() += 1;
    }
    assert!(kinds.len() == 9 && kinds.values().all(|count| *count >= 15), "{kinds:?}");
    assert!(kinds.values().sum::<usize>() >= 200, "{kinds:?}");
}

#[test]
fn lines_are_proved() {
    // The longest takes more.
    const LIMIT: usize = 300_000;
    let lines = path().with_file_name("lines.sgf");
    let records = sgf::read_collection(&std::fs::read(lines).unwrap()).unwrap();
    assert!(records.len() >= 100, "{}", records.len());
    for record in &records {
        let game = record.main_line().unwrap();
        let mut board = record.game_at(record.root()).unwrap().board().clone();
        let region = marked_region(record, &board);
        let me = board.to_play();
        let needed = (me.sign() as f32 * game.rules().komi + 0.5) as i32;
        let mut mine = Prover::new(&region, me, needed, LIMIT);
        let mut theirs = Prover::new(&region, !me, 1 - needed, LIMIT);
        assert!(game.moves().len() >= 3 && game.moves().len() % 2 == 1);
        for played in game.moves() {
            if played.color == me {
                for mv in moves(&board, &region) {
                    let proof = if mv == played.mv { &mut mine } else { &mut theirs };
                    assert!(proof.holds_after(&board, mv, 0).unwrap(), "{mv}\n{board:?}");
                }
            }
            board.play_unchecked(played.mv);
        }
    }
}
