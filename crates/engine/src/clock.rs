//! Time controls and clocks, as GTP, KGS and KataGo describe them.

use std::time::Duration;

/// The time control of a game, the same for both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeSettings {
    /// No limit.
    #[default]
    Unlimited,
    /// All moves within one time.
    Absolute {
        /// For all moves.
        main: Duration,
    },
    /// After the main time, `stones` moves within each `period`.
    Canadian {
        /// Before the first period.
        main: Duration,
        /// For the next `stones` moves.
        period: Duration,
        /// Moves a period.
        stones: u32,
    },
    /// After the main time, one move within each `period`; a period is lost when it runs out.
    ByoYomi {
        /// Before the first period.
        main: Duration,
        /// For one move.
        period: Duration,
        /// How many periods there are.
        periods: u32,
    },
    /// Each move adds `increment` to the clock.
    Fischer {
        /// At the beginning.
        main: Duration,
        /// After each move.
        increment: Duration,
    },
}

/// What a player's clock shows (GTP's `time_left`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left: of the main time if `stones` is 0, else of the current period.
    pub left: Duration,
    /// Moves left in the current Canadian period, or byo-yomi periods left; 0 during the main time.
    pub stones: u32,
}
