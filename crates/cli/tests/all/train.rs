//! Training: a network learns from records, and its rollouts are balanced.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use tengen_nets::train::RunFolder;

use crate::common::tengen;

const GAMES: &str = "\
(;GM[1]SZ[5]KM[0.5]RE[B+R];B[cc];W[cb];B[bb];W[db];B[cd];W[dc];B[dd];W[ba];B[ab];W[ec])
(;GM[1]SZ[5]KM[0.5]RE[W+R];B[cb];W[cc];B[bc];W[dd];B[cd];W[dc];B[db];W[bd];B[be];W[bb])
(;GM[1]SZ[5]KM[0.5]RE[B+R];B[bb];W[cc];B[cb];W[dc];B[bc];W[cd];B[db];W[bd];B[ec];W[ed])
";

/// A fresh folder with the games.
fn folder(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("train-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("games.sgf"), GAMES).unwrap();
    (path.join("games.sgf").display().to_string(), path.join("out").display().to_string())
}

#[test]
fn a_network_is_trained_tested_and_plays() {
    let (games, out) = folder("policy");
    let train = ["train", "policy", "--arch", "rollout-a-reduced", "--positions", "64", "--batch", "16"];
    let run = tengen(&[&train[..], &["--threads", "1", "--data", &games, "--out", &out, "--json"]].concat());
    assert_eq!(run.json()["positions"], 64);
    let again = tengen(&[&train[..], &["--data", &games, "--out", &out]].concat());
    assert!(again.code == 1 && again.stderr.contains("--resume"), "{}", again.stderr);
    let done = tengen(&[&train[..], &["--data", &games, "--out", &out, "--resume", "--json"]].concat());
    assert_eq!(done.json()["positions"], 64);
    let weighted = format!("{games}:2");
    let other = tengen(&[&train[..], &["--data", &weighted, "--out", &out, "--resume"]].concat());
    assert!(other.code == 1 && other.stderr.contains("other --data files"), "{}", other.stderr);
    for bad in [
        "--weight-decay=nan",
        "--checkpoint-minutes=1e30",
        "--batch=1048584",
        "--positions=0",
        "--momentum=1",
        "--set=loss.value=-2",
        "--set=optimizer.warm_up=nan",
    ] {
        let aside = format!("{out}-bad");
        let flags = ["--arch", "rollout-a-reduced", "--data", &games, "--out", &aside, bad];
        let run = tengen(&[&["train", "policy"][..], &flags].concat());
        assert!(run.code == 1 && run.stderr.contains("must be"), "{bad}: {}", run.stderr);
    }
    let plot = fs::read_to_string(format!("{out}/progress.svg"));
    assert!(plot.is_err(), "a line needs two reports");
    let net = format!("{out}/net.safetensors");
    let tested =
        tengen(&["train", "policy", "--eval-only", "--net", &net, "--data", &games, "--json"]).json();
    assert_eq!(tested["positions"], 30);
    let player = format!("rave,playouts=20,rollout_net={net},rollout.temperature=1");
    assert_eq!(tengen(&["match", &player, "random", "--size", "5", "--games", "2", "-q"]).code, 0);
}

#[test]
fn rollouts_are_balanced_with_a_teachers_values() {
    let (games, out) = folder("balance");
    let balance = |more: &[&str]| {
        let all = ["train", "balance", "--net", "rollout-a-reduced", "--data", &games, "--out", &out];
        let few = ["--steps", "2", "--batch", "2", "--rollouts", "4", "--gradient-rollouts", "2"];
        tengen(&[&all[..], &few, more].concat())
    };
    let teacher = ["--teacher", "uct,playouts=20", "--json"];
    let first = balance(&teacher).json();
    assert_eq!(first["held_out"], 1);
    let network = fs::read(first["out"].as_str().unwrap()).unwrap();
    assert_eq!(balance(&teacher).json(), first, "the values are used again");
    assert_eq!(fs::read(first["out"].as_str().unwrap()).unwrap(), network);
    let other = balance(&["--teacher", "uct,playouts=30"]);
    assert!(other.code == 1 && other.stderr.contains("other settings"), "{}", other.stderr);
    fs::remove_dir_all(&out).unwrap();
    let missing =
        tengen(&["train", "balance", "--net", "rollout-a-reduced", "--data", "none.sgf", "--out", &out]);
    assert!(missing.code == 1 && missing.stderr.contains("none.sgf"), "{}", missing.stderr);
    assert!(!Path::new(&out).exists(), "nothing is made before the data are found");
    for bad in ["--set=rollouts=1", "--set=batch=0", "--set=optimizer.momentum=2"] {
        let run = balance(&[bad]);
        assert!(run.code == 1 && run.stderr.contains("must be"), "{bad}: {}", run.stderr);
    }
    let random = balance(&["--teacher", "random"]);
    assert!(random.code == 1 && random.stderr.contains("searches"), "{}", random.stderr);
    let wrong = tengen(&["train", "balance", "--net", "default", "--data", &games, "--out", &out]);
    assert!(wrong.code == 1 && wrong.stderr.contains("residual blocks"), "{}", wrong.stderr);
}

#[test]
fn a_network_learns_from_nothing_and_goes_on_after_an_end() {
    let (_, out) = folder("zero");
    let few = ["--size", "3", "--komi", "0.5:2.5", "--games", "4", "--simulations", "4", "--threads", "1"];
    let quick = ["--set", "anchors.games=2", "--set", "batch=8", "--set", "anchors.player=zero,playouts=4"];
    let train = |more: &[&str]| tengen(&[&["train", "zero", "--out", &out], more].concat());
    let first = train(&[&few[..], &quick, &["--generations", "2", "--json"]].concat()).json();
    assert_eq!((&first["generation"], &first["games"]), (&2.into(), &8.into()));
    assert_eq!(first["anchors"].as_array().unwrap().len(), 4);
    let again = train(&few);
    assert!(again.code == 1 && again.stderr.contains("--resume"), "{}", again.stderr);
    assert_eq!(train(&["--resume", "--generations", "3", "--json"]).json()["generation"], 3);
    for ignored in ["--games=8", "--size=5", "--net=default", "--seed=2", "--set=reuse=2"] {
        let run = train(&["--resume", ignored]);
        assert!(run.code != 0 && !run.stderr.contains("panicked"), "{ignored}: {}", run.stderr);
    }
    assert_eq!(train(&["--resume", "--threads=2", "--set=anchors.every=2", "--generations=4"]).code, 0);
    let net = format!("{out}/net.safetensors");
    let player = format!("zero,net={net},playouts=4");
    assert_eq!(tengen(&["match", &player, "random", "--size", "3", "--games", "2", "-q"]).code, 0);
    for bad in [
        "--method=policy",
        "--set=anchors.size=50",
        "--set=reuse=0",
        "--set=loss.score=-1",
        "--set=nothing=1",
        "--simulations=1",
        "--arch=rollout-a",
        "--size=1",
    ] {
        let aside = format!("{out}-bad");
        let run = tengen(&["train", "zero", "--out", &aside, bad]);
        assert!(run.code != 0 && !run.stderr.contains("panicked"), "{bad}: {}", run.stderr);
    }
}

#[test]
fn policies_follow_their_gradients() {
    for algorithm in ["reinforce", "actor-critic"] {
        let (_, out) = folder(algorithm);
        let _ = fs::remove_dir_all(format!("{out}-from"));
        let few = ["--size", "3", "--games", "4", "--iterations", "2", "--threads", "1", "--json"];
        let quick = ["--set", "anchors.games=2", "--set", "pool.every=1"];
        let train = |more: &[&str]| tengen(&[&["train", algorithm, "--out", &out], more].concat());
        let first = train(&[&few[..], &quick].concat()).json();
        assert_eq!((&first["iteration"], &first["games"]), (&2.into(), &8.into()));
        let more = train(&["--resume", "--iterations", "3", "--json"]).json();
        assert_eq!(more["iteration"], 3);
        assert_ne!(train(&["--resume", "--games=8"]).code, 0);
        assert_ne!(train(&["--resume", "--set=loss.entropy=1"]).code, 0);
        // Heads that a network lacks are added.
        let from = ["--net", "rollout-a", "--out", &format!("{out}-from"), "--set", "anchors.games=0"];
        assert_eq!(tengen(&[&["train", algorithm], &few[..], &from].concat()).code, 0);
        let player = format!("policy,net={out}/net.safetensors");
        assert_eq!(tengen(&["match", &player, "random", "--size", "3", "--games", "2", "-q"]).code, 0);
    }
}

#[test]
fn self_play_writes_records_that_are_learned_from() {
    let (_, out) = folder("selfplay");
    let play = |more: &[&str]| {
        let few = ["--net", "default", "--size", "5", "--simulations", "2", "--threads", "1", "--json"];
        tengen(&[&["selfplay", "--out", &out], &few[..], more].concat())
    };
    let first = play(&["--games", "3"]).json();
    assert!(first["games"] == 3 && first["evaluations"].as_u64().unwrap() > 30, "{first}");
    let file = first["files"][0].as_str().unwrap();
    assert_eq!(play(&["--games", "3", "--resume"]).json()["evaluations"], 0);
    let refused = play(&["--games", "3"]);
    assert!(refused.code == 1 && refused.stderr.contains("--resume"), "{}", refused.stderr);
    let student = format!("{out}/student");
    let learn = ["train", "policy", "--arch", "small", "--positions", "16", "--batch", "8", "--threads", "1"];
    assert_eq!(tengen(&[&learn[..], &["--data", file, "--out", &student]].concat()).code, 0);
    let wrong = play(&["--games", "3", "--set", "resign=2"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("resign"), "{}", wrong.stderr);
}

#[test]
fn parameters_come_from_a_file_and_flags_take_precedence() {
    let (games, out) = folder("file");
    let file = format!("{games}.toml");
    fs::write(&file, "positions = 64\nbatch = 16\n\n[optimizer]\nlearning_rate = 0.5\n").unwrap();
    let train = |out: &str, more: &[&str]| {
        let fixed = ["train", "policy", "--arch", "rollout-a-reduced", "--threads", "1", "--data", &games];
        tengen(&[&fixed[..], &["--config", &file, "--out", out, "--json"], more].concat())
    };
    assert_eq!(train(&out, &[]).json()["positions"], 64);
    assert_eq!(train(&format!("{out}-flag"), &["--positions", "16"]).json()["positions"], 16);
    assert_eq!(train(&format!("{out}-set"), &["--set", "positions=32"]).json()["positions"], 32);
    fs::write(&file, "position = 64\n").unwrap();
    let wrong = train(&format!("{out}-wrong"), &[]);
    assert!(wrong.code == 1 && wrong.stderr.contains("\"positions\""), "{}", wrong.stderr);
}

#[test]
fn a_folder_is_trained_in_by_one_process_alone() {
    let (games, out) = folder("lock");
    let train = || tengen(&["train", "policy", "--arch", "rollout-a", "--data", &games, "--out", &out]);
    let held = RunFolder::begin(Path::new(&out), &[]).unwrap();
    let busy = train();
    assert!(busy.code == 1 && busy.stderr.contains("in use"), "{}", busy.stderr);
    drop(held);
}

#[test]
fn knowledge_and_labels_have_weights_and_parameters() {
    let (games, out) = folder("knowledge");
    let learn = |data: &str, weights: &str, more: &[&str]| {
        let weights = format!("{out}-{weights}");
        let run =
            tengen(&[&["train", "knowledge", "--data", data, &games, "--out", &weights], more].concat());
        (run, fs::read_to_string(weights).unwrap_or_default())
    };
    let (run, plain) = learn(&games, "plain", &["--set", "epochs=1", "--set", "played=1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(plain.contains(", 1 epochs"), "{plain}");
    let (run, _) = learn(&games, "wrong", &["--rate", "2"]);
    assert!(run.code == 1 && run.stderr.contains("rate"), "{}", run.stderr);
    let (run, _) = learn(&format!("{games}:3"), "weighted", &["--epochs", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let labels = format!("{out}-labels");
    let label = |more: &[&str]| {
        let fixed =
            ["train", "label", "--net", "rollout-a", "--data", &games, "--files", "1", "--out", &labels];
        tengen(&[&fixed[..], &["--threads", "1", "--json"], more].concat())
    };
    let run = label(&["--set", "file_positions=8", "--set", "plies=2"]);
    assert!(run.code == 0 && run.json()["positions"].as_u64().unwrap() >= 8, "{}", run.stderr);
    let wrong = label(&["--random", "2"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("random"), "{}", wrong.stderr);
}
