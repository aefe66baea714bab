//! What KataGo itself answers to `kata-raw-nn` (its CPU build, single precision) is what we answer, under every rule set and on
//! every board size. Answers and networks are looked for in `$TENGEN_DATA`, that of KaTrain also where `make test` installs it.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use tengen_board::{Game, Rules, sgf::data_folder};
use tengen_engine::search::{Evaluator, NetworkConfig};
use tengen_nets::{AnyNetwork, NetEvaluator};
use tengen_testing::skipped;

/// By how much chances, shares of the policy and ownership may differ, and by how many points the lead.
const TOLERANCE: f64 = 0.003;
const LEAD_TOLERANCE: f64 = 0.06;

/// The largest differences of some positions.
#[derive(Clone, Copy, Default)]
struct Worst {
    positions: usize,
    outside: usize,
    chances: f64,
    policy: f64,
    ownership: f64,
    lead: f64,
}

impl Worst {
    fn is_outside(&self) -> bool {
        self.chances.max(self.policy).max(self.ownership) > TOLERANCE || self.lead > LEAD_TOLERANCE
    }

    fn add(&mut self, other: &Worst) {
        self.positions += 1;
        self.outside += other.is_outside() as usize;
        self.chances = self.chances.max(other.chances);
        self.policy = self.policy.max(other.policy);
        self.ownership = self.ownership.max(other.ownership);
        self.lead = self.lead.max(other.lead);
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The position that a line describes.
fn game(line: &Value) -> Game {
    let rules: Rules = line["rules"].as_str().unwrap().parse().unwrap();
    let (width, height) = (number(&line["width"]) as usize, number(&line["height"]) as usize);
    let mut game = Game::new(width, height, rules.with_komi(number(&line["komi"]) as f32)).unwrap();
    for played in line["moves"].as_array().unwrap() {
        let (color, mv) = played.as_str().unwrap().split_once(' ').unwrap();
        // KataGo lets clients play what its rules forbid: suicide, repetition.
        game.set_to_play(color.parse().unwrap());
        game.play_unchecked(mv.parse().unwrap());
    }
    game
}

/// How far our answer is from a line's; infinite where one says that a point is legal and the other does not.
fn difference(evaluator: &mut NetEvaluator, line: &Value, game: &Game) -> Worst {
    let raw = evaluator.raw(game, number(&line["symmetry"]) as usize).unwrap();
    let board = game.board();
    let mut worst = Worst::default();
    let chances = [("white_win", raw.white_win), ("white_loss", raw.black_win), ("no_result", raw.no_result)];
    for (name, ours) in chances {
        worst.chances = worst.chances.max((number(&line[name]) - f64::from(ours)).abs());
    }
    worst.lead = (number(&line["white_lead"]) + f64::from(raw.lead)).abs();
    worst.policy = (number(&line["policy_pass"]) - f64::from(raw.pass)).abs();
    let owners = raw.ownership.unwrap();
    for v in board.points() {
        let at = (board.height() - 1 - v.row()) * board.width() + v.col();
        let difference = match line["policy"].get(at).map(Value::as_f64) {
            // Some lines have the upper rows only.
            None => 0.0,
            Some(Some(share)) if raw.policy[v].is_finite() => (share - f64::from(raw.policy[v])).abs(),
            Some(None) if raw.policy[v].is_nan() => 0.0,
            _ => f64::INFINITY,
        };
        worst.policy = worst.policy.max(difference);
        let owner = number(&line["white_ownership"][at]);
        worst.ownership = worst.ownership.max((owner + f64::from(owners[v])).abs());
    }
    worst
}

/// Compares all answers of a file, and prints the worst differences by rule set.
fn compare(network: &Path, answers: &Path) {
    let network = AnyNetwork::load(network).unwrap();
    let mut evaluator = NetEvaluator::new(network, &NetworkConfig::default(), 1);
    let mut by_rules: BTreeMap<String, Worst> = BTreeMap::new();
    let lines = BufReader::new(MultiGzDecoder::new(File::open(answers).unwrap()));
    for (number, line) in lines.lines().enumerate() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let game = game(&line);
        let worst = difference(&mut evaluator, &line, &game);
        if worst.is_outside() {
            let Worst { chances, policy, ownership, lead, .. } = worst;
            println!(
                "line {}: chances {chances:.5} policy {policy:.5} ownership {ownership:.5} lead {lead:.3}",
                number + 1
            );
            println!("{}", game.board());
        }
        by_rules.entry(line["rules"].as_str().unwrap().to_owned()).or_default().add(&worst);
    }
    println!("{:<14} positions outside  chances   policy ownership    lead", "rules");
    for (rules, w) in &by_rules {
        let Worst { positions, outside, chances, policy, ownership, lead } = w;
        println!(
            "{rules:<14} {positions:>9} {outside:>7} {chances:>8.5} {policy:>8.5} {ownership:>9.5} {lead:>7.4}"
        );
    }
    assert!(by_rules.values().all(|w| w.outside == 0), "differences beyond the tolerance, see above");
    assert!(by_rules.values().map(|w| w.positions).sum::<usize>() >= 100, "positions are compared");
}

#[test]
fn the_answers_of_b6c96_are_katagos() {
    const NETWORK: &str = "nets/g170-b6c96-s175395328-d26788732.bin.gz";
    const ANSWERS: &str = "nets/rawnn-b6c96.jsonl.gz";
    let found = data_folder().filter(|data| data.join(NETWORK).exists() && data.join(ANSWERS).exists());
    match found {
        Some(data) => compare(&data.join(NETWORK), &data.join(ANSWERS)),
        None => {
            skipped("KataGo's answers with b6c96", &format!("no {NETWORK} and {ANSWERS} in $TENGEN_DATA"));
        }
    }
}

/// The network of KaTrain, a transformer of model version 15.
fn katrain_network() -> Option<PathBuf> {
    const NETWORK: &str = "b10c384h6nbttflrs.bin.gz";
    let libraries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/lib");
    let pythons = fs::read_dir(libraries).into_iter().flatten().flatten();
    let installed = pythons.map(|python| python.path().join("site-packages/katrain/models"));
    let data = data_folder().map(|folder| folder.join("nets"));
    let found = installed.chain(data).map(|folder| folder.join(NETWORK)).find(|file| file.exists());
    if found.is_none() {
        let want =
            format!("no {NETWORK} in target/venv (KaTrain, which `make test` installs) or $TENGEN_DATA/nets");
        skipped("KataGo's answers with KaTrain's network", &want);
    }
    found
}

#[test]
fn the_answers_of_katrains_network_are_katagos() {
    const ANSWERS: &str = "nets/rawnn-b10c384h6nbttflrs.jsonl.gz";
    let Some(network) = katrain_network() else { return };
    match data_folder().map(|data| data.join(ANSWERS)).filter(|answers| answers.exists()) {
        Some(answers) => compare(&network, &answers),
        None => {
            skipped("KataGo's answers with KaTrain's network", &format!("no {ANSWERS} in $TENGEN_DATA"));
        }
    }
}

/// KataGo's answers to `kata-raw-nn 0 0` and, of the pass, `kata-raw-nn 0 1` on an empty board.
#[test]
fn uncertainty_and_optimism_are_katagos() {
    let Some(network) = katrain_network() else { return };
    let network = AnyNetwork::load(&network).unwrap();
    let game = |size| Game::new(size, size, Rules::TROMP_TAYLOR.with_komi(7.5)).unwrap();
    let raw = |size, root_policy_optimism| {
        let config = NetworkConfig { root_policy_optimism, ..NetworkConfig::default() };
        NetEvaluator::new(network.clone(), &config, 1).raw(&game(size), 0).unwrap()
    };
    let near = |ours: f32, katagos: f32, tolerance: f32| {
        assert!((ours - katagos).abs() <= tolerance, "{ours} instead of {katagos}");
    };
    for (size, lead, score, square, time, value_error, score_error) in
        [(9, 1.313, 2.433, 58.883, 2.162, 0.062, 0.599), (7, -2.352, -0.797, 22.073, 0.398, 0.167, 1.527)]
    {
        let raw = raw(size, 0.0);
        let uncertainty = raw.uncertainty.unwrap();
        near(-raw.lead, lead, 0.0015);
        near(-raw.score, score, 0.0015);
        near(raw.score_squared, square, 0.003);
        near(uncertainty.variance_time, time, 0.0015);
        near(uncertainty.value_error, value_error, 0.0006);
        near(uncertainty.score_error, score_error, 0.0006);
    }
    for (optimism, pass) in [(0.0, 0.000_219), (0.2, 0.000_179), (1.0, 0.000_079)] {
        near(raw(9, optimism).pass, pass, 0.000_001);
    }
}
