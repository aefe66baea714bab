//! One run from its announcement to its last game: jobs go out, reports come in and are told, and only then leave the server.
//!
//! A report about games that are known is acknowledged and nothing else, so it does not matter how often games are played.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use async_nats::jetstream::{
    self,
    consumer::{AckPolicy, PullConsumer, pull},
};
use futures_util::StreamExt;
use serde_json::json;
use tokio::{
    sync::mpsc::{self, Receiver},
    task::JoinHandle,
};

use crate::{
    admission,
    attribution::Attribution,
    bucket::entries,
    checks::Checks,
    error::ClusterError,
    link::Link,
    message::{
        Announcement, Aside, Outcome, PROTOCOL, Progress, Report, VERSION, consumer_name, json as text, now,
    },
    order::{self, Games},
    outgoing::{Outgoing, Wanted},
    store::{self, sha256},
    workers::{HandOut, Remark},
};

/// What a course tells.
pub(crate) enum Told {
    /// Games, and the bytes that followed the reports.
    Over(Vec<(Outcome, Vec<u8>)>),
    /// Games that do not count.
    Withdrawn(Vec<u64>),
}

/// What listens to a course; it has written down what it was told when it returns.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(Told) -> Result<(), ClusterError>;

/// A job fails for good after so many failures.
const ATTEMPTS: usize = 3;
/// Reports that are told together, so that one write to the disk serves them all.
const TOGETHER: usize = 256;
/// A coordinator that was silent for so long is gone.
const LEASE: u64 = 5;

/// A run under way.
pub(crate) struct Course<'a> {
    pub(crate) link: &'a Link,
    pub(crate) settings: &'a HandOut,
    pub(crate) remark: &'a Remark,
    pub(crate) name: &'a str,
    pub(crate) games: Games,
    jobs: Outgoing<'a>,
    /// The name of the run.
    pub(crate) run: String,
    announcement: Announcement,
    /// What a worker must show, and its hash.
    behaviour: serde_json::Value,
    proof: String,
    failures: BTreeMap<u64, Vec<String>>,
    dead: BTreeMap<u64, (usize, String)>,
    aside: BTreeSet<String>,
    /// Workers that have reported something.
    heard: BTreeSet<String>,
    /// When the jobs were last compared with those on the server.
    audited: Instant,
    done: u64,
    /// When the latest games were over.
    recent: std::collections::VecDeque<(Instant, u64)>,
}

