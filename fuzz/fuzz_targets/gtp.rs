//! Any bytes sent to the GTP server get well-formed answers: `cargo +nightly fuzz run gtp`.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use tengen_engine::{gtp::Server, player::RandomPlayer, playout::UniformConfig};

fuzz_target!(|bytes: &[u8]| {
    // Game records are files: the fuzzer must not write any, and reading them has a target of its own.
    if bytes.windows(3).any(|word| word == b"sgf") {
        return;
    }
    let mut output = Vec::new();
    let mut server = Server::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1)));
    server.run(Cursor::new(bytes.to_vec()), &mut output).expect("nothing fails in memory");
    let output = String::from_utf8(output).expect("answers are UTF-8");
    let mut rest = output.as_str();
    while !rest.is_empty() {
        assert!(rest.starts_with(['=', '?']));
        let end = rest.find("\n\n").expect("an answer ends with an empty line");
        assert!(rest[..end].chars().all(|c| c == '\n' || !c.is_control()));
        rest = &rest[end + 2..];
    }
});
