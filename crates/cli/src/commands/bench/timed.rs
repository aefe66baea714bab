//! Something done again and again for some seconds, on several threads: what the benchmarks of networks share.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use serde::Serialize;

use super::Speed;
use crate::{args::BoardSize, output::Output};

/// Where, how long and how.
#[derive(Args)]
pub(super) struct TimedArgs {
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, default_value = "19")]
    pub(super) size: BoardSize,
    /// Threads
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS")]
    seconds: f64,
    /// Do it so many times instead, however long it takes
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    rounds: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// The time it took.
#[derive(Serialize)]
pub(super) struct Timed {
    size: BoardSize,
    pub(super) threads: usize,
    #[serde(flatten)]
    pub(super) speed: Speed,
}

/// What a thread did, of several kinds, and its CPU time.
pub(super) type Done<const KINDS: usize> = ([u64; KINDS], Duration);

impl TimedArgs {
    /// Whether they make sense.
    pub(super) fn check(&self) -> Result<()> {
        ensure!((1..=1024).contains(&self.threads), "--threads {}: must be from 1 to 1024", self.threads);
        ensure!(self.seconds > 0.0 && self.seconds <= 1e6, "--seconds {}: must be more than 0", self.seconds);
        ensure!(self.rounds != Some(0), "--rounds 0: must be at least 1");
        Ok(())
    }

    /// Runs `work` on each thread, which is told its number. The first kind of what is done counts for the speed.
    pub(super) fn run<const KINDS: usize>(
        &self,
        output: &Output,
        work: impl Fn(u64) -> Done<KINDS> + Sync,
    ) -> ([u64; KINDS], Timed) {
        let spinner = output.spinner("measuring");
        let begin = Instant::now();
        let done: Vec<Done<KINDS>> = thread::scope(|scope| {
            let work = &work;
            let workers: Vec<_> =
                (0..self.threads).map(|thread| scope.spawn(move || work(thread as u64))).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a benchmark thread does not panic"))
                .collect()
        });
        let seconds = begin.elapsed().as_secs_f64();
        drop(spinner);
        let mut sums = [0; KINDS];
        let mut cpu_seconds = 0.0;
        for (counts, cpu) in done {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            cpu_seconds += cpu.as_secs_f64();
        }
        let Self { size, threads, .. } = *self;
        (sums, Timed { size, threads, speed: Speed::new(sums[0], seconds, cpu_seconds) })
    }

    /// Repeats a step, which says what it did, for as long as was asked for.
    pub(super) fn repeat<const KINDS: usize>(&self, mut step: impl FnMut() -> [u64; KINDS]) -> Done<KINDS> {
        // The first one touches fresh memory.
        step();
        let (begin, cpu) = (Instant::now(), ThreadTime::now());
        let mut sums = [0; KINDS];
        let goes_on = |done: u64, rounds: u64| match self.rounds {
            Some(all) => rounds < all,
            None => done == 0 || begin.elapsed().as_secs_f64() < self.seconds,
        };
        let mut rounds = 0;
        while goes_on(sums[0], rounds) {
            rounds += 1;
            sums.iter_mut().zip(step()).for_each(|(sum, count)| *sum += count);
        }
        (sums, cpu.elapsed())
    }
}