impl<'a> Course<'a> {
    pub(crate) fn new(
        link: &'a Link,
        settings: &'a HandOut,
        remark: &'a Remark,
        name: &'a str,
        (games, order): (Games, String),
        wanted: Wanted<'a>,
    ) -> Result<Course<'a>, ClusterError> {
        let behaviour = games.behaviour()?;
        // The same games have the same name, whoever hands them out, and other behaviour makes other games.
        let first = if wanted.file.is_some() { 0 } else { wanted.numbers.start };
        let id = json!({ "protocol": PROTOCOL, "order": order, "behaviour": behaviour, "unit": wanted.unit, "first": first });
        let run = sha256(id.to_string().as_bytes())[..16].to_owned();
        let proof = sha256(behaviour.to_string().as_bytes());
        let done = wanted.numbers.clone().filter(|&game| (wanted.there)(game)).count() as u64;
        let announcement = Announcement {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            title: order::title(&games, wanted.file),
            order,
            unit: wanted.unit,
            ack_wait: settings.ack_wait.as_millis() as u64,
            spread: 0,
        };
        Ok(Course {
            link,
            settings,
            remark,
            name,
            games,
            jobs: Outgoing::new(wanted),
            run,
            announcement,
            behaviour,
            proof,
            failures: BTreeMap::new(),
            dead: BTreeMap::new(),
            aside: BTreeSet::new(),
            heard: BTreeSet::new(),
            audited: Instant::now(),
            done,
            recent: std::collections::VecDeque::new(),
        })
    }

    /// Plays all games, or until it is stopped.
    pub(crate) async fn run(
        mut self,
        mut attribution: Attribution,
        tell: Tell<'_>,
    ) -> Result<(), ClusterError> {
        self.take_over().await?;
        let results = self.announce().await?;
        let deterministic = self.games.are_deterministic();
        let mut checks = Checks::new(if deterministic { self.settings.check } else { 0.0 });
        let admitting =
            admission::serve(self.link, &self.run, self.behaviour.clone(), self.remark.clone()).await?;
        let info = results.cached_info();
        // Reports that wait come first: what they tell of need not go out.
        let mut waiting = info.num_pending as usize + info.num_ack_pending;
        let (mut reports, reading) = read(results);
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        let begin = Instant::now();
        let result = loop {
            let is_late = begin.elapsed() > Duration::from_secs(5);
            let may_refill = (waiting == 0 || is_late) && self.jobs.have_room(self.settings.ahead);
            tokio::select! {
                first = reports.recv() => {
                    let mut batch: Vec<_> = first.into_iter().collect();
                    while batch.len() < TOGETHER && let Ok(more) = reports.try_recv() {
                        batch.push(more);
                    }
                    waiting = waiting.saturating_sub(batch.len());
                    if let Err(error) = self.take(batch, &mut checks, &mut attribution, tell).await {
                        break Err(error);
                    }
                }
                () = std::future::ready(()), if may_refill => {
                    if let Err(error) = self.jobs.refill(self.link, &self.run, self.settings.ahead).await {
                        (self.remark)(format!("{error}; trying again"));
                        tokio::time::sleep(Duration::from_millis(500)).await;
                    }
                }
                _ = ticks.tick() => {
                    if let Err(error) = self.look_around(&mut checks, &attribution, tell).await {
                        break Err(error);
                    }
                }
            }
            if self.jobs.wanted.stop.is_stopped() {
                break Ok(());
            }
            if self.jobs.are_over() && checks.are_over() {
                break self.verdict();
            }
        };
        checks.remark(self.remark);
        admitting.abort();
        reading.abort();
        self.withdraw().await;
        result
    }

    /// Fails if another coordinator hands these games out; one that has ended without a word is waited for.
    async fn take_over(&self) -> Result<(), ClusterError> {
        let begin = now();
        loop {
            let known = self.link.progress.get(&self.run).await.ok().flatten();
            let known = known.and_then(|bytes| serde_json::from_slice::<Progress>(&bytes).ok());
            let Some(there) =
                known.filter(|there| there.coordinator != self.name && there.told + LEASE > now())
            else {
                return Ok(());
            };
            if now() > begin + 2 * LEASE {
                return Err(ClusterError::Busy { coordinator: there.coordinator });
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Makes the run known; where its reports come in.
    async fn announce(&mut self) -> Result<PullConsumer, ClusterError> {
        let failed = ClusterError::server("announce the games");
        let name = consumer_name(&self.run);
        let consumer = |stream: &str, ack_wait| pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: format!("tengen.{stream}.{}.>", self.run),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        let jobs = consumer("jobs", self.settings.ack_wait);
        self.link.jobs.create_consumer(jobs).await.map_err(ClusterError::server("hand out jobs"))?;
        let results = self.link.results.create_consumer(consumer("results", Duration::from_mins(1))).await;
        let workers = self.workers_there().await.len() as u64;
        // A tenth of a second for each worker: a minute for 600 of them and more.
        self.announcement.spread = (100 * workers).min(60_000);
        self.link.runs.put(&self.run, text(&self.announcement).into()).await.map_err(failed)?;
        results.map_err(ClusterError::server("collect results"))
    }

    /// Removes the run from the server.
    async fn withdraw(&self) {
        let name = consumer_name(&self.run);
        // What cannot be removed is forgotten by the server in time.
        let _ = self.link.runs.purge(&self.run).await;
        let _ = self.link.progress.purge(&self.run).await;
        let _ = self.link.jobs.purge().filter(format!("tengen.jobs.{}.>", self.run)).await;
        let _ = self.link.results.purge().filter(format!("tengen.results.{}.>", self.run)).await;
        let _ = self.link.jobs.delete_consumer(&name).await;
        let _ = self.link.results.delete_consumer(&name).await;
    }

    fn verdict(&self) -> Result<(), ClusterError> {
        match self.dead.values().next() {
            None => Ok(()),
            Some((_, reason)) => Err(ClusterError::Dead {
                games: self.dead.values().map(|(games, _)| games).sum(),
                reason: reason.clone(),
            }),
        }
    }

    /// Takes reports: tells of what they bring, and has the server forget them.
    async fn take(
        &mut self,
        batch: Vec<jetstream::Message>,
        checks: &mut Checks,
        attribution: &mut Attribution,
        tell: Tell<'_>,
    ) -> Result<(), ClusterError> {
        let (mut over, mut played_by, mut to_check) = (Vec::new(), Vec::new(), Vec::new());
        let mut taken = Vec::new();
        for message in &batch {
            let read = match self.read(message).await {
                Ok(read) => read,
                // The server sends it once more.
                Err(error) => {
                    (self.remark)(error.to_string());
                    continue;
                }
            };
            taken.push(message);
            let Some((report, records)) = read else { continue };
            let Report { job, worker, outcome, .. } = report;
            self.heard.insert(worker.clone());
            if report.is_check {
                if let Some(doubt) = checks.compare(job, &worker, &outcome) {
                    self.settle(doubt, checks, attribution, tell).await?;
                }
                continue;
            }
            let games = self.jobs.expected(job);
            match outcome {
                Outcome::Failed { reason, sequence, is_final } if self.jobs.of(job).is_some() => {
                    let failed =
                        self.failed(job, format!("{reason} (worker {worker})"), sequence, is_final).await;
                    // Then after the next failure.
                    failed.unwrap_or_else(|error| (self.remark)(error.to_string()));
                }
                outcome if !games.is_empty() && numbers(&outcome) == games => {
                    self.jobs.finish(job);
                    self.failures.remove(&job);
                    played_by.extend(games.iter().map(|&game| (game, worker.clone())));
                    to_check.push((job, games, worker, outcome.clone()));
                    over.push((outcome, records));
                }
                // Games of another time, when others were missing: the audit has the job played again.
                _ => {}
            }
        }
        if !over.is_empty() {
            self.done += played_by.len() as u64;
            self.recent.push_back((Instant::now(), played_by.len() as u64));
            attribution.add(&played_by)?;
            tell(Told::Over(over))?;
        }
        for message in taken {
            message.ack().await.map_err(ClusterError::server("forget a result"))?;
        }
        for (job, games, worker, outcome) in to_check {
            checks.consider(self.link, &self.run, job, games, worker, outcome).await;
        }
        Ok(())
    }

    /// A report, if it can be read and its worker is one of ours.
    async fn read(&self, message: &jetstream::Message) -> Result<Option<(Report, Vec<u8>)>, ClusterError> {
        let payload = &message.payload;
        let end = payload.iter().position(|&byte| byte == b'\n').unwrap_or(payload.len());
        let Ok(report) = serde_json::from_slice::<Report>(&payload[..end]) else {
            (self.remark)(
                "a report that cannot be read was left out: is a worker of another version there?".to_owned(),
            );
            return Ok(None);
        };
        if report.proof != self.proof || self.aside.contains(&report.worker) {
            return Ok(None);
        }
        let records = match &report.outcome {
            Outcome::SelfPlay { object: Some(sha), .. } => {
                let bytes = store::get(&self.link.objects, sha).await?;
                let _ = self.link.objects.delete(sha).await;
                bytes
            }
            _ => payload.get(end + 1..).unwrap_or_default().to_vec(),
        };
        Ok(Some((report, records)))
    }

    /// A job has failed: after three times it goes to the dead letters.
    async fn failed(
        &mut self,
        job: u64,
        reason: String,
        sequence: u64,
        is_final: bool,
    ) -> Result<(), ClusterError> {
        let failures = self.failures.entry(job).or_default();
        failures.push(reason.clone());
        if failures.len() < ATTEMPTS && !is_final {
            return Ok(());
        }
        let games = self.jobs.of(job).cloned().unwrap_or_default();
        let letter = json!({ "run": self.run, "job": job, "games": games, "reasons": failures });
        let subject = format!("tengen.dead.{}.{job}", self.run);
        let failed = ClusterError::server("keep a dead letter");
        let acknowledgement =
            self.link.jetstream.publish(subject, text(&letter).into()).await.map_err(&failed)?;
        acknowledgement.await.map_err(&failed)?;
        let _ = self.link.jobs.delete_message(sequence).await;
        self.jobs.finish(job);
        (self.remark)(format!("job {job} was given up: {reason}"));
        self.dead.insert(job, (games.len(), reason));
        Ok(())
    }

    /// Two workers have given different games: our own tell who is right.
    async fn settle(
        &mut self,
        doubt: crate::checks::Doubt,
        checks: &mut Checks,
        attribution: &mut Attribution,
        tell: Tell<'_>,
    ) -> Result<(), ClusterError> {
        let right = self.games.play(&doubt.games, self.jobs.wanted.stop)?;
        let Some((right, records)) = right else { return Ok(()) };
        for (worker, outcome) in &doubt.said {
            if order::are_equal(outcome, &right) || !self.aside.insert(worker.clone()) {
                continue;
            }
            let games = &doubt.games;
            let reason =
                format!("it played games {games:?} of {} differently from here", self.announcement.title);
            let aside = Aside { reason: reason.clone(), purge: false };
            if let Err(error) = self.link.aside.put(worker, text(&aside).into()).await {
                (self.remark)(format!("worker {worker} could not be told that it is set aside: {error}"));
            }
            (self.remark)(format!(
                "worker {worker} is set aside: {reason}; `tengen jobs --purge {worker}` takes its results back"
            ));
        }
        if self.can_withdraw() && !order::are_equal(&doubt.said[0].1, &right) {
            tell(Told::Withdrawn(doubt.games.clone()))?;
            let here = self.name.replace(' ', "-");
            attribution.add(&doubt.games.iter().map(|&game| (game, here.clone())).collect::<Vec<_>>())?;
            tell(Told::Over(vec![(right, records)]))?;
        }
        checks.forget(doubt.job);
        Ok(())
    }

    /// What is done every second: says how far it is, and looks for workers that were set aside.
    async fn look_around(
        &mut self,
        checks: &mut Checks,
        attribution: &Attribution,
        tell: Tell<'_>,
    ) -> Result<(), ClusterError> {
        let begin = Instant::now().checked_sub(Duration::from_mins(1));
        self.recent.retain(|(when, _)| begin.is_none_or(|begin| *when >= begin));
        let seconds = self.recent.front().map_or(1.0, |(when, _)| when.elapsed().as_secs_f64().max(1.0));
        let games: u64 = self.recent.iter().map(|(_, games)| games).sum();
        let progress = Progress {
            coordinator: self.name.to_owned(),
            title: self.announcement.title.clone(),
            planned: self.jobs.wanted.numbers.end - self.jobs.wanted.numbers.start,
            done: self.done,
            failed: self.dead.values().map(|(games, _)| *games as u64).sum(),
            unit: self.jobs.wanted.unit,
            per_minute: (600.0 * games as f64 / seconds).round() / 10.0,
            told: now(),
        };
        // A server that is away for a moment is no reason to give up.
        let _ = self.link.progress.put(&self.run, text(&progress).into()).await;
        if self.audited.elapsed() >= self.settings.ack_wait {
            self.audited = Instant::now();
            let _ = self.jobs.audit(self.link, &self.run).await;
        }
        if checks.are_waiting() && self.jobs.is_quiet() {
            let there = self.workers_there().await;
            let can = |worker: &String| self.heard.contains(worker) && !self.aside.contains(worker);
            checks.give_up_without(&there.into_iter().filter(can).collect::<Vec<_>>());
        }
        let Ok(aside) = entries(&self.link.aside).await else { return Ok(()) };
        for (worker, bytes) in &aside {
            let Ok(aside) = serde_json::from_slice::<Aside>(bytes) else { continue };
            self.aside.insert(worker.clone());
            if aside.purge {
                self.take_back(worker, attribution, tell)?;
            }
        }
        self.aside.retain(|worker| aside.iter().any(|(name, _)| name == worker));
        Ok(())
    }

    async fn workers_there(&self) -> Vec<String> {
        let Ok(store) = self.link.workers().await else { return Vec::new() };
        let workers = entries(&store).await.unwrap_or_default();
        workers.into_iter().map(|(name, _)| name).collect()
    }

    /// Whether games can be taken back: those of self-play were learned from.
    fn can_withdraw(&self) -> bool {
        matches!(self.games, Games::Match(_))
    }

    /// Takes the games of a worker back, and has them played again.
    fn take_back(
        &mut self,
        worker: &str,
        attribution: &Attribution,
        tell: Tell<'_>,
    ) -> Result<(), ClusterError> {
        if !self.can_withdraw() {
            return Ok(());
        }
        let games = self.jobs.played(attribution.of(worker));
        if games.is_empty() {
            return Ok(());
        }
        (self.remark)(format!("{} games of worker {worker} are taken back and played again", games.len()));
        self.done -= (games.len() as u64).min(self.done);
        self.jobs.take_back(&games);
        tell(Told::Withdrawn(games))
    }
}

/// The numbers of the games that a report tells of.
fn numbers(outcome: &Outcome) -> Vec<u64> {
    match outcome {
        Outcome::Games(records) => records.iter().map(|record| record.game as u64).collect(),
        Outcome::SelfPlay { games, .. } => games.iter().map(|game| game.number).collect(),
        Outcome::Failed { .. } => Vec::new(),
    }
}

/// Reads reports, whatever happens to the connection.
fn read(results: PullConsumer) -> (Receiver<jetstream::Message>, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel(TOGETHER);
    let reading = tokio::spawn(async move {
        loop {
            // Without a sign of life the server was restarted, and knows nothing of what was asked.
            let stream = results.stream().expires(Duration::from_secs(15)).heartbeat(Duration::from_secs(3));
            if let Ok(mut messages) = stream.messages().await {
                while let Some(message) = messages.next().await {
                    let Ok(message) = message else { break };
                    if sender.send(message).await.is_err() {
                        return;
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    (receiver, reading)
}
