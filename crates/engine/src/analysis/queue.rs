//! The positions that wait for analysis, and those under way.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::query::Query;
use crate::players::{Configure, StopSignal};

/// Positions that wait before queries do.
const MOST_POSITIONS: usize = 10_000;
/// Bytes of the queries of those positions; the games that they describe take a few times as many.
const MOST_BYTES: usize = 1 << 24;

/// One position of a query.
#[derive(Clone)]
pub(super) struct Task {
    /// Higher ones first, and among equals the earlier ones.
    rank: (i64, Reverse<u64>),
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// Those of a player for this position alone.
    pub(super) parameters: Option<Arc<dyn Configure>>,
    pub(super) stop: StopSignal,
    /// Its share of the bytes of its query.
    bytes: usize,
}

impl PartialEq for Task {
    fn eq(&self, other: &Task) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Task {}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Task) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Task {
    fn cmp(&self, other: &Task) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[derive(Default)]
struct State {
    waiting: BinaryHeap<Task>,
    running: Vec<Task>,
    /// Of the positions that wait.
    bytes: usize,
    count: u64,
    is_closed: bool,
}

impl State {
    /// Whether more positions can wait; any number can if none do.
    fn has_room(&self, positions: usize, bytes: usize) -> bool {
        self.waiting.is_empty()
            || (self.waiting.len() + positions <= MOST_POSITIONS && self.bytes + bytes <= MOST_BYTES)
    }
}

/// Shared by whoever reads queries and the threads that analyse.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    /// Adds every position of a query that is `length` bytes long, as soon as there is room for it.
    pub(super) fn add(&self, query: Query, parameters: Option<&Arc<dyn Configure>>, length: usize) {
        let query = Arc::new(query);
        let bytes = length / query.turns.len().max(1);
        let mut state = self.lock();
        while !state.has_room(query.turns.len(), length) && !state.is_closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return;
        }
        for &(turn, priority) in &query.turns {
            state.count += 1;
            state.bytes += bytes;
            let rank = (priority, Reverse(state.count));
            let (query, parameters, stop) = (Arc::clone(&query), parameters.cloned(), StopSignal::default());
            state.waiting.push(Task { rank, query, turn, parameters, stop, bytes });
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next position, waiting for one if need be; `None` when there will be no more.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop() {
                state.bytes -= task.bytes;
                state.running.push(task.clone());
                drop(state);
                self.changed.notify_all();
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that a position was answered.
    pub(super) fn finish(&self, task: &Task) {
        self.lock().running.retain(|other| other != task);
    }

    /// Stops the positions under way that are meant, and returns those that had not begun.
    pub(super) fn terminate(&self, is_meant: impl Fn(&Task) -> bool) -> Vec<Task> {
        let mut state = self.lock();
        state.running.iter().filter(|task| is_meant(task)).for_each(|task| task.stop.stop());
        let waiting = std::mem::take(&mut state.waiting);
        let (mut given_up, kept): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_meant);
        state.waiting = kept.into();
        state.bytes = state.waiting.iter().map(|task| task.bytes).sum();
        drop(state);
        self.changed.notify_all();
        given_up.sort_by(|a, b| b.cmp(a));
        given_up
    }

    /// Stops the positions under way, forgets those that wait, and takes no more.
    pub(super) fn give_up(&self) {
        let mut state = self.lock();
        state.running.iter().for_each(|task| task.stop.stop());
        state.waiting.clear();
        state.bytes = 0;
        state.is_closed = true;
        drop(state);
        self.changed.notify_all();
    }

    /// No more positions will be added.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use super::{super::query::Request, *};

    fn query() -> Query {
        let line = r#"{"id":"a","moves":[],"rules":"chinese","boardXSize":5,"boardYSize":5}"#;
        match Request::parse(line) {
            Ok(Request::Analyse(query, _)) => *query,
            other => panic!("{other:?}"),
        }
    }

    /// Adds queries until one has to wait, then does `make_room`, after which it need not.
    fn check_waiting(length: usize, most: usize, make_room: impl Fn(&Queue)) {
        let queue = Arc::new(Queue::default());
        let (added, count) = mpsc::channel();
        let adding = Arc::clone(&queue);
        thread::spawn(move || {
            for number in 1..=most + 1 {
                adding.add(query(), None, length);
                added.send(number).expect("the test waits");
            }
        });
        for number in 1..=most {
            assert_eq!(count.recv_timeout(Duration::from_mins(1)), Ok(number));
        }
        assert!(count.recv_timeout(Duration::from_millis(50)).is_err(), "one more has to wait");
        make_room(&queue);
        assert_eq!(count.recv_timeout(Duration::from_mins(1)), Ok(most + 1));
    }

    #[test]
    fn queries_wait_while_too_many_positions_do() {
        check_waiting(100, MOST_POSITIONS, |queue| assert!(queue.take().is_some()));
        check_waiting(MOST_BYTES / 4, 4, |queue| assert!(queue.take().is_some()));
        check_waiting(MOST_BYTES / 4, 4, |queue| assert_eq!(queue.terminate(|_| true).len(), 4));
        check_waiting(MOST_BYTES / 4, 4, Queue::give_up);
    }
}
