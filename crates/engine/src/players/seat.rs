//! A player in its seat: with limits and clocks of its own, and watched, so that nothing it does harms its host.
//!
//! Whoever hosts a player (the GTP server, a match, a suite, an experiment, the page, the terminal) does it through a seat.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use tengen_board::{Color, ColorMap, Game};

use crate::{
    gtp::Killer,
    players::{Decision, Limits, Meter, Player, PlayerError, Request, StopSignal},
    search::{RawEvaluation, SearchReport},
    time::{Clock, TimeSettings},
};

/// A move that was made while a clock ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What the player did.
    pub decision: Decision,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether the flag still stands.
    pub in_time: bool,
}

/// A player and what it may use.
pub struct Seat {
    player: Box<dyn Player>,
    /// What holds where a request leaves it open.
    limits: Limits,
    /// A player may play either side, or both.
    clocks: ColorMap<Clock>,
    meter: Meter,
    /// CPU seconds in this process since the game began.
    used: Option<f64>,
    /// CPU seconds outside of it when the game began.
    before: Option<f64>,
}

impl Seat {
    /// A player without limits and clocks of its own, which thinks on the calling thread.
    pub fn new(player: Box<dyn Player>) -> Seat {
        Seat {
            player,
            limits: Limits::default(),
            clocks: ColorMap::default(),
            meter: Meter::Thread,
            used: None,
            before: None,
        }
    }

