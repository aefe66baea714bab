//! The experiments in the repository: each runs in seconds as a dummy, goes on after an interruption, and has the pages that its
//! results give.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tengen_engine::players::StopSignal;
use tengen_lab::experiments::{
    Cell, Entry, Experiment, Queue, Results, RunOptions, Verdict, list, power, report,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

fn run(experiment: &Experiment, options: &RunOptions) -> Results {
    experiment.run(options, &StopSignal::default(), |_| {}).unwrap()
}

#[test]
fn every_experiment_runs_as_a_dummy_and_is_reported() {
    let experiments = list(&root()).unwrap();
    assert!(experiments.len() >= 15, "the papers' experiments are there");
    for experiment in experiments {
        let slug = experiment.slug.clone();
        assert!(!experiment.config.checks.is_empty(), "{slug} checks its claim");
        let experiment = experiment.dummy();
        let results = run(&experiment, &RunOptions::in_memory());
        assert_eq!(results.cells.len(), experiment.cells().unwrap().len(), "{slug}");
        assert!(results.cells.iter().all(|cell| cell.n == 2), "{slug}");
        assert!(
            results
                .checks
                .iter()
                .all(|check| matches!(check.verdict, Verdict::Inconclusive | Verdict::NotRun)),
            "{slug}: two games tell nothing"
        );
        let files = report::files(&experiment, &results).unwrap();
        let page = &files.iter().find(|(name, _)| *name == "report.html").unwrap().1;
        assert!(results.values.iter().all(|value| value.data.is_none()) || page.contains("<svg"), "{slug}");
        for (name, text) in files.iter().filter(|(_, text)| !text.is_empty()) {
            assert!(text.contains(&results.values[0].arm), "{slug}: {name} names the arms");
        }
        assert!(power(&experiment, 1.0).contains("2 "), "{slug}");
    }
}

/// What is committed is what the results give.
#[test]
fn the_committed_pages_are_those_of_the_committed_results() {
    let mut all = Vec::new();
    for experiment in list(&root()).unwrap() {
        let results = Results::read(&experiment).unwrap();
        for (name, text) in report::files(&experiment, &results).unwrap() {
            let path = experiment.directory.join(name);
            let there = fs::read_to_string(&path).unwrap_or_default(); // Without results there is no plot.
            assert!(there == text, "{} is out of date: run `tengen lab report`", path.display());
        }
        all.push((experiment, results));
    }
    let there = fs::read_to_string(root().join("../EXPERIMENTS.md")).unwrap();
    let story = report::Story::read(&root()).unwrap();
    assert_eq!(story.unknown(&all), Vec::<&str>::new());
    assert!(
        there == report::collection(&story, &all, "experiments"),
        "EXPERIMENTS.md is out of date: run `tengen lab report`"
    );
    let readme = fs::read_to_string(root().join("../README.md")).unwrap();
    assert!(
        story.illustrate(&readme, &all, "experiments").unwrap() == readme,
        "README.md is out of date: run `tengen lab report`"
    );
}

const SMALL: &str = r#"
claim = "More playouts win more games"
source = "none"
paper = "none"
reported = "nothing"
conditions = "own"
kind = "win-rate"
seed = 3
games = 6
board = { size = 5, rules = "chinese", komi = 7.5 }
opponent = "random"

[base]
preset = "uct"
playouts = 20

[arms.few]

[arms.many]
playouts = 40

[[checks]]
claim = "many beat few"
arm = "many"
versus = "few"
expect = "more"
"#;

fn small(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("experiments").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join(Experiment::FILE), text).unwrap();
    path
}

/// The lines of a result file without what differs from run to run.
fn games(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        for key in ["seconds", "cpu_a", "cpu_b"] {
            line.as_object_mut().unwrap().remove(key);
        }
    }
    lines
}

