//! Playouts: games played to the end by a fast policy. One file a policy.
//!
//! A policy is crossed once a playout through a trait object; inside, everything is inlined. Nothing is allocated in a playout: the caller owns the board and the list of moves and uses them again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, Vertex, playout_score};

use crate::rng::Rng;

mod heavy;
mod lgr;
mod mogo;
mod reply_rates;
mod uniform;

pub use heavy::{Heavy, HeavyConfig};
pub use lgr::{Lgr, LgrConfig, ReplyContext};
pub use mogo::{Mogo, MogoConfig};
pub use reply_rates::{ReplyChoice, ReplyRates, ReplyRatesConfig};
pub use uniform::{EyeRule, Uniform, UniformConfig};

/// Chooses moves beyond the tree.
pub trait PlayoutPolicy: Send {
    /// A legal move for the player to move that does not fill an own eye; a pass if there is none. A policy may also pass where
    /// every move left puts own stones in atari, so that a seki survives.
    ///
    /// `moves` ends with the moves that led here, across the boundary between tree and playout. The order of
    /// [`Board::empties`] may be changed, the position may not.
    fn choose(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        match self.urgent(board, moves, rng) {
            Some(v) => v.into(),
            None => self.quiet(board, moves, rng),
        }
    }

    /// A move that cannot wait, if there is one: the first half of [`PlayoutPolicy::choose`].
    fn urgent(&mut self, _board: &Board, _moves: &[Move], _rng: &mut Rng) -> Option<Vertex> {
        None
    }

    /// A move where nothing is urgent: the second half of [`PlayoutPolicy::choose`], asked only after the first.
    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move;

    /// Sees the position from which a playout begins.
    fn begin(&mut self, _board: &Board) {}

    /// Sees the position after a move of the playout: a policy that follows the game need not look at all of it.
    fn played(&mut self, _board: &Board, _mv: Move) {}

    /// Plays to the end and returns Black's score without komi. The moves are appended to `moves`.
    ///
    /// The loop is compiled for each policy, so a trait object is crossed once a playout.
    fn play_out(
        &mut self,
        board: &mut Board,
        moves: &mut Vec<Move>,
        limits: &PlayoutLimits,
        rng: &mut Rng,
    ) -> i32 {
        let mut course = Course::new(board, moves, *limits);
        self.begin(board);
        while course.goes_on(moves) {
            let mv = self.choose(board, moves, rng);
            board.play_unchecked(mv);
            course.note(board, moves, mv);
            self.played(board, mv);
        }
        course.score(board)
    }

    /// Learns from a finished playout.
    fn finish(&mut self, _playout: &FinishedPlayout<'_>) {}

    /// The same policy for another thread; what is learned is shared.
    fn fork(&self) -> Box<dyn PlayoutPolicy>;

    /// Forgets what was learned, for another game.
    fn clear(&mut self) {}

    /// The replies of `color` to the move `previous` that were learned, best first.
    fn learned_replies(&self, _color: Color, _previous: Move) -> Vec<LearnedReply> {
        Vec::new()
    }

    /// How many moves were chosen, and how many of them came from a table of replies (S1.9).
    fn reply_hits(&self) -> Option<ReplyHits> {
        None
    }
}

/// A reply that was learned, for those who look into the tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedReply {
    /// The reply.
    pub reply: Move,
    /// Its win rate or its share, from 0 to 1; 1 for the only one.
    pub weight: f32,
}

/// How often a policy that learns replies could use one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyHits {
    /// Moves chosen beyond the tree.
    pub moves: u64,
    /// Those that came from the table.
    pub hits: u64,
}

/// When a playout is over.
struct Course {
    /// The most moves.
    end: usize,
    /// A side with more stones than this ahead has won.
    mercy: i32,
    /// Passes since the last stone.
    passes: usize,
    /// Whether a side was so far ahead.
    won: bool,
}

impl Course {
    fn new(board: &Board, moves: &mut Vec<Move>, limits: PlayoutLimits) -> Course {
        let longest = limits.longest(board);
        moves.reserve(longest);
        let mercy = if limits.mercy > 0.0 { (board.area() as f32 * limits.mercy) as i32 } else { i32::MAX };
        Course { end: moves.len() + longest, mercy, passes: 0, won: false }
    }

    #[inline]
    fn goes_on(&self, moves: &[Move]) -> bool {
        moves.len() < self.end && self.passes < 2 && !self.won
    }

