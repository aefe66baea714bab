//! Runs the transcripts in `tests/gtp/`: what is sent to a server, and what it must answer.
//!
//! - `> text` is sent as one line.
//! - The lines that follow, up to an empty line, are the expected answer; none means that nothing is answered.
//! - `*` stands for any text within a line, a line `...` for any number of lines.
//! - Lines that begin with `#` are comments.

use std::{fs, path::Path};

use tengen_engine::{
    gtp::Server,
    players::{RandomPlayer, Seat},
    playout::UniformConfig,
};

#[test]
fn transcripts_are_answered_as_written() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gtp");
    let mut paths: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gtp"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 5, "the transcripts are gone from {}", directory.display());
    for path in paths {
        let transcript = fs::read_to_string(&path).unwrap();
        run(&path.file_name().unwrap().to_string_lossy(), &transcript);
    }
}

fn run(name: &str, transcript: &str) {
    let mut server = Server::new(Seat::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1))));
    let mut lines = transcript.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).peekable();
    while let Some((number, line)) = lines.next() {
        let Some(command) = line.strip_prefix("> ") else {
            assert!(line.is_empty(), "{name}:{}: neither a command nor an answer: {line}", number + 1);
            continue;
        };
        let mut expected = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.is_empty() && !line.starts_with("> ")) {
            expected.push(line.trim_end());
        }
        let answer = server.execute(command).map(|response| response.to_string()).unwrap_or_default();
        let actual: Vec<_> = answer.trim_end().lines().map(str::trim_end).collect();
        assert!(
            lines_match(&expected, &actual),
            "{name}:{}: {command}\nexpected:\n{}\nanswered:\n{answer}",
            number + 1,
            expected.join("\n"),
        );
    }
}

fn lines_match(expected: &[&str], actual: &[&str]) -> bool {
    match expected {
        [] => actual.is_empty(),
        ["...", rest @ ..] => (0..=actual.len()).any(|skipped| lines_match(rest, &actual[skipped..])),
        [first, rest @ ..] => actual
            .split_first()
            .is_some_and(|(line, more)| text_matches(first, line) && lines_match(rest, more)),
    }
}

fn text_matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| text_matches(rest, &text[at..]))
}

#[test]
fn wildcards_stand_for_anything() {
    assert!(text_matches("= *", "= D4"));
    assert!(text_matches("? illegal move: *ko*", "? illegal move: the ko cannot be retaken"));
    assert!(!text_matches("= *x", "= D4"));
    assert!(lines_match(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(!lines_match(&["a", "...", "e"], &["a", "b"]));
}