#[test]
fn an_interrupted_experiment_goes_on_without_losing_or_repeating_a_game() {
    let keep = RunOptions { keep: true, ..RunOptions::in_memory() };
    let whole = Experiment::read(&small("whole", SMALL)).unwrap();
    let sgf = whole.directory.join("sgf");
    let results = run(&whole, &RunOptions { sgf: Some(sgf.clone()), ..keep.clone() });
    assert!(results.cells.iter().all(|cell| cell.n == 6));
    let records = fs::read_dir(sgf.join(&whole.slug).join("many")).unwrap();
    assert_eq!(records.count(), 6);
    let file = whole.results().join("many.jsonl");
    let expected = games(&file);
    assert_eq!(expected.len(), 7);
    assert!(expected[0]["provenance"]["commit"].is_string() && expected[0]["config"]["seed"] == 3);
    assert!(expected[1]["moves"].is_null() && expected[1]["fingerprint"].is_string());

    // Killed in the middle of a line.
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() * 2 / 3]).unwrap();
    let mut played = 0;
    let results = whole.run(&keep, &StopSignal::default(), |_| played += 1).unwrap();
    assert!((1..6).contains(&played), "{played}");
    assert!(results.cells.iter().all(|cell| cell.n == 6));
    assert_eq!(games(&file), expected);

    // A tenth first, the rest later.
    let part = Experiment::read(&small("part", SMALL)).unwrap();
    let results = run(&part, &RunOptions { scale: 0.1, ..keep.clone() });
    assert!(results.cells.iter().all(|cell| cell.n == 2));
    run(&part, &keep);
    assert_eq!(games(&part.results().join("many.jsonl"))[1..], expected[1..]);

    // With other parameters the games are not mixed.
    let changed = SMALL.replace("playouts = 40", "playouts = 41");
    fs::write(part.directory.join(Experiment::FILE), changed).unwrap();
    let changed = Experiment::read(&part.directory).unwrap();
    let error = changed.run(&keep, &StopSignal::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("playouts is 40, not 41"), "{error}");
    run(&changed, &RunOptions { fresh: true, ..keep });
}