    /// Takes down a move that was played.
    #[inline]
    fn note(&mut self, board: &Board, moves: &mut Vec<Move>, mv: Move) {
        moves.push(mv);
        if mv.is_pass() {
            self.passes += 1;
        } else {
            self.passes = 0;
            self.won = self.mercy != i32::MAX && stones_ahead(board).abs() > self.mercy;
        }
    }

    /// Black's score without komi.
    fn score(&self, board: &Board) -> i32 {
        if self.won { stones_ahead(board) } else { playout_score(board) }
    }
}

/// How many stones more than White Black has on the board.
#[inline]
fn stones_ahead(board: &Board) -> i32 {
    board.stones(Color::Black) as i32 - board.stones(Color::White) as i32
}

/// What a policy may learn from.
#[derive(Clone, Copy, Debug)]
pub struct FinishedPlayout<'a> {
    /// The two moves of the game before the root, the later one last; passes where there are none.
    pub before: [Move; 2],
    /// Every move since the root, tree moves first.
    pub moves: &'a [Move],
    /// Who played the first of them; colours alternate.
    pub first: Color,
    /// How many of them were chosen in the tree.
    pub tree_moves: usize,
    /// Who won, komi included; nobody if it was drawn or cut off.
    pub winner: Option<Color>,
}

/// A playout policy and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayoutConfig {
    /// See [`Uniform`].
    Uniform(UniformConfig),
    /// See [`Mogo`].
    Mogo(MogoConfig),
    /// See [`Heavy`].
    Heavy(HeavyConfig),
    /// See [`Lgr`].
    Lgr(LgrConfig),
    /// See [`ReplyRates`].
    ReplyRates(ReplyRatesConfig),
}

impl Default for PlayoutConfig {
    fn default() -> Self {
        PlayoutConfig::Uniform(UniformConfig::default())
    }
}

impl PlayoutConfig {
    /// Every kind with its default parameters, for tests that hold for all of them.
    pub fn all_kinds() -> Vec<PlayoutConfig> {
        vec![
            PlayoutConfig::Uniform(UniformConfig::default()),
            PlayoutConfig::Mogo(MogoConfig::default()),
            PlayoutConfig::Heavy(HeavyConfig::default()),
            PlayoutConfig::Lgr(LgrConfig::default()),
            PlayoutConfig::ReplyRates(ReplyRatesConfig::default()),
        ]
    }

    /// The running policy.
    pub fn build(&self) -> Box<dyn PlayoutPolicy> {
        match self {
            PlayoutConfig::Uniform(config) => Box::new(Uniform::new(config)),
            PlayoutConfig::Mogo(config) => Box::new(Mogo::new(config)),
            PlayoutConfig::Heavy(config) => Box::new(Heavy::new(config)),
            PlayoutConfig::Lgr(config) => Box::new(Lgr::new(config)),
            PlayoutConfig::ReplyRates(config) => Box::new(ReplyRates::new(config)),
        }
    }
}

/// The playouts of a player: how they are played, and when they are cut off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayoutsConfig {
    /// How games are played to the end.
    #[serde(rename = "playout")]
    #[schemars(extend("x-peer" = true))]
    pub policy: PlayoutConfig,
    /// When playouts are cut off.
    #[schemars(extend("x-peer" = true))]
    pub limits: PlayoutLimits,
}

/// When a playout ends before both players pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayoutLimits {
    /// A playout is cut off after this many times the number of points; games of random moves on tiny boards may
    /// otherwise repeat for long. Orego and michi: 3.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub max_length: f32,
    /// A playout ends when one side has this share of the points more stones than the other: it has won. 0 turns the
    /// rule off.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub mercy: f32,
}

impl PlayoutLimits {
    /// The most moves that a playout on this board has.
    fn longest(self, board: &Board) -> usize {
        (board.area() as f32 * self.max_length) as usize
    }

    /// Whether a playout with these moves was cut off before both players passed.
    pub fn cut_off(self, board: &Board, moves: &[Move]) -> bool {
        moves.len() >= self.longest(board) && !moves.ends_with(&[Move::PASS; 2])
    }
}

impl Default for PlayoutLimits {
    fn default() -> Self {
        PlayoutLimits { max_length: 3.0, mercy: 0.0 }
    }
}
