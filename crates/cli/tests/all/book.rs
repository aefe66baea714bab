//! Opening books: built from game records, looked into, played from.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::common::{tengen, tengen_with_input};

fn succeeds(arguments: &[&str]) -> String {
    let run = tengen(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.stdout
}

fn fails(arguments: &[&str]) -> String {
    let run = tengen(arguments);
    assert_eq!(run.code, 1, "{arguments:?}: {}", run.stdout);
    run.stderr
}

const GAMES: &str = "(;GM[1]SZ[9]RE[B+R];B[ee];W[cc];B[gg])\n(;GM[1]SZ[9]RE[W+2.5];B[ee];W[gc];B[cg])\n(;GM[1]SZ[19];B[pd])\n";

#[test]
fn a_book_is_built_shown_and_played_from() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (games, book) = (directory.join("book-games.sgf"), directory.join("test.book"));
    fs::write(&games, GAMES).unwrap();
    let (games, book) = (games.to_str().unwrap(), book.to_str().unwrap());
    let built = succeeds(&["book", "build", games, "--size", "9", "--min-games", "1", "--out", book]);
    assert!(built.contains("3 positions from 2 games"), "{built}");
    assert!(built.contains("1 game on other boards"), "{built}");
    let shown = succeeds(&["book", "show", book]);
    assert!(shown.contains("E5        2  50%"), "{shown}");
    let shown = succeeds(&["book", "show", book, "E5", "C3"]);
    assert!(shown.contains("G7"), "the same corners in the first game, turned: {shown}");
    assert!(succeeds(&["book", "show", book, "A1"]).contains("does not know"));
    assert!(succeeds(&["book", "show", book, "--json"]).contains("\"positions\":3"));

    let preset = format!("random,seed=1,book={book}");
    let run = tengen_with_input(&["gtp", "--preset", &preset], "boardsize 9\ngenmove b\nquit\n");
    assert!(run.stdout.contains("= E5"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_is_no_book_is_refused() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad.book");
    fs::write(&path, "no book\n").unwrap();
    let path = path.to_str().unwrap();
    for args in [&["book", "show", path][..], &["gtp", "--preset", &format!("random,book={path}")]] {
        let error = fails(args);
        assert!(error.contains("not an opening book") && error.contains("tengen book build"), "{error}");
    }
    assert!(fails(&["book", "show", "no/such.book"]).contains("cannot read"));
    assert!(fails(&["book", "build", "no/such.sgf", "--out", path]).contains("cannot read no/such.sgf"));
}
