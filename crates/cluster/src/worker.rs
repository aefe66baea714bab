//! `tengen work`: takes jobs, as many as the machine has cores, and plays them.
//!
//! A job is acknowledged only when the server has acknowledged its report. What happens in between, whatever it is, costs no game:
//! the server gives the job to somebody else. While games go on the server hears so every third of the time it would wait.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::jetstream::{
    self, AckKind,
    consumer::{PullConsumer, pull},
};
use futures_util::StreamExt;
use tengen_engine::players::StopSignal;
use tokio::{
    runtime::Runtime,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{interval, sleep, timeout},
};

use crate::{
    admission::{self, other_version},
    bucket,
    error::ClusterError,
    link::{Link, SILENCE, Server},
    message::{
        Announcement, Aside, Beat, Hello, Job, Outcome, PROTOCOL, Report, VERSION, Welcome, consumer_name,
        is_name, json,
    },
    order::{self, Games},
    player::Engines,
    store::{self, Cache, sha256},
    workers::Remark,
};

/// What a worker may do.
#[derive(Clone, Debug)]
pub struct WorkOptions {
    /// What it is called; no other worker may have the same name.
    pub name: String,
    /// Games at a time.
    pub cores: usize,
    /// The programs that it may start: command lines by name.
    pub engines: Engines,
    /// Where files are kept that were fetched.
    pub cache: PathBuf,
}

/// A job that was taken so often without a report kills whoever plays it.
const MOST_DELIVERIES: i64 = 10;
/// Reports with more bytes travel as files.
const MOST_BYTES: usize = 512 * 1024;
/// How long a worker waits before it asks again to be taken on.
const PATIENCE: Duration = Duration::from_secs(2);

/// Plays what comes until `stop` is set; games under way are then given back.
pub fn work(
    server: &Server,
    options: WorkOptions,
    stop: &StopSignal,
    remark: &Remark,
) -> Result<(), ClusterError> {
    if !is_name(&options.name) {
        return Err(ClusterError::Message("--name: 1 to 64 letters, digits, - and _".to_owned()));
    }
    let runtime = Runtime::new().map_err(ClusterError::server("be reached"))?;
    runtime.block_on(async {
        let link = server.connect(&format!("worker {}", options.name)).await?;
        remark(format!(
            "worker {} with {} cores waits for games at {}",
            options.name,
            options.cores,
            server.url_shown()
        ));
        let cache = Cache::new(options.cache.clone());
        let worker = Worker {
            link,
            slots: Arc::new(Semaphore::new(options.cores)),
            options,
            cache,
            remark: remark.clone(),
            stop: stop.clone(),
            runs: Mutex::default(),
            state: Mutex::new("waiting".to_owned()),
            played: AtomicU64::new(0),
            running: AtomicU64::new(0),
        };
        Arc::new(worker).run().await
    })
}

/// A run as a worker sees it.
struct Known {
    announcement: Announcement,
    standing: Standing,
    /// Ends its games.
    stop: StopSignal,
}

/// Whether a worker plays for a run.
#[derive(Clone)]
enum Standing {
    /// It has not asked yet, or the answer may have changed.
    Asks(Instant),
    /// It fetches the files, and asks, at its own moment; until then it plays for other runs.
    Waits(Instant),
    Taken(Arc<Ready>),
    Refused,
}

/// What came of asking to be taken on.
enum Asked {
    Taken(Arc<Ready>),
    /// Files are to be fetched at this moment, that of no other worker.
    Waits(Instant),
    /// The coordinator does not answer.
    Alone,
}

/// Everything to play the games of a run.
struct Ready {
    run: String,
    games: Games,
    proof: String,
    consumer: PullConsumer,
    ack_wait: Duration,
    stop: StopSignal,
}

struct Worker {
    link: Link,
    options: WorkOptions,
    cache: Cache,
    remark: Remark,
    stop: StopSignal,
    slots: Arc<Semaphore>,
    runs: Mutex<BTreeMap<String, Known>>,
    state: Mutex<String>,
    played: AtomicU64,
    /// Jobs under way.
    running: AtomicU64,
}

