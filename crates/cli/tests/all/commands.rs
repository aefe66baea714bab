//! The commands as a user sees them: output, JSON fields, errors and exit codes.
#![allow(clippy::unwrap_used)]

use tengen_board::sgf;
use tengen_engine::{players::Book, rng::Rng};
use tengen_nets::{NetSpec, Network};

use crate::common::{tengen, tengen_with_input};

/// The help of every command, by its words.
fn all_help() -> Vec<(Vec<String>, String)> {
    let mut all = vec![(Vec::new(), tengen(&["--help"]).stdout)];
    let mut at = 0;
    while at < all.len() {
        let (path, help) = all[at].clone();
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        // Names are two columns in; a description that is continued on the next line is further in.
        for line in listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   ")) {
            let name = line.split_whitespace().next().unwrap().to_owned();
            let path: Vec<String> = path.iter().cloned().chain([name]).collect();
            let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
            let run = tengen(&words);
            assert_eq!((run.code, &*run.stderr), (0, ""), "{path:?}");
            all.push((path, run.stdout));
        }
        at += 1;
    }
    all
}

#[test]
fn help_teaches_by_examples() {
    let run = tengen(&["--help"]);
    assert_eq!(run.code, 0);
    for word in ["Examples:", "play", "gtp", "match", "presets", "bench", "perft", "doctor", "completions"] {
        assert!(run.stdout.contains(word), "{word}\n{}", run.stdout);
    }
    let all = all_help();
    for (path, help) in &all {
        // Every command has an example in its own help, or in that of a command above it.
        let is_example = |line: &str| {
            let mut words = line.split_whitespace();
            line.starts_with("  tengen ") && path.iter().all(|part| words.any(|word| word == part))
        };
        let above = all.iter().filter(|(above, _)| path.starts_with(above)).map(|(_, help)| help);
        let has_commands = help.contains("\nCommands:\n");
        let is_shown = above.flat_map(|help| help.lines()).any(is_example);
        assert!(has_commands || is_shown, "{path:?} has no example\n{help}");
        // An example that is too long is continued at the margin.
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        for line in examples.take_while(|line| !line.is_empty()) {
            assert!(line.starts_with("  "), "{path:?}: {line}\n{help}");
        }
    }
    assert!(all.len() > 30, "{} commands", all.len());
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(tengen(&["--version"]).stdout, format!("tengen {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_has_exit_code_2() {
    for arguments in [
        &["fly"][..],
        &["--no-such-flag"],
        &["play", "--size", "20"],
        &["play", "--color", "red"],
        &["play", "--rules", "martian"],
        &["bench", "playout", "--seconds", "three"],
        &["perft", "--ko", "never"],
        &["completions", "cobol"],
    ] {
        let run = tengen(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn errors_have_exit_code_1_and_name_the_remedy() {
    for (arguments, remedy) in [
        (&["presets", "randon"][..], "did you mean \"random\"?"),
        (&["presets", "nothing"], "choose one of random"),
        (&["presets", "random,eye=x"], "did you mean \"eyes\"?"),
        (&["play", "--preset", "random,eyes=x"], "three-diagonals"),
        (&["gtp", "--set", "threads"], "key=value"),
        (&["gtp", "--threads", "0"], "from 1 to"),
        (&["gtp", "--time=-1"], "more than 0"),
        (&["gtp", "--config", "no/such.toml"], "cannot read no/such.toml"),
        (&["gtp", "--preset", "gtp:no-such-engine"], "no-such-engine"),
        (&["play", "--handicap", "40"], "at most 20"),
        (&["play", "--handicap", "12"], "takes 2 to 9"),
        (&["play", "--preset", "gtp:no-such-engine"], "no-such-engine"),
        (&["play", "--engine", "other=gtp:no-such-engine"], "no-such-engine"),
        (&["play", "--terminal", "--handicap", "40"], "takes 2 to 9"),
        (&["play", "--engine", "gnugo"], "NAME=SPEC"),
        (&["play", "--komi", "NaN"], "--komi"),
        (&["bench", "playout", "--policy", "unifrom"], "`uniform`"),
        (&["bench", "playout", "--threads", "0"], "from 1 to"),
        (&["bench", "playout", "--seconds", "0"], "more than 0"),
    ] {
        let run = tengen(arguments);
        assert_eq!(run.code, 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(remedy), "{arguments:?}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn presets_are_listed_and_printed_as_files_that_can_be_read_back() {
    let list = tengen(&["presets", "--json"]).json();
    let presets = list["presets"].as_array().unwrap();
    assert!(presets.iter().any(|preset| preset["name"] == "random"));
    assert_eq!(tengen(&["presets"]).stdout.lines().count(), presets.len());

    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for preset in presets {
        assert!(preset["about"].as_str().unwrap().len() > 10);
        let name = preset["name"].as_str().unwrap();
        let toml = tengen(&["presets", name]).stdout;
        let file = directory.join(format!("{name}.toml"));
        std::fs::write(&file, &toml).unwrap();
        assert_eq!(tengen(&["presets", file.to_str().unwrap()]).stdout, toml);
        let params = tengen(&["presets", name, "--json"]).json();
        assert_eq!(params["name"], name);
        assert!(params["params"]["kind"].is_string());
    }
}

#[test]
fn perft_counts_in_json_and_in_a_table() {
    let run = tengen(&["perft", "--size", "3x3", "--ko", "simple", "--depth", "4", "--json"]);
    assert_eq!(run.stdout, "{\"counts\":[10,91,738,5281]}\n");
    let run = tengen(&["perft", "--size", "2", "--ko", "positional", "--suicide", "--depth", "2"]);
    assert_eq!(run.stdout, " 1  5\n 2  21\n");
}

#[test]
fn bench_playout_has_the_documented_fields_in_order() {
    let arguments =
        ["bench", "playout", "--policy", "uniform", "--size", "9", "--threads", "2", "--seconds", "0.2"];
    let report = tengen(&[&arguments[..], &["--json"]].concat()).json();
    let fields: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "kind",
            "policy",
            "size",
            "threads",
            "playouts",
            "seconds",
            "cpu_seconds",
            "per_second",
            "per_cpu_second",
            "mean_length",
            "mean_score",
            "black_wins"
        ]
    );
    assert_eq!(report["kind"], "playout");
    assert_eq!(report["policy"], "uniform");
    assert_eq!(report["size"], 9);
    assert_eq!(report["threads"], 2);
    let number = |field: &str| report[field].as_f64().unwrap();
    assert!(number("seconds") >= 0.2);
    assert!(number("playouts") > 100.0);
    assert!((number("per_second") * number("seconds") / number("playouts") - 1.0).abs() < 1e-9);
    assert!((number("per_cpu_second") * number("cpu_seconds") / number("playouts") - 1.0).abs() < 1e-9);
    assert!((105.0..117.0).contains(&number("mean_length")));
    assert!((0.3..0.8).contains(&number("black_wins")));
    assert!(tengen(&arguments).stdout.contains("per CPU-second"));
}

#[test]
fn a_fixed_number_of_playouts_is_the_same_every_time() {
    let run = || {
        let arguments = [
            "bench",
            "playout",
            "--size",
            "7x9",
            "--playouts",
            "501",
            "--threads",
            "2",
            "--seed",
            "5",
            "--json",
        ];
        let report = tengen(&arguments).json();
        assert_eq!(report["playouts"], 501);
        assert_eq!(report["size"], "7x9");
        (report["mean_length"].clone(), report["mean_score"].clone(), report["black_wins"].clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn the_policy_takes_parameters() {
    let mean_length = |policy: &str| {
        let arguments = ["bench", "playout", "--policy", policy, "--playouts", "200", "--json"];
        tengen(&arguments).json()["mean_length"].as_f64().unwrap()
    };
    assert_ne!(mean_length("uniform"), mean_length("uniform,eyes=one-chain"));
    assert_eq!(mean_length("uniform"), mean_length("uniform,eyes=diagonals"));
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = tengen(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("perft"), "{shell}");
    }
}

#[test]
fn doctor_finds_the_program_itself_healthy() {
    let report = tengen(&["doctor", "--json", "--pachi", "/no/such/pachi"]).json();
    assert_eq!(report["healthy"], true, "{report}");
    let checks = report["checks"].as_array().unwrap();
    let check = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    for name in ["processor", "presets", "board", "playouts", "front ends"] {
        assert_eq!(check(name)["status"], "ok", "{report}");
    }
    assert_eq!(check("Pachi")["status"], "warning");
    assert!(check("Pachi")["remedy"].is_string());
}

#[test]
fn gtp_answers_with_the_chosen_player_and_its_parameters() {
    let input = "name\nkata-get-param eyes\nkata-set-param eyes diagonals\nkata-get-param eyes\nquery_boardsize\nquit\n";
    let run = tengen_with_input(&["gtp", "--preset", "random", "--set", "eyes=one-chain"], input);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answers: Vec<_> = run.stdout.split("\n\n").collect();
    assert_eq!(answers[1], "= one-chain");
    assert_eq!(answers[3], "= diagonals");
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = |preset: &str, seed: &str| {
        let input = "boardsize 5\ngenmove b\ngenmove w\ngenmove b\ngenmove w\nquit\n";
        let run = tengen_with_input(&["gtp", "--preset", preset, "--playouts", "200", "--seed", seed], input);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    for preset in ["random", "default"] {
        assert_eq!(game(preset, "1"), game(preset, "1"));
    }
    assert_ne!(game("random", "1"), game("random", "2"));
}

#[test]
fn analysis_answers_queries_and_names_what_is_wrong() {
    let query = |id: &str, rules: &str| {
        format!(
            r#"{{"id":"{id}","moves":[["B","C3"]],"rules":"{rules}","boardXSize":5,"boardYSize":5,"maxVisits":30}}"#
        )
    };
    let input = [query("good", "japanese"), query("bad", "poker"), "nonsense".to_owned()].join("\n");
    let run = tengen_with_input(&["analysis", "--preset", "uct", "--seed", "1", "--positions", "2"], &input);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answers: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 3, "{}", run.stdout);
    let find = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(find("good")["rootInfo"]["visits"], 30);
    assert_eq!(find("bad")["field"], "rules");
    let run = tengen(&["analysis", "--preset", "random"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("does not search"), "{}", run.stderr);
}

#[test]
fn doctor_explains_what_is_wrong_with_a_thing() {
    let folder = std::env::temp_dir().join(format!("tengen-doctor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let mut book = Book::new(7);
    book.add(&sgf::read_collection(b"(;SZ[7];B[dd])").unwrap()[0].main_line().unwrap(), None, 1);
    let cut_book = book.to_text().replace("end\n", "");
    let spec = NetSpec::named("rollout-a").unwrap();
    let network = Network::random(&spec, &mut Rng::new(1)).unwrap().to_bytes(&[]);
    let good = [
        "random".to_owned(),
        "uct,playouts=20".to_owned(),
        format!("gtp:'{}' gtp --preset random", env!("CARGO_BIN_EXE_tengen")),
        write("game.sgf", b"(;GM[1]SZ[9];B[ee];W[cc])"),
        write("good.safetensors", &network),
        format!("random,book={}", write("seven.book", book.to_text().as_bytes())),
    ];
    for thing in &good {
        let report = tengen(&["doctor", "--json", thing]).json();
        assert_eq!(report["checks"][0]["status"], "ok", "{report}");
        assert_eq!(report.to_string().contains("7x7 only"), thing.contains("seven.book"), "{report}");
    }
    let dies = "kind = \"gtp\"\ncommand = \"sh -c 'read line; printf \\\"= Brief\\\\n\\\\n\\\"'\"\n";
    let bad = [
        ("randon".to_owned(), "did you mean"),
        ("uct,explore=1".to_owned(), "explore"),
        ("gtp:no-such-program".to_owned(), "not found"),
        ("gtp:true".to_owned(), "ended"),
        ("/no/such/folder/net.safetensors".to_owned(), "no folder"),
        (folder.join("goood.safetensors").display().to_string(), "good.safetensors"),
        (write("cut.safetensors", &network[..network.len() / 2]), "damaged"),
        (write("pointer.safetensors", b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
        (write("page.bin.gz", b"<!DOCTYPE html><html></html>"), "web page"),
        (write("empty.sgf", b""), "is empty"),
        (write("bad.sgf", b"not a game"), "save it again"),
        (format!("gtp:{}", write("engine", b"#!/bin/sh\n")), "chmod +x"),
        (write("dies.toml", dies.as_bytes()), "does not make a first move"),
        (write("no.book", b"tengen book 2\n"), "size is missing"),
        (format!("uct,book={}", folder.join("no.book").display()), "tengen doctor"),
        (write("book-without-end", cut_book.as_bytes()), "the rest of the book is missing"),
        (write("network-without-ending", &network[..network.len() / 2]), "damaged"),
        (
            write("two.sgf", b"(;GM[1]SZ[9];B[ee])(;GM[1]SZ[9];B[aa];W[aa])"),
            "1 of 2 games cannot be replayed",
        ),
    ];
    for (thing, part) in &bad {
        let run = tengen(&["doctor", thing]);
        assert_eq!(run.code, 1, "{thing}: {}", run.stdout);
        assert!(run.stdout.contains(part), "{thing}: {}", run.stdout);
        assert!(run.stdout.contains("-> "), "{thing}: {}", run.stdout);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
