//! The jobs of a run: which are out, which are to go out, which are over.
//!
//! The server has at most a certain number of jobs at a time. A job has a subject of its own, on which the server keeps one message: a
//! coordinator that starts again may publish what is there already.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::Path,
};

use async_nats::jetstream::context::PublishError;
use futures_util::StreamExt;
use tengen_engine::players::StopSignal;

use crate::{
    error::ClusterError,
    link::Link,
    message::{Job, job_subject, json},
};

/// Which games are wanted.
pub(crate) struct Wanted<'a> {
    /// Games in a job.
    pub(crate) unit: u64,
    pub(crate) numbers: Range<u64>,
    /// Whether a game is there already.
    pub(crate) there: &'a dyn Fn(u64) -> bool,
    /// Where results are kept.
    pub(crate) file: Option<&'a Path>,
    pub(crate) stop: &'a StopSignal,
}

/// Jobs that are published together.
const TOGETHER: usize = 64;

/// The jobs of a run.
pub(crate) struct Outgoing<'a> {
    pub(crate) wanted: Wanted<'a>,
    /// The next job that was not out yet.
    next: u64,
    /// Jobs that are to go out again, and those that are out, with the games that are missing.
    again: BTreeMap<u64, Vec<u64>>,
    out: BTreeMap<u64, Vec<u64>>,
    /// Jobs that were reported before they went out: they were out before the coordinator was started again.
    early: BTreeSet<u64>,
    /// Jobs that were not on the server at the last audit.
    lost: BTreeSet<u64>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(wanted: Wanted<'a>) -> Outgoing<'a> {
        Outgoing {
            next: wanted.numbers.start / wanted.unit,
            wanted,
            again: BTreeMap::new(),
            out: BTreeMap::new(),
            early: BTreeSet::new(),
            lost: BTreeSet::new(),
        }
    }

    /// Whether nothing is left to be played.
    pub(crate) fn are_over(&self) -> bool {
        self.is_quiet() && self.next * self.wanted.unit >= self.wanted.numbers.end
    }

    /// Whether no job is out or about to go out again.
    pub(crate) fn is_quiet(&self) -> bool {
        self.out.is_empty() && self.again.is_empty()
    }

    /// The games of a job that is out.
    pub(crate) fn of(&self, job: u64) -> Option<&Vec<u64>> {
        self.out.get(&job)
    }

    /// The games of a job that are not there yet.
    fn missing(&self, job: u64) -> Vec<u64> {
        let (unit, Range { start, end }) = (self.wanted.unit, self.wanted.numbers.clone());
        let numbers = (job * unit).max(start)..((job + 1) * unit).min(end);
        numbers.filter(|&game| !(self.wanted.there)(game)).collect()
    }

    /// The games for which a report of this job is of use.
    pub(crate) fn expected(&self, job: u64) -> Vec<u64> {
        match self.out.get(&job) {
            Some(games) => games.clone(),
            None if job >= self.next && !self.early.contains(&job) => self.missing(job),
            None => Vec::new(),
        }
    }

    /// A job is over, whether its games were played or given up.
    pub(crate) fn finish(&mut self, job: u64) {
        if self.out.remove(&job).is_none() {
            self.early.insert(job);
        }
    }

    /// Of these games those that count as played.
    pub(crate) fn played(&self, games: impl Iterator<Item = u64>) -> Vec<u64> {
        let is_played = |game: &u64| {
            let job = game / self.wanted.unit;
            let waits = [&self.out, &self.again]
                .iter()
                .any(|jobs| jobs.get(&job).is_some_and(|games| games.contains(game)));
            let came = job < self.next || self.early.contains(&job) || (self.wanted.there)(*game);
            self.wanted.numbers.contains(game) && !waits && came
        };
        games.filter(is_played).collect()
    }

    /// Has games played again that counted as played.
    pub(crate) fn take_back(&mut self, games: &[u64]) {
        let mut early = BTreeSet::new();
        for &game in games {
            let job = game / self.wanted.unit;
            if self.early.contains(&job) {
                // It goes out in its turn.
                early.insert(job);
            } else {
                self.again.entry(job).or_default().push(game);
            }
        }
        self.early.retain(|job| !early.contains(job));
    }

    /// The next jobs that can go out.
    fn batch(&mut self, room: usize) -> Vec<(u64, Vec<u64>)> {
        let mut batch = Vec::new();
        while batch.len() < room {
            // A job that is out goes out again when its report has come.
            let again = self.again.keys().find(|job| !self.out.contains_key(*job)).copied();
            if let Some((job, games)) = again.and_then(|job| self.again.remove_entry(&job)) {
                batch.push((job, games));
                continue;
            }
            if self.next * self.wanted.unit >= self.wanted.numbers.end {
                break;
            }
            let job = self.next;
            self.next += 1;
            let games = if self.early.remove(&job) { Vec::new() } else { self.missing(job) };
            if self.out.contains_key(&job) {
                self.again.entry(job).or_default().extend(games);
            } else if !games.is_empty() {
                batch.push((job, games));
            }
        }
        batch
    }

    /// Whether the server is to have more jobs.
    pub(crate) fn have_room(&self, ahead: usize) -> bool {
        let more = self.next * self.wanted.unit < self.wanted.numbers.end;
        self.out.len() < ahead && (more || self.again.keys().any(|job| !self.out.contains_key(job)))
    }

    /// Puts some more jobs on the server.
    pub(crate) async fn refill(&mut self, link: &Link, run: &str, ahead: usize) -> Result<(), ClusterError> {
        let batch = self.batch(TOGETHER.min(ahead.saturating_sub(self.out.len())));
        let mut sent = Vec::new();
        for (job, games) in &batch {
            let message = Job { number: *job, games: games.clone(), check: None };
            sent.push(link.jetstream.publish(job_subject(run, *job, false), json(&message).into()).await);
        }
        let mut failure = Ok(());
        for ((job, games), sent) in batch.into_iter().zip(sent) {
            let acknowledged = match sent {
                Ok(acknowledgement) => acknowledgement.await,
                Err(error) => Err(error),
            };
            match acknowledged {
                Err(error) if !is_there_already(&error) => {
                    self.again.insert(job, games);
                    failure = Err(ClusterError::server("take a job")(error));
                }
                _ => {
                    self.out.insert(job, games);
                }
            }
        }
        failure
    }

    /// Compares the jobs that are out with those on the server. What is missing there twice is put there again: its report was of no
    /// use, or the server has lost it.
    pub(crate) async fn audit(&mut self, link: &Link, run: &str) -> Result<(), ClusterError> {
        let subjects = link.jobs.info_with_subjects(format!("tengen.jobs.{run}.>"));
        let mut subjects = subjects.await.map_err(ClusterError::server("list jobs"))?;
        let mut there = BTreeSet::new();
        while let Some(subject) = subjects.next().await {
            there.insert(subject.map_err(ClusterError::server("list jobs"))?.0);
        }
        let is_lost = |job: &u64| !there.contains(&job_subject(run, *job, false));
        let lost: BTreeSet<u64> = self.out.keys().copied().filter(is_lost).collect();
        for job in self.lost.intersection(&lost) {
            if let Some(games) = self.out.remove(job) {
                self.again.entry(*job).or_default().extend(games);
            }
        }
        self.lost = lost;
        Ok(())
    }
}

