//! A table at which two players meet, game after game.

use std::time::Instant;

use tengen_board::{Color, Game, Outcome};
use tengen_engine::players::{Decision, StopSignal};

use super::{
    config::{MatchConfig, Side},
    error::MatchError,
    place::Place,
    record::{Ending, GameRecord},
    referee::Arbiter,
};

/// Two players and a referee.
pub(super) struct Table<'a> {
    config: &'a MatchConfig,
    a: Place<'a>,
    b: Place<'a>,
    arbiter: Arbiter<'a>,
    stop: &'a StopSignal,
}

/// How the moves of a game ended.
struct End {
    ending: Ending,
    /// Who lost, unless the game is to be counted.
    loser: Option<Color>,
    message: Option<String>,
}

impl<'a> Table<'a> {
    pub(super) fn new(config: &'a MatchConfig, concurrency: usize, stop: &'a StopSignal) -> Table<'a> {
        Table {
            config,
            a: Place::new(config, Side::A, stop, concurrency),
            b: Place::new(config, Side::B, stop, concurrency),
            arbiter: Arbiter::new(&config.referee),
            stop,
        }
    }

    /// Plays one game of the match. `None` if it was interrupted.
    pub(super) fn play(&mut self, index: usize) -> Result<Option<GameRecord>, MatchError> {
        let begin = Instant::now();
        let config = self.config;
        let (seed_a, seed_b) = (config.player_seed(index, Side::A), config.player_seed(index, Side::B));
        self.a.begin(seed_a)?;
        self.b.begin(seed_b)?;
        let black = config.black(index);
        let mut game = config.empty_game()?;
        config.openings.play(config, index, &mut game);
        let opening = game.moves().len();
        let Some(end) = self.play_moves(&mut game, black) else { return Ok(None) };

        let (outcome, counted) = if let Some(loser) = end.loser {
            (Outcome::Win { winner: !loser, by: end.ending.reason() }, None)
        } else {
            let (score, referee) = self.arbiter.score(&game)?;
            (Outcome::from_score(score), Some((f64::from(score), referee)))
        };
        let color_a = if black == Side::A { Color::Black } else { Color::White };
        let (left_a, left_b) = (self.a.seconds_left(color_a), self.b.seconds_left(!color_a));
        let (cpu_a, cpu_b) = (self.a.end(), self.b.end());
        // What an interruption did to other programs is not their result.
        if self.stop.is_stopped() {
            return Ok(None);
        }
        let side = |color: Color| if color == Color::Black { black } else { black.other() };
        let moves: Vec<_> = game.moves().iter().map(|played| played.mv.to_string()).collect();
        let moves = moves.join(" ");
        Ok(Some(GameRecord {
            game: index,
            black,
            winner: outcome.winner().map(side),
            result: outcome.to_string(),
            ending: end.ending,
            score: counted.map(|(score, _)| if black == Side::A { score } else { -score }),
            referee: counted.map(|(_, referee)| referee.to_owned()),
            fingerprint: GameRecord::fingerprint_of(&moves),
            moves,
            opening,
            seed_a,
            seed_b,
            seconds: round(begin.elapsed().as_secs_f64()),
            cpu_a: cpu_a.map(round),
            cpu_b: cpu_b.map(round),
            left_a,
            left_b,
            message: end.message,
        }))
    }

    /// Lets the players move until the game is over. `None` if it was interrupted.
    fn play_moves(&mut self, game: &mut Game, black: Side) -> Option<End> {
        let longest = MatchConfig::LENGTH_PER_POINT * game.board().area();
        while game.passes() < 2 {
            if game.moves().len() >= longest {
                return Some(End { ending: Ending::Length, loser: None, message: None });
            }
            let color = game.to_play();
            let is_a = (color == Color::Black) == (black == Side::A);
            let place = if is_a { &mut self.a } else { &mut self.b };
            let decision = place.play(game);
            if self.stop.is_stopped() {
                return None;
            }
            let lost = |ending, message| Some(End { ending, loser: Some(color), message });
            match decision {
                Ok(Decision::Play(mv)) => game.play_unchecked(mv),
                Ok(Decision::Resign) => return lost(Ending::Resignation, None),
                Err(failure) => return lost(failure.ending, Some(failure.message)),
            }
        }
        Some(End { ending: Ending::Passes, loser: None, message: None })
    }
}

/// To tenths of a millisecond: more digits of a time only make files longer.
fn round(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}
