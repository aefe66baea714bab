//! When to give up.
//!
//! **What.** A player resigns when its win rate was below a threshold for several of its moves in a row, unless much of the
//! board is undecided. One bad value may be a blunder of the search, and a game that is open can still turn. Where the win
//! rate is that with extra komi against the player, the score without it must look as bad.
//!
//! **Source.** KataGo resigns after three moves in a row; the threshold of a tenth is Orego's and holmes's.

use tengen_board::{Color, ColorMap, Game};

use crate::report::SearchReport;

/// Fewer visits of the best move say nothing.
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
    before: u32,
    in_a_row: u32,
}

impl Resignation {
    /// Takes the search of another move into account: whether it is time to resign, with a win rate below `threshold`
    /// for `moves` moves.
    pub(crate) fn is_due(&mut self, game: &Game, report: &SearchReport, threshold: f32, moves: u32) -> bool {
        let me = game.to_play();
        let best = report.moves.iter().max_by_key(|m| m.visits);
        let is_lost = best.is_some_and(|m| m.visits >= FEWEST_VISITS && m.value_for(me) < threshold)
            && (report.extra_komi == 0.0 || chance_by_score(report, me) < threshold);
        let side = &mut self.sides[me];
        if side.in_a_row == 0 || side.played != game.moves().len() {
            (side.before, side.played) = (side.in_a_row, game.moves().len());
        }
        side.in_a_row = if is_lost { side.before + 1 } else { 0 };
        let board = game.board();
        let undecided = board.points().filter(|&v| report.ownership[v].abs() < DECIDED).count();
        is_lost && side.in_a_row >= moves.max(1) && undecided * 2 <= board.area()
    }
}

/// How often playouts are won by their scores, which are without extra komi, if these are distributed normally (by its
/// logistic approximation).
fn chance_by_score(report: &SearchReport, me: Color) -> f32 {
    let lead = report.score * me.sign() as f32;
    1.0 / (1.0 + (-1.702 * lead / report.score_deviation.max(0.5)).exp())
}
