//! Who counts a finished game.

use serde::{Serialize, Serializer};
use tengen_board::{Game, Rules, Scoring};
use tengen_engine::{
    gtp::{ExternalPlayer, Timeouts, find_executable},
    reading::status,
};

use super::error::MatchError;

/// A way to count games that ended by passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Referee {
    /// Every stone on the board is alive. Right for players that capture what is dead before they pass.
    Board,
    /// Random games tell which stones are dead.
    Playouts,
    /// `final_score` of another program, started by this command line.
    Gtp(String),
}

impl Referee {
    /// Reads `auto`, `board`, `playouts` or a command line. `any_external` tells whether another program plays.
    pub fn parse(text: &str, rules: &Rules, any_external: bool) -> Result<Referee, MatchError> {
        match text.trim() {
            "auto" => Ok(Referee::choose(rules, any_external)),
            "board" => Ok(Referee::Board),
            "playouts" => Ok(Referee::Playouts),
            "" => Err(MatchError::Choice("referee: name auto, board, playouts or a GTP program".to_owned())),
            command => Ok(Referee::Gtp(command.strip_prefix("gtp:").unwrap_or(command).trim().to_owned())),
        }
    }

    /// The board where the rules know no agreement about dead stones. Elsewhere players may pass before these are captured:
    /// then GNU Go, if another program plays and it is installed, else playouts.
    pub fn choose(rules: &Rules, any_external: bool) -> Referee {
        let is_area = rules.scoring == Scoring::Area;
        if !rules.by_agreement() {
            Referee::Board
        } else if (any_external || !is_area) && find_executable("gnugo").is_some() {
            let scoring = if is_area { "--chinese-rules" } else { "--japanese-rules" };
            Referee::Gtp(format!("gnugo --mode gtp {scoring}"))
        } else {
            Referee::Playouts
        }
    }

    /// What result files show.
    pub fn name(&self) -> &str {
        match self {
            Referee::Board => "board",
            Referee::Playouts => "playouts",
            Referee::Gtp(command) => command,
        }
    }
}

impl Serialize for Referee {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A referee at work.
pub struct Arbiter<'a> {
    referee: &'a Referee,
    program: Option<ExternalPlayer>,
}

impl<'a> Arbiter<'a> {
    /// One that starts its program when it is first needed.
    pub fn new(referee: &'a Referee) -> Arbiter<'a> {
        Arbiter { referee, program: None }
    }

    /// Black's points minus White's, and who says so. A program that fails is started once more; if it fails again,
    /// playouts decide.
    pub fn score(&mut self, game: &Game) -> Result<(f32, &'a str), MatchError> {
        let name = self.referee.name();
        match self.referee {
            Referee::Board => Ok((game.score(&[]), name)),
            Referee::Playouts => Ok((by_playouts(game), name)),
            Referee::Gtp(command) => {
                for _ in 0..2 {
                    match self.ask(command, game)? {
                        Some(score) => return Ok((score, name)),
                        None => self.program = None,
                    }
                }
                Ok((by_playouts(game), Referee::Playouts.name()))
            }
        }
    }

    /// The program's answer; `None` if it gives none.
    fn ask(&mut self, command: &str, game: &Game) -> Result<Option<f32>, MatchError> {
        if self.program.is_none() {
            let started = ExternalPlayer::start(command, Timeouts::default())
                .map_err(|error| MatchError::Referee(error.to_string()))?;
            self.program = Some(started);
        }
        let Some(program) = &mut self.program else { return Ok(None) };
        let answer = program.sync(game).and_then(|()| program.client().final_score());
        Ok(answer.ok())
    }
}

fn by_playouts(game: &Game) -> f32 {
    game.score(&status::dead_stones(game))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_depends_on_rules_and_players() {
        let auto = |rules, external| Referee::parse("auto", rules, external).unwrap();
        assert_eq!(auto(&Rules::CHINESE, false), Referee::Playouts);
        assert_eq!(auto(&Rules::TROMP_TAYLOR, true), Referee::Board);
        assert_ne!(auto(&Rules::JAPANESE, false), Referee::Board);
        assert_ne!(auto(&Rules::CHINESE, true), Referee::Board);
        let gtp = Referee::parse("gtp: other --gtp", &Rules::CHINESE, true).unwrap();
        assert_eq!(gtp.name(), "other --gtp");
        assert!(Referee::parse(" ", &Rules::CHINESE, true).is_err());
    }
}
