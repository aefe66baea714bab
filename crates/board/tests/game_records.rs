//! Every game of the record collections replays without a refused move. They are in `$TENGEN_DATA`, else in
//! `../shared/data` beside the workspace.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use tengen_board::sgf;

/// Replays the games and returns how many moves they have.
fn replay(name: &str, text: &str) -> usize {
    let mut moves = 0;
    for (number, record) in sgf::games(text).enumerate() {
        let game = record.and_then(|record| record.main_line());
        let game = game.unwrap_or_else(|error| panic!("{name}, game {}: {error}", number + 1));
        moves += game.moves().len();
    }
    moves
}

/// The text in pieces of whole lines, hence whole games.
fn pieces(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let end = rest
            .as_bytes()
            .iter()
            .skip(1 << 20)
            .position(|&b| b == b'\n')
            .map_or(rest.len(), |n| n + (1 << 20));
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after.trim_start();
    }
    pieces
}

#[test]
fn all_game_records_replay() {
    let Some(directory) = sgf::data_folder() else {
        println!("SKIPPED: no game records (set TENGEN_DATA to their directory)");
        return;
    };
    let mut paths: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".sgf.gz"));
    paths.sort();
    if paths.is_empty() {
        println!("SKIPPED: no *.sgf.gz in {}", directory.display());
        return;
    }
    let (next, games, moves) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy();
        let bytes = sgf::read_file(path).unwrap();
        let pieces = pieces(std::str::from_utf8(&bytes).unwrap());
        next.store(0, Ordering::Relaxed);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                        moves.fetch_add(replay(&name, piece), Ordering::Relaxed);
                        games.fetch_add(piece.lines().count(), Ordering::Relaxed);
                    }
                });
            }
        });
    }
    println!("{} games, {} moves", games.into_inner(), moves.into_inner());
}
