//! A player that is another program, reached over GTP.

use std::time::Duration;

use tengen_board::{Color, Game, Move, PlayedMove, Vertex};

use super::{
    client::{Client, Killer, Timeouts},
    client_error::ClientError,
};
use crate::{
    players::{Decision, Limits, Player, PlayerError, Request, StopSignal, cpu},
    time::{Clock, TimeSettings},
};

/// How long an engine may overrun its clock before it is given up.
const GRACE: Duration = Duration::from_secs(5);

/// What the engine has on its board.
#[derive(Clone, Debug, PartialEq)]
struct Synced {
    size: (usize, usize),
    komi: f32,
    start: Vec<(Vertex, Color)>,
    moves: Vec<PlayedMove>,
}

/// Another engine as a [`Player`]. It is told only what changed since the last move: moves, or undo and moves, or a whole
/// game. A stop ends the engine; the next request starts it again.
pub struct ExternalPlayer {
    client: Client,
    name: String,
    synced: Option<Synced>,
    /// The time control that it knows of.
    time: Option<TimeSettings>,
}

impl ExternalPlayer {
    /// Starts an engine and asks for its name, so that a program which does not speak GTP is found out here.
    pub fn start(command_line: &str, timeouts: Timeouts) -> Result<ExternalPlayer, ClientError> {
        let mut client = Client::start(command_line, timeouts)?;
        let name = client.name()?;
        Ok(ExternalPlayer { client, name, synced: None, time: None })
    }

    /// The engine itself.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Tells the time control, if the engine does not know it.
    fn tell_time(&mut self, settings: TimeSettings) -> Result<(), ClientError> {
        if self.time == Some(settings) {
            return Ok(());
        }
        if self.client.knows("kata-time_settings")? {
            self.client.send(&format!("kata-time_settings {settings}"))?;
        } else if self.client.knows("time_settings")? {
            let (main, period, stones) = settings.to_gtp();
            // Whole seconds, and none only where there is none: it would be another time control.
            let seconds = |time: Duration| time.as_secs().max(u64::from(!time.is_zero()));
            let (main, period) = (seconds(main), seconds(period));
            self.client.send(&format!("time_settings {main} {period} {stones}"))?;
        }
        self.time = Some(settings);
        Ok(())
    }

    /// Tells what the clock shows.
    fn tell_clock(&mut self, color: Color, clock: &Clock) -> Result<(), ClientError> {
        self.tell_time(clock.settings)?;
        if !self.client.knows("time_left")? {
            return Ok(());
        }
        let left = clock.left.as_secs_f64();
        // GTP has whole seconds (GNU Go reads no others) and no byo-yomi periods; KataGo's kin have both.
        let request = if self.client.knows("kata-time_settings")? {
            format!("time_left {color} {left:.3} {}", clock.stones)
        } else {
            let (_, _, most) = clock.settings.to_gtp();
            format!("time_left {color} {} {}", left.floor(), clock.stones.min(most))
        };
        self.client.send(&request).map(drop)
    }

    /// Brings the engine to the position of `game`.
    pub fn sync(&mut self, game: &Game) -> Result<(), ClientError> {
        if self.client.restart_if_stopped()? {
            self.forget();
        }
        let target = Synced {
            size: (game.board().width(), game.board().height()),
            komi: game.rules().komi,
            start: game.start().points().filter_map(|v| Some((v, game.start().color_at(v)?))).collect(),
            moves: game.moves().to_vec(),
        };
        // What the engine has is unknown while it is being changed.
        let before = self.synced.take();
        match before.filter(|before| before.size == target.size && before.start == target.start) {
            Some(before) => self.update(&before, &target, game)?,
            None => self.replay(&target, game)?,
        }
        self.synced = Some(target);
        Ok(())
    }

    /// Takes nothing for known about the engine.
    fn forget(&mut self) {
        self.synced = None;
        self.time = None;
    }

