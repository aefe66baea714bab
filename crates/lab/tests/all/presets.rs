//! What every preset must do: play legally, and the same game again with the same seed.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{path::PathBuf, sync::OnceLock};

use tengen_board::{Game, Move, Rules};
use tengen_engine::{
    players::{Decision, Request},
    rng::Rng,
};
use tengen_lab::{PRESETS, PlayerSpec, bench};
use tengen_nets::{NetSpec, Network, PolicySpec, Trunk, ValueSpec, planes::Planes};

/// The file of a small network with random weights.
fn network() -> PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let spec = NetSpec {
            planes: Planes::Tengen,
            first_kernel: 3,
            trunk: Trunk::Residual { blocks: 1, channels: 16, pooling: vec![0] },
            policy: PolicySpec { moves: 1, kernel: 1, channels: 8, pass: true },
            value: Some(ValueSpec { channels: 8, hidden: 8, score: true }),
            ownership: true,
        };
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("small.safetensors");
        Network::random(&spec, &mut Rng::new(1)).unwrap().save(&path, &[]).unwrap();
        path
    };
    FILE.get_or_init(write).clone()
}

/// The file of a rollout network with random weights.
fn rollout_network() -> PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rollout.safetensors");
        let spec = NetSpec::named("rollout-a-reduced").unwrap();
        Network::random(&spec, &mut Rng::new(1)).unwrap().save(&path, &[]).unwrap();
        path
    };
    FILE.get_or_init(write).clone()
}

fn opening(name: &str, seed: u64, moves: usize) -> Vec<Move> {
    let mut spec: PlayerSpec = format!("{name},seed={seed},threads=1").parse().unwrap();
    if spec.config.uses_network() {
        spec.options.net = Some(network());
    }
    if spec.config.uses_rollout_network() {
        spec.options.rollout_net = Some(rollout_network());
    }
    let mut seat = spec.build(seed).unwrap();
    let mut game = Game::new(7, 7, Rules::CHINESE).unwrap();
    let request = Request::playouts(100);
    while game.moves().len() < moves && !game.is_over() {
        match seat.decide(&game, &request).unwrap() {
            Decision::Play(mv) => {
                game.try_play(mv).unwrap_or_else(|e| panic!("{name} plays {mv}: {e}\n{game:?}"));
            }
            Decision::Resign => break,
        }
    }
    game.moves().iter().map(|m| m.mv).collect()
}

#[test]
fn every_preset_plays_the_same_game_with_the_same_seed() {
    for preset in PRESETS {
        let first = opening(preset.name, 7, 40);
        assert!(first.len() > 5, "{} played {first:?}", preset.name);
        assert_eq!(first, opening(preset.name, 7, 40), "{}", preset.name);
        let others = (8..12).map(|seed| opening(preset.name, seed, 40));
        assert!(others.into_iter().any(|other| other != first), "{} ignores its seed", preset.name);
    }
}

#[test]
fn a_wrong_network_gets_an_error_that_names_the_remedy() {
    let error =
        |spec: &str| spec.parse().and_then(|spec: PlayerSpec| spec.build(1)).err().unwrap().to_string();
    assert!(error("zero,net=no/such.bin.gz").contains("no/such.bin.gz"));
    assert!(error("rave,net=a.safetensors").contains("choose zero"), "{}", error("rave,net=a.safetensors"));
    let net = network().display().to_string();
    assert!(error(&format!("zero,net={net},network.mix=2")).contains("from 0 to 1"));
    assert!(error(&format!("zero,net={net},network.policy_temperature=0")).contains("more than 0"));
    let holmes = format!("holmes,net={net}");
    assert!(error(&format!("{holmes},rollout_net={net}")).contains("residual"));
    assert!(error(&format!("{holmes},rollout_net=no/such")).contains("no/such"));
    assert!(error(&format!("{holmes},rollout.temperature=0")).contains("from 0.1 to 100"));
    let rollout = rollout_network().display().to_string();
    assert!(error(&format!("zero,net={rollout}")).contains("network.mix=1"));
    assert!(error(&format!("rave,rollout_net={rollout}")).contains("choose holmes"));
    let damaged = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("damaged.bin.gz");
    std::fs::write(&damaged, b"\x1f\x8bnothing").unwrap();
    let message = error(&format!("zero,net={}", damaged.display()));
    assert!(message.contains("damaged.bin.gz is not a usable network"), "{message}");
}

#[test]
fn the_alternatives_of_holmes_are_one_setting_each() {
    for setting in ["tree_policy.kind=ucb1", "tree_policy.kind=rave", "widening.kind=off", "batch=1"] {
        assert_eq!(opening(&format!("holmes,{setting}"), 1, 6).len(), 6, "{setting}");
    }
    let rollout = rollout_network().display().to_string();
    let without_prior = format!("uct,rollout_net={rollout},rollout.temperature=0.5");
    assert_eq!(opening(&without_prior, 1, 6).len(), 6);
}

#[test]
fn playouts_can_be_mixed_with_a_network() {
    let net = network().display().to_string();
    let moves = opening(&format!("zero,net={net},network.mix=0.5,playout.kind=mogo,batch=3"), 1, 10);
    assert_eq!(moves.len(), 10);
}

/// The papers' presets, and what identifies how they play: the signature of their behaviour on 9x9, and, where there is neither a network
/// nor chance alone, that of `tengen bench search --size 5 --playouts 5000 --seed 1`, which is long enough for pruning.
const PAPERS: [(&str, &str, &str); 14] = [
    ("random", "19db2b6e76cf5d82", ""),
    ("gobble", "83369f7664162ec5", "790a9a937a8521eb"),
    ("mc", "ffeaaff67d43f942", "a3d142b2c5e07002"),
    ("mc-pp", "ffeaaff67d43f942", "d12cc92b986a6b1c"),
    ("mc-amaf", "c2f6427144466b60", "01dd6bb372030c67"),
    ("mc-depth2", "19ec1fa691648672", "13128115c56ed7d9"),
    ("uct", "628a29adc1fea493", "e772a653b6ab66e0"),
    ("rave", "87f5ebba7587749d", "31fbbf4d45ad2b1e"),
    ("rave-lgr", "bef88dfbb9a143b3", "3ead545b71886f42"),
    ("rave-lgrf", "73d7b473516af189", "974077b0fafc29af"),
    ("gcmb", "7f222be9190d9e72", "2fccb810cccb5e4b"),
    ("policy", "43ea58bdf753ed50", ""),
    ("holmes", "7eea21e26b42b39f", ""),
    ("zero", "86c4f3d183b144e4", ""),
];

/// They are frozen: results in `experiments/` belong to them. What plays otherwise gets another name.
#[test]
fn the_presets_of_the_papers_play_as_they_always_did() {
    for (name, behaviour, bench) in PAPERS {
        let spec: PlayerSpec = name.parse().unwrap();
        assert_eq!(spec.behaviour(9, 9).unwrap()["signature"], behaviour, "{name}");
        if !bench.is_empty() {
            let positions = bench::positions(5, 5).unwrap();
            let found = bench::bench_search(&mut spec.build(1).unwrap(), &positions, 5000, 1, None, || {});
            assert_eq!(format!("{:016x}", found.unwrap().unwrap().signature), bench, "{name}");
        }
    }
}
