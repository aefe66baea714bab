//! `tengen match` and `tengen bench search`.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::tengen;

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

#[test]
fn several_players_are_rated() {
    let run = tengen(&[
        "match",
        "random",
        "uct,playouts=30",
        "uct,playouts=60",
        "--size",
        "5",
        "--games",
        "4",
        "--json",
    ]);
    let result = run.json();
    assert_eq!(result.as_object().unwrap().keys().collect::<Vec<_>>(), ["pairs", "ratings"]);
    let pairs = result["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    assert!(pairs.iter().all(|pair| pair["games"] == 4 && pair["ci95"].is_array()), "{result}");
    let ratings = result["ratings"].as_array().unwrap();
    assert_eq!(ratings.len(), 3);
    assert_eq!(ratings[2]["player"], "random", "the weakest comes last: {result}");
    let (elo, ci) = (ratings[0]["elo"].as_f64().unwrap(), &ratings[0]["ci95"]);
    assert!(ci[0].as_f64().unwrap() < elo && elo < ci[1].as_f64().unwrap(), "{result}");

    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-gauntlet");
    let _ = fs::remove_dir_all(&directory);
    let name = directory.to_str().unwrap();
    let arguments =
        ["match", "random", "random,seed=1", "random,seed=2", "--gauntlet", "--size", "5", "--games", "2"];
    let run = tengen(&[&arguments[..], &["--resume", name]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("rating"), "{}", run.stdout);
    let mut made: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    made.sort();
    assert_eq!(made, ["1-2", "1-3"], "the first meets the others");
    let sprt = tengen(&[&arguments[..], &["--sprt", "0,10"]].concat());
    assert!(sprt.code == 1 && sprt.stderr.contains("two players"), "{}", sprt.stderr);
}

#[test]
fn a_sequential_test_ends_the_match_by_itself() {
    let arguments =
        ["match", "uct,playouts=50", "random", "--size", "5", "--games", "1000", "--sprt", "0,200", "--json"];
    let result = tengen(&arguments).json();
    let test = &result["sprt"];
    assert_eq!(test["verdict"], "H1", "{result}");
    assert!(
        result["games"].as_u64().unwrap() < 100 && test["llr"].as_f64() >= test["upper"].as_f64(),
        "{result}"
    );
    assert_eq!(test["intervals_at_stopping_time"], true);
    // The answer does not depend on how many games are played at a time.
    let one = tengen(&[&arguments[..], &["--concurrency", "1"]].concat()).json();
    assert_eq!((&one["games"], &one["sprt"]), (&result["games"], test));
    let shown = tengen(&arguments[..arguments.len() - 1]).stdout;
    assert!(shown.contains("sequential test") && shown.contains("stopping time"), "{shown}");
    let wrong = tengen(&["match", "random", "random", "--sprt", "10,0"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("less than"), "{}", wrong.stderr);
}

#[test]
fn common_flags_are_for_all_players() {
    let few = ["--size", "5", "--games", "2", "--json"];
    let by = |flags: &[&str]| {
        let players = ["match", "rave", "uct"];
        timeless(tengen(&[&players[..], flags, &few].concat()).json())
    };
    let named = tengen(&[&["match", "rave,playouts=40", "uct,playouts=40"][..], &few].concat()).json();
    let mut named = timeless(named);
    (named["a"], named["b"]) = ("rave".into(), "uct".into());
    assert_eq!(by(&["--playouts", "40"]), named);
    assert_eq!(by(&["--set", "playouts=40", "--threads", "1"]), named);
    let wrong = tengen(&["match", "rave", "random", "--set", "expand_visits=2"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("the player random"), "{}", wrong.stderr);
}
