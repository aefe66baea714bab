//! What others can make the program do through its doors: messages, files, and connections that end.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{tengen, tengen_with_input};

/// How long the program may take to end: 100 ms, and more where tests run side by side on a slow machine.
const SOON: Duration = Duration::from_secs(2);

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doors").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A running program, killed when the test is over.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Running {
    fn start(arguments: &[&str]) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Running { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    fn ends_within(&mut self, time: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < time {
            if self.child.try_wait().unwrap().is_some() {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Memory in megabytes.
    #[cfg(target_os = "linux")]
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn query(more: &Value) -> String {
    let mut query = json!({ "id": "q", "moves": [], "rules": "chinese", "boardXSize": 9, "boardYSize": 9 });
    query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    query.to_string()
}

/// Some players search for long: a small tree, so that memory tells of other things.
const GTP: [&str; 7] = ["gtp", "--preset", "rave", "--time", "1000", "--set", "max_tree_mb=16"];
const ANALYSIS: [&str; 7] = ["analysis", "--preset", "rave", "--positions", "1", "--set", "max_tree_mb=16"];

#[test]
fn no_message_starts_a_program_or_opens_a_file() {
    let folder = folder("messages");
    let mark = folder.join("mark");
    let command = format!("sh -c 'id > {}'", mark.display());
    let settings = [
        json!({ "kind": "gtp", "command": command }),
        json!({ "command": command, "kind": "gtp" }),
        json!({ "kind": "mcts" }),
        json!({ "net": mark }),
        json!({ "rollout_net": mark }),
        json!({ "book": mark }),
        json!({ "max_tree_mb": 1_000_000 }),
        json!({ "threads": 1000 }),
    ];
    for settings in &settings {
        let run = tengen_with_input(&ANALYSIS, &query(&json!({ "overrideSettings": settings })));
        let answer = run.json();
        assert_eq!(answer["field"], "overrideSettings", "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("set it when you start it"), "{answer}");
        for (key, value) in settings.as_object().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let run = tengen_with_input(
                &GTP,
                &format!("kata-set-param {key} {value}\ntengen-param {key} {value}\n"),
            );
            let refusals = run.stdout.split("\n\n").filter(|answer| answer.starts_with('?')).count();
            assert_eq!(refusals, 2, "{key}: {}", run.stdout);
        }
    }
    for (key, value) in [("resign", "nan"), ("tree_policy.exploration", "-1"), ("limits.max_length", "inf")] {
        let run = tengen_with_input(&GTP, &format!("kata-set-param {key} {value}\n"));
        assert!(run.stdout.starts_with(&format!("? {key}: must be ")), "{}", run.stdout);
        let run = tengen(&["presets", &format!("rave,{key}={value}")]);
        assert!(run.code == 1 && run.stderr.contains("must be"), "{}", run.stderr);
    }
    assert!(!mark.exists());
    let changes = json!({ "maxVisits": 10, "overrideSettings": {
        "tree_policy.kind": "ucb1", "tree_policy.exploration": 0.4, "wideRootNoise": 0.04,
    } });
    let run = tengen_with_input(&ANALYSIS, &query(&changes));
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers[0]["warning"].is_string() && answers[1]["rootInfo"].is_object(), "{}", run.stdout);
}

#[test]
fn files_can_be_forbidden() {
    let file = folder("files").join("game.sgf");
    let input = format!("savesgf {0}\nprintsgf {0}\nloadsgf {0}\nprintsgf\n", file.display());
    let run = tengen_with_input(&["gtp", "--preset", "random", "--no-files"], &input);
    let answers: Vec<_> = run.stdout.split("\n\n").collect();
    assert!(answers[..3].iter().all(|answer| answer.contains("--no-files")), "{}", run.stdout);
    assert!(answers[3].starts_with("= (;"), "{}", run.stdout);
    assert!(!file.exists());
    let run = tengen_with_input(&["gtp", "--preset", "random"], &input);
    assert!(!run.stdout.contains('?') && file.exists(), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read_to_the_end() {
    let suite = folder("endless").join("zero.tst");
    std::os::unix::fs::symlink("/dev/zero", &suite).unwrap();
    for (arguments, limit) in [
        (&["gtp", "--set", "book=/dev/zero"][..], "256 MB"),
        (&["gtp", "--config", "/dev/zero"], "64 MB"),
        (&["match", "random", "random", "--openings", "/dev/zero"], "64 MB"),
        (&["lab", "suite", suite.to_str().unwrap()], "64 MB"),
    ] {
        let run = tengen(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(run.stderr.contains(limit) && run.stderr.contains("zero"), "{arguments:?}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_search_ends_when_nobody_can_read_its_answer() {
    for lines in
        [&["genmove b"][..], &["kata-search b"], &["kata-set-param ponder true", "kata-analyze b 100000"]]
    {
        let mut engine = Running::start(&GTP);
        for line in lines {
            engine.send(line);
        }
        thread::sleep(Duration::from_millis(300));
        assert!(!engine.ends_within(Duration::ZERO), "{lines:?}: it has to search");
        engine.output = None;
        assert!(engine.ends_within(SOON), "{lines:?}");
    }
    let mut engine = Running::start(&ANALYSIS);
    for _ in 0..10 {
        engine.send(&query(&json!({ "maxVisits": 1_000_000_000 })));
    }
    thread::sleep(Duration::from_millis(300));
    assert!(!engine.ends_within(Duration::ZERO), "it has to search");
    engine.output = None;
    assert!(engine.ends_within(SOON));
}

#[test]
fn the_end_of_the_input_ends_what_nobody_waits_for() {
    let mut engine = Running::start(&GTP);
    engine.send("kata-analyze b 10");
    assert_eq!(engine.line(), "=\n");
    engine.input = None;
    assert!(engine.ends_within(SOON));

    let mut engine = Running::start(&[&ANALYSIS[..], &["--quit-without-waiting"]].concat());
    engine.send(&query(&json!({ "maxVisits": 1_000_000_000, "reportDuringSearchEvery": 0.05 })));
    assert!(engine.line().contains("isDuringSearch"));
    engine.input = None;
    assert!(engine.ends_within(SOON));

    // What was asked for is answered, as strongly as if more were to come.
    let move_of = |input: &str| {
        let run = tengen_with_input(&["gtp", "--preset", "rave", "--playouts", "300", "--seed", "1"], input);
        run.stdout
    };
    assert_eq!(move_of("genmove b\n"), move_of("genmove b\nquit\n").trim_end_matches("=\n\n"));
}

/// A client that asks for megabytes and reads none of them.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_a_client_that_does_not_read() {
    let reports = json!({
        "boardXSize": 19, "boardYSize": 19, "maxVisits": 1_000_000_000, "reportDuringSearchEvery": 0.001,
        "includeMovesOwnership": true, "includePolicy": true,
    });
    for (arguments, line) in
        [(GTP, "kata-analyze b 1 movesOwnership true".to_owned()), (ANALYSIS, query(&reports))]
    {
        let mut engine = Running::start(&arguments);
        engine.send(&line);
        engine.line();
        thread::sleep(Duration::from_millis(700));
        let early = engine.memory();
        thread::sleep(Duration::from_millis(700));
        let late = engine.memory();
        assert!(late < early + 32, "{arguments:?}: {early} MB, then {late} MB");
        engine.output = None;
        assert!(engine.ends_within(SOON), "{arguments:?}");
    }
}

/// Two runs that write to the same results are not possible, and what a killed one has left is cleaned up.
#[test]
fn results_have_one_writer() {
    let directory = folder("match");
    let name = directory.to_str().unwrap();
    let slow = "rave,playouts=100000000";
    let arguments = |how| ["match", slow, slow, "--size", "9", "--games", "2", "--seed", "1", how, name];
    let mut first = Running::start(&arguments("--out"));
    let file = directory.join("results.jsonl");
    while fs::metadata(&file).map_or(0, |metadata| metadata.len()) == 0 {
        assert!(!first.ends_within(Duration::from_millis(5)));
    }
    for how in ["--resume", "--out"] {
        let second = tengen(&arguments(how));
        assert!(second.code == 1 && second.stderr.contains("is in use"), "{how}: {}", second.stderr);
    }
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let left = directory.join("sgf/game-00000.sgf.4711.tmp");
    fs::create_dir_all(directory.join("sgf")).unwrap();
    fs::write(&left, "(;").unwrap();
    let mut third = Running::start(&arguments("--resume"));
    while left.exists() {
        assert!(!third.ends_within(Duration::from_millis(5)), "a killed run keeps nobody out");
    }
}

#[test]
fn an_experiment_is_run_once_at_a_time() {
    let directory = folder("lab");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/s5-random/experiment.toml");
    let text =
        fs::read_to_string(source).unwrap().replace("values = [100, 1000]", "values = [10, 100000000]");
    let text = text.replace("at = 1000\n", "at = 100000000\n").replace("at = 100\n", "at = 10\n");
    fs::create_dir_all(directory.join("slow")).unwrap();
    fs::write(directory.join("slow/experiment.toml"), text).unwrap();
    let arguments = ["lab", "run", "slow", "--dir", directory.to_str().unwrap()];
    let mut first = Running::start(&arguments);
    while !directory.join("slow/results").exists() {
        assert!(!first.ends_within(Duration::from_millis(5)));
    }
    for more in [&[][..], &["--fresh"]] {
        let second = tengen(&[&arguments[..], more].concat());
        assert!(second.code == 1 && second.stderr.contains("is in use"), "{more:?}: {}", second.stderr);
    }
    assert!(directory.join("slow/results").exists(), "nothing was thrown away");
    let mut rest = String::new();
    first.child.kill().unwrap();
    first.output.as_mut().unwrap().read_to_string(&mut rest).unwrap();
}
