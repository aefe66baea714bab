//! KataGo's networks: what the public one says, and files that are none. Its published answers are compared in
//! `crates/lab/tests/all/kata_raw_nn.rs`, as GTP gives them.

#![allow(clippy::unwrap_used)]

use std::{fs, io::Write, path::PathBuf};

use flate2::{Compression, write::GzEncoder};
use tengen_board::{Color, Game, Rules, Symmetry, sgf::data_folder};
use tengen_nets::{History, katago::KataNetwork};
use tengen_testing::skipped;

const NETWORK: &str = "nets/g170-b6c96-s175395328-d26788732.bin.gz";

/// The network's file, if it is here.
fn network_file() -> Option<PathBuf> {
    let found = data_folder().map(|folder| folder.join(NETWORK)).filter(|path| path.exists());
    if found.is_none() {
        skipped("reading a network of KataGo's", &format!("no {NETWORK} in $TENGEN_DATA"));
    }
    found
}

#[test]
fn the_sides_are_told_apart() {
    let Some(path) = network_file() else { return };
    let network = KataNetwork::load(&path).unwrap();
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
        assert!(outputs[0].black_win > 0.9, "{color}: {:?}", outputs[0]);
    }
}

#[test]
fn damaged_and_hostile_files_are_refused() {
    let huge = b"name 8 22 19 trunk 6 2000 2000 2000 2000 2000 conv 19 19 22 2000 1 1 @BIN@";
    let error = |bytes: &[u8]| KataNetwork::from_bytes(bytes).unwrap_err();
    assert!(error(huge).contains("more than the file holds"), "{}", error(huge));
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    bomb.write_all(huge).unwrap();
    bomb.write_all(&vec![0; 4 * 361 * 22 * 2000]).unwrap();
    assert!(error(&bomb.finish().unwrap()).contains("more than the file holds"));
    assert!(error(b"name 8 22 19 trunk 6 99999999999").contains("channels"));
    assert!(error(b"name 18 22 19").contains("model version 18; 8 to 17 are supported"));
    let human = b"some-human-net 15 22 19 20 20 20 20 40 0.25 150 1 0 0 0 0 0 0 0";
    assert!(error(human).contains("some-human-net imitates players"));
    assert!(
        error(b"name 15 22 19 20 20 20 20 40 0.25 150 0 0 0 7")
            .contains("reserved number 2 of the header is 7")
    );
    assert!(error(b"name 13 22 19 20 20 -1").contains("the multiplier of the score's deviation is -1"));
    assert!(error(b"").contains("ends before its name"));
    assert!(error(&[0x1f, 0x8b, 0, 1, 2]).contains("damaged"));
    assert!(error(&[0; 1000]).contains("not text"));
    let Some(path) = network_file() else { return };
    let bytes = fs::read(path).unwrap();
    for length in [10, 1000, bytes.len() / 2, bytes.len() - 100] {
        assert!(KataNetwork::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
}
