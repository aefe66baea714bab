//! A player in its seat, with its clock: started when needed, and replaced after it has failed.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use tengen_board::Game;
use tengen_engine::{
    clock::Clock,
    gtp::{ClientError, ExternalPlayer},
    player::{Budget, Decision, Player, StopSignal},
};

use super::{
    config::{MatchConfig, Side},
    cpu::{self, Meter},
    error::MatchError,
    record::Ending,
};
use crate::{player_config::PlayerConfig, spec::PlayerSpec};

/// Where a command line wants to be told the seed; such a program is started anew for every game.
const SEED: &str = "{seed}";

/// A player that was started.
pub(crate) enum Engine {
    Own(Box<dyn Player>),
    Other(Box<ExternalPlayer>),
}

impl Engine {
    pub(crate) fn player(&mut self) -> &mut dyn Player {
        match self {
            Engine::Own(player) => &mut **player,
            Engine::Other(player) => &mut **player,
        }
    }

    /// The player's choice, or why there is none.
    pub(crate) fn try_decide(&mut self, game: &Game, budget: &Budget) -> Result<Decision, ClientError> {
        match self {
            Engine::Own(player) => Ok(player.decide(game, budget)),
            Engine::Other(player) => player.try_decide(game, budget),
        }
    }
}

/// Why a player loses a game at once.
pub(super) struct Failure {
    pub(super) ending: Ending,
    pub(super) message: String,
}

/// One side of a table.
pub(super) struct Seat<'a> {
    spec: &'a PlayerSpec,
    budget: Budget,
    clock: Clock,
    meter: Meter,
    engine: Option<Engine>,
    /// CPU seconds of our own player in this game.
    used: Option<f64>,
    /// CPU seconds of another engine when the game began.
    before: Option<f64>,
}

impl<'a> Seat<'a> {
    pub(super) fn new(
        config: &'a MatchConfig,
        side: Side,
        stop: &StopSignal,
        concurrency: usize,
    ) -> Seat<'a> {
        let spec = config.spec(side);
        let clock = Clock::new(config.clock(side));
        let budget = Budget { stop: stop.clone(), ..spec.options.budget() };
        let meter = Meter::new(spec.options.threads.unwrap_or(1), concurrency);
        Seat { spec, budget, clock, meter, engine: None, used: None, before: None }
    }

    /// Makes the player ready for a game with this seed.
    pub(super) fn begin(&mut self, seed: u64) -> Result<(), MatchError> {
        let error = |source| MatchError::Player { name: self.spec.name.clone(), source };
        let engine = match self.engine.take() {
            Some(engine) => self.engine.insert(engine),
            None => self.engine.insert(start(self.spec, seed).map_err(error)?),
        };
        engine.player().new_game();
        engine.player().set_seed(seed);
        self.clock = Clock::new(self.clock.settings);
        self.used = None;
        self.before = match engine {
            Engine::Own(_) => None,
            Engine::Other(player) => cpu::of_engine(player.client()),
        };
        Ok(())
    }

    /// The player's choice, checked. After a failure another player is started for the next game.
    pub(super) fn decide(&mut self, game: &Game) -> Result<Decision, Failure> {
        self.budget.clock = Some(self.clock).filter(Clock::is_limited);
        let start = Instant::now();
        let decision = self.think(game);
        let used = start.elapsed();
        if decision.is_ok() && !self.clock.spend(used) {
            let message = format!("move {} took {:.3} s", game.moves().len() + 1, used.as_secs_f64());
            return Err(Failure { ending: Ending::Time, message });
        }
        decision
    }

    fn think(&mut self, game: &Game) -> Result<Decision, Failure> {
        let engine = self.engine.as_mut().expect("the game has begun");
        let decision = match engine {
            Engine::Own(player) => {
                let budget = &self.budget;
                let think = || catch_unwind(AssertUnwindSafe(|| player.decide(game, budget)));
                let (decision, used) = self.meter.measure(think);
                self.used = used.map(|used| self.used.unwrap_or(0.0) + used.as_secs_f64());
                decision.map_err(|_| Failure {
                    ending: Ending::Crash,
                    message: "panicked: see standard error".to_owned(),
                })
            }
            Engine::Other(player) => player.try_decide(game, &self.budget).map_err(|error| failure(&error)),
        };
        let decision = decision.and_then(|decision| match decision {
            Decision::Play(mv) => match game.check(mv) {
                Ok(()) => Ok(decision),
                Err(reason) => Err(Failure { ending: Ending::Illegal, message: format!("{mv}: {reason}") }),
            },
            Decision::Resign => Ok(decision),
        });
        if decision.is_err() {
            self.engine = None;
        }
        decision
    }

    /// What is left on the clock, if there is one.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        self.clock.is_limited().then_some(self.clock.left.as_secs_f64())
    }

    /// Ends the game: the CPU seconds that the player used for it, if they are known.
    pub(super) fn end(&mut self) -> Option<f64> {
        let used = match (&mut self.engine, self.before) {
            (Some(Engine::Other(player)), Some(before)) => {
                cpu::of_engine(player.client()).map(|now| (now - before).max(0.0))
            }
            _ => self.used,
        };
        if wants_seed(self.spec) {
            self.engine = None;
        }
        used
    }
}

fn wants_seed(spec: &PlayerSpec) -> bool {
    matches!(&spec.config, PlayerConfig::Gtp(config) if config.command.contains(SEED))
}

/// Starts a player; its command line is told the seed if it wants to be.
pub(crate) fn start(spec: &PlayerSpec, seed: u64) -> Result<Engine, crate::SpecError> {
    Ok(match &spec.config {
        PlayerConfig::Gtp(config) => {
            let mut config = config.clone();
            // GNU Go and others read a 32-bit number.
            config.command = config.command.replace(SEED, &(seed & 0x7fff_ffff).to_string());
            Engine::Other(Box::new(config.start()?))
        }
        _ => Engine::Own(spec.build()?),
    })
}

fn failure(error: &ClientError) -> Failure {
    let ending = match error {
        ClientError::TimedOut { request, .. } if request.starts_with("genmove") => Ending::Time,
        _ => Ending::Crash,
    };
    Failure { ending, message: error.to_string() }
}
