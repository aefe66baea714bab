//! Stopping a search by a line that arrives while it runs.
//!
//! Lines are numbered as they are read. The reader may be ahead of the server: `genmove b` and `stop` may both have
//! arrived before the search begins, and an old `stop` must not end a later search. So a search belongs to the line that
//! asked for it, and only lines with a higher number stop it: some searches are stopped by lines such as `stop` only,
//! others (pondering, analysis) by any line.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::players::StopSignal;

/// Connects the thread that reads with the search that runs.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    /// Set by interrupting lines.
    stop: StopSignal,
    /// Set by any line.
    arrival: StopSignal,
    last: Mutex<Last>,
}

/// The numbers of the last lines that were read; 0 if there was none.
#[derive(Debug, Default)]
struct Last {
    line: u64,
    stop: u64,
}

impl Interrupts {
    /// The reader has read a line: stops what the line is to stop.
    pub(super) fn arrived(&self, line: u64, is_interrupt: bool) {
        let mut last = self.lock();
        last.line = last.line.max(line);
        self.arrival.stop();
        if is_interrupt {
            last.stop = last.stop.max(line);
            self.stop.stop();
        }
    }

    /// Nobody reads the answers any more: stops every search, and all later ones.
    pub(super) fn hung_up(&self) {
        self.arrived(u64::MAX, true);
    }

    /// The signal for a search of `line` that ends with the next interrupting line.
    pub(super) fn signal_for(&self, line: u64) -> StopSignal {
        let last = self.lock();
        ready(&self.stop, last.stop > line)
    }

    /// The signal for a search after `line` that ends with the next line, whatever it is.
    pub(super) fn signal_until_next(&self, line: u64) -> StopSignal {
        let last = self.lock();
        ready(&self.arrival, last.line > line)
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ready(signal: &StopSignal, is_stopped: bool) -> StopSignal {
    if is_stopped {
        signal.stop();
    } else {
        signal.reset();
    }
    signal.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_earlier_searches_only() {
        let interrupts = Interrupts::default();
        let running = interrupts.signal_for(1);
        assert!(!running.is_stopped());
        interrupts.arrived(2, true);
        assert!(running.is_stopped());
        assert!(!interrupts.signal_for(3).is_stopped());
        interrupts.arrived(4, false);
        interrupts.arrived(5, true);
        assert!(interrupts.signal_for(4).is_stopped());
    }

    #[test]
    fn who_hangs_up_ends_every_search() {
        let interrupts = Interrupts::default();
        let running = interrupts.signal_for(1);
        interrupts.hung_up();
        assert!(running.is_stopped());
        interrupts.arrived(2, false);
        assert!(interrupts.signal_for(2).is_stopped() && interrupts.signal_until_next(2).is_stopped());
    }

    #[test]
    fn any_later_line_ends_pondering() {
        let interrupts = Interrupts::default();
        interrupts.arrived(1, false);
        let (search, pondering) = (interrupts.signal_for(1), interrupts.signal_until_next(1));
        assert!(!pondering.is_stopped());
        interrupts.arrived(2, false);
        assert!(pondering.is_stopped() && !search.is_stopped());
        assert!(interrupts.signal_until_next(1).is_stopped());
        assert!(!interrupts.signal_until_next(2).is_stopped());
    }
}