    /// Lets the engine choose a move within these limits.
    fn generate(&mut self, game: &Game, limits: &Limits) -> Result<Decision, ClientError> {
        self.sync(game)?;
        let color = game.to_play();
        if let Some(clock) = &limits.clock {
            self.tell_clock(color, clock)?;
        } else if let Some(time) = limits.time {
            // One stone in each period of this length: what front ends send for "so many seconds a move".
            let period = Duration::from_secs(time.as_secs().max(1));
            self.tell_time(TimeSettings::Canadian { main: Duration::ZERO, period, stones: 1 })?;
        }
        let patience = self.client.timeouts.genmove;
        let longest = limits.clock.map_or(patience, |clock| patience.min(clock.until_flag() + GRACE));
        let decision = self.client.genmove_within(color, longest)?;
        if let (Decision::Play(mv), Some(synced)) = (decision, &mut self.synced) {
            synced.moves.push(PlayedMove { color, mv });
        }
        Ok(decision)
    }

    /// Undoes and plays what differs.
    fn update(&mut self, before: &Synced, target: &Synced, game: &Game) -> Result<(), ClientError> {
        let shared = before.moves.iter().zip(&target.moves).take_while(|(a, b)| a == b).count();
        let surplus = before.moves.len() - shared;
        if surplus > shared || (surplus > 0 && !self.client.knows("undo")?) {
            return self.replay(target, game);
        }
        if before.komi != target.komi {
            self.client.komi(target.komi)?;
        }
        for _ in 0..surplus {
            match self.client.undo() {
                Err(error) if !error.is_fatal() => return self.replay(target, game),
                undone => undone?,
            }
        }
        self.play_all(&target.moves[shared..])
    }

    /// Starts from an empty board.
    fn replay(&mut self, target: &Synced, game: &Game) -> Result<(), ClientError> {
        self.client.boardsize(target.size.0, target.size.1)?;
        self.client.clear_board()?;
        self.client.komi(target.komi)?;
        self.set_up(&target.start, game.handicap())?;
        self.play_all(&target.moves)
    }

    fn play_all(&mut self, moves: &[PlayedMove]) -> Result<(), ClientError> {
        moves.iter().try_for_each(|played| self.client.play(played.color, played.mv))
    }

    /// Handicap stones as such; other stones by `set_position` or, where that is unknown, as moves.
    fn set_up(&mut self, stones: &[(Vertex, Color)], handicap: usize) -> Result<(), ClientError> {
        if stones.is_empty() {
            return Ok(());
        }
        let is_handicap =
            handicap >= 2 && handicap == stones.len() && stones.iter().all(|s| s.1 == Color::Black);
        if is_handicap && self.client.knows("set_free_handicap")? {
            let points: Vec<_> = stones.iter().map(|(v, _)| v.to_string()).collect();
            return self.client.send(&format!("set_free_handicap {}", points.join(" "))).map(drop);
        }
        if self.client.knows("set_position")? {
            let stones: Vec<_> = stones.iter().map(|(v, color)| format!("{color} {v}")).collect();
            return self.client.send(&format!("set_position {}", stones.join(" "))).map(drop);
        }
        stones.iter().try_for_each(|&(v, color)| self.client.play(color, Move::from(v)))
    }
}

impl Player for ExternalPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        self.client.stop = request.stop.clone();
        let decision = self.generate(game, &request.limits);
        self.client.stop = StopSignal::default();
        Ok(decision?)
    }

    fn new_game(&mut self) {
        self.forget();
    }

    /// Only where the engine knows `set_random_seed`. If that ends it, the next request tells.
    fn set_seed(&mut self, seed: u64) {
        if self.client.knows("set_random_seed").unwrap_or(false) {
            // GNU Go reads a 32-bit number.
            let _ = self.client.send(&format!("set_random_seed {}", seed & 0x7fff_ffff));
        }
    }

    fn outside_cpu_seconds(&mut self) -> Option<f64> {
        cpu::of_engine(&mut self.client)
    }

    fn killer(&self) -> Option<Killer> {
        Some(self.client.killer())
    }
}
