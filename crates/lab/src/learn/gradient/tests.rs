//! A toy game whose better move is known, and interruptions.

use std::fs;

use tengen_board::{Board, Rules};

use super::*;
use crate::selfplay::SelfPlayConfig;

/// On 2x2 points with a komi of half a point Black must not pass: White would pass too, and win. A stone is the better arm.
fn config(algorithm: Algorithm) -> GradientConfig {
    let arch = tengen_nets::NetSpec {
        trunk: tengen_nets::Trunk::Residual { blocks: 1, channels: 16, pooling: vec![] },
        ..tengen_nets::NetSpec::named("small").unwrap()
    };
    let mut config = GradientConfig::new(algorithm, arch, 2, [0.5, 0.5]);
    config.selfplay = SelfPlayConfig { random_moves: 0, rules: Rules::TROMP_TAYLOR, ..config.selfplay };
    (config.iterations, config.games, config.anchors.opponents) = (60, 64, Vec::new());
    (config.pool.every, config.pool.size) = (10, 2);
    config.optimizer.learning_rate = 0.05;
    config
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tengen-gradient-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

/// Black's chance to pass at once.
fn chance_to_pass(network: &Network) -> f32 {
    let board = Board::new(2, 2);
    let position = tengen_nets::planes::Position { board: &board, moves: &[], komi: 0.5, rank: None };
    let mut outputs = Vec::new();
    network.runner(2, 2, 1).evaluate(&[position], &mut outputs);
    let pass = outputs[0].pass.unwrap().exp();
    pass / (pass + outputs[0].policy.iter().map(|x| x.exp()).sum::<f32>())
}

#[test]
fn both_algorithms_find_the_better_arm_of_a_toy_game() {
    for algorithm in [Algorithm::Reinforce, Algorithm::ActorCritic] {
        let config = config(algorithm);
        let folder = folder(&format!("toy-{algorithm:?}"));
        let run = PolicyGradient::new(&folder, &config, None).unwrap();
        let before = chance_to_pass(&run.learner.latest());
        run.run(&StopSignal::default(), |_| ()).unwrap();
        let after = chance_to_pass(&Network::load(&folder.join("net.safetensors")).unwrap());
        assert!(before > 0.1 && after < 0.05, "{algorithm:?}: {before:?} {after:?}");
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn an_interrupted_run_ends_with_the_same_network() {
    let mut config = config(Algorithm::ActorCritic);
    (config.iterations, config.games) = (24, 8);
    let whole = folder("whole");
    PolicyGradient::new(&whole, &config, None).unwrap().run(&StopSignal::default(), |_| ()).unwrap();
    let parts = folder("parts");
    let stop = StopSignal::default();
    let stop_at = |at: u64| {
        let stop = stop.clone();
        move |event: Event<'_>| {
            if matches!(event, Event::Iteration(line) if line.iteration == at) {
                stop.stop();
            }
        }
    };
    PolicyGradient::new(&parts, &config, None).unwrap().run(&stop, stop_at(3)).unwrap();
    for at in [13, 17, 100] {
        stop.reset();
        PolicyGradient::resume(&parts).unwrap().run(&stop, stop_at(at)).unwrap();
    }
    let bytes = |folder: &Path| fs::read(folder.join("net.safetensors")).unwrap();
    assert!(bytes(&whole) == bytes(&parts));
    let error = PolicyGradient::new(&parts, &config, None).err().unwrap().to_string();
    assert!(error.contains("--resume"), "{error}");
    for folder in [whole, parts] {
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn networks_that_left_the_pool_leave_the_disk() {
    let mut config = config(Algorithm::ActorCritic);
    (config.iterations, config.games, config.pool.every) = (40, 4, 5);
    let folder = folder("pool");
    PolicyGradient::new(&folder, &config, None).unwrap().run(&StopSignal::default(), |_| ()).unwrap();
    let mut files: Vec<_> =
        fs::read_dir(folder.join("pool")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["net-000035.safetensors", "net-000040.safetensors"]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_an_algorithm_ignores_is_refused() {
    let message = |config: GradientConfig| config.check().unwrap_err().to_string();
    let reinforce = GradientConfig { lambda: 0.9, ..config(Algorithm::Reinforce) };
    assert!(message(reinforce).contains("lambda"));
    assert!(GradientConfig { lambda: 0.9, ..config(Algorithm::ActorCritic) }.check().is_ok());
    let folder = folder("change");
    let mut run = PolicyGradient::new(&folder, &config(Algorithm::ActorCritic), None).unwrap();
    run.change(GradientConfig { iterations: 99, threads: 2, ..config(Algorithm::ActorCritic) }).unwrap();
    let other = GradientConfig { lambda: 0.5, ..run.config().clone() };
    let error = run.change(other).unwrap_err().to_string();
    assert!(error.contains("lambda is 1.0, not 0.5"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_gradient_that_diverges_keeps_the_last_checkpoint() {
    let mut config = config(Algorithm::ActorCritic);
    // Each step multiplies the weights by about a thousand.
    (config.optimizer.learning_rate, config.optimizer.weight_decay) = (99.0, 10.0);
    let folder = folder("wild");
    let error = PolicyGradient::new(&folder, &config, None)
        .unwrap()
        .run(&StopSignal::default(), |_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("diverged") && error.contains("learning_rate"), "{error}");
    assert!(PolicyGradient::resume(&folder).unwrap().learner.is_finite());
    fs::remove_dir_all(&folder).unwrap();
}

/// With a komi that White cannot make up for every result is known beforehand.
#[test]
fn a_baseline_makes_gradients_less_noisy() {
    let mut config = config(Algorithm::ActorCritic);
    (config.iterations, config.games, config.selfplay.komi) = (20, 32, [-10.0; 2]);
    let folder = folder("noise");
    let mut run = PolicyGradient::new(&folder, &config, None).unwrap();
    let stop = StopSignal::default();
    while run.games() < 640 {
        run.step(&stop).unwrap();
    }
    let (own, plain) = run.noise(32, &stop).unwrap();
    let plain = plain.unwrap();
    assert!(own.variance > 0.0 && own.variance < 0.9 * plain.variance, "{own:?} {plain:?}");
    fs::remove_dir_all(&folder).unwrap();
}
