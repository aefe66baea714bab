//! Stopping a search by a line that arrives while it runs.
//!
//! Lines are numbered as they are read. The reader may be ahead of the server: `genmove b` and `stop` may both have
//! arrived before the search begins, and an old `stop` must not end a later search. So a search belongs to the line that
//! asked for it, and only lines with a higher number stop it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::player::StopSignal;

/// Connects the thread that reads with the search that runs.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    signal: StopSignal,
    last_stop: Mutex<u64>,
}

impl Interrupts {
    /// The reader has read an interrupting line: stops the search of any earlier line.
    pub(super) fn stop(&self, line: u64) {
        let mut last_stop = self.lock();
        *last_stop = line;
        self.signal.stop();
    }

    /// The signal that the search of `line` has to watch.
    pub(super) fn signal_for(&self, line: u64) -> StopSignal {
        let last_stop = self.lock();
        if *last_stop > line {
            self.signal.stop();
        } else {
            self.signal.reset();
        }
        self.signal.clone()
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.last_stop.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_earlier_searches_only() {
        let interrupts = Interrupts::default();
        let running = interrupts.signal_for(1);
        assert!(!running.is_stopped());
        interrupts.stop(2);
        assert!(running.is_stopped());
        assert!(!interrupts.signal_for(3).is_stopped());
        interrupts.stop(5);
        assert!(interrupts.signal_for(4).is_stopped());
    }
}
