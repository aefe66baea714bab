//! What can be wrong with a record, and where.

use std::fmt;

use crate::{
    board::{IllegalMove, InvalidSize},
    color::Color,
    moves::Move,
    vertex::Vertex,
};

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// Why a file is not a usable game record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SgfError {
    /// Where, if the record comes from a file.
    pub place: Option<Place>,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No `(;` in the file.
    NoGame,
    /// More bytes than [`MAX_BYTES`](super::MAX_BYTES) or more nodes than [`MAX_NODES`](super::MAX_NODES).
    TooLarge,
    /// A character that cannot stand here.
    Unexpected(char),
    /// A variation without a node.
    EmptyTree,
    /// A `)` is missing at the end.
    UnclosedTree,
    /// The `]` of this property is missing.
    UnclosedValue(String),
    /// A property without a value.
    NoValue(String),
    /// A property with a value that it cannot have.
    Value(String, String),
    /// A record of another game than Go.
    NotGo(String),
    /// A board that is not supported.
    Size(InvalidSize),
    /// A set-up stone that has no liberty or is off the board.
    SetUp(Vertex),
    /// An illegal move.
    Move(Color, Move, IllegalMove),
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { line, column }) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        match &self.problem {
            Problem::NoGame => f.write_str("no game found: an SGF record begins with \"(;\""),
            Problem::TooLarge => f.write_str("the record is too large: split it into several files"),
            Problem::Unexpected(c) => {
                write!(f, "unexpected {c:?}: a property such as B[dd], or one of ; ( ) was due")
            }
            Problem::EmptyTree => f.write_str("a variation must begin with a node: \"(;\""),
            Problem::UnclosedTree => f.write_str("the record ends too early: a \")\" is missing"),
            Problem::UnclosedValue(id) => write!(f, "the value of {id} does not end: a \"]\" is missing"),
            Problem::NoValue(id) => write!(f, "the property {id} has no value: write {id}[…]"),
            Problem::Value(id, value) => write!(f, "the property {id} has the invalid value {value:?}"),
            Problem::NotGo(game) => write!(f, "a record of another game: GM[{game}], Go is GM[1]"),
            Problem::Size(error) => write!(f, "{error}"),
            Problem::SetUp(v) => write!(f, "the set-up stone {v} is off the board or has no liberty"),
            Problem::Move(color, mv, why) => write!(f, "{color} cannot play {mv}: {why}"),
        }
    }
}

impl std::error::Error for SgfError {}