/// How a job ended.
enum End {
    /// With a report.
    Over(Outcome, Vec<u8>),
    /// The run was withdrawn.
    Withdrawn,
    /// The worker ends, or is set aside.
    Interrupted,
}

impl Worker {
    async fn run(self: Arc<Self>) -> Result<(), ClusterError> {
        let mut around = JoinSet::new();
        around.spawn(Arc::clone(&self).beat());
        around.spawn(Arc::clone(&self).follow_runs());
        around.spawn(Arc::clone(&self).follow_standing());
        let mut playing = JoinSet::new();
        while !self.stop.is_stopped() {
            while playing.try_join_next().is_some() {}
            let slot = tokio::select! {
                slot = Arc::clone(&self.slots).acquire_owned() => slot,
                () = sleep(Duration::from_millis(200)) => continue,
            };
            let Ok(slot) = slot else { break };
            match self.next_job().await {
                Some((ready, message)) => {
                    playing.spawn(Arc::clone(&self).play(ready, message, slot));
                }
                None => sleep(Duration::from_millis(100)).await,
            }
        }
        self.each_run(|known| known.stop.stop());
        while playing.join_next().await.is_some() {}
        around.abort_all();
        if let Ok(workers) = self.link.workers().await {
            let _ = workers.purge(&self.options.name).await;
        }
        Ok(())
    }

