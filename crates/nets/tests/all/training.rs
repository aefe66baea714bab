//! Training: a tiny set is learned by heart, and an interrupted training goes on exactly.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use tengen_nets::{
    NetError, NetSpec, PolicySpec, Trunk, ValueSpec,
    planes::Planes,
    train::{DataFile, Dataset, RunFolder, SessionConfig, SessionEvent, TrainConfig, Trainer, run, test},
};

fn spec() -> NetSpec {
    NetSpec {
        planes: Planes::Tengen,
        first_kernel: 3,
        trunk: Trunk::Residual { blocks: 2, channels: 16, pooling: vec![1] },
        policy: PolicySpec { moves: 3, kernel: 1, channels: 16, pass: true },
        value: Some(ValueSpec { channels: 8, hidden: 16, score: true }),
        ownership: true,
    }
}

/// A folder for a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Two short games on 5x5, one on 7x7.
fn data(folder: &Path) -> Dataset {
    let path = folder.join("games.sgf");
    fs::write(
        &path,
        "(;GM[1]FF[4]SZ[5]KM[6.5]RE[B+R];B[cc];W[cb];B[bb];W[dc];B[cd];W[db];B[ba])
         (;GM[1]FF[4]SZ[5]KM[6.5]RE[W+2.5];B[bb];W[dd];B[cc];W[cd];B[bd];W[dc];B[];W[])
         (;GM[1]FF[4]SZ[7]KM[6.5]RE[W+R];B[cc];W[ee];B[ec];W[ce];B[dd];W[de])",
    )
    .unwrap();
    Dataset::load(&[DataFile { path, weight: 1.0 }], |_| ()).unwrap()
}

fn config(positions: u64) -> TrainConfig {
    let mut config = TrainConfig { positions, batch: 16, threads: 2, ..TrainConfig::new(spec()) };
    config.optimizer.average = 0.9;
    config
}

#[test]
fn a_tiny_set_is_learned_by_heart() {
    let folder = folder("overfit");
    let mut trainer = Trainer::new(&config(16 * 400), data(&folder)).unwrap();
    let first = trainer.step().tally;
    while !trainer.is_finished() {
        trainer.step();
    }
    let tally = test(&trainer.network(), &data(&folder), None, 1, false, |_| ());
    assert!(tally.mean_loss() < first.mean_loss() / 6.0, "{} {}", tally.mean_loss(), first.mean_loss());
    // More cannot be learned: the first positions are symmetric, so that several images of the move are equally right.
    assert!(tally.top1_rate() > 0.6 && tally.top5_rate() > 0.99, "{tally:?}");
    assert!(tally.value().unwrap().0 > 0.9, "{tally:?}");
}

#[test]
fn an_interrupted_training_goes_on_bit_for_bit() {
    let folder = folder("resume");
    let mut straight = Trainer::new(&config(16 * 12), data(&folder)).unwrap();
    while !straight.is_finished() {
        straight.step();
    }
    let mut broken = Trainer::new(&config(16 * 12), data(&folder)).unwrap();
    for _ in 0..5 {
        broken.step();
    }
    broken.save(&folder).unwrap();
    // What comes after the checkpoint is lost, as when the process is killed.
    broken.step();
    drop(broken);
    let mut resumed = Trainer::resume(&folder, data(&folder)).unwrap();
    assert_eq!(resumed.positions(), 5 * 16);
    while !resumed.is_finished() {
        resumed.step();
    }
    assert_eq!(straight.network().to_bytes(&[]), resumed.network().to_bytes(&[]));
}

#[test]
fn the_network_has_averaged_weights_and_learns_the_same_without() {
    let folder = folder("average");
    let mut plain = config(16 * 6);
    plain.optimizer.average = 0.0;
    let mut plain = Trainer::new(&plain, data(&folder)).unwrap();
    let mut averaged = Trainer::new(&config(16 * 6), data(&folder)).unwrap();
    for _ in 0..6 {
        assert_eq!(plain.step().tally, averaged.step().tally);
    }
    assert_ne!(plain.network().to_bytes(&[]), averaged.network().to_bytes(&[]));
}

#[test]
fn a_session_leaves_network_and_log() {
    let folder = folder("session");
    let data_of = || data(&folder);
    let mut trainer = Trainer::new(&config(16 * 8), data_of()).unwrap();
    let session = SessionConfig {
        folder: RunFolder::begin(&folder, &[]).unwrap(),
        report_every: 32,
        test_every: 64,
        test_positions: 100,
        checkpoint_every: std::time::Duration::from_secs(1000),
        about: "a test".to_owned(),
    };
    let (mut reports, mut saved) = (0, 0);
    let observe = |event: SessionEvent<'_>| {
        match event {
            SessionEvent::Report(_) => reports += 1,
            SessionEvent::Save(log) => saved = log.len(),
        }
        Ok::<_, NetError>(())
    };
    run(&mut trainer, Some(&data_of()), &session, observe, || false).unwrap();
    assert_eq!((reports, saved), (4, 4));
    assert!(tengen_nets::Network::load(&folder.join("net.safetensors")).is_ok());
    assert_eq!(fs::read_to_string(folder.join("log.jsonl")).unwrap().lines().count(), 4);
    drop(session);
    assert!(RunFolder::resume(&folder, &[]).is_ok(), "there is a checkpoint");
}

