//! One side of a table: a player is built when it is needed, and another after it has failed.

use tengen_board::{Color, Game};
use tengen_engine::{
    gtp::ClientError,
    players::{Decision, PlayerError, Request, Seat, StopSignal},
    time::TimeSettings,
};

use super::{
    config::{MatchConfig, Side},
    error::MatchError,
    record::Ending,
};
use crate::players::{error::SpecError, spec::PlayerSpec};

/// Why a player loses a game at once.
pub(super) struct Failure {
    pub(super) ending: Ending,
    pub(super) message: String,
}

impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Failure {
        let ending = match &error {
            PlayerError::Illegal { .. } => Ending::Illegal,
            PlayerError::Engine(ClientError::TimedOut { request, .. }) if request.starts_with("genmove") => {
                Ending::Time
            }
            PlayerError::Engine(_) | PlayerError::Failed { .. } | PlayerError::Fault { .. } => Ending::Crash,
        };
        Failure { ending, message: error.to_string() }
    }
}

/// One side of a table.
pub(super) struct Place<'a> {
    spec: &'a PlayerSpec,
    time: TimeSettings,
    /// Games at a time.
    concurrency: usize,
    request: Request,
    seat: Option<Seat>,
    has_failed: bool,
}

impl<'a> Place<'a> {
    pub(super) fn new(
        config: &'a MatchConfig,
        side: Side,
        stop: &StopSignal,
        concurrency: usize,
    ) -> Place<'a> {
        let (spec, time) = (config.spec(side), config.clock(side));
        Place { spec, time, concurrency, request: Request::until(stop), seat: None, has_failed: false }
    }

    /// Makes the player ready for a game with this seed.
    pub(super) fn begin(&mut self, seed: u64) -> Result<(), MatchError> {
        let mut seat = match self.seat.take() {
            Some(seat) => seat,
            None => self.build(seed)?,
        };
        seat.begin(seed).map_err(|error| self.error(SpecError::Start(error.to_string())))?;
        self.seat = Some(seat);
        Ok(())
    }

    fn error(&self, source: SpecError) -> MatchError {
        MatchError::Player { name: self.spec.name.clone(), source }
    }

    fn build(&self, seed: u64) -> Result<Seat, MatchError> {
        let mut seat = self.spec.build(seed).map_err(|error| self.error(error))?;
        seat.share_process(self.concurrency);
        seat.set_time(self.time);
        Ok(seat)
    }

    /// The player's move. After a failure another player is built for the next game.
    pub(super) fn play(&mut self, game: &Game) -> Result<Decision, Failure> {
        let seat = self.seat.as_mut().expect("the game has begun");
        match seat.play(game, &self.request) {
            Ok(turn) if turn.in_time => Ok(turn.decision),
            Ok(turn) => {
                let (number, seconds) = (game.moves().len() + 1, turn.elapsed.as_secs_f64());
                Err(Failure { ending: Ending::Time, message: format!("move {number} took {seconds:.3} s") })
            }
            Err(error) => {
                self.has_failed = true;
                Err(error.into())
            }
        }
    }

    /// What is left on the clock of the side that it plays, if there is one.
    pub(super) fn seconds_left(&self, color: Color) -> Option<f64> {
        Some(self.seat.as_ref()?.clock(color)?.left.as_secs_f64())
    }

    /// Ends the game: the CPU seconds that the player used for it, if they are known.
    pub(super) fn end(&mut self) -> Option<f64> {
        let used = self.seat.as_mut().and_then(Seat::cpu_seconds);
        if self.has_failed || self.spec.wants_seed() {
            (self.seat, self.has_failed) = (None, false);
        }
        used
    }
}
