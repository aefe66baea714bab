//! Time: the clocks of a game, and how long to think about a move.

mod clock;
mod pace;

pub use clock::{Clock, Delays, ParseTimeError, TimeSettings};
pub(crate) use pace::Pace;
pub use pace::{Allotment, EarlyStop, PaceConfig, Spending};
