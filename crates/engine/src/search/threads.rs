//! The threads of a search: how they share what it may spend, and how they are watched while they run.

use std::{
    sync::{
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    players::StopSignal,
    search::{SearchParts, Watch, totals::Totals, worker::Worker},
    time::{Pace, Spending},
    tree::Tree,
};

/// What a search may spend, as its threads spend it.
pub(crate) struct Run<'a> {
    playouts: Option<u64>,
    stop: &'a StopSignal,
    start: Instant,
    pace: Pace,
    tree: &'a Tree,
    claimed: AtomicU64,
    /// Counts the reports asked for: a thread that sees it grow publishes its totals.
    round: AtomicU32,
}

/// What a thread has found out so far.
struct Published {
    worker: usize,
    /// The round for which it was asked, or [`Published::LAST`].
    round: u32,
    totals: Totals,
}

impl Published {
    /// The round of threads that have finished.
    const LAST: u32 = u32::MAX;
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        parts: &SearchParts<'a>,
        spending: &Spending,
        stop: &'a StopSignal,
        start: Instant,
    ) -> Run<'a> {
        let pace = Pace::new(parts.config.final_move, parts.threads, *spending, start);
        let (claimed, round) = (AtomicU64::new(0), AtomicU32::new(0));
        Run { playouts: spending.playouts, stop, start, pace, tree: parts.tree, claimed, round }
    }

    pub(crate) fn work(&self, mut worker: Worker<'_>, publish: impl Fn(u32, &Totals)) -> Totals {
        let batch = worker.batch();
        let mut published = 0;
        while let Some(count) = self.claim(batch) {
            worker.step(count as usize);
            let round = self.round.load(Relaxed);
            if round != published {
                publish(round, worker.totals());
                published = round;
            }
        }
        worker.into_totals()
    }

    /// Each worker in a thread of its own; this thread shows what they have found out whenever the watch asks for it.
    pub(crate) fn work_in_threads(
        &self,
        workers: Vec<Worker<'_>>,
        watch: Option<&Watch>,
        show: impl Fn(&Watch, &[Totals]),
    ) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); workers.len()];
        let mut published = vec![0; workers.len()];
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for (id, worker) in workers.into_iter().enumerate() {
                let sender = sender.clone();
                scope.spawn(move || {
                    let send = |round, totals: Totals| {
                        // The receiver goes only when a thread has panicked.
                        let _ = sender.send(Published { worker: id, round, totals });
                    };
                    let totals = self.work(worker, |round, totals| send(round, totals.clone()));
                    send(Published::LAST, totals);
                });
            }
            drop(sender);
            let (mut round, mut shown) = (0, 0);
            let mut due = watch.map(|watch| self.start + watch.first);
            while published.iter().any(|&round| round != Published::LAST) {
                let wait = due.filter(|_| shown == round);
                let wait = wait.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
                match receiver.recv_timeout(wait) {
                    Ok(news) => {
                        totals[news.worker] = news.totals;
                        published[news.worker] = news.round;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        round += 1;
                        self.round.store(round, Relaxed);
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let is_running = published.iter().any(|&round| round != Published::LAST);
                let is_complete = shown < round && published.iter().all(|&of_worker| of_worker >= round);
                if let (true, true, Some(watch)) = (is_running, is_complete, watch) {
                    show(watch, &totals);
                    shown = round;
                    due = Some(Instant::now() + watch.every);
                }
            }
        });
        totals
    }

    /// Takes a batch off what may be spent, if there is one left: how many leaves it has. The first is evaluated however early a
    /// stop comes: a search that has tried no move could only pass.
    fn claim(&self, batch: u64) -> Option<u64> {
        let before = self.claimed.fetch_add(batch, Relaxed);
        if before > 0 && self.stop.is_stopped() {
            return None;
        }
        let left = self.playouts.map_or(batch, |most| most.saturating_sub(before));
        self.pace.goes_on(before, before / batch, self.tree).then_some(batch.min(left))
    }
}
