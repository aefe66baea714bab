//! Training: a network learns from records, and its rollouts are balanced.
#![allow(clippy::unwrap_used)]

mod common;

use std::{fs, path::Path};

use common::tengen;

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
    for bad in
        ["--weight-decay=nan", "--checkpoint-minutes=1e30", "--batch=18446744073709551608", "--positions=0"]
    {
        let aside = format!("{out}-bad");
        let flags = ["--arch", "rollout-a-reduced", "--data", &games, "--out", &aside, bad];
        let run = tengen(&[&["train", "policy"][..], &flags].concat());
        assert!(run.code == 1 && run.stderr.contains("must be"), "{bad}: {}", run.stderr);
    }
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
    let random = balance(&["--teacher", "random"]);
    assert!(random.code == 1 && random.stderr.contains("searches"), "{}", random.stderr);
    let wrong = tengen(&["train", "balance", "--net", "default", "--data", &games, "--out", &out]);
    assert!(wrong.code == 1 && wrong.stderr.contains("residual blocks"), "{}", wrong.stderr);
}
