//! How a game ended.

use std::{fmt, str::FromStr};

use crate::color::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// One player won.
    Win {
        /// The winner.
        winner: Color,
        /// Why.
        by: Reason,
    },
    /// Nobody won.
    Draw,
}

/// Why a player won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// More points, by this many.
    Points(f32),
    /// The opponent resigned.
    Resignation,
    /// The opponent ran out of time.
    Time,
    /// The opponent broke the rules or left.
    Forfeit,
    /// A record names the winner only.
    Unknown,
}

impl Outcome {
    /// The outcome of a counted game; `score` is Black's points minus White's.
    pub fn from_score(score: f32) -> Outcome {
        if score == 0.0 {
            return Outcome::Draw;
        }
        let winner = if score > 0.0 { Color::Black } else { Color::White };
        Outcome::Win { winner, by: Reason::Points(score.abs()) }
    }

    /// Black's points minus White's, if the game was counted.
    pub fn score(&self) -> Option<f32> {
        match self {
            Outcome::Win { winner, by: Reason::Points(points) } => Some(points * winner.sign() as f32),
            Outcome::Win { .. } => None,
            Outcome::Draw => Some(0.0),
        }
    }

    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Color> {
        match self {
            Outcome::Win { winner, .. } => Some(*winner),
            Outcome::Draw => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// As in SGF and GTP: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Draw => f.write_str("0"),
            Outcome::Win { winner, by } => {
                write!(f, "{}+", winner.letter())?;
                match by {
                    Reason::Points(points) => write!(f, "{points}"),
                    Reason::Resignation => f.write_str("R"),
                    Reason::Time => f.write_str("T"),
                    Reason::Forfeit => f.write_str("F"),
                    Reason::Unknown => Ok(()),
                }
            }
        }
    }
}

/// The text is not a result such as `B+3.5` or `W+R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOutcomeError(String);

impl fmt::Display for ParseOutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid result {:?}: write B+3.5, W+R (resignation), B+T (time), W+F (forfeit) or 0",
            self.0
        )
    }
}

impl std::error::Error for ParseOutcomeError {}

impl FromStr for Outcome {
    type Err = ParseOutcomeError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseOutcomeError(text.chars().take(40).collect());
        let word = text.trim().to_ascii_lowercase();
        if matches!(word.as_str(), "0" | "draw" | "jigo") {
            return Ok(Outcome::Draw);
        }
        let (winner, by) = word.split_once('+').ok_or_else(error)?;
        let winner = winner.trim().parse().map_err(|_| error())?;
        let by = match by.trim() {
            "" => Reason::Unknown,
            "r" | "res" | "resign" | "resignation" => Reason::Resignation,
            "t" | "time" => Reason::Time,
            "f" | "forfeit" => Reason::Forfeit,
            points => match points.replace(',', ".").parse::<f32>() {
                Ok(points) if points > 0.0 && points.is_finite() => Reason::Points(points),
                Ok(0.0) => return Ok(Outcome::Draw),
                _ => return Err(error()),
            },
        };
        Ok(Outcome::Win { winner, by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_round_trip() {
        for text in ["B+3.5", "W+12", "W+R", "B+T", "W+F", "0", "B+"] {
            assert_eq!(text.parse::<Outcome>().unwrap().to_string(), text);
        }
        assert_eq!("w+Resign".parse::<Outcome>().unwrap().to_string(), "W+R");
        assert_eq!("B+0".parse::<Outcome>(), Ok(Outcome::Draw));
        let scores = ["W+12", "0", "B+R"].map(|text| text.parse::<Outcome>().unwrap().score());
        assert_eq!(scores, [Some(-12.0), Some(0.0), None]);
        for text in ["", "?", "Void", "B+x", "X+3", "B+NaN", "B+inf", "B+-3", "+"] {
            assert!(text.parse::<Outcome>().is_err(), "{text}");
        }
    }
}
