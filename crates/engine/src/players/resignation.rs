//! When to give up.
//!
//! **What.** A player resigns when its win rate was below a threshold for several of its moves in a row, unless much of the
//! board is undecided. One bad value may be a blunder of the search, and a game that is open can still turn. Where the win
//! rate is that with extra komi against the player, the score without it must look as bad.
//!
//! **Source.** KataGo resigns after three moves in a row; the threshold of a tenth is Orego's and holmes's.

use tengen_board::{Color, ColorMap, Game};

use crate::search::SearchReport;

/// Fewer visits of the best moves, all lost moves in a row together, say nothing.
const FEWEST_VISITS: u32 = 20;

/// A point is undecided below this share of ownership.
const DECIDED: f32 = 0.5;

/// Counts the moves in a row that look lost, of each side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resignation {
    sides: ColorMap<LostMoves>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LostMoves {
    /// The moves played when it was last looked at: a second look at the same position takes the place of the first.
    played: usize,
    /// Lost moves in a row before that look, and with it.
    before: Row,
    with_it: Row,
}

/// Lost moves in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    moves: u32,
    /// Visits of the best moves.
    visits: u32,
}

impl Resignation {
    /// Takes the search of another move into account: whether it is time to resign, with a win rate below `threshold`
    /// for `moves` moves.
    pub(crate) fn is_due(&mut self, game: &Game, report: &SearchReport, threshold: f32, moves: u32) -> bool {
        let me = game.to_play();
        let best = report.moves.iter().max_by_key(|m| m.visits).filter(|m| m.visits > 0);
        let is_lost = best.is_some_and(|m| m.value_for(me) < threshold)
            && (report.extra_komi == 0.0 || chance_by_score(report, me) < threshold);
        let side = &mut self.sides[me];
        if side.with_it.moves == 0 || side.played != game.moves().len() {
            (side.before, side.played) = (side.with_it, game.moves().len());
        }
        let visits = side.before.visits.saturating_add(best.map_or(0, |m| m.visits));
        side.with_it = if is_lost { Row { moves: side.before.moves + 1, visits } } else { Row::default() };
        let board = game.board();
        let undecided = board.points().filter(|&v| report.ownership[v].abs() < DECIDED).count();
        let is_known = side.with_it.moves >= moves.max(1) && side.with_it.visits >= FEWEST_VISITS;
        is_lost && is_known && undecided * 2 <= board.area()
    }
}

/// How often playouts are won by their scores, which are without extra komi, if these are distributed normally (by its
/// logistic approximation).
fn chance_by_score(report: &SearchReport, me: Color) -> f32 {
    let lead = report.score * me.sign() as f32;
    1.0 / (1.0 + (-1.702 * lead / report.score_deviation.max(0.5)).exp())
}