    fn each_run(&self, act: impl FnMut(&mut Known)) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).values_mut().for_each(act);
    }

    fn set_state(&self, state: &str) {
        let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != state {
            state.clone_into(&mut known);
            if state.starts_with("set aside") {
                (self.remark)(format!(
                    "{state}; its operator can have it taken on again with tengen jobs --readmit {}",
                    self.options.name
                ));
            }
        }
    }

    fn is_aside(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).starts_with("set aside")
    }

    /// Says every few seconds that it is there.
    async fn beat(self: Arc<Self>) {
        let mut ticks = interval(SILENCE / 3);
        let mut store = None;
        loop {
            ticks.tick().await;
            if store.is_none() {
                store = self.link.workers().await.ok();
            }
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let beat = Beat {
                name: self.options.name.clone(),
                cores: self.options.cores,
                games: self.played.load(Ordering::Relaxed),
                running: self.running.load(Ordering::Relaxed),
                state,
            };
            if let Some(workers) = &store
                && workers.put(&self.options.name, json(&beat).into()).await.is_err()
            {
                store = None;
            }
        }
    }

    /// Follows the runs that come and go.
    async fn follow_runs(self: Arc<Self>) {
        let mut changes = bucket::follow(self.link.runs.clone(), ">".to_owned());
        while let Some((run, value)) = changes.recv().await {
            let announcement = value.and_then(|bytes| self.understand(&run, &bytes));
            let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            match announcement {
                // A coordinator that goes on says the same again.
                Some(new) if runs.get(&run).is_some_and(|known| known.announcement.order == new.order) => {}
                Some(announcement) => {
                    let standing = Standing::Asks(Instant::now());
                    runs.insert(run, Known { announcement, standing, stop: StopSignal::default() });
                }
                None => {
                    if let Some(known) = runs.remove(&run) {
                        known.stop.stop();
                    }
                }
            }
            let is_idle = runs.is_empty();
            drop(runs);
            if is_idle && !self.is_aside() {
                self.set_state("waiting");
            }
        }
    }

    /// Follows whether it is set aside.
    async fn follow_standing(self: Arc<Self>) {
        let mut changes = bucket::follow(self.link.aside.clone(), self.options.name.clone());
        while let Some((_, value)) = changes.recv().await {
            match value.and_then(|bytes| serde_json::from_slice::<Aside>(&bytes).ok()) {
                Some(aside) => {
                    self.set_state(&format!("set aside: {}", aside.reason));
                    self.each_run(|known| known.stop.stop());
                }
                None if self.is_aside() => {
                    self.set_state("waiting");
                    self.each_run(|known| {
                        known.stop = StopSignal::default();
                        known.standing = Standing::Asks(Instant::now());
                    });
                }
                None => {}
            }
        }
    }

    /// An announcement, if it is of this version.
    fn understand(&self, run: &str, bytes: &[u8]) -> Option<Announcement> {
        #[derive(serde::Deserialize)]
        struct Versions {
            protocol: u32,
            version: String,
        }
        let reason = match serde_json::from_slice::<Versions>(bytes) {
            Ok(Versions { protocol, version }) => {
                other_version("this worker", PROTOCOL, VERSION, "the coordinator", protocol, &version)
            }
            Err(error) => Some(format!("its announcement cannot be read ({error})")),
        };
        let announcement = serde_json::from_slice(bytes).ok().filter(|_| reason.is_none());
        if announcement.is_none() {
            let reason = reason.unwrap_or_else(|| "its announcement is incomplete".to_owned());
            let state = format!("refuses run {run}: {reason}");
            if *self.state.lock().unwrap_or_else(PoisonError::into_inner) != state {
                (self.remark)(state.clone());
                self.set_state(&state);
            }
        }
        announcement
    }

    /// The next job of any run for which it plays.
    async fn next_job(&self) -> Option<(Arc<Ready>, jetstream::Message)> {
        if self.is_aside() {
            return None;
        }
        let mut last = None;
        for ready in self.taken_on().await {
            if let Some(message) = fetch(&ready.consumer, None).await {
                return Some((ready, message));
            }
            last = Some(ready);
        }
        // Nothing anywhere: the server tells when the last run has something.
        let ready = last?;
        let message = fetch(&ready.consumer, Some(Duration::from_secs(1))).await?;
        Some((ready, message))
    }

    /// The runs for which it plays; those that are new are asked.
    async fn taken_on(&self) -> Vec<Arc<Ready>> {
        let known: Vec<(String, Announcement, Standing, StopSignal)> = {
            let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            let of = |(run, known): (&String, &Known)| {
                (run.clone(), known.announcement.clone(), known.standing.clone(), known.stop.clone())
            };
            runs.iter().map(of).collect()
        };
        let mut taken = Vec::new();
        for (run, announcement, standing, stop) in known {
            let standing = match standing {
                Standing::Taken(ready) => {
                    taken.push(ready);
                    continue;
                }
                Standing::Asks(when) | Standing::Waits(when) if when <= Instant::now() => {
                    let waited = matches!(standing, Standing::Waits(_));
                    match self.ask(&run, &announcement, stop, waited).await {
                        Ok(Asked::Waits(moment)) => Standing::Waits(moment),
                        Ok(Asked::Taken(ready)) => {
                            (self.remark)(format!("plays for {}", announcement.title));
                            self.set_state("working");
                            taken.push(Arc::clone(&ready));
                            Standing::Taken(ready)
                        }
                        Ok(Asked::Alone) | Err(ClusterError::Server { .. }) => {
                            Standing::Asks(Instant::now() + PATIENCE)
                        }
                        Err(error) => {
                            let state = format!("refused for {}: {error}", announcement.title);
                            (self.remark)(state.clone());
                            self.set_state(&state);
                            Standing::Refused
                        }
                    }
                }
                other => other,
            };
            if let Some(known) = self.runs.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&run) {
                known.standing = standing;
            }
        }
        taken
    }

    /// Makes a run's games ready, and shows the coordinator how the players behave here. New files, such as the next network of a run that
    /// learns, are fetched at a moment of its own, so that not all workers come at once.
    async fn ask(
        &self,
        run: &str,
        announcement: &Announcement,
        stop: StopSignal,
        has_waited: bool,
    ) -> Result<Asked, ClusterError> {
        let order = order::fetch(&self.link, &announcement.order).await?;
        if !has_waited && announcement.spread > 0 && order.needs_files(&self.cache) {
            let moment = own_moment(&self.options.name, run, announcement.spread);
            return Ok(Asked::Waits(Instant::now() + moment));
        }
        let games = Box::pin(order.build(&self.link, &self.cache, &self.options.engines)).await?;
        let threads = games.threads();
        if threads > self.options.cores {
            return Err(ClusterError::Message(format!(
                "its players search with {threads} threads, and this worker has {} cores: give it more with --cores",
                self.options.cores
            )));
        }
        let (games, behaviour) = tokio::task::spawn_blocking(move || {
            let behaviour = games.behaviour();
            (games, behaviour)
        })
        .await
        .map_err(|error| ClusterError::Message(format!("the players fail here: {error}")))?;
        let behaviour = behaviour?;
        let proof = sha256(behaviour.to_string().as_bytes());
        let hello = Hello {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            worker: self.options.name.clone(),
            behaviour,
        };
        let Ok(answer) = self.link.client.request(admission::subject(run), json(&hello).into()).await else {
            return Ok(Asked::Alone);
        };
        let Ok(welcome) = serde_json::from_slice::<Welcome>(&answer.payload) else {
            return Ok(Asked::Alone);
        };
        if let Some(reason) = welcome.refused {
            return Err(ClusterError::Message(reason));
        }
        let consumer = self.link.jobs.get_consumer::<pull::Config>(&consumer_name(run)).await;
        let consumer = consumer.map_err(ClusterError::server("give jobs"))?;
        let ack_wait = Duration::from_millis(announcement.ack_wait.max(100));
        Ok(Asked::Taken(Arc::new(Ready { run: run.to_owned(), games, proof, consumer, ack_wait, stop })))
    }

    /// Plays a job, from its first game to its acknowledgement.
    async fn play(
        self: Arc<Self>,
        ready: Arc<Ready>,
        message: jetstream::Message,
        slot: OwnedSemaphorePermit,
    ) {
        let Ok(job) = serde_json::from_slice::<Job>(&message.payload) else {
            let _ = message.double_ack_with(AckKind::Term).await;
            return;
        };
        if job.check.as_deref() == Some(&self.options.name) {
            // Somebody else's.
            drop(slot);
            let _ = message.ack_with(AckKind::Nak(Some(Duration::from_secs(1)))).await;
            return;
        }
        // A game of several threads takes as many slots.
        let more = (ready.games.threads() - 1) as u32;
        let Ok(more) = Arc::clone(&self.slots).try_acquire_many_owned(more) else {
            drop(slot);
            let _ = message.ack_with(AckKind::Nak(None)).await;
            sleep(Duration::from_millis(200)).await;
            return;
        };
        self.running.fetch_add(1, Ordering::Relaxed);
        let end = self.play_games(&ready, &job, &message).await;
        self.running.fetch_sub(1, Ordering::Relaxed);
        drop((slot, more));
        match end {
            End::Withdrawn => {
                let _ = message.ack_with(AckKind::Term).await;
            }
            End::Interrupted => {
                let _ = message.ack_with(AckKind::Nak(None)).await;
                let _ = self.link.client.flush().await;
            }
            End::Over(outcome, records) => {
                let failed = matches!(outcome, Outcome::Failed { .. });
                if !self.report(&ready, &job, outcome, records).await {
                    return;
                }
                if failed {
                    let _ = message
                        .ack_with(AckKind::Nak(Some(ready.ack_wait.min(Duration::from_secs(5)))))
                        .await;
                } else {
                    self.played.fetch_add(job.games.len() as u64, Ordering::Relaxed);
                    // If it does not reach the server the job is played again, and counts once.
                    let _ = message.double_ack().await;
                }
            }
        }
    }

    async fn play_games(&self, ready: &Arc<Ready>, job: &Job, message: &jetstream::Message) -> End {
        let info = message.info();
        let (delivered, sequence) = info.map_or((1, 0), |info| (info.delivered, info.stream_sequence));
        let failed =
            |reason: String, is_final| End::Over(Outcome::Failed { reason, sequence, is_final }, Vec::new());
        if delivered > MOST_DELIVERIES && job.check.is_none() {
            return failed(
                format!("it was taken {MOST_DELIVERIES} times, and no worker came to its end"),
                true,
            );
        }
        let stop = StopSignal::default();
        let (playing, games, own) = (Arc::clone(ready), job.games.clone(), stop.clone());
        let mut task = tokio::task::spawn_blocking(move || playing.games.play(&games, &own));
        let mut ticks = interval(ready.ack_wait / 3);
        let mut watch = interval(Duration::from_millis(100));
        let result = loop {
            tokio::select! {
                result = &mut task => break result,
                _ = ticks.tick() => {
                    let _ = message.ack_with(AckKind::Progress).await;
                }
                _ = watch.tick() => {
                    if self.stop.is_stopped() || ready.stop.is_stopped() {
                        stop.stop();
                    }
                }
            }
        };
        match result {
            Ok(Ok(Some((outcome, records)))) => End::Over(outcome, records),
            Ok(Ok(None)) if self.stop.is_stopped() || self.is_aside() => End::Interrupted,
            Ok(Ok(None)) => End::Withdrawn,
            Ok(Err(error)) => failed(error.to_string(), false),
            Err(error) => failed(format!("the program has failed: {error}"), false),
        }
    }

    /// Reports until the server has it; whether it has.
    async fn report(&self, ready: &Ready, job: &Job, mut outcome: Outcome, records: Vec<u8>) -> bool {
        let mut pause = Duration::from_millis(100);
        loop {
            match self.try_report(ready, job, &mut outcome, &records).await {
                Ok(()) => return true,
                Err(_) if self.stop.is_stopped() || ready.stop.is_stopped() => return false,
                Err(_) => sleep(pause).await,
            }
            pause = (pause * 2).min(Duration::from_secs(10));
        }
    }

    async fn try_report(
        &self,
        ready: &Ready,
        job: &Job,
        outcome: &mut Outcome,
        records: &[u8],
    ) -> Result<(), ClusterError> {
        let mut attached = records;
        if let Outcome::SelfPlay { object, .. } = outcome
            && records.len() > MOST_BYTES
        {
            *object = Some(store::put(&self.link.objects, records).await?);
            attached = &[];
        }
        let worker = &self.options.name;
        let report = Report {
            job: job.number,
            worker: worker.clone(),
            proof: ready.proof.clone(),
            is_check: job.check.is_some(),
            outcome: outcome.clone(),
        };
        let mut payload = json(&report);
        payload.push(b'\n');
        payload.extend_from_slice(attached);
        let subject = format!("tengen.results.{}.{worker}.{}", ready.run, job.number);
        let failed = ClusterError::server("take a result");
        let acknowledgement = self.link.jetstream.publish(subject, payload.into()).await.map_err(&failed)?;
        acknowledgement.await.map_err(&failed)?;
        Ok(())
    }
}

