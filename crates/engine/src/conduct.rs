//! How a player that searches divides up its time and ends its games, whatever it searches with.

use std::time::Duration;

use tengen_board::{Game, Move, VertexMap};

use crate::{
    clock::Delays,
    ending,
    pace::PaceConfig,
    player::{Budget, Decision},
    report::SearchReport,
    resignation::Resignation,
};

/// What a player remembers of the moves before.
#[derive(Default)]
pub(crate) struct Conduct {
    /// How much longer moves took than the clock allowed.
    overrun: Delays,
    /// The longest time that the clock allowed for the last move.
    planned: Option<Duration>,
    resignation: Resignation,
}

impl Conduct {
    /// The budget that is asked for with the player's `own` where it leaves something open, and with a share of the clock, of
    /// which `used` is gone already. Where a clock runs, settings can only make the search shorter.
    pub(crate) fn plan(
        &mut self,
        pace: &PaceConfig,
        game: &Game,
        asked: &Budget,
        own: &Budget,
        used: Duration,
    ) -> Budget {
        let mut budget = asked.clone();
        if budget.playouts.is_none() && budget.time.is_none() {
            (budget.playouts, budget.time) = (own.playouts, own.time);
        }
        let allotment = budget.clock.and_then(|clock| pace.allot(&clock, game.board(), &self.overrun));
        if let Some(allotment) = allotment {
            let most = allotment.most.saturating_sub(used);
            budget.time = Some(budget.time.map_or(most, |time| time.min(most)));
            budget.enough = Some(allotment.enough.saturating_sub(used));
        }
        self.planned = budget.time.filter(|_| budget.clock.is_some());
        budget
    }

    /// What to do after a search. `after_pass` tells who owns each point if the player passes, where a network knows it.
    /// The player gives up below the win rate of `resign` for so many moves in a row; with
    /// `settle` it passes when nothing is left to play for. In a `cleanup` it does not give up and captures what is dead.
    pub(crate) fn choose(
        &mut self,
        game: &Game,
        report: Option<&SearchReport>,
        after_pass: impl FnOnce() -> Option<VertexMap<f32>>,
        cleanup: bool,
        settle: bool,
        resign: (f32, u32),
    ) -> Decision {
        let Some(report) = report else { return Decision::Play(Move::PASS) };
        if !cleanup && self.resignation.is_due(game, report, resign.0, resign.1) {
            return Decision::Resign;
        }
        if settle || cleanup {
            return Decision::Play(ending::choose(game, report, after_pass, cleanup));
        }
        let best = report.moves.iter().find(|m| m.visits > 0);
        Decision::Play(best.map_or(Move::PASS, |m| m.mv))
    }

    /// Takes into account how long the last move took.
    pub(crate) fn note(&mut self, elapsed: Duration) {
        if let Some(planned) = self.planned {
            self.overrun.note(elapsed.saturating_sub(planned));
        }
    }

    /// Forgets what belongs to the last game.
    pub(crate) fn new_game(&mut self) {
        self.resignation = Resignation::default();
    }
}