#[test]
fn bad_settings_and_data_are_told() {
    let folder = folder("bad");
    let error = |config: &TrainConfig| Trainer::new(config, data(&folder)).err().unwrap().to_string();
    assert!(error(&TrainConfig { batch: 10, ..config(1) }).contains("multiple of 8"));
    let missing = [DataFile { path: folder.join("none.sgf"), weight: 1.0 }];
    assert!(Dataset::load(&missing, |_| ()).err().unwrap().to_string().contains("none.sgf"));
    let path = folder.join("broken.sgf.gz");
    fs::write(&path, [0x1f, 0x8b, 8, 0, 1, 2, 3]).unwrap();
    let error = Dataset::load(&[DataFile { path, weight: 1.0 }], |_| ()).err().unwrap().to_string();
    assert!(error.contains("cannot read") && error.contains("broken.sgf.gz"), "{error}");
}

#[test]
fn a_resumed_session_has_the_log_of_an_undisturbed_one() {
    let log_of = |name: &str, interrupt: bool| {
        let folder = folder(name);
        let session = SessionConfig {
            folder: RunFolder::begin(&folder, &[]).unwrap(),
            report_every: 64,
            test_every: 128,
            test_positions: 100,
            checkpoint_every: std::time::Duration::from_secs(1000),
            about: "a test".to_owned(),
        };
        let data_of = || data(&folder);
        let mut trainer = Trainer::new(&config(16 * 16), data_of()).unwrap();
        if interrupt {
            let steps = std::cell::Cell::new(0);
            let stop = || steps.replace(steps.get() + 1) >= 6;
            run(&mut trainer, Some(&data_of()), &session, |_| Ok::<_, NetError>(()), stop).unwrap();
            trainer = Trainer::resume(&folder, data_of()).unwrap();
        }
        run(&mut trainer, Some(&data_of()), &session, |_| Ok::<_, NetError>(()), || false).unwrap();
        let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let untimed = lines.map(|mut line| {
            line["per_second"] = 0.into();
            line
        });
        untimed.collect::<Vec<_>>()
    };
    assert_eq!(log_of("log-straight", false), log_of("log-broken", true));
}

#[test]
fn labels_are_learned_and_a_network_grows() {
    use tengen_nets::{AnyNetwork, Network, train::LabelConfig, train::Labeller};
    let folder = folder("labels");
    let rng = &mut tengen_engine::rng::Rng::new(4);
    // A teacher with an opinion: one that has learned three games by heart.
    let mut trainer = Trainer::new(&config(16 * 60), data(&folder)).unwrap();
    while !trainer.is_finished() {
        trainer.step();
    }
    let teacher = AnyNetwork::Own(std::sync::Arc::new(trainer.network()));
    let label = LabelConfig { plies: 6, file_positions: 200, ..LabelConfig::default() };
    let labeller = Labeller::new(teacher, "t".to_owned(), label, Some(data(&folder)), &[]).unwrap();
    labeller.run(&folder.join("l"), 4, 1, |_| (), || false).unwrap();
    let files: Vec<DataFile> = fs::read_dir(folder.join("l"))
        .unwrap()
        .map(|file| DataFile { path: file.unwrap().path(), weight: 1.0 })
        .collect();
    let labels = || Dataset::load(&files, |_| ()).unwrap();
    assert_eq!(labels().sizes().len(), 2, "files of one size are one group");
    // The student begins smaller and grows by a block, which changes nothing at first.
    let mut small = spec();
    small.policy.moves = 1;
    let mut large = small.clone();
    large.trunk = Trunk::Residual { blocks: 3, channels: 16, pooling: vec![1, 2] };
    let student = Network::random(&small, rng).unwrap();
    let grown = student.grown(&large, rng).unwrap();
    let tally = |network: &Network| test(network, &labels(), None, 1, false, |_| ());
    assert!((tally(&student).mean_loss() - tally(&grown).mean_loss()).abs() < 1e-4);
    assert!(grown.grown(&small, rng).is_err(), "it does not shrink");
    let settings = TrainConfig { arch: large, positions: 16 * 150, ..config(0) };
    let mut trainer = Trainer::from_network(&settings, &student, labels()).unwrap();
    while !trainer.is_finished() {
        trainer.step();
    }
    assert_eq!(trainer.learner().dead_blocks(), [0usize; 0]);
    let (before, after) = (tally(&student), tally(&trainer.network()));
    assert!(after.divergence() < before.divergence() / 2.0, "{} {}", before.divergence(), after.divergence());
    assert!(after.value().unwrap().1 < before.value().unwrap().1 / 2.0, "{after:?}");
    assert!(after.score_error().unwrap() < before.score_error().unwrap(), "{after:?}");
}
