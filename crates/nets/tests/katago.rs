//! The public network g170-b6c96 gives the published answers.
//!
//! They come from half-precision arithmetic: in single and in double precision, by our kernels and by a program that shares
//! nothing with them, the answers agree with each other to six decimals and differ from the published ones by up to
//! 0.0009 in the policy, 0.0003 in the value, 0.0004 in ownership and 0.006 points, differently for each symmetry. Rounding
//! to half precision gives differences of just that size. The tolerances allow for that.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{env, fs, path::PathBuf};

use tengen_board::{Color, Game, Move, Rules, Symmetry};
use tengen_nets::{
    History,
    katago::{KataNetwork, KataOutput},
};

const NETWORK: &str = "nets/g170-b6c96-s175395328-d26788732.bin.gz";

/// The data folder, if there is one.
fn data() -> Option<PathBuf> {
    let folder = env::var_os("TENGEN_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let found = folder.join(NETWORK).exists().then_some(folder);
    if found.is_none() {
        println!("SKIPPED: no {NETWORK} in $TENGEN_DATA or ../shared/data");
    }
    found
}

/// The numbers after a word, up to the next word.
fn numbers(block: &str, word: &str) -> Vec<f32> {
    let words: Vec<_> = block.split_whitespace().collect();
    let start = words.iter().position(|w| *w == word).unwrap();
    words[start + 1..].iter().map_while(|w| w.replace("NAN", "NaN").parse().ok()).collect()
}

/// Policy as KataGo prints it: probabilities of legal moves, rows from the top, the pass last.
fn policy(game: &Game, output: &KataOutput) -> Vec<f32> {
    let board = game.board();
    let legal = |v| game.check(Move::from(v)).is_ok();
    let mut odds: Vec<f32> = Vec::new();
    for row in (0..board.height()).rev() {
        for col in 0..board.width() {
            let v = tengen_board::Vertex::new(col, row);
            odds.push(if legal(v) { output.policy[row * board.width() + col].exp() } else { f32::NAN });
        }
    }
    odds.push(output.pass.exp());
    let sum: f32 = odds.iter().filter(|x| !x.is_nan()).sum();
    odds.iter().map(|x| x / sum).collect()
}

fn close(ours: &[f32], theirs: &[f32], tolerance: f32, what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (a, b) in ours.iter().zip(theirs) {
        let agree = (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance;
        assert!(agree, "{what}: ours {a}, KataGo's {b}");
    }
}

#[test]
fn the_published_answers() {
    let Some(folder) = data() else { return };
    let network = KataNetwork::load(&folder.join(NETWORK)).unwrap();
    let expected = fs::read_to_string(folder.join("nets/rawnn-expected.txt")).unwrap();
    let blocks: Vec<&str> = expected.split("symmetry ").skip(1).collect();
    let mut square = Game::new(9, 9, Rules::CHINESE.with_komi(7.5)).unwrap();
    for m in ["C3", "C6"] {
        square.play(m.parse().unwrap());
    }
    let rules: Rules = "new-zealand".parse().unwrap();
    let mut tall = Game::new(7, 10, rules.with_komi(7.5)).unwrap();
    for m in ["C3", "C7", "F7"] {
        tall.play(m.parse().unwrap());
    }
    assert!(blocks.len() > 4);
    for (i, block) in blocks.iter().enumerate() {
        let number: usize = block.split_whitespace().next().unwrap().parse().unwrap();
        let game = if i < 3 { &square } else { &tall };
        let history = History::new(game);
        let mut outputs = Vec::new();
        let symmetry = tengen_nets::katago::symmetry(number, i < 3);
        let (width, height) = (game.board().width(), game.board().height());
        network.runner(width, height, 1).evaluate(&[(&history, symmetry)], &mut outputs);
        let output = &outputs[0];
        let name = format!("position {i}, symmetry {number}");
        let mut expected = numbers(block, "policy");
        expected.extend(numbers(block, "policyPass"));
        close(&policy(game, output), &expected, 1e-3, &name);
        for (ours, word, tolerance) in [
            (output.white_win, "whiteWin", 5e-4),
            (output.white_loss, "whiteLoss", 5e-4),
            (output.no_result, "noResult", 5e-4),
            (output.white_lead, "whiteLead", 1e-2),
            (output.white_score, "whiteScoreSelfplay", 1e-2),
            (output.white_score_squared, "whiteScoreSelfplaySq", 0.1),
        ] {
            close(&[ours], &numbers(block, word), tolerance, &format!("{name} {word}"));
        }
        let board = game.board();
        let rows = (0..board.height()).rev();
        let ownership: Vec<f32> = rows
            .flat_map(|row| (0..board.width()).map(move |col| row * board.width() + col))
            .map(|i| output.white_ownership[i])
            .collect();
        close(&ownership, &numbers(block, "whiteOwnership"), 5e-4, &format!("{name} ownership"));
    }
}

#[test]
fn the_sides_are_told_apart() {
    let Some(folder) = data() else { return };
    let network = KataNetwork::load(&folder.join(NETWORK)).unwrap();
    // Black has the whole board.
    let board =
        tengen_board::Board::from_diagram("X X X X X / X . X . X / X X X X X / . . . . . / . . . . .")
            .unwrap();
    for color in Color::ALL {
        let mut game = Game::from_board(board.clone(), Rules::CHINESE.with_komi(0.5));
        game.set_to_play(color);
        let mut outputs = Vec::new();
        let history = History::new(&game);
        network.runner(5, 5, 2).evaluate(&[(&history, Symmetry::IDENTITY)], &mut outputs);
        assert!(outputs[0].white_loss > 0.9, "{color}: {:?}", outputs[0]);
    }
}

#[test]
fn damaged_and_hostile_files_are_refused() {
    let huge = b"name 8 22 19 trunk 6 2000 2000 2000 2000 2000 conv 19 19 22 2000 1 1 @BIN@";
    let error = |bytes: &[u8]| KataNetwork::from_bytes(bytes).unwrap_err();
    assert!(error(huge).contains("not complete"), "{}", error(huge));
    assert!(error(b"name 8 22 19 trunk 6 99999999999").contains("channels"));
    assert!(error(b"name 17 22 19").contains("model version 17"));
    assert!(error(b"").contains("ends before its name"));
    assert!(error(&[0x1f, 0x8b, 0, 1, 2]).contains("damaged"));
    assert!(error(&[0; 1000]).contains("not text"));
    let Some(folder) = data() else { return };
    let bytes = fs::read(folder.join(NETWORK)).unwrap();
    for length in [10, 1000, bytes.len() / 2, bytes.len() - 100] {
        assert!(KataNetwork::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
}