    /// Gives it limits that hold where a request leaves them open.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Seat {
        self.limits = limits;
        self
    }

    /// Says how its CPU time is measured.
    #[must_use]
    pub fn with_meter(mut self, meter: Meter) -> Seat {
        self.meter = meter;
        self
    }

    /// Says that so many games are played at a time in this process.
    pub fn share_process(&mut self, games: usize) {
        self.meter = self.meter.shared(games);
    }

    /// The player's name.
    pub fn name(&self) -> &str {
        self.player.name()
    }

    /// Whether [`Seat::analyse`] reports anything.
    pub fn searches(&self) -> bool {
        self.player.searches()
    }

    /// What the last decision was based on, for players that search.
    pub fn report(&self) -> Option<&SearchReport> {
        self.player.report()
    }

    /// What the player's network says about a position; see [`Player::raw_evaluation`].
    pub fn raw_evaluation(
        &mut self,
        game: &Game,
        symmetry: usize,
    ) -> Result<Option<RawEvaluation>, PlayerError> {
        self.guard(|player| Ok(player.raw_evaluation(game, symmetry)))
    }

    /// Ends the player from another thread, whatever it is doing, if it is another program.
    pub fn killer(&self) -> Option<Killer> {
        self.player.killer()
    }

    /// The player itself, for what needs no guard.
    pub(crate) fn player(&self) -> &dyn Player {
        &*self.player
    }

    /// Begins a game with these random numbers and full clocks.
    pub fn begin(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.new_game()?;
        self.set_seed(seed)?;
        self.before = self.guard(|player| Ok(player.outside_cpu_seconds()))?;
        self.used = None;
        Ok(())
    }

    /// Begins a game with full clocks; the random numbers go on.
    pub fn new_game(&mut self) -> Result<(), PlayerError> {
        self.clocks.0.iter_mut().for_each(|clock| *clock = Clock::new(clock.settings));
        self.forget()
    }

    /// Lets the player forget what it found out about the game; the clocks go on.
    pub(crate) fn forget(&mut self) -> Result<(), PlayerError> {
        self.guard(|player| {
            player.new_game();
            Ok(())
        })
    }

    /// Starts the random numbers again from `seed`.
    pub(crate) fn set_seed(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.guard(|player| {
            player.set_seed(seed);
            Ok(())
        })
    }

    /// The time control of both sides, at the beginning of a game or again before each of its moves.
    pub fn set_time(&mut self, settings: TimeSettings) {
        self.clocks.0.iter_mut().for_each(|clock| clock.restart(settings));
    }

    /// Says what a clock shows.
    pub fn set_clock(&mut self, color: Color, left: Duration, stones: u32) {
        self.clocks[color].set(left, stones);
    }

    /// The clock of a side, if there is one.
    pub fn clock(&self, color: Color) -> Option<Clock> {
        Some(self.clocks[color]).filter(Clock::is_limited)
    }

    /// Another player takes the seat; the clocks go on.
    pub fn hand_over(&mut self, other: Seat) {
        *self = Seat { clocks: self.clocks, ..other };
    }

    /// The CPU seconds that the player has used since the game began, where they can be measured.
    pub fn cpu_seconds(&mut self) -> Option<f64> {
        match self.before {
            Some(before) => self.player.outside_cpu_seconds().map(|now| (now - before).max(0.0)),
            None => self.used,
        }
    }

    /// The player's move in a game, while the clock of the side to move runs.
    pub fn play(&mut self, game: &Game, request: &Request) -> Result<Turn, PlayerError> {
        let color = game.to_play();
        let start = Instant::now();
        let mut request = request.clone();
        request.limits.clock = request.limits.clock.or(self.clock(color));
        let decision = self.decide(game, &request)?;
        let elapsed = start.elapsed();
        let in_time = self.clocks[color].spend(elapsed);
        Ok(Turn { decision, elapsed, in_time })
    }

    /// What the player would do, a legal move or resignation. None of its clocks runs.
    pub fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        let request = self.merge(request);
        let decision = self.guard(|player| player.decide(game, &request))?;
        if let Decision::Play(mv) = decision {
            game.check(mv).map_err(|reason| PlayerError::Illegal {
                player: self.name().to_owned(),
                mv,
                reason,
            })?;
        }
        Ok(decision)
    }

    /// What the player thinks about the position, if it searches. None of its clocks runs.
    pub fn analyse(&mut self, game: &Game, request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        let request = self.merge(request);
        let has_said = self.guard(|player| Ok(player.analyse(game, &request)?.is_some()))?;
        Ok(self.player.report().filter(|_| has_said))
    }

    /// Lets the player think on the opponent's time until it is stopped.
    pub fn ponder(&mut self, game: &Game, stop: &StopSignal) -> Result<(), PlayerError> {
        self.guard(|player| {
            player.ponder(game, stop);
            Ok(())
        })
    }

    /// The one rule about limits: what is asked for, and the player's own where that says nothing.
    fn merge(&self, request: &Request) -> Request {
        Request { limits: request.limits.or(self.limits), ..request.clone() }
    }

    /// Lets the player work: its CPU time is measured, and a fault is an error after which it starts afresh.
    fn guard<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Player) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        let player = &mut *self.player;
        let (result, used) = self.meter.measure(|| catch_unwind(AssertUnwindSafe(|| work(player))));
        self.used = used.map(|used| self.used.unwrap_or(0.0) + used.as_secs_f64());
        result.unwrap_or_else(|_| {
            // If even this fails, so will the next request.
            let _ = catch_unwind(AssertUnwindSafe(|| self.player.new_game()));
            Err(PlayerError::Fault { player: self.name().to_owned() })
        })
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Move, Rules};

    use super::*;

    /// Does what it is told, and remembers the limits that it was given.
    struct Puppet {
        decision: fn() -> Decision,
        limits: Limits,
    }

    impl Player for Puppet {
        fn name(&self) -> &'static str {
            "puppet"
        }
        fn decide(&mut self, _game: &Game, request: &Request) -> Result<Decision, PlayerError> {
            assert_eq!(request.limits, self.limits);
            Ok((self.decision)())
        }
        fn set_seed(&mut self, _seed: u64) {}
    }

    fn seat(decision: fn() -> Decision, limits: Limits) -> Seat {
        Seat::new(Box::new(Puppet { decision, limits }))
    }

    #[test]
    fn own_limits_and_clocks_hold() {
        let settings: TimeSettings = "absolute 60".parse().unwrap();
        let own = Limits::playouts(3);
        let on_clock = Limits { clock: Some(Clock::new(settings)), ..own };
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let mut without = seat(|| Decision::Resign, own).with_limits(own);
        without.set_time(settings);
        assert_eq!(without.decide(&game, &Request::default()).unwrap(), Decision::Resign);
        assert_eq!(without.clock(Color::Black), on_clock.clock, "no clock has run");
        let mut seat = seat(|| Decision::Play(Move::PASS), on_clock).with_limits(own);
        seat.set_time(settings);
        let turn = seat.play(&game, &Request::default()).unwrap();
        assert!(turn.in_time && seat.cpu_seconds().is_some());
        assert!(seat.clock(Color::Black).unwrap().left < seat.clock(Color::White).unwrap().left);
        seat.begin(1).unwrap();
        assert_eq!(seat.clock(Color::Black), on_clock.clock);
        assert_eq!(seat.cpu_seconds(), None);
    }

    /// Has a fault in everything but its name.
    struct Broken;

    impl Player for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }
        fn decide(&mut self, _game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
            panic!("a fault that the test needs")
        }
        fn raw_evaluation(&mut self, _game: &Game, _symmetry: usize) -> Option<RawEvaluation> {
            panic!("a fault that the test needs")
        }
        fn new_game(&mut self) {
            panic!("a fault that the test needs")
        }
        fn set_seed(&mut self, _seed: u64) {
            panic!("a fault that the test needs")
        }
    }

    #[test]
    fn a_fault_is_an_error_wherever_it_is() {
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let mut seat = Seat::new(Box::new(Broken));
        for result in [
            seat.begin(1),
            seat.new_game(),
            seat.set_seed(1),
            seat.decide(&game, &Request::default()).map(drop),
            seat.raw_evaluation(&game, 0).map(drop),
        ] {
            assert!(matches!(result, Err(PlayerError::Fault { .. })), "{result:?}");
        }
    }

    #[test]
    fn faults_and_illegal_moves_are_errors() {
        let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
        game.play("A1".parse().unwrap());
        let ask = |decision| seat(decision, Limits::default()).decide(&game, &Request::default());
        let illegal = ask(|| Decision::Play("A1".parse().unwrap())).unwrap_err();
        assert_eq!(illegal.to_string(), "the player puppet chose A1: the point is occupied");
        let fault = ask(|| panic!("a fault that the test needs")).unwrap_err();
        assert!(matches!(fault, PlayerError::Fault { .. }), "{fault}");
    }
}