/// Whether the server has a message on this subject.
fn is_there_already(error: &PublishError) -> bool {
    format!("{error:?} {error}").contains("per subject")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_goes_out_once_unless_it_is_taken_back() {
        let stop = StopSignal::default();
        let there = |game: u64| game < 3;
        let wanted = Wanted { unit: 2, numbers: 0..9, there: &there, file: None, stop: &stop };
        let mut jobs = Outgoing::new(wanted);
        // A report that has waited for the coordinator.
        assert_eq!(jobs.expected(3), [6, 7]);
        jobs.finish(3);
        assert!(jobs.expected(3).is_empty() && jobs.expected(0).is_empty());
        let batch = jobs.batch(10);
        assert_eq!(batch, [(1, vec![3]), (2, vec![4, 5]), (4, vec![8])]);
        jobs.out.extend(batch);
        assert!(!jobs.are_over() && !jobs.have_room(100) && jobs.batch(10).is_empty());
        jobs.finish(1);
        assert!(jobs.expected(1).is_empty(), "a second report is of no use");
        assert_eq!(jobs.played(0..9), [0, 1, 2, 3, 6, 7]);
        jobs.take_back(&[2, 3, 7]);
        assert_eq!(jobs.batch(10), [(1, vec![2, 3]), (3, vec![7])]);
        jobs.finish(2);
        jobs.finish(4);
        assert!(jobs.are_over());
    }
}
