//! What the client asks of an engine, with Go's types instead of text.

use std::time::Duration;

use tengen_board::{Color, Move};

use super::{client::Client, client_error::ClientError};
use crate::players::Decision;

impl Client {
    /// The engine's name.
    pub fn name(&mut self) -> Result<String, ClientError> {
        self.send("name")
    }

    /// The engine's version.
    pub fn version(&mut self) -> Result<String, ClientError> {
        self.send("version")
    }

    /// Whether the engine lists a command; asked once, then remembered.
    pub fn knows(&mut self, command: &str) -> Result<bool, ClientError> {
        if self.commands.is_none() {
            let commands = match self.send("list_commands") {
                Ok(commands) => commands.split_whitespace().map(str::to_owned).collect(),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => Vec::new(),
            };
            self.commands = Some(commands);
        }
        Ok(self.commands.iter().flatten().any(|known| known == command))
    }

    /// Sets the board size; the board is to be cleared afterwards.
    pub fn boardsize(&mut self, width: usize, height: usize) -> Result<(), ClientError> {
        let request = if width == height {
            format!("boardsize {width}")
        } else {
            format!("rectangular_boardsize {width} {height}")
        };
        self.send(&request).map(drop)
    }

    /// Clears the board.
    pub fn clear_board(&mut self) -> Result<(), ClientError> {
        self.send("clear_board").map(drop)
    }

    /// Sets the komi.
    pub fn komi(&mut self, komi: f32) -> Result<(), ClientError> {
        self.send(&format!("komi {komi}")).map(drop)
    }

    /// Plays a move.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), ClientError> {
        self.send(&format!("play {color} {mv}")).map(drop)
    }

    /// Takes back the last move.
    pub fn undo(&mut self) -> Result<(), ClientError> {
        self.send("undo").map(drop)
    }

    /// Lets the engine choose a move and play it, within the limit for moves.
    pub fn genmove(&mut self, color: Color) -> Result<Decision, ClientError> {
        self.genmove_within(color, self.timeouts.genmove)
    }

    /// Lets the engine choose a move and play it. An answer that is no move ends the engine.
    pub fn genmove_within(&mut self, color: Color, limit: Duration) -> Result<Decision, ClientError> {
        let request = format!("genmove {color}");
        let answer = self.send_within(&request, limit)?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(Decision::Resign);
        }
        answer.parse().map(Decision::Play).map_err(|_| self.garbage(&request, &answer))
    }

    /// The engine's view of the result: Black's points minus White's.
    pub fn final_score(&mut self) -> Result<f32, ClientError> {
        let answer = self.send("final_score")?;
        let score = match answer.split_at_checked(2) {
            Some(("B+" | "b+", points)) => points.trim().parse().ok(),
            Some(("W+" | "w+", points)) => points.trim().parse().ok().map(|points: f32| -points),
            _ if answer == "0" => Some(0.0),
            _ => None,
        };
        score.filter(|score| score.is_finite()).ok_or_else(|| ClientError::Refused {
            command_line: self.command_line().to_owned(),
            request: "final_score".to_owned(),
            message: format!("{answer:?} is not a score"),
        })
    }
}
