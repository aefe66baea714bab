//! Players: anything that chooses moves in a game.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tengen_board::{Color, Game, Move};

use crate::{
    clock::Clock,
    network::RawEvaluation,
    playout::{LearnedReply, PlayoutPolicy, Uniform, UniformConfig},
    report::SearchReport,
    restriction::Restriction,
    rng::Rng,
    watch::Watch,
};

/// What a player does on its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Plays a stone or passes.
    Play(Move),
    /// Gives up.
    Resign,
}

/// Asks a running search to stop; clones share the request.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Stops whoever watches this signal.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes the signal ready for the next search.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much a player may think about one move, about which moves, and who looks on.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// At most this many playouts; the player's own setting if absent.
    pub playouts: Option<u64>,
    /// At most this long; the player's own setting if absent.
    pub time: Option<Duration>,
    /// Usually this long; longer, up to `time`, if the move is unclear. The same as `time` if absent.
    pub enough: Option<Duration>,
    /// The clock that runs while the player thinks: it has to divide the time up itself.
    pub clock: Option<Clock>,
    /// Dead stones of the opponent are to be captured before passing, as the players do not agree about them.
    pub cleanup: bool,
    /// Ends the search early.
    pub stop: StopSignal,
    /// Sees the search while it runs.
    pub watch: Option<Watch>,
    /// Moves that are left out or kept to. For players that search.
    pub restrictions: Vec<Restriction>,
    /// Whether ownership is reported for each move apart. For players that search.
    pub moves_ownership: bool,
    /// Whether values are to be those of the game as it is counted, without dynamic komi, as analyses are.
    pub true_komi: bool,
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
    fn decide(&mut self, game: &Game, budget: &Budget) -> Decision;

    /// Thinks about the player to move in `game` without deciding, for players that search. What earlier searches found out about the
    /// position is kept and added to.
    fn analyse(&mut self, _game: &Game, _budget: &Budget) -> Option<&SearchReport> {
        None
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
}

impl Player for RandomPlayer {
    fn name(&self) -> &'static str {
        "random"
    }

    fn decide(&mut self, game: &Game, _budget: &Budget) -> Decision {
        let mut board = game.board().clone();
        // Superko is known only to the game: a refused move is drawn again, and after many refusals it passes.
        for _ in 0..board.area() * 8 {
            let mv = self.policy.choose(&mut board, &[], &mut self.rng);
            if game.check(mv).is_ok() {
                return Decision::Play(mv);
            }
        }
        Decision::Play(Move::PASS)
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }
}
