//! Many workers on one machine: the real server, the real coordinator, and workers that sleep where others play. It shows how many
//! games a second the server and the coordinator can take, and what a worker costs while it has nothing to say.
//!
//!     cargo test --release --package tengen-cluster --lib simulation -- --ignored --nocapture
//!
//! `TENGEN_SIMULATION=1000:10:20` asks for a thousand workers with games of ten seconds, during twenty seconds.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use async_nats::jetstream::{AckKind, consumer::pull};
use tengen_board::Rules;
use tengen_engine::{players::StopSignal, time::TimeSettings};
use tengen_lab::matches::{self, Ending, GameRecord, Journal, MatchConfig, Openings, Referee, Side};
use tengen_testing::NatsServer;
use tokio::time::{interval, sleep};

use crate::{
    HandOut, Server, Workers,
    link::{Link, SILENCE},
    message::{Beat, Job, Outcome, Report, consumer_name, json},
    order::Games,
    store::sha256,
    worker::fetch,
};

/// Workers that share a connection: a process cannot have ten thousand of them.
const SHARE: usize = 50;

fn config() -> MatchConfig {
    MatchConfig {
        a: "random".parse().expect("a preset"),
        b: "random,seed=1".parse().expect("a preset"),
        width: 9,
        height: 9,
        rules: Rules::TROMP_TAYLOR,
        black: None,
        openings: Openings::None,
        clock_a: TimeSettings::Unlimited,
        clock_b: TimeSettings::Unlimited,
        referee: Referee::Board,
        seed: 1,
    }
}

/// A game of the length that they have on 9x9.
fn game(number: u64) -> GameRecord {
    GameRecord {
        game: number as usize,
        black: Side::A,
        winner: Some(Side::A),
        result: "B+3.5".to_owned(),
        ending: Ending::Passes,
        score: Some(3.5),
        referee: Some("board".to_owned()),
        moves: "E5 C3 ".repeat(30),
        fingerprint: "0123456789abcdef".to_owned(),
        opening: 0,
        seed_a: u64::MAX >> 1,
        seed_b: u64::MAX >> 1,
        seconds: 12.3456,
        cpu_a: Some(6.1234),
        cpu_b: Some(6.1234),
        left_a: None,
        left_b: None,
        message: None,
    }
}

/// A worker with one core that sleeps instead of playing.
async fn sleeper(
    link: Link,
    name: String,
    run: String,
    proof: String,
    game_seconds: f64,
    stop: Arc<AtomicBool>,
) {
    let Ok(consumer) = link.jobs.get_consumer::<pull::Config>(&consumer_name(&run)).await else { return };
    let mut beats = interval(SILENCE / 3);
    let workers = link.workers().await.ok();
    let mut played = 0;
    while !stop.load(Ordering::Relaxed) {
        let message = tokio::select! {
            _ = beats.tick() => {
                let state = "working".to_owned();
                let beat = Beat { name: name.clone(), cores: 1, games: played, running: 1, state };
                if let Some(workers) = &workers {
                    let _ = workers.put(&name, json(&beat).into()).await;
                }
                continue;
            }
            message = fetch(&consumer, Some(Duration::from_secs(1))) => message,
        };
        let Some(message) = message else { continue };
        let Ok(job) = serde_json::from_slice::<Job>(&message.payload) else { continue };
        // Games differ in length.
        let share = 0.5 + f64::from((job.number % 100) as u32) / 100.0;
        let end = Instant::now() + Duration::from_secs_f64(game_seconds * share * job.games.len() as f64);
        let mut ticks = interval(Duration::from_secs(15));
        while Instant::now() < end && !stop.load(Ordering::Relaxed) {
            tokio::select! {
                _ = ticks.tick() => { let _ = message.ack_with(AckKind::Progress).await; }
                () = sleep(end.saturating_duration_since(Instant::now()).min(Duration::from_millis(500))) => {}
            }
        }
        let outcome = Outcome::Games(job.games.iter().map(|&number| game(number)).collect());
        let report =
            Report { job: job.number, worker: name.clone(), proof: proof.clone(), is_check: false, outcome };
        let subject = format!("tengen.results.{run}.{name}.{}", job.number);
        if let Ok(acknowledgement) = link.jetstream.publish(subject, json(&report).into()).await
            && acknowledgement.await.is_ok()
        {
            let _ = message.double_ack().await;
            played += job.games.len() as u64;
        }
    }
}

/// Seconds of CPU time of a process or thread.
fn cpu(stat: &str) -> f64 {
    let text = fs::read_to_string(stat).unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Seconds of CPU time of the coordinator's threads.
fn coordinator_cpu() -> f64 {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let is_ours = |path: &std::path::Path| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "coordinator")
    };
    let tasks = tasks.flatten().map(|task| task.path()).filter(|path| is_ours(path));
    tasks.map(|path| cpu(&path.join("stat").to_string_lossy())).sum()
}

