//! `tengen match` and `tengen bench search`.

mod common;

use std::{fs, path::Path};

use common::tengen;
use serde_json::Value;

/// Everything but the times.
fn timeless(mut summary: Value) -> Value {
    for field in ["cpu_seconds_a", "cpu_seconds_b", "median_game_seconds"] {
        assert!(summary[field].is_number(), "{field}: {summary}");
        summary[field] = Value::Null;
    }
    summary
}

const RANDOM: [&str; 9] = ["match", "random", "random", "--size", "7", "--games", "8", "--seed", "5"];

#[test]
fn a_match_has_the_documented_fields_in_order_and_is_the_same_twice() {
    let run = || tengen(&[&RANDOM[..], &["--json"]].concat()).json();
    let summary = run();
    let fields: Vec<_> = summary.as_object().unwrap().keys().map(String::as_str).collect();
    let documented = "a b games wins_a wins_b draws win_rate_a ci95 elo elo_ci95 p_value mean_score distinct_games \
                      illegal crashes time_losses cpu_seconds_a cpu_seconds_b median_game_seconds";
    assert_eq!(fields, documented.split(' ').collect::<Vec<_>>());
    assert_eq!((&summary["games"], &summary["distinct_games"]), (&8.into(), &8.into()));
    assert_eq!(timeless(summary), timeless(run()));
    assert!(tengen(&RANDOM).stdout.contains("A's win rate"));
}

#[test]
fn results_are_kept_and_resumed() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-match");
    let _ = fs::remove_dir_all(&directory);
    let name = directory.to_str().unwrap();
    let full = timeless(tengen(&[&RANDOM[..], &["--json", "--out", name]].concat()).json());
    assert_eq!(fs::read_dir(directory.join("sgf")).unwrap().count(), 8);
    let sgf = fs::read_to_string(directory.join("sgf/game-00000.sgf")).unwrap();
    assert!(sgf.contains("PB[random]") && sgf.contains("RE["), "{sgf}");

    let file = directory.join("results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() * 2 / 3]).unwrap();
    let resumed = tengen(&[&RANDOM[..], &["--json", "--resume", name]].concat());
    assert_eq!(timeless(resumed.json()), full);

    for (arguments, remedy) in [
        (&["--out", name][..], "--resume"),
        (&["--resume", name, "--komi", "3.5"], "rules.komi is 7.5, not 3.5"),
        (&["--concurrency", "0"], "from 1 to"),
        (&["--openings", "no/such/file"], "no/such/file"),
    ] {
        let run = tengen(&[&RANDOM[..], arguments].concat());
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(remedy), "{}", run.stderr);
    }
}

#[test]
fn bench_search_is_deterministic_but_for_the_times() {
    let run = || {
        let arguments = ["bench", "search", "--preset", "rave", "--size", "5", "--playouts", "60", "--json"];
        tengen(&arguments).json()
    };
    let report = run();
    let fields: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let documented = "kind preset size threads playouts seconds cpu_seconds per_second per_cpu_second mean_score \
                      black_wins nodes tree_bytes signature";
    assert_eq!(fields, documented.split(' ').collect::<Vec<_>>());
    assert_eq!((&report["kind"], &report["playouts"]), (&"search".into(), &720.into()));
    let again = run();
    for field in ["signature", "nodes", "mean_score", "black_wins"] {
        assert_eq!(report[field], again[field], "{field}");
    }
    let flat =
        tengen(&["bench", "search", "--preset", "mc", "--size", "5", "--playouts", "60", "--json"]).json();
    assert!(flat["bare_per_cpu_second"].as_f64().unwrap() > 0.0);
    let threads = ["bench", "search", "--size", "5", "--playouts", "60", "--threads", "2", "--json"];
    assert!(tengen(&threads).json()["signature"].is_null());
    let run = tengen(&["bench", "search", "--preset", "random"]);
    assert!(run.code == 1 && run.stderr.contains("does not search"), "{}", run.stderr);
    assert!(tengen(&["bench", "search", "--size", "5", "--playouts", "20"]).stdout.contains("signature"));
}