/// Changes the first line of a result file, as if another version had written it.
fn rewrite_header(path: &Path, change: impl Fn(&mut serde_json::Value)) {
    let text = fs::read_to_string(path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let mut header = serde_json::from_str(first).unwrap();
    change(&mut header);
    fs::write(path, format!("{header}\n{rest}")).unwrap();
}

#[test]
fn results_belong_to_what_the_players_do_not_to_the_version_that_made_them() {
    let keep = RunOptions { keep: true, ..RunOptions::in_memory() };
    let directory = small("versions", SMALL);
    let read = || Experiment::read(&directory).unwrap();
    let again = || read().run(&keep, &StopSignal::default(), |_| {}).map_err(|error| error.to_string());
    let file = read().results().join("many.jsonl");
    run(&read(), &RunOptions { scale: 0.5, ..keep.clone() });
    // A build from files that are in no commit is another matter.
    for cell in ["few", "many"] {
        let file = read().results().join(format!("{cell}.jsonl"));
        rewrite_header(&file, |header| header["provenance"]["commit"] = "c0ffee".into());
    }
    let done = Results::read(&read()).unwrap();
    assert_eq!((done.fewest(), done.again, done.earlier), (4, None, None));

    // A version that did not know a parameter yet, and one that knew another: the players behave as now.
    rewrite_header(&file, |header| {
        let parameters = header["config"]["a"]["parameters"].as_object_mut().unwrap();
        assert!(parameters.remove("max_tree_mb").is_some());
    });
    assert_eq!(again().unwrap().fewest(), 6);
    rewrite_header(&file, |header| header["config"]["a"]["parameters"]["of_old"] = 1.into());
    assert_eq!(again().unwrap().again, None);

    // A version whose players behaved otherwise, or did not say: nothing is added to its results, and they are not judged,
    let other =
        |header: &mut serde_json::Value| header["behaviour"]["a"]["signature"] = "0123456789abcdef".into();
    let silent = |header: &mut serde_json::Value| drop(header.as_object_mut().unwrap().remove("behaviour"));
    for (change, error, page) in [
        (&other as &dyn Fn(&mut serde_json::Value), "behaviour.a.signature is", "today's play otherwise"),
        (&silent, "did not write down how they behave", "whether today's play the same is not known"),
    ] {
        rewrite_header(&file, change);
        let message = again().unwrap_err();
        assert!(message.contains(error), "{message}");
        let results = Results::read(&read()).unwrap();
        assert_eq!(results.verdict(), Verdict::Again);
        let readme = report::readme(&read(), &results);
        assert!(
            readme.contains("To be run again: made by an earlier version of the players, commit c0ffee"),
            "{readme}"
        );
        assert!(readme.contains(page), "{readme}");
    }

    // ... unless they stand as a mark of that version, which the page names.
    fs::write(directory.join(Experiment::FILE), SMALL.replace("kind =", "milestone = true\nkind =")).unwrap();
    let results = Results::read(&read()).unwrap();
    assert!(matches!(results.verdict(), Verdict::Holds | Verdict::Inconclusive | Verdict::Fails));
    let readme = report::readme(&read(), &results);
    assert!(
        readme.contains("These results were made by an earlier version of the players, commit c0ffee"),
        "{readme}"
    );
}

/// A queue that forgets an experiment never finishes it. What stands as a mark of an earlier version is not played on.
#[test]
fn every_experiment_is_queued() {
    let queue = Queue::read(&root().join(Queue::FILE)).unwrap();
    for experiment in list(&root()).unwrap().iter().filter(|experiment| !experiment.config.milestone) {
        let whole = |entry: &&Entry| entry.experiment == experiment.slug && entry.scale == 1.0;
        assert!(queue.entries.iter().any(|entry| whole(&entry)), "{}", experiment.slug);
    }
}

#[test]
fn a_tournament_rates_all_arms() {
    let text = SMALL
        .replace("opponent = \"random\"", "opponent = \"all\"")
        .replace("[arms.few]", "[arms.one]\nplayouts = 1\n\n[arms.few]")
        .replace("versus = \"few\"", "quantity = \"against none\"");
    let text = text.replace("arm = \"many\"", "arm = \"few\"").replace("against none", "against many")
        + "\n[sweep]\nparameter = \"expand_visits\"\nlabel = \"visits\"\nvalues = [1, 2]\n";
    let experiment = Experiment::read(&small("tournament", &text)).unwrap();
    let cells: Vec<_> = experiment.cells().unwrap().iter().map(Cell::name).collect();
    let pairs = ["one-against-few", "one-against-many", "few-against-many"];
    assert_eq!(cells, [1, 2].map(|at| pairs.map(|pair| format!("{pair}-{at}"))).concat());
    let results = run(&experiment, &RunOptions::in_memory());
    assert_eq!((results.n(), results.checks.len()), (36, 2));
    assert!(results.checks.iter().all(|check| check.n == 6), "{:?}", results.checks);
    let table = report::ratings(&experiment, &results).unwrap();
    assert_eq!((table.headings.len(), table.rows.len()), (5, 6));
    let plot = report::plots(&experiment, &results).unwrap();
    assert!(plot.contains("Elo") && plot.contains("visits: 2") && plot.contains("many"));
    assert!(report::readme(&experiment, &results).contains("Ratings in Elo"));
    // To try it, each plays the next.
    assert_eq!(experiment.dummy().cells().unwrap().len(), 4);
}

#[test]
fn mistakes_in_the_file_are_named() {
    for (from, to, message) in [
        ("claim = \"More", "clam = \"More", "unknown field `clam`"),
        ("versus = \"few\"", "versus = \"none\"", "there is no arm \"none\": the cells are few, many"),
        ("playouts = 40", "playout = 40", "arm many"),
        ("rules = \"chinese\"", "rules = \"martian\"", "board.rules"),
        ("expect = \"more\"", "expect = \"same\"", "needs a margin"),
        (
            "[[checks]]",
            "[[checks]]\nclaim = \"x\"\narm = \"many\"\nversus = \"few\"\nexpect = \"less\"\n[[checks]]",
            "one figure gets one verdict",
        ),
        ("opponent = \"random\"", "", "opponent: name whom the arms play"),
        ("size = 5", "size = 50", "board.size"),
    ] {
        let path = small("mistake", &SMALL.replace(from, to));
        let error = Experiment::read(&path).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn an_arm_beside_a_ladder_names_its_own_opponent() {
    let beside = "[arms.beside]\npreset = \"random\"\nopponent = \"few\"\n\n[arms.many]\n";
    let text = SMALL
        .replace("opponent = \"random\"", "opponent = \"previous\"")
        .replace("[arms.many]\n", beside)
        .replace("versus = \"few\"\n", "");
    let experiment = Experiment::read(&small("beside", &text)).unwrap();
    let cells = experiment.cells().unwrap();
    let pairs: Vec<_> =
        cells.iter().map(|cell| (&*cell.arm, &*cell.opponent.as_ref().unwrap().name)).collect();
    assert_eq!(pairs, [("beside", "few"), ("many", "few")], "the ladder goes on from few");
    let results = run(&experiment, &RunOptions::in_memory());
    let files = report::files(&experiment, &results).unwrap();
    let plot = &files
        .iter()
        .find(|(name, _)| Path::new(name).extension().is_some_and(|end| end == "svg"))
        .unwrap()
        .1;
    for word in ["Elo", "few", "beside", "many"] {
        assert!(plot.contains(word), "{word} in the plot of the ratings");
    }
}
