//! Games that are replayed by another worker, and what comes of it.

use std::collections::BTreeMap;

use crate::{
    link::Link,
    message::{Job, Outcome, job_subject, json},
    order::are_equal,
    store::sha256,
    workers::Remark,
};

/// Games that two workers have played differently.
pub(crate) struct Doubt {
    pub(crate) job: u64,
    pub(crate) games: Vec<u64>,
    /// The two, the one whose games counted first.
    pub(crate) said: [(String, Outcome); 2],
}

/// The checks of a run.
pub(crate) struct Checks {
    share: f64,
    waiting: BTreeMap<u64, (Vec<u64>, String, Outcome)>,
    checked: usize,
    unchecked: usize,
}

impl Checks {
    /// Checks of this share of the jobs.
    pub(crate) fn new(share: f64) -> Checks {
        Checks { share, waiting: BTreeMap::new(), checked: 0, unchecked: 0 }
    }

    /// Whether a job is one of those that are checked: whoever plays it cannot know.
    fn is_chosen(&self, run: &str, job: u64, worker: &str) -> bool {
        let hash = sha256(format!("{run} {job} {worker} {}", std::process::id()).as_bytes());
        let number = u32::from_str_radix(&hash[..8], 16).unwrap_or(u32::MAX);
        f64::from(number) < self.share * f64::from(u32::MAX)
    }

    /// Has a job replayed, if it is one of those.
    pub(crate) async fn consider(
        &mut self,
        link: &Link,
        run: &str,
        job: u64,
        games: Vec<u64>,
        worker: String,
        outcome: Outcome,
    ) {
        if !self.is_chosen(run, job, &worker) {
            return;
        }
        let message = Job { number: job, games: games.clone(), check: Some(worker.clone()) };
        // A check that does not reach the server is one less.
        let sent = link.jetstream.publish(job_subject(run, job, true), json(&message).into()).await;
        if let Ok(acknowledgement) = sent
            && acknowledgement.await.is_ok()
        {
            self.waiting.insert(job, (games, worker, outcome));
        }
    }

    /// A job was replayed: whether it went otherwise.
    pub(crate) fn compare(&mut self, job: u64, worker: &str, outcome: &Outcome) -> Option<Doubt> {
        let (_, first, _) = self.waiting.get(&job)?;
        if first == worker {
            return None;
        }
        let (games, first, before) = self.waiting.remove(&job)?;
        if matches!(outcome, Outcome::Failed { .. }) {
            self.unchecked += 1;
            return None;
        }
        self.checked += 1;
        let said = [(first, before), (worker.to_owned(), outcome.clone())];
        (!are_equal(&said[0].1, &said[1].1)).then_some(Doubt { job, games, said })
    }

    /// Forgets a job.
    pub(crate) fn forget(&mut self, job: u64) {
        self.waiting.remove(&job);
    }

    /// Whether there are checks that nobody has made yet.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Gives up waiting for checks that none of these workers can make, as it has played the games itself.
    pub(crate) fn give_up_without(&mut self, checkers: &[String]) {
        let before = self.waiting.len();
        self.waiting.retain(|_, (_, first, _)| checkers.iter().any(|worker| worker != first));
        self.unchecked += before - self.waiting.len();
    }

    /// Whether nothing is waited for.
    pub(crate) fn are_over(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Tells what was checked, if something was to be.
    pub(crate) fn remark(&self, remark: &Remark) {
        if self.unchecked > 0 {
            remark(format!(
                "{} jobs could not be checked: no other worker was there to replay them",
                self.unchecked
            ));
        } else if self.checked > 0 {
            remark(format!("{} jobs were replayed by another worker", self.checked));
        }
    }
}
