//! `tengen serve-jobs`, `work` and `jobs` with a real NATS server: the games of many machines are those of one, whatever is killed.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tengen_testing::{NatsServer, skipped};

use crate::common::tengen;

/// A part of the cluster; killed when the test is over, however it ends.
struct Process(Child);

impl Process {
    fn start(words: &[&str], log: &Path) -> Process {
        Process::spawn(Command::new(env!("CARGO_BIN_EXE_tengen")).args(words), log)
    }

    fn spawn(command: &mut Command, log: &Path) -> Process {
        let log = fs::File::options().create(true).append(true).open(log).unwrap();
        let out = log.try_clone().unwrap();
        Process(command.stdin(Stdio::null()).stdout(out).stderr(log).spawn().unwrap())
    }

    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for its end; whether it was a success.
    fn ends(mut self, seconds: u64) -> bool {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.success();
            }
            assert!(begin.elapsed() < Duration::from_secs(seconds), "it does not end in {seconds} s");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server, a folder, and what is started with them.
struct Cluster {
    server: NatsServer,
    url: String,
    folder: PathBuf,
}

impl Cluster {
    fn new(name: &str) -> Option<Cluster> {
        Cluster::at(name, "127.0.0.1")
    }

    fn at(name: &str, host: &str) -> Option<Cluster> {
        let server = NatsServer::start("many machines", host, "")?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cluster-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Some(Cluster { url: server.url(), server, folder })
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn work_words<'a>(&'a self, name: &'a str, cache: &'a str) -> Vec<&'a str> {
        vec!["work", "--nats", &self.url, "--name", name, "--cores", "1", "--cache", cache]
    }

    fn worker(&self, name: &str, more: &[&str]) -> Process {
        let cache = self.path("cache");
        let words = [&self.work_words(name, &cache)[..], more].concat();
        Process::start(&words, &self.folder.join(format!("{name}.log")))
    }

