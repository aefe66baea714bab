//! Tuning: iterations are kept and repeated exactly, and the directory becomes an experiment.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{fs, path::Path};

use tengen_board::Rules;
use tengen_engine::players::StopSignal;
use tengen_lab::{
    experiments::{Experiment, RunOptions},
    tune::{Range, Spsa, TuneConfig},
};

#[test]
fn an_interrupted_tuning_goes_on_and_ends_as_an_experiment() {
    let config = TuneConfig {
        player: "uct,playouts=15".parse().unwrap(),
        ranges: ["tree_policy.exploration=0.1..2.0", "expand_visits=1..9"]
            .map(|text| Range::parse(text).unwrap())
            .to_vec(),
        spsa: Spsa { iterations: 6, shake: 0.2, step: 0.1 },
        games: 2,
        size: 5,
        rules: Rules::CHINESE,
        seed: 3,
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tune-uct");
    let _ = fs::remove_dir_all(&path);
    let go = || config.run(&path, 1, &StopSignal::default(), |_| {}).unwrap();
    let whole = go();
    assert_eq!(whole.len(), 6);
    assert!(whole.iter().any(|iteration| iteration.score != 0.0), "some games are decided");
    let file = path.join(TuneConfig::FILE);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() * 2 / 3]).unwrap();
    assert_eq!(go(), whole);

    config.write_experiment(&path, &whole, 2).unwrap();
    let experiment = Experiment::read(&path).unwrap();
    assert!(
        experiment.config.claim.contains("tree_policy.exploration from 0.5 to"),
        "{}",
        experiment.config.claim
    );
    let cells = experiment.cells().unwrap();
    assert_eq!(cells.len(), 1);
    let tuned = cells[0].player.get("tree_policy.exploration").unwrap().parse::<f64>().unwrap();
    assert!((tuned - whole[5].values[0]).abs() < 1e-6, "{tuned}");
    let results = experiment.run(&RunOptions::in_memory(), &StopSignal::default(), |_| {}).unwrap();
    assert_eq!(results.n(), 2);

    let wrong = TuneConfig { ranges: vec![Range::parse("exploratoin=0.1..1").unwrap()], ..config };
    let error = wrong.run(&path.join("wrong"), 1, &StopSignal::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("exploratoin"), "{error}");
}
