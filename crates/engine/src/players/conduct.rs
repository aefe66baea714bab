//! How a player that searches divides up its time and ends its games, whatever it searches with.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Game, Move, VertexMap};

use crate::{
    players::{Decision, Limits, ending, resignation::Resignation},
    search::SearchReport,
    time::{Delays, EarlyStop, PaceConfig, Spending},
};

/// How a player divides up its time and ends its games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConductConfig {
    /// How the time on a clock is used.
    #[schemars(extend("x-peer" = true))]
    pub pace: PaceConfig,
    /// Whether moves that gain nothing are left out at the end, so that the player passes when nothing is left to play for.
    #[schemars(extend("x-peer" = true))]
    pub settle: bool,
    /// The player resigns below this win rate; 0 never.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub resign: f32,
    /// ... when it was so low for this many of its moves in a row.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1000))]
    pub resign_moves: u32,
}

impl Default for ConductConfig {
    fn default() -> Self {
        ConductConfig { pace: PaceConfig::default(), settle: true, resign: 0.1, resign_moves: 3 }
    }
}

/// A player's conduct, with what it remembers of the moves before.
pub(crate) struct Conduct {
    config: ConductConfig,
    /// How much longer moves took than the clock allowed.
    overrun: Delays,
    /// The longest time that the clock allowed for the last move.
    planned: Option<Duration>,
    resignation: Resignation,
}

impl Conduct {
    pub(crate) fn new(config: ConductConfig) -> Conduct {
        Conduct { config, overrun: Delays::default(), planned: None, resignation: Resignation::default() }
    }

    /// What a search may spend within these limits: a share of the clock, of which `used` is gone already.
    pub(crate) fn plan(&mut self, game: &Game, limits: Limits, used: Duration) -> Spending {
        let pace = &self.config.pace;
        let mut spending = Spending::from(limits);
        spending.stops_early = match pace.early_stop {
            EarlyStop::Off => false,
            EarlyStop::Clock => spending.on_clock,
            EarlyStop::Always => true,
        };
        let allotment = limits.clock.and_then(|clock| pace.allot(&clock, game.board(), &self.overrun));
        if let Some(allotment) = allotment {
            let most = allotment.most.saturating_sub(used);
            spending.time = Some(limits.time.map_or(most, |time| time.min(most)));
            spending.enough = Some(allotment.enough.saturating_sub(used));
        }
        self.planned = spending.time.filter(|_| spending.on_clock);
        spending
    }

    /// What to do after a search. `after_pass` tells who owns each point if the player passes, where a network knows it; for
    /// `cleanup` the player does not give up, and captures what is dead.
    pub(crate) fn choose(
        &mut self,
        game: &Game,
        report: Option<&SearchReport>,
        after_pass: impl FnOnce() -> Option<VertexMap<f32>>,
        cleanup: bool,
    ) -> Decision {
        let ConductConfig { resign, resign_moves, settle, .. } = self.config;
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
