//! Moves: a stone on a vertex, or a pass.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::vertex::{ParseVertexError, Vertex};

/// A stone on a vertex, or a pass. Resigning is not a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Move(Vertex);

impl Move {
    /// Plays no stone.
    pub const PASS: Move = Move(Vertex::NONE);

    /// The vertex, unless it is a pass.
    #[inline]
    pub fn vertex(self) -> Option<Vertex> {
        (!self.is_pass()).then_some(self.0)
    }

    /// The vertex, or [`Vertex::NONE`] for a pass.
    #[inline]
    pub const fn vertex_or_none(self) -> Vertex {
        self.0
    }

    /// Whether no stone is played.
    #[inline]
    pub fn is_pass(self) -> bool {
        self.0 == Vertex::NONE
    }
}

impl From<Vertex> for Move {
    #[inline]
    fn from(v: Vertex) -> Move {
        Move(v)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_pass() { f.write_str("pass") } else { fmt::Display::fmt(&self.0, f) }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Move {
    type Err = ParseVertexError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("pass") { Ok(Move::PASS) } else { text.parse().map(Move) }
    }
}

impl From<Move> for String {
    fn from(mv: Move) -> String {
        mv.to_string()
    }
}

impl TryFrom<String> for Move {
    type Error = ParseVertexError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
