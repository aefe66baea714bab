//! What every flat method has: the start of a search, the next game, and what was found out.

use tengen_board::{Game, Move, Vertex};

use super::{sampler::Sampler, stats::ScoreStats};
use crate::{
    playout::{EyeRule, PlayoutPolicy},
    search::{Restriction, permitted},
};

/// Spends games on the moves of a position.
pub(super) trait Method {
    /// Plays the next game and learns from it; `false`, without a game, if another would be of no use. `progress` goes from 0
    /// to 1 as the budget is spent, and stays there if a search has no end.
    fn play(&mut self, sampler: &mut Sampler<'_>, progress: f32) -> bool;

    /// What is known of every candidate.
    fn findings(&self) -> Vec<Finding>;

    /// How many positions games were begun from.
    fn positions(&self) -> usize;
}

/// What a search begins with.
pub(super) struct Start<'a> {
    /// The position.
    pub(super) game: &'a Game,
    /// The moves to choose from; never empty.
    pub(super) candidates: Vec<Move>,
    /// Which points are not to be filled.
    pub(super) eyes: EyeRule,
    /// Chooses the moves of the games.
    pub(super) policy: Box<dyn PlayoutPolicy>,
    /// Moves that are left out or kept to.
    pub(super) restrictions: &'a [Restriction],
}

/// What is known of a candidate.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// The expected line of play, the candidate first.
    pub(super) line: Vec<Move>,
    /// Games that tell something about it.
    pub(super) games: u32,
    /// Of the games that make its value.
    pub(super) stats: ScoreStats,
    /// How many games of the search were played when it was pruned, if it was.
    pub(super) pruned_at: Option<u64>,
}

impl Finding {
    pub(super) fn new(mv: Move, stats: ScoreStats) -> Finding {
        Finding { line: vec![mv], games: stats.games(), stats, pruned_at: None }
    }
}

/// The moves to choose from after `depth` moves: legal ones that do not fill an own eye, and a pass when little is left to
/// play or the opponent has just passed.
pub(super) fn candidates(game: &Game, eyes: EyeRule, rules: &[Restriction], depth: usize) -> Vec<Move> {
    let (board, me) = (game.board(), game.to_play());
    let is_legal = |v: Vertex| board.is_legal(v) && game.check(v.into()).is_ok();
    let is_worth_it =
        |v: Vertex| board.is_empty(v) && eyes.is_playable(board, v, me) && game.check(v.into()).is_ok();
    let points = board.points().filter(|&v| is_worth_it(v));
    let mut moves: Vec<Move> = points.map(Move::from).collect();
    if moves.len() * 4 <= board.area() || game.passes() > 0 {
        moves.push(Move::PASS);
    }
    permitted(rules, (me, depth), moves, |mv| mv.vertex().is_none_or(is_legal))
}
