//! Players: anything that chooses moves in a game.

use tengen_board::{Color, Game, IllegalMove, Move};
use thiserror::Error;

use crate::{
    gtp::{ClientError, Killer},
    players::{Request, StopSignal},
    playout::{LearnedReply, PlayoutPolicy, Uniform, UniformConfig},
    rng::Rng,
    search::{RawEvaluation, SearchReport},
};

/// What a player does on its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Plays a stone or passes.
    Play(Move),
    /// Gives up.
    Resign,
}

/// Why a player gave no answer.
#[derive(Clone, Debug, Error)]
pub enum PlayerError {
    /// Another program failed.
    #[error(transparent)]
    Engine(#[from] ClientError),
    /// It chose a move that cannot be played.
    #[error("the player {player} chose {mv}: {reason}")]
    Illegal {
        /// Its name.
        player: String,
        /// The move.
        mv: Move,
        /// Why it cannot be played.
        reason: IllegalMove,
    },
    /// It is a program in another language, and failed.
    #[error("the player {player} failed: {message}")]
    Failed {
        /// Its name.
        player: String,
        /// What it says.
        message: String,
    },
    /// It has a fault.
    #[error("internal error in {player}: please report what standard error says about it")]
    Fault {
        /// Its name.
        player: String,
    },
}

/// A table of replies that a player may keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyTable {
    /// What playouts learned: last good replies, or win rates.
    Playouts,
    /// How often replies were visited in the tree of the last search (GCMB).
    Gcmb,
}

/// Chooses moves in a game.
pub trait Player: Send {
    /// A short name, as GTP and reports show it.
    fn name(&self) -> &str;

    /// A legal move for the player to move in `game`, or resignation.
    fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError>;

    /// Thinks about the player to move in `game` without deciding, for players that search. What earlier searches found out about the
    /// position is kept and added to; [`Player::report`] repeats the answer.
    fn analyse(&mut self, _game: &Game, _request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        Ok(None)
    }

    /// Whether [`Player::analyse`] reports anything.
    fn searches(&self) -> bool {
        false
    }

    /// Thinks on the opponent's time about the position of `game` until it is stopped; most players do not.
    fn ponder(&mut self, _game: &Game, _stop: &StopSignal) {}

    /// What its network says about the position of `game`, seen in one of the eight symmetries as KataGo numbers them;
    /// nothing for players without a network.
    fn raw_evaluation(&mut self, _game: &Game, _symmetry: usize) -> Option<RawEvaluation> {
        None
    }

    /// The replies of `color` to the move `previous` in a table, best first; none for players without such a table.
    fn replies(&self, _table: ReplyTable, _color: Color, _previous: Move) -> Vec<LearnedReply> {
        Vec::new()
    }

    /// Forgets what belongs to the last game.
    fn new_game(&mut self) {}

    /// Starts the random numbers again from `seed`.
    fn set_seed(&mut self, seed: u64);

    /// What the last decision was based on, for players that search.
    fn report(&self) -> Option<&SearchReport> {
        None
    }

    /// CPU seconds that it has used outside of this process since it was started, where they are known.
    fn outside_cpu_seconds(&mut self) -> Option<f64> {
        None
    }

    /// Ends it from another thread, whatever it is doing, if it is another program.
    fn killer(&self) -> Option<Killer> {
        None
    }
}

/// The baseline of S5.2: a uniformly random legal move that does not fill an own eye.
pub struct RandomPlayer {
    policy: Uniform,
    rng: Rng,
}

impl RandomPlayer {
    /// A random player with its eye rule and seed.
    pub fn new(config: &UniformConfig, seed: u64) -> RandomPlayer {
        RandomPlayer { policy: Uniform::new(config), rng: Rng::new(seed) }
    }

    /// A legal move.
    pub fn draw(&mut self, game: &Game) -> Move {
        let mut board = game.board().clone();
        // Superko is known only to the game: a refused move is drawn again, and after many refusals it passes.
        for _ in 0..board.area() * 8 {
            let mv = self.policy.choose(&mut board, &[], &mut self.rng);
            if game.check(mv).is_ok() {
                return mv;
            }
        }
        Move::PASS
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &'static str {
        "random"
    }

    fn decide(&mut self, game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        Ok(Decision::Play(self.draw(game)))
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }
}
