//! What a player is asked: how much it may think, about what, and who looks on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::{
    search::{Restriction, Watch},
    time::Clock,
};

/// Asks a running search to stop; clones share the request.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Stops whoever watches this signal.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes the signal ready for the next search.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much may be thought about one move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// At most this many playouts.
    pub playouts: Option<u64>,
    /// At most this long.
    pub time: Option<Duration>,
    /// The clock that runs while the player thinks: it has to divide the time up itself.
    pub clock: Option<Clock>,
}

impl Limits {
    /// So many playouts.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// At most this long.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// These limits, and `own` where they say nothing. Playouts and time belong together: who names one of them leaves the
    /// other open. Where a clock runs, both can only make a search shorter.
    #[must_use]
    pub fn or(self, own: Limits) -> Limits {
        let named = if self.playouts.is_some() || self.time.is_some() { self } else { own };
        Limits { clock: self.clock.or(own.clock), ..named }
    }
}

/// What is to be found out, for players that search.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Dead stones of the opponent are to be captured before passing, as the players do not agree about them.
    pub cleanup: bool,
    /// Moves that are left out or kept to.
    pub restrictions: Vec<Restriction>,
    /// Whether ownership is reported for each move apart.
    pub moves_ownership: bool,
    /// Whether values are to be those of the game as it is counted, without dynamic komi, as analyses are.
    pub true_komi: bool,
}

/// A question to a player.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// How much may be thought about it.
    pub limits: Limits,
    /// Ends the search early.
    pub stop: StopSignal,
    /// Sees the search while it runs.
    pub watch: Option<Watch>,
    /// What is to be found out.
    pub query: Query,
}

impl Request {
    /// So many playouts, and nothing else.
    pub fn playouts(playouts: u64) -> Request {
        Request::from(Limits::playouts(playouts))
    }

    /// At most this long, and nothing else.
    pub fn time(time: Duration) -> Request {
        Request::from(Limits::time(time))
    }

    /// A question without limits that `stop` can end.
    pub fn until(stop: &StopSignal) -> Request {
        Request { stop: stop.clone(), ..Request::default() }
    }
}

impl From<Limits> for Request {
    fn from(limits: Limits) -> Request {
        Request { limits, ..Request::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_limits_hold_where_nothing_is_asked_for() {
        let clock = Some(Clock::new("absolute 60".parse().unwrap()));
        let own = Limits { playouts: Some(500), time: Some(Duration::from_secs(1)), clock: None };
        assert_eq!(Limits::default().or(own), own);
        assert_eq!(Limits { clock, ..Limits::default() }.or(own), Limits { clock, ..own });
        let asked = Limits::playouts(7);
        assert_eq!(asked.or(Limits { clock, ..own }), Limits { clock, ..asked });
    }
}
