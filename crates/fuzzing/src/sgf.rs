//! Game records: what is accepted is written, read back and replayed.

use tengen_board::sgf::{self as records, Record};

/// Reads the bytes as a collection of game records.
pub fn sgf(bytes: &[u8]) {
    let Ok(text) = records::text_of(bytes) else { return };
    for record in records::games(&text).flatten() {
        let written = record.to_sgf();
        let again = Record::parse(written.as_bytes()).expect("what we write can be read");
        assert_eq!(again.to_sgf(), written);
        let info = record.info();
        if let Ok(game) = record.main_line() {
            let copy =
                Record::from_game(&game, &info).main_line().expect("a game can be written and replayed");
            assert_eq!(copy.board().hash(), game.board().hash());
        }
    }
}
