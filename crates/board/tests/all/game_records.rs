//! Every game of the record collections replays without a refused move: of our own ones, and of those in `$TENGEN_DATA`.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use std::{
    fs, iter,
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
    let mut paths = Vec::new();
    for folder in iter::once(tengen_testing::records()).chain(sgf::data_folder()) {
        paths.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.to_string_lossy().ends_with(".sgf.gz"));
    paths.sort();
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
    let (games, moves) = (games.into_inner(), moves.into_inner());
    println!("{games} games, {moves} moves");
    assert!(games >= 340 && moves >= 30_000, "{games} games, {moves} moves");
}
