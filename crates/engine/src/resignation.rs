//! When to give up.
//!
//! **What.** A player resigns when its win rate was below a threshold for several of its moves in a row, unless much of the
//! board is undecided. One bad value may be a blunder of the search, and a game that is open can still turn.
//!
//! **Source.** KataGo resigns after three moves in a row; the threshold of a tenth is Orego's and holmes's.

use tengen_board::Game;

use crate::report::SearchReport;

/// Fewer visits of the best move say nothing.
const FEWEST_VISITS: u32 = 20;

/// A point is undecided below this share of ownership.
const DECIDED: f32 = 0.5;

/// Counts the moves in a row that look lost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resignation {
    in_a_row: u32,
}

impl Resignation {
    /// Takes the search of another move into account: whether it is time to resign, with a win rate below `threshold`
    /// for `moves` moves.
    pub(crate) fn is_due(&mut self, game: &Game, report: &SearchReport, threshold: f32, moves: u32) -> bool {
        let me = game.to_play();
        let best = report.moves.iter().max_by_key(|m| m.visits);
        let is_lost = best.is_some_and(|m| m.visits >= FEWEST_VISITS && m.value_for(me) < threshold);
        if !is_lost {
            self.in_a_row = 0;
            return false;
        }
        self.in_a_row += 1;
        let board = game.board();
        let undecided = board.points().filter(|&v| report.ownership[v].abs() < DECIDED).count();
        self.in_a_row >= moves.max(1) && undecided * 2 <= board.area()
    }
}
