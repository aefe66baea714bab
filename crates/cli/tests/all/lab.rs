//! `tengen lab`.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{fs, path::Path};

use crate::common::tengen;

fn root(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name).to_str().unwrap().to_owned()
}

#[test]
fn experiments_are_listed_and_run() {
    let experiments = root("experiments");
    let list = tengen(&["lab", "list", "--dir", &experiments, "--json"]).json();
    let listed = list["experiments"].as_array().unwrap();
    let first = listed[0].as_object().unwrap();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["slug", "claim", "source", "results"]);
    for source in ["S1.6", "S1.7", "S1.8", "S1.9", "S2.6", "S3.4", "S5.7"] {
        assert!(listed.iter().any(|experiment| experiment["source"] == source), "{source}");
    }
    let run = tengen(&["lab", "run", "s5-random", "--dummy", "--dir", &experiments]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("inconclusive") && run.stderr.contains("95%"),
        "power comes first: {}",
        run.stderr
    );
    let wrong = tengen(&["lab", "run", "s5-rendom", "--dir", &experiments]);
    assert!(wrong.code == 1 && wrong.stderr.contains("choose one of"), "{}", wrong.stderr);
    let nowhere = tengen(&["lab", "list", "--dir", "no/such/directory"]);
    assert!(nowhere.code == 1 && nowhere.stderr.contains("--dir"), "{}", nowhere.stderr);
}

#[test]
fn results_are_kept_and_reported() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lab");
    let _ = fs::remove_dir_all(&directory);
    let experiments = directory.join("experiments");
    fs::create_dir_all(experiments.join("small")).unwrap();
    let text = fs::read_to_string(root("experiments/s5-random/experiment.toml")).unwrap();
    assert!(text.contains("values = [100, 1000]"));
    let text = text.replace("size = 9", "size = 5").replace("values = [100, 1000]", "values = [5, 9]");
    let text = text
        .replace("at = 100\n", "at = 5\n")
        .replace("at = 1000\n", "at = 9\n")
        .replace("games = 200", "games = 4");
    fs::write(experiments.join("small/experiment.toml"), text).unwrap();
    let dir = experiments.to_str().unwrap();
    let run = || tengen(&["lab", "run", "small", "--dir", dir]);
    assert_eq!(run().code, 0, "{}", run().stderr);
    let file = experiments.join("small/results/uct-9.jsonl");
    let games = fs::read_to_string(&file).unwrap();
    assert_eq!(games.lines().count(), 5);
    run();
    assert_eq!(fs::read_to_string(&file).unwrap(), games, "nothing is played twice");
    assert_eq!(tengen(&["lab", "report", "--dir", dir]).code, 0);
    assert!(fs::read_to_string(experiments.join("small/report.html")).unwrap().contains("<svg"));
    assert!(
        fs::read_to_string(directory.join("EXPERIMENTS.md")).unwrap().contains("experiments/small/README.md")
    );
}

#[test]
fn a_queue_runs_what_is_missing_and_goes_on_after_a_failure() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("queue");
    let _ = fs::remove_dir_all(&directory);
    let text = "claim = \"c\"\nsource = \"none\"\npaper = \"none\"\nreported = \"nothing\"\nconditions = \"own\"\n\
                kind = \"win-rate\"\nseed = 1\ngames = 4\nboard = { size = 5, rules = \"chinese\", komi = 7.5 }\n\
                opponent = \"OPPONENT\"\n[arms.uct]\npreset = \"uct\"\n\
                [sweep]\nparameter = \"playouts\"\nlabel = \"playouts\"\nvalues = [2, 4]\n\
                [[checks]]\nclaim = \"it wins\"\narm = \"uct\"\nexpect = \"more\"\n";
    for (name, opponent) in [("broken", "gtp:no-such-engine"), ("good", "random")] {
        fs::create_dir_all(directory.join(name)).unwrap();
        fs::write(directory.join(name).join("experiment.toml"), text.replace("OPPONENT", opponent)).unwrap();
    }
    let queue = "[[run]]\nexperiment = \"broken\"\n[[run]]\nexperiment = \"good\"\nscale = 0.5\nat = [2]\n\
                 [[run]]\nexperiment = \"good\"\n";
    fs::write(directory.join("queue.toml"), queue).unwrap();
    let dir = directory.to_str().unwrap();
    let status = || tengen(&["lab", "queue", "--status", "--dir", dir]).stdout;
    assert!(status().contains("0 of      2 games time not known yet"), "{}", status());
    let run = tengen(&["lab", "queue", "--concurrency", "1", "--dir", dir]);
    assert!(run.code == 1 && run.stderr.contains("could not be run: broken"), "{}", run.stderr);
    assert!(run.stdout.contains("good: "), "{}", run.stdout);
    let files = ["uct-2", "uct-4"].map(|cell| directory.join(format!("good/results/{cell}.jsonl")));
    let games = || files.clone().map(|file| fs::read_to_string(file).unwrap());
    let played = games();
    assert!(played.iter().all(|text| text.lines().count() == 5));
    let all = fs::read_to_string(directory.with_file_name("EXPERIMENTS.md")).unwrap();
    assert!(all.contains("queue/good/README.md") && all.contains("it wins (at 4)"), "{all}");
    assert!(directory.join("good/plot.svg").is_file());
    assert!(status().contains("8 of      8 games done"), "{}", status());
    tengen(&["lab", "queue", "--dir", dir]);
    assert_eq!(games(), played, "nothing is played twice");
}

#[test]
fn suites_are_asked() {
    let report = tengen(&["lab", "suite", &root("suites/basics.sgf"), "--preset", "random", "--json"]).json();
    let fields: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["player", "problems", "passed", "skipped", "pass_rate", "ci95", "results"]);
    assert_eq!(report["results"].as_array().unwrap().len() as u64, report["problems"].as_u64().unwrap());
    let shown = tengen(&["lab", "suite", &root("suites/basics.sgf"), "--preset", "random"]);
    assert!(shown.stdout.contains("problems ("), "{}", shown.stdout);
}
