//! KataGo's own answers: what its CPU build says with the network of KaTrain, b10c384h6nbttflrs, a transformer of model version 15.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // Tests may panic, and say what they skip.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use flate2::read::GzDecoder;
use serde::Deserialize;
use tengen_board::{Game, Rules, sgf::data_folder};
use tengen_engine::{
    eval::Evaluator,
    network::{NetworkConfig, RawEvaluation},
};
use tengen_nets::{AnyNetwork, NetEvaluator};

const NETWORK: &str = "b10c384h6nbttflrs.bin.gz";
/// By how much probabilities and owners, and by how many points the lead may differ.
const SHARE: f32 = 0.003;
const POINTS: f32 = 0.06;
/// In the others, input features differ.
const AGREEING: usize = 80;
const ANSWERS: &str = "nets/rawnn-b10c384h6nbttflrs.jsonl.gz";

/// The network's file: in the wheel of KaTrain that `make test` installs, or among the data.
fn network_file() -> Option<PathBuf> {
    let libraries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/lib");
    let pythons = fs::read_dir(libraries).into_iter().flatten().flatten();
    let installed = pythons.map(|python| python.path().join("site-packages/katrain/models"));
    let data = data_folder().map(|folder| folder.join("nets"));
    let found = installed.chain(data).map(|folder| folder.join(NETWORK)).find(|file| file.exists());
    if found.is_none() {
        println!(
            "SKIPPED: no {NETWORK} in target/venv (KaTrain, which `make test` installs) or $TENGEN_DATA/nets"
        );
    }
    found
}

fn evaluator() -> Option<NetEvaluator> {
    static NET: OnceLock<Option<AnyNetwork>> = OnceLock::new();
    let network = NET.get_or_init(|| network_file().map(|file| AnyNetwork::load(&file).unwrap()));
    let network = network.clone()?;
    Some(NetEvaluator::new(network, &NetworkConfig::default(), 1))
}

#[derive(Deserialize)]
struct Answer {
    width: usize,
    height: usize,
    rules: String,
    komi: f32,
    symmetry: usize,
    moves: Vec<String>,
    white_win: f32,
    white_loss: f32,
    no_result: f32,
    white_lead: f32,
    /// Of some rows from the top.
    policy: Vec<Option<f32>>,
    policy_pass: f32,
    white_ownership: Vec<f32>,
}

impl Answer {
    fn game(&self, rules: Rules) -> Game {
        let mut game = Game::new(self.width, self.height, rules.with_komi(self.komi)).unwrap();
        for mv in &self.moves {
            game.play(mv.split_once(' ').unwrap().1.parse().unwrap());
        }
        game
    }

    /// The largest differences: of probabilities and owners, and of points.
    fn differences(&self, raw: &RawEvaluation) -> (f32, f32) {
        let points = (0..self.height)
            .rev()
            .flat_map(|row| (0..self.width).map(move |col| tengen_board::Vertex::new(col, row)));
        let owners = raw.white_ownership.as_ref().unwrap();
        let mut pairs = vec![
            (raw.white_win, self.white_win),
            (raw.white_loss, self.white_loss),
            (raw.no_result, self.no_result),
            (raw.pass, self.policy_pass),
        ];
        pairs.extend(points.clone().zip(&self.white_ownership).map(|(v, owner)| (owners[v], *owner)));
        for (v, probability) in points.zip(&self.policy) {
            // What KataGo forbids may be allowed here: the suicide of a single stone.
            pairs.extend(probability.map(|probability| (raw.policy[v], probability)));
        }
        let most =
            pairs.into_iter().map(|(a, b)| if a.is_nan() { 1.0 } else { (a - b).abs() }).fold(0.0, f32::max);
        (most, (raw.white_lead - self.white_lead).abs())
    }
}

#[test]
fn positions_of_all_sizes_and_symmetries_are_judged_as_by_katago() {
    let Some(mut evaluator) = evaluator() else { return };
    let Some(file) = data_folder().map(|folder| folder.join(ANSWERS)).filter(|file| file.exists()) else {
        println!("SKIPPED: no {ANSWERS} in $TENGEN_DATA or ../shared/data");
        return;
    };
    let lines = BufReader::new(GzDecoder::new(File::open(file).unwrap())).lines();
    let (mut agreeing, mut all) = (0, 0);
    for line in lines {
        let answer: Answer = serde_json::from_str(&line.unwrap()).unwrap();
        all += 1;
        let Ok(rules) = answer.rules.parse() else { continue };
        let raw = evaluator.raw(&answer.game(rules), answer.symmetry).unwrap();
        let (share, points) = answer.differences(&raw);
        agreeing += usize::from(share < SHARE && points < POINTS);
    }
    assert!(agreeing >= AGREEING, "{agreeing} of {all} answers are KataGo's");
}