    fn coordinator(&self, words: &[&str]) -> Process {
        let serve = ["serve-jobs", "--nats", &self.url, "--patience", "2"];
        Process::start(&[&serve[..], words].concat(), &self.folder.join("coordinator.log"))
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(format!("{name}.log"))).unwrap_or_default()
    }

    /// Waits until the results have so many games.
    fn wait_for_games(&self, folder: &str, games: usize) {
        let file = Path::new(folder).join("results.jsonl");
        self.wait_for(&format!("{games} games"), || {
            fs::read_to_string(&file).unwrap_or_default().lines().count() > games
        });
    }

    fn wait_for(&self, what: &str, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            let log = self.log("coordinator");
            assert!(
                begin.elapsed() < Duration::from_mins(1),
                "no {what} in a minute; the coordinator says: {log}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// What a page answers.
fn http(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{request}\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The games of a result file, without their times, in the order of the file.
fn games(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(folder).join("results.jsonl")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let mut game: Value = serde_json::from_str(line).unwrap();
            for time in ["seconds", "cpu_a", "cpu_b"] {
                game[time] = Value::Null;
            }
            game
        })
        .collect()
}

const MATCH: [&str; 11] = match_of("24");

/// One that is not over before everything has been killed.
const LONG_MATCH: [&str; 11] = match_of("60");

const fn match_of(games: &str) -> [&str; 11] {
    [
        "match",
        "uct,playouts=700",
        "rave,playouts=700",
        "--size",
        "7",
        "--games",
        games,
        "--openings",
        "random:2",
        "--seed",
        "3",
    ]
}

/// The same match on this machine.
fn reference(cluster: &Cluster, words: &[&str]) -> Vec<Value> {
    let folder = cluster.path("here");
    let run = tengen(&[words, &["--concurrency", "1", "--out", &folder]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    games(&folder)
}

#[test]
fn whatever_is_killed_every_game_counts_once() {
    let Some(mut cluster) = Cluster::new("torture") else { return };
    let there = cluster.path("there");
    let command = [&["--check", "0.3"], &LONG_MATCH[..], &["--resume", &there]].concat();
    let coordinator = cluster.coordinator(&command);
    let killed = cluster.worker("killed", &[]);
    let paused = cluster.worker("paused", &[]);
    let _third = cluster.worker("third", &[]);
    cluster.wait_for_games(&there, 2);
    // In the middle of its game, and past its deadline.
    killed.kill();
    paused.signal("-STOP");
    cluster.wait_for_games(&there, 6);
    coordinator.kill();
    cluster.server.restart(Duration::from_secs(1));
    let coordinator = cluster.coordinator(&command);
    let done = || tengen(&["jobs", "--nats", &cluster.url, "--json"]).json()["done"].as_u64().unwrap_or(0);
    cluster.wait_for("word of what was done before", || done() >= 6);
    paused.signal("-CONT");
    cluster.wait_for_games(&there, 12);
    cluster.server.restart(Duration::ZERO);
    assert!(coordinator.ends(90), "{}", cluster.log("coordinator"));
    assert_eq!(
        games(&there),
        reference(&cluster, &LONG_MATCH),
        "as on one machine, in the order of the games"
    );
    let after = tengen(&["jobs", "--nats", &cluster.url, "--json"]).json();
    assert_eq!(
        (&after["queued"], &after["runs"]),
        (&0.into(), &Value::Array(Vec::new())),
        "nothing is left: {after}"
    );
}

#[test]
fn results_of_a_worker_are_taken_back_by_one_command() {
    let Some(cluster) = Cluster::new("purge") else { return };
    let there = cluster.path("there");
    let coordinator = cluster.coordinator(&[&MATCH[..], &["--resume", &there]].concat());
    let _bad = cluster.worker("bad", &[]);
    cluster.wait_for_games(&there, 4);
    let run = tengen(&["jobs", "--nats", &cluster.url, "--purge", "bad"]);
    assert!(run.code == 0 && run.stdout.contains("set aside"), "{}", run.stderr);
    cluster.wait_for("purge", || cluster.log("coordinator").contains("taken back"));
    cluster.wait_for("word of the worker", || cluster.log("bad").contains("set aside"));
    let _good = cluster.worker("good", &[]);
    assert!(coordinator.ends(90), "{}", cluster.log("coordinator"));
    assert_eq!(games(&there), reference(&cluster, &MATCH));
    let who = fs::read_to_string(Path::new(&there).join("results.workers")).unwrap();
    let last =
        |game: &str| who.lines().filter_map(|line| line.strip_prefix(game)).next_back().map(str::to_owned);
    assert_eq!(last("0 ").as_deref(), Some("good"), "{who}");
    let run = tengen(&["jobs", "--nats", &cluster.url, "--readmit", "bad"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn engines_are_started_only_where_they_are_allowed_and_failures_end_as_dead_letters() {
    let Some(cluster) = Cluster::new("engines") else { return };
    let there = cluster.path("there");
    let engine = format!("gtp:{} gtp --preset random --seed {{seed}}", env!("CARGO_BIN_EXE_tengen"));
    let words =
        ["match", &engine, "random", "--size", "5", "--games", "2", "--referee", "board", "--resume", &there];
    let coordinator = cluster.coordinator(&words);
    let denied = cluster.worker("denied", &[]);
    cluster.wait_for("refusal", || cluster.log("denied").contains("--allow-engine tengen=COMMAND"));
    drop(denied);
    // It starts for the proof, and never again.
    let script = cluster.path("engine");
    let flag = cluster.path("flag");
    let text = format!(
        "#!/bin/sh\n[ -e {flag} ] && exit 1\ntouch {flag}\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_tengen")
    );
    fs::write(&script, text).unwrap();
    assert!(Command::new("chmod").args(["+x", &script]).status().unwrap().success());
    let broken = format!("tengen={script} gtp --preset random --seed {{seed}}");
    let broken = cluster.worker("broken", &["--allow-engine", &broken]);
    assert!(!coordinator.ends(60), "{}", cluster.log("coordinator"));
    let log = cluster.log("coordinator");
    assert!(log.contains("could not be played") && log.contains("worker broken"), "{log}");
    drop(broken);
    let coordinator = cluster.coordinator(&words);
    let allowed = format!("tengen={} gtp --preset random --seed {{seed}}", env!("CARGO_BIN_EXE_tengen"));
    let _allowed = cluster.worker("allowed", &["--allow-engine", &allowed]);
    assert!(coordinator.ends(60), "{}", cluster.log("coordinator"));
    assert_eq!(games(&there).len(), 2);
}

#[test]
fn self_play_and_learning_give_the_files_of_one_machine() {
    let Some(cluster) = Cluster::new("learning") else { return };
    let _one = cluster.worker("one", &[]);
    let _two = cluster.worker("two", &[]);
    let status = || tengen(&["jobs", "--nats", &cluster.url, "--json"]).json();
    cluster.wait_for("worker", || status()["workers"].as_array().unwrap().len() == 2);
    let fields: Vec<_> = status().as_object().unwrap().keys().take(6).cloned().collect();
    assert_eq!(fields, ["workers", "queued", "running", "done", "failed", "per_minute"]);
    let worker: Vec<_> = status()["workers"][0].as_object().unwrap().keys().take(4).cloned().collect();
    assert_eq!(worker, ["name", "cores", "games", "state"]);
    let _page = Process::start(
        &["jobs", "--nats", &cluster.url, "--listen", "127.0.0.1:0"],
        &cluster.folder.join("page.log"),
    );
    cluster.wait_for("page", || cluster.log("page").contains("http://"));
    let address = cluster.log("page").trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(http(&address, "GET / HTTP/1.0").contains("<title>tengen jobs</title>"));
    assert!(http(&address, "GET /status.json HTTP/1.0").contains("\"name\":\"one\""));
    assert!(http(&address, "POST /status.json HTTP/1.0").contains(" 405 "), "it can only be read");
    let play = ["selfplay", "--size", "5", "--games", "20", "--simulations", "4", "--out"];
    let (here, there) = (cluster.path("games-here"), cluster.path("games-there"));
    assert_eq!(tengen(&[&play[..], &[&here, "--threads", "1"]].concat()).code, 0);
    let coordinator = cluster.coordinator(&[&play[..], &[&there]].concat());
    assert!(coordinator.ends(60), "{}", cluster.log("coordinator"));
    let file = |folder: &str, name: &str| fs::read(Path::new(folder).join(name)).unwrap();
    assert_eq!(file(&here, "games-000000-5x5.npz"), file(&there, "games-000000-5x5.npz"));

    let small = ["--size", "5", "--generations", "3", "--games", "8", "--simulations", "4", "--threads", "1"];
    let set = ["--set", "anchors.games=2", "--set", "batch=8", "--set", "anchors.player=zero,playouts=4"];
    let set = [&set[..], &["--set", "anchors.opponents=[\"random\"]", "--set", "gate.games=2"]].concat();
    let train = |out: &str, more: &[&str]| {
        let run = tengen(&[&["train", "zero", "--out", out][..], &small, &set, more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
    };
    for overlap in ["overlap=false", "overlap=true"] {
        let folder = |place: &str| cluster.path(&format!("zero-{place}-{overlap}"));
        let (here, there) = (folder("here"), folder("there"));
        train(&here, &["--set", overlap]);
        train(&there, &["--set", overlap, "--nats", &cluster.url]);
        assert_eq!(file(&here, "net.safetensors"), file(&there, "net.safetensors"), "to the last bit");
    }
    let fetched = fs::read_dir(cluster.path("cache")).unwrap().count();
    assert!(fetched >= 2, "networks were fetched by their SHA-256");
}

#[test]
fn a_cut_network_costs_no_game() {
    let ip = |words: &str| {
        let run = Command::new("ip").args(words.split(' ')).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let space = format!("tengen{}", std::process::id());
    let (ours, theirs) = (format!("tg{}", std::process::id()), format!("th{}", std::process::id()));
    if !ip(&format!("netns add {space}")) {
        return skipped(
            "many machines with the network cut between them",
            "network namespaces need root and `ip`",
        );
    }
    let made = ip(&format!("link add {ours} type veth peer name {theirs} netns {space}"))
        && ip(&format!("addr add 10.213.7.1/30 dev {ours}"))
        && ip(&format!("link set {ours} up"))
        && ip(&format!("-n {space} addr add 10.213.7.2/30 dev {theirs}"))
        && ip(&format!("-n {space} link set {theirs} up"));
    if !made {
        ip(&format!("netns del {space}"));
        return skipped("many machines with the network cut between them", "the machine has no veth");
    }
    let result = std::panic::catch_unwind(|| {
        let Some(cluster) = Cluster::at("cut", "10.213.7.1") else { return };
        let there = cluster.path("there");
        let coordinator = cluster.coordinator(&[&MATCH[..], &["--resume", &there]].concat());
        let cache = cluster.path("cache");
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &space, env!("CARGO_BIN_EXE_tengen")])
            .args(cluster.work_words("far", &cache));
        let _far = Process::spawn(&mut command, &cluster.folder.join("far.log"));
        cluster.wait_for_games(&there, 2);
        assert!(ip(&format!("-n {space} link set {theirs} down")));
        let near = cluster.worker("near", &[]);
        thread::sleep(Duration::from_secs(3));
        assert!(ip(&format!("-n {space} link set {theirs} up")));
        assert!(coordinator.ends(90), "{}", cluster.log("coordinator"));
        drop(near);
        assert_eq!(games(&there), reference(&cluster, &MATCH));
    });
    ip(&format!("link del {ours}"));
    ip(&format!("netns del {space}"));
    result.unwrap();
}
