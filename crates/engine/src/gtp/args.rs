//! The arguments of a command, and the refusals that GTP prescribes for wrong ones.

use std::{fmt::Display, str::FromStr};

use tengen_board::{Color, HandicapError, IllegalMove, Move, Vertex};

/// Why a command is not carried out: what follows the `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

/// What a command answers.
pub(super) type Reply = Result<String, Refusal>;

impl Refusal {
    pub(super) fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }

    /// For arguments of the wrong number or kind.
    pub(super) fn syntax(detail: impl Display) -> Refusal {
        Refusal(format!("syntax error: {detail}"))
    }
}

impl From<IllegalMove> for Refusal {
    fn from(error: IllegalMove) -> Refusal {
        Refusal(format!("illegal move: {error}"))
    }
}

impl From<HandicapError> for Refusal {
    fn from(error: HandicapError) -> Refusal {
        Refusal(match error {
            HandicapError::BoardNotEmpty => error.to_string(),
            HandicapError::InvalidNumber { stones, most: 0 } => {
                format!("invalid number of stones: {stones}; this board has no handicap points")
            }
            HandicapError::InvalidNumber { stones, most } => {
                format!("invalid number of stones: {stones}; this board takes 2 to {most}")
            }
            HandicapError::InvalidVertex(v) => {
                format!("bad vertex list: {v} is off the board or named twice")
            }
        })
    }
}

/// The arguments of one command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Args<'a> {
    /// How the command is written, for messages: `play COLOR VERTEX`.
    pub(super) usage: &'static str,
    /// Everything after the command.
    pub(super) text: &'a str,
}

impl<'a> Args<'a> {
    /// The arguments, separated at spaces.
    pub(super) fn words(&self) -> Vec<&'a str> {
        self.text.split_whitespace().collect()
    }

    /// Refuses any argument.
    pub(super) fn none(&self) -> Result<(), Refusal> {
        self.exactly::<0>().map(|_| ())
    }

    /// Exactly `N` arguments.
    pub(super) fn exactly<const N: usize>(&self) -> Result<[&'a str; N], Refusal> {
        self.words().try_into().map_err(|_| self.wrong())
    }

    /// One argument or none.
    pub(super) fn optional(&self) -> Result<Option<&'a str>, Refusal> {
        match self.words()[..] {
            [] => Ok(None),
            [word] => Ok(Some(word)),
            _ => Err(self.wrong()),
        }
    }

    /// The refusal that shows how the command is written.
    pub(super) fn wrong(&self) -> Refusal {
        Refusal::syntax(format_args!("write {}", self.usage))
    }

    /// Pairs of a colour and a vertex.
    pub(super) fn stones<T>(
        &self,
        parse: impl Fn(&str) -> Result<T, Refusal>,
    ) -> Result<Vec<(Color, T)>, Refusal> {
        let words = self.words();
        let pairs = words.chunks_exact(2);
        if !pairs.remainder().is_empty() {
            return Err(self.wrong());
        }
        pairs.map(|pair| Ok((color(pair[0])?, parse(pair[1])?))).collect()
    }
}

/// Reads a colour.
pub(super) fn color(text: &str) -> Result<Color, Refusal> {
    text.parse().map_err(|error: tengen_board::ParseColorError| Refusal(error.to_string()))
}

/// Reads a vertex or `pass`.
pub(super) fn mv(text: &str) -> Result<Move, Refusal> {
    text.parse().map_err(|_| invalid_coordinate(text))
}

/// Reads a vertex.
pub(super) fn vertex(text: &str) -> Result<Vertex, Refusal> {
    text.parse().map_err(|_| invalid_coordinate(text))
}

fn invalid_coordinate(text: &str) -> Refusal {
    Refusal(format!("invalid coordinate: {:?} is not a point like D4", shorten(text)))
}

/// Reads a number; `what` names it in the refusal.
pub(super) fn number<T: FromStr>(text: &str, what: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::syntax(format_args!("{what} cannot be {:?}", shorten(text))))
}

/// Reads a number that is neither infinite nor NaN.
pub(super) fn finite(text: &str, what: &str) -> Result<f32, Refusal> {
    let value: f32 = number(text, what)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Refusal::syntax(format_args!("{what} must be a finite number")))
    }
}

/// The beginning of a text that is repeated in a message.
pub(super) fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
