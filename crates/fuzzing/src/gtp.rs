//! GTP: any bytes get well-formed answers.

use std::io::Cursor;

use tengen_board::{Game, Rules};
use tengen_engine::gtp::Server;
use tengen_lab::PlayerSpec;

use crate::asks_for_much;

/// Sends the bytes to a GTP server with a player that searches and can be configured.
pub fn gtp(bytes: &[u8]) {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    // Game records are files: the fuzzer must not write any, and reading them has a target of its own. Networks and
    // books are files as well.
    if has(b"sgf") || has(b"net") || has(b"book") || asks_for_much(bytes) {
        return;
    }
    // Counting a game takes hundreds of playouts.
    if has(b"final") {
        return;
    }
    let player: PlayerSpec = "rave,playouts=3,threads=1,seed=1,max_tree_mb=1".parse().expect("a valid spec");
    let game = Game::new(5, 5, Rules::CHINESE).expect("a small board");
    let server = Server::new(player.build(1).expect("a player")).with_game(game);
    let mut server = server.with_parameters(Box::new(player));
    let mut output = Vec::new();
    server.run(Cursor::new(bytes.to_vec()), &mut output).expect("nothing fails in memory");
    let output = String::from_utf8(output).expect("answers are UTF-8");
    let mut rest = output.as_str();
    while !rest.is_empty() {
        assert!(rest.starts_with(['=', '?']), "{output:?}");
        let end = rest.find("\n\n").expect("an answer ends with an empty line");
        assert!(rest[..end].chars().all(|c| c == '\n' || !c.is_control()), "{output:?}");
        rest = &rest[end + 2..];
    }
}
