//! How a player that searches divides up its time and ends its games, whatever it searches with.

use std::time::Duration;

use tengen_board::{Game, Move, VertexMap};

use crate::{
    players::{Decision, Limits, ending, resignation::Resignation},
    search::SearchReport,
    time::{Delays, PaceConfig, Spending},
};

/// How a player ends a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manners {
    /// It gives up below this win rate,
    pub(crate) resign: f32,
    /// ... for so many moves in a row.
    pub(crate) resign_moves: u32,
    /// It passes when nothing is left to play for.
    pub(crate) settle: bool,
    /// It does not give up, and captures what is dead.
    pub(crate) cleanup: bool,
}

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
    /// What a search may spend within these limits: a share of the clock, of which `used` is gone already.
    pub(crate) fn plan(
        &mut self,
        pace: &PaceConfig,
        game: &Game,
        limits: Limits,
        used: Duration,
    ) -> Spending {
        let mut spending = Spending::from(limits);
        let allotment = limits.clock.and_then(|clock| pace.allot(&clock, game.board(), &self.overrun));
        if let Some(allotment) = allotment {
            let most = allotment.most.saturating_sub(used);
            spending.time = Some(limits.time.map_or(most, |time| time.min(most)));
            spending.enough = Some(allotment.enough.saturating_sub(used));
        }
        self.planned = spending.time.filter(|_| spending.on_clock);
        spending
    }

    /// What to do after a search. `after_pass` tells who owns each point if the player passes, where a network knows it.
    pub(crate) fn choose(
        &mut self,
        game: &Game,
        report: Option<&SearchReport>,
        after_pass: impl FnOnce() -> Option<VertexMap<f32>>,
        manners: Manners,
    ) -> Decision {
        let Manners { resign, resign_moves, settle, cleanup } = manners;
        let Some(report) = report else { return Decision::Play(Move::PASS) };
        if !cleanup && self.resignation.is_due(game, report, resign, resign_moves) {
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
