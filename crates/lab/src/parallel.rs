//! Work on several threads that is handed out one piece after the other.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use tengen_engine::players::StopSignal;

/// How many pieces can be worked on at a time without more threads than cores, where each piece needs `threads` of them.
pub fn concurrency_for(threads: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (cores / threads.max(1)).max(1)
}

/// Works on `pieces` in order, `concurrency` at a time. Each thread makes its own tools. `on_done` sees every result, on the
/// calling thread. Work ends early when a result is an error, or when `stop` is set; pieces that a stop interrupts give `None`.
pub(crate) fn work<Tools, T: Send, E: Send>(
    pieces: &[usize],
    concurrency: usize,
    stop: &StopSignal,
    make: impl Fn() -> Tools + Sync,
    step: impl Fn(&mut Tools, usize) -> Result<Option<T>, E> + Sync,
    mut on_done: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, finished) = mpsc::channel();
    let mut failure = None;
    thread::scope(|scope| {
        for _ in 0..concurrency.clamp(1, pieces.len().max(1)) {
            let (sender, next, make, step) = (sender.clone(), &next, &make, &step);
            scope.spawn(move || {
                let mut tools = make();
                while let Some(&piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.is_stopped() {
                        return;
                    }
                    let Some(result) = step(&mut tools, piece).transpose() else { return };
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in finished {
            if let Err(error) = result.and_then(&mut on_done) {
                failure.get_or_insert(error);
                stop.stop();
            }
        }
    });
    failure.map_or(Ok(()), Err)
}
