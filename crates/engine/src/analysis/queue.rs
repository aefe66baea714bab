//! The positions that wait for analysis, and those under way.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::query::Query;
use crate::player::StopSignal;

/// One position of a query.
#[derive(Clone)]
pub(super) struct Task {
    /// Higher ones first, and among equals the earlier ones.
    rank: (i64, Reverse<u64>),
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    pub(super) stop: StopSignal,
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
    count: u64,
    is_closed: bool,
}

/// Shared by whoever reads queries and the threads that analyse.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    /// Adds every position of a query.
    pub(super) fn add(&self, query: Query) {
        let query = Arc::new(query);
        let mut state = self.lock();
        for &(turn, priority) in &query.turns {
            state.count += 1;
            let rank = (priority, Reverse(state.count));
            state.waiting.push(Task { rank, query: Arc::clone(&query), turn, stop: StopSignal::default() });
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next position, waiting for one if need be; `None` when there will be no more.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop() {
                state.running.push(task.clone());
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
        given_up.sort_by(|a, b| b.cmp(a));
        given_up
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
