//! Opening books: an error, or a book that is written and read back as the same, and played from.

use std::sync::Arc;

use tengen_board::{Game, Rules};
use tengen_engine::{
    players::{Book, BookPlayer, Decision, Player, RandomPlayer, Request},
    playout::UniformConfig,
};

/// Reads the bytes as an opening book.
pub fn book(bytes: &[u8]) {
    let Ok(book) = Book::parse(&String::from_utf8_lossy(bytes), "fuzzed") else { return };
    let again = Book::parse(&book.to_text(), "again").expect("what was written can be read");
    assert_eq!(again.to_text(), book.to_text());
    let mut game = Game::new(book.size, book.size, Rules::CHINESE).expect("the size was checked");
    let player = Box::new(RandomPlayer::new(&UniformConfig::default(), 1));
    let mut player = BookPlayer::new(Arc::new(book), player, 1);
    for _ in 0..4 {
        let Ok(Decision::Play(mv)) = player.decide(&game, &Request::default()) else { return };
        game.try_play(mv).expect("moves from a book are legal");
    }
}
