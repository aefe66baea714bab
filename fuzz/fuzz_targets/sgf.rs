//! Any bytes are read as a collection of game records. What is accepted is written, read back and replayed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tengen_board::sgf::{self, Record};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = sgf::text_of(bytes) else { return };
    for record in sgf::games(&text).flatten() {
        let written = record.to_sgf();
        let again = Record::parse(written.as_bytes()).expect("what we write can be read");
        assert_eq!(again.to_sgf(), written);
        let info = record.info();
        if let Ok(game) = record.main_line() {
            let copy = Record::from_game(&game, &info).main_line().expect("a game can be written and replayed");
            assert_eq!(copy.board().hash(), game.board().hash());
        }
    }
});
