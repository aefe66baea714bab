//! What goes on: the workers that are there, and the runs with their games.

use async_nats::jetstream::consumer::pull;
use serde::Serialize;

use crate::{
    bucket::entries,
    error::ClusterError,
    link::{Link, Server},
    message::{Aside, Beat, Progress, consumer_name, is_name, json},
};

/// The state of everything.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// The workers that have said something in the last half minute, by name.
    pub workers: Vec<WorkerStatus>,
    /// Games that wait.
    pub queued: u64,
    /// Games in jobs that a worker has taken.
    pub running: u64,
    /// Games that are over and kept, of all runs.
    pub done: u64,
    /// Games that were given up.
    pub failed: u64,
    /// Games in the last minute.
    pub per_minute: f64,
    /// Seconds until everything is done at this speed, if that can be told.
    pub seconds_left: Option<f64>,
    /// The runs.
    pub runs: Vec<RunStatus>,
}

/// A worker.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// Its cores.
    pub cores: usize,
    /// Games since it was started.
    pub games: u64,
    /// `working`, `waiting`, or why it does neither.
    pub state: String,
    /// Jobs under way.
    pub running: u64,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// Its name.
    pub run: String,
    /// What is played.
    pub title: String,
    /// Who hands it out.
    pub coordinator: String,
    /// Games that are wanted.
    pub planned: u64,
    /// Games that are over and kept.
    pub done: u64,
    /// Games that were given up.
    pub failed: u64,
    /// Games in the last minute.
    pub per_minute: f64,
    /// Seconds since the coordinator said something.
    pub silent: u64,
}

/// A look at a server, and the few things that its operator can do there.
pub struct Observer {
    link: Link,
}

impl Observer {
    /// Connects.
    pub async fn connect(server: &Server) -> Result<Observer, ClusterError> {
        Ok(Observer { link: server.connect(&format!("observer {}", crate::own_name())).await? })
    }

    /// What goes on.
    pub async fn status(&self) -> Result<Status, ClusterError> {
        let mut status = Status::default();
        for (_, bytes) in entries(&self.link.workers().await?).await? {
            if let Ok(Beat { name, cores, games, running, state }) = serde_json::from_slice(&bytes) {
                status.workers.push(WorkerStatus { name, cores, games, state, running });
            }
        }
        for (run, bytes) in entries(&self.link.progress).await? {
            if let Ok(progress) = serde_json::from_slice::<Progress>(&bytes) {
                self.add(&mut status, run, progress).await;
            }
        }
        let left: u64 = status.runs.iter().map(|run| run.planned.saturating_sub(run.done + run.failed)).sum();
        status.seconds_left =
            (status.per_minute > 0.0).then(|| (60.0 * left as f64 / status.per_minute).round());
        Ok(status)
    }

    async fn add(&self, status: &mut Status, run: String, progress: Progress) {
        let consumer = self.link.jobs.get_consumer::<pull::Config>(&consumer_name(&run)).await;
        if let Ok(consumer) = consumer {
            let info = consumer.cached_info();
            status.queued += info.num_pending * progress.unit;
            status.running += info.num_ack_pending as u64 * progress.unit;
        }
        let Progress { coordinator, title, planned, done, failed, per_minute, told, .. } = progress;
        let silent = crate::message::now().saturating_sub(told);
        status.done += done;
        status.failed += failed;
        // A coordinator that is gone counts no games.
        let per_minute = if silent < 60 { per_minute } else { 0.0 };
        status.per_minute += per_minute;
        status.runs.push(RunStatus { run, title, coordinator, planned, done, failed, per_minute, silent });
    }

    /// Sets a worker aside and has its results taken back: now by the coordinators that are there, later by those that go on with
    /// runs in which it took part.
    pub async fn purge(&self, worker: &str) -> Result<(), ClusterError> {
        let aside = Aside { reason: "its results were taken back".to_owned(), purge: true };
        let failed = ClusterError::server("set a worker aside");
        self.link.aside.put(checked(worker)?, json(&aside).into()).await.map_err(failed)?;
        let subject = format!("tengen.results.*.{worker}.>");
        self.link.results.purge().filter(subject).await.map_err(ClusterError::server("remove results"))?;
        Ok(())
    }

    /// Lets a worker play again that was set aside.
    pub async fn readmit(&self, worker: &str) -> Result<(), ClusterError> {
        self.link.aside.purge(checked(worker)?).await.map_err(ClusterError::server("take a worker on again"))
    }

    /// Removes a run that nobody will go on with.
    pub async fn withdraw(&self, run: &str) -> Result<(), ClusterError> {
        let run = checked(run)?;
        let failed = ClusterError::server("remove a run");
        self.link.runs.purge(run).await.map_err(|error| failed(error.to_string()))?;
        self.link.progress.purge(run).await.map_err(|error| failed(error.to_string()))?;
        self.link
            .jobs
            .purge()
            .filter(format!("tengen.jobs.{run}.>"))
            .await
            .map_err(|error| failed(error.to_string()))?;
        self.link
            .results
            .purge()
            .filter(format!("tengen.results.{run}.>"))
            .await
            .map_err(|error| failed(error.to_string()))?;
        for stream in [&self.link.jobs, &self.link.results] {
            // It may never have had one.
            let _ = stream.delete_consumer(&consumer_name(run)).await;
        }
        Ok(())
    }
}

fn checked(name: &str) -> Result<&str, ClusterError> {
    let wrong = || ClusterError::Message(format!("{name:?} is no name that `tengen jobs` shows"));
    if is_name(name) { Ok(name) } else { Err(wrong()) }
}
