//! Workers of another version, and workers that do not tell the truth.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use async_nats::jetstream::consumer::pull;
use tengen_engine::{players::StopSignal, time::TimeSettings};
use tengen_lab::{
    matches::{self, GameRecord, Journal, MatchConfig, Openings, Referee},
    venue::Here,
};
use tengen_testing::NatsServer;
use tokio::{runtime::Runtime, time::sleep};

use crate::{
    HandOut, PROTOCOL, Remark, Server, WorkOptions, Workers, admission,
    bucket::entries,
    link::Link,
    message::{Announcement, Hello, Job, Outcome, Report, VERSION, Welcome, consumer_name, json},
    order::Games,
    store::sha256,
    work,
    worker::fetch,
};

fn config(seed: u64) -> MatchConfig {
    MatchConfig {
        a: "uct,playouts=20".parse().unwrap(),
        b: "random".parse().unwrap(),
        width: 5,
        height: 5,
        rules: tengen_board::Rules::TROMP_TAYLOR,
        black: None,
        openings: Openings::Random(2),
        clock_a: TimeSettings::Unlimited,
        clock_b: TimeSettings::Unlimited,
        referee: Referee::Board,
        seed,
    }
}

/// What was remarked.
#[derive(Clone, Default)]
struct Remarks(Arc<Mutex<Vec<String>>>);

impl Remarks {
    fn listener(&self) -> Remark {
        let remarks = Arc::clone(&self.0);
        Arc::new(move |text| remarks.lock().unwrap().push(text))
    }

    fn wait_for(&self, word: &str) {
        let begin = Instant::now();
        while !self.0.lock().unwrap().iter().any(|text| text.contains(word)) {
            assert!(
                begin.elapsed() < Duration::from_secs(40),
                "nobody says {word:?}: {:?}",
                self.0.lock().unwrap()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn server(nats: &NatsServer) -> Server {
    Server { url: nats.url(), ..Server::default() }
}

/// A coordinator in a thread of its own; its records in the end.
fn coordinate(
    nats: &NatsServer,
    seed: u64,
    check: f64,
    remarks: &Remarks,
    stop: &StopSignal,
) -> thread::JoinHandle<Vec<GameRecord>> {
    let settings = HandOut { ack_wait: Duration::from_secs(2), check, ..HandOut::default() };
    let venue = Workers::connect(&server(nats), settings, remarks.listener()).unwrap();
    let stop = stop.clone();
    thread::spawn(move || {
        matches::run(&config(seed), 8, &venue, &mut Journal::in_memory(), &stop, |_| ()).unwrap()
    })
}

fn honest(nats: &NatsServer, remarks: &Remarks, stop: &StopSignal) -> thread::JoinHandle<()> {
    let (server, remark, stop) = (server(nats), remarks.listener(), stop.clone());
    let cache = std::env::temp_dir().join(format!("tengen-honest-{}", std::process::id()));
    let options = WorkOptions { name: "honest".to_owned(), cores: 1, engines: BTreeMap::default(), cache };
    thread::spawn(move || work(&server, options, &stop, &remark).unwrap())
}

/// The first run on the server.
async fn run(link: &Link) -> (String, Announcement) {
    loop {
        if let Some((run, bytes)) = entries(&link.runs).await.unwrap().into_iter().next() {
            return (run, serde_json::from_slice(&bytes).unwrap());
        }
        sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn another_version_is_refused_on_both_sides() {
    let Some(nats) = NatsServer::start("versions of workers", "127.0.0.1", "") else { return };
    let (remarks, stop) = (Remarks::default(), StopSignal::default());
    let coordinator = coordinate(&nats, 1, 0.0, &remarks, &stop);
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let link = server(&nats).connect("test").await.unwrap();
        let (run, announcement) = run(&link).await;
        let behaviour = Games::Match(Box::new(config(1))).behaviour().unwrap();
        for (protocol, version, word) in [
            (PROTOCOL + 1, VERSION, "same version"),
            (PROTOCOL, "0.0.1", "tengen 0.0.1"),
            (PROTOCOL, VERSION, ""),
        ] {
            let behaviour = behaviour.clone();
            let hello = Hello { protocol, version: version.to_owned(), worker: "old".to_owned(), behaviour };
            let answer = link.client.request(admission::subject(&run), json(&hello).into()).await.unwrap();
            let welcome: Welcome = serde_json::from_slice(&answer.payload).unwrap();
            assert_eq!(welcome.refused.is_some(), !word.is_empty(), "{welcome:?}");
            assert!(welcome.refused.unwrap_or_default().contains(word));
        }
        let hello = Hello {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            worker: "w".to_owned(),
            behaviour: 1.into(),
        };
        let answer = link.client.request(admission::subject(&run), json(&hello).into()).await.unwrap();
        let welcome: Welcome = serde_json::from_slice(&answer.payload).unwrap();
        assert!(welcome.refused.unwrap().contains("do not behave"));
        // A coordinator of the future.
        let future = Announcement { protocol: PROTOCOL + 1, version: "9.0.0".to_owned(), ..announcement };
        link.runs.put("0123456789abcdef", json(&future).into()).await.unwrap();
    });
    remarks.wait_for("worker old is refused");
    let there = Remarks::default();
    let worker = honest(&nats, &there, &stop);
    there.wait_for("the coordinator tengen 9.0.0");
    assert_eq!(coordinator.join().unwrap().len(), 8, "it plays for the other run");
    stop.stop();
    worker.join().unwrap();
}

#[test]
fn who_tells_other_games_is_set_aside_and_found_out_by_a_replay() {
    let Some(nats) = NatsServer::start("workers that lie", "127.0.0.1", "") else { return };
    let (remarks, stop) = (Remarks::default(), StopSignal::default());
    let coordinator = coordinate(&nats, 2, 1.0, &remarks, &stop);
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let link = server(&nats).connect("liar").await.unwrap();
        let (run, _) = run(&link).await;
        let games = Games::Match(Box::new(config(2)));
        let proof = sha256(games.behaviour().unwrap().to_string().as_bytes());
        let consumer = link.jobs.get_consumer::<pull::Config>(&consumer_name(&run)).await.unwrap();
        let message = fetch(&consumer, Some(Duration::from_secs(5))).await.unwrap();
        let job: Job = serde_json::from_slice(&message.payload).unwrap();
        let (mut outcome, _) = games.play(&job.games, &StopSignal::default()).unwrap().unwrap();
        if let Outcome::Games(records) = &mut outcome {
            records[0].winner = records[0].winner.map(matches::Side::other);
        }
        let report = Report { job: job.number, worker: "liar".to_owned(), proof, is_check: false, outcome };
        let subject = format!("tengen.results.{run}.liar.{}", job.number);
        link.jetstream.publish(subject, json(&report).into()).await.unwrap().await.unwrap();
        message.double_ack().await.unwrap();
    });
    let there = Remarks::default();
    let worker = honest(&nats, &there, &stop);
    remarks.wait_for("worker liar is set aside");
    let records = coordinator.join().unwrap();
    let timeless =
        |record: &GameRecord| GameRecord { seconds: 0.0, cpu_a: None, cpu_b: None, ..record.clone() };
    let here =
        matches::run(&config(2), 8, &Here(1), &mut Journal::in_memory(), &StopSignal::default(), |_| ())
            .unwrap();
    assert_eq!(
        records.iter().map(timeless).collect::<Vec<_>>(),
        here.iter().map(timeless).collect::<Vec<_>>()
    );
    stop.stop();
    worker.join().unwrap();
}