fn simulate(workers: usize, game_seconds: f64, seconds: u64) {
    let Some(nats) = NatsServer::start("ten thousand workers", "127.0.0.1", "max_connections: 20000") else {
        return;
    };
    let server = Server { url: nats.url(), ..Server::default() };
    let folder = std::env::temp_dir().join(format!("tengen-simulation-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let stop = StopSignal::default();
    let games = Arc::new(AtomicU64::new(0));
    let coordinator = {
        let (server, stop, folder, games) =
            (server.clone(), stop.clone(), folder.clone(), Arc::clone(&games));
        let play = move || {
            let settings = HandOut { check: 0.0, ..HandOut::default() };
            let venue = Workers::connect(&server, settings, Arc::new(|_| ())).expect("a server");
            let config = config();
            let mut journal = Journal::create(&folder, &config, 1 << 22).expect("a journal");
            let count = |_: &GameRecord| {
                games.fetch_add(1, Ordering::Relaxed);
            };
            matches::run(&config, 1 << 22, &venue, &mut journal, &stop, count).expect("a match");
        };
        thread::Builder::new().name("coordinator".to_owned()).spawn(play).expect("a thread")
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let proof =
        sha256(Games::Match(Box::new(config())).behaviour().expect("a behaviour").to_string().as_bytes());
    let over = Arc::new(AtomicBool::new(false));
    let mut links = Vec::new();
    runtime.block_on(async {
        let first = server.connect("simulation").await.expect("a server");
        let run = loop {
            let runs = crate::bucket::entries(&first.runs).await.unwrap_or_default();
            match runs.into_iter().next() {
                Some((run, _)) => break run,
                None => sleep(Duration::from_millis(100)).await,
            }
        };
        for worker in 0..workers {
            if worker % SHARE == 0 {
                links.push(server.connect("simulation").await.expect("a server"));
            }
            let link = links[links.len() - 1].clone();
            let name = format!("sleeper-{worker}");
            tokio::spawn(sleeper(link, name, run.clone(), proof.clone(), game_seconds, Arc::clone(&over)));
        }
    });
    // Until everybody has had a game.
    thread::sleep(Duration::from_secs_f64((2.0 * game_seconds).clamp(2.0, 30.0)));
    let pid = nats.id();
    let traffic = || {
        let (mut messages, mut bytes) = (0, 0);
        for link in &links {
            let seen = link.client.statistics();
            messages += seen.in_messages.load(Ordering::Relaxed) + seen.out_messages.load(Ordering::Relaxed);
            bytes += seen.in_bytes.load(Ordering::Relaxed) + seen.out_bytes.load(Ordering::Relaxed);
        }
        (messages, bytes)
    };
    let look = || {
        (
            games.load(Ordering::Relaxed),
            cpu(&format!("/proc/{pid}/stat")),
            coordinator_cpu(),
            traffic(),
            Instant::now(),
        )
    };
    let before = look();
    thread::sleep(Duration::from_secs(seconds));
    let after = look();
    let elapsed = after.4.duration_since(before.4).as_secs_f64();
    let played = (after.0 - before.0) as f64;
    let per_game = |value: f64| value / played.max(1.0);
    println!(
        "{workers} workers, games of {game_seconds} s: {:.0} games/s of {:.0} offered; server {:.0}% of a core ({:.2} ms a game), \
         coordinator {:.0}% ({:.2} ms a game); {:.1} messages and {:.0} bytes a game",
        played / elapsed,
        workers as f64 / game_seconds,
        100.0 * (after.1 - before.1) / elapsed,
        1000.0 * per_game(after.1 - before.1),
        100.0 * (after.2 - before.2) / elapsed,
        1000.0 * per_game(after.2 - before.2),
        per_game((after.3.0 - before.3.0) as f64),
        per_game((after.3.1 - before.3.1) as f64),
    );
    over.store(true, Ordering::Relaxed);
    stop.stop();
    coordinator.join().expect("the coordinator ends");
    runtime.shutdown_timeout(Duration::from_secs(1));
    let _ = fs::remove_dir_all(&folder);
}

#[test]
#[ignore = "takes minutes, and measures"]
fn where_it_saturates() {
    let asked = std::env::var("TENGEN_SIMULATION").ok();
    let asked = asked
        .as_deref()
        .unwrap_or("10:1:10,100:1:10,1000:2:15,10000:30:20,10000:10:20,10000:5:20")
        .split(',');
    for line in asked {
        let numbers: Vec<f64> = line.split(':').filter_map(|number| number.parse().ok()).collect();
        if let [workers, game, seconds] = numbers[..] {
            simulate(workers as usize, game, seconds as u64);
        }
    }
}