/// When a worker fetches the files of a run, within so many milliseconds: the same whenever it is asked, and another for every worker and run.
fn own_moment(worker: &str, run: &str, spread: u64) -> Duration {
    let hash = sha256(format!("{run} {worker}").as_bytes());
    Duration::from_millis(u64::from_str_radix(&hash[..12], 16).unwrap_or(0) % spread)
}

/// A message, if there is one within this time.
pub(crate) async fn fetch(consumer: &PullConsumer, wait: Option<Duration>) -> Option<jetstream::Message> {
    let message = async {
        let messages = match wait {
            None => consumer.fetch().max_messages(1).messages().await,
            Some(wait) => consumer.batch().max_messages(1).expires(wait).messages().await,
        };
        messages.ok()?.next().await?.ok()
    };
    // A server that is restarted answers nothing. What it may have sent is given to somebody else in time.
    timeout(Duration::from_secs(5), message).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_workers_adopt_a_network_all_through_a_minute() {
        let mut seconds = [0; 60];
        for worker in 0..1000 {
            let moment = own_moment(&format!("worker-{worker}"), "run", 60_000);
            seconds[moment.as_secs() as usize] += 1;
            assert_ne!(moment, own_moment(&format!("worker-{worker}"), "another run", 60_000));
        }
        // 16.7 in the mean.
        assert!(seconds.iter().all(|&workers| (3..40).contains(&workers)), "{seconds:?}");
    }
}
