//! What comes from outside, as fuzzers send it: one function a kind of input, which panics if something is wrong.
//!
//! The targets in `fuzz/` call them with what the fuzzer makes up, `tests/corpus.rs` with the inputs that are kept in
//! `fuzz/corpus`.

mod analysis;
mod book;
mod gtp;
mod journal;
mod networks;
mod page;
mod records;
mod sgf;
mod spec;

pub use {
    analysis::analysis,
    book::book,
    gtp::gtp,
    journal::journal,
    networks::{katago, net},
    page::page,
    records::records,
    sgf::sgf,
    spec::{spec, toml},
};

/// A kind of input: takes any bytes.
pub type Target = fn(&[u8]);

/// Every target by its name, which is that of its program in `fuzz/` and of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 11] = [
    ("analysis", analysis),
    ("book", book),
    ("gtp", gtp),
    ("journal", journal),
    ("katago", katago),
    ("net", net),
    ("page", page),
    ("records", records),
    ("sgf", sgf),
    ("spec", spec),
    ("toml", toml),
];

/// Whether a text may ask for more than a few hundred of something: such searches would take too long.
fn asks_for_much(bytes: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    bytes.windows(4).any(|word| word.iter().all(is_digit))
        || bytes.windows(2).any(|word| is_digit(&word[0]) && matches!(word[1], b'e' | b'E'))
}
