//! Self-play and learning from it, on the smallest boards.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use tengen_board::Color;
use tengen_engine::{players::StopSignal, rng::Rng};
use tengen_lab::{
    learn::zero::{Event, Zero, ZeroConfig},
    selfplay::{self, Method, Played, Pool, Run, SelfPlayConfig},
    venue::{Here, Who},
};
use tengen_nets::{NetSpec, Network, Trunk, records::Records};

fn arch() -> NetSpec {
    let trunk = Trunk::Residual { blocks: 1, channels: 16, pooling: vec![0] };
    NetSpec { trunk, ..NetSpec::named("small").unwrap() }
}

fn network(seed: u64) -> Arc<Network> {
    Arc::new(Network::random(&arch(), &mut Rng::new(seed)).unwrap())
}

fn config(method: Method) -> SelfPlayConfig {
    SelfPlayConfig {
        sizes: [3, 5],
        komi: [0.5, 3.5],
        method,
        simulations: 6,
        cheap_simulations: 3,
        full_share: 0.5,
        random_moves: 2,
        ..SelfPlayConfig::default()
    }
}

fn play(config: &SelfPlayConfig, games: u64, threads: usize) -> Vec<Played> {
    let (networks, stop) = ([network(1)], StopSignal::default());
    let pool = Pool { config, networks: &networks, seed: 7, threads, stop: &stop };
    let mut played = Vec::new();
    pool.play(0..games, |_| [0, 0], |game| played.push(game));
    played.sort_by_key(|played| played.number);
    played
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("selfplay-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn games_are_legal_ended_and_recorded() {
    for method in [Method::Gumbel, Method::Puct, Method::Policy] {
        let played = play(&config(method), 24, 1);
        assert_eq!(played.len(), 24);
        for Played { game, record, score, evaluations, .. } in &played {
            let area = game.board().area();
            assert!(game.passes() == 2 || game.moves().len() == 3 * area, "{game:?}");
            assert_eq!(record.positions.len(), game.moves().len());
            assert!(*evaluations > 0);
            let mut again = tengen_board::Game::from_board(game.start().clone(), *game.rules());
            for (position, played) in record.positions.iter().zip(game.moves()) {
                assert_eq!((position.color, position.mv), (played.color, played.mv));
                again.try_play(played.mv).unwrap();
                assert_eq!(position.weight > 0.0, position.opinion.is_some());
                let Some(opinion) = &position.opinion else { continue };
                let sum: f32 = opinion.policy.iter().map(|(_, share)| share.to_f32()).sum();
                assert!((sum - 1.0).abs() < 0.02 && opinion.value.abs() <= 1.0, "{sum}");
                assert_eq!(opinion.score, score.unwrap());
                let owned: i32 = opinion.ownership.iter().map(|&owner| i32::from(owner.signum())).sum();
                assert_eq!(
                    owned as f32 - game.rules().komi,
                    opinion.score,
                    "none are told where there are none"
                );
            }
            let winner = game.outcome().or(Some(tengen_board::Outcome::from_score(score.unwrap())));
            let reward =
                winner.unwrap().winner().map_or(0, |winner| if winner == Color::Black { 1 } else { -1 });
            assert_eq!(record.reward, reward);
        }
        let sizes: std::collections::BTreeSet<_> = played.iter().map(|p| p.game.board().width()).collect();
        assert_eq!(sizes, [3, 4, 5].into());
    }
}

#[test]
fn a_game_depends_on_its_number_alone() {
    let moves = |played: &[Played]| -> Vec<_> { played.iter().map(|p| p.game.moves().to_vec()).collect() };
    let config = config(Method::Gumbel);
    let alone = moves(&play(&SelfPlayConfig { parallel: 1, ..config.clone() }, 12, 1));
    assert_eq!(moves(&play(&config, 12, 1)), alone, "many at a time");
    assert_eq!(moves(&play(&config, 12, 3)), alone, "on several threads");
    assert!(alone.iter().any(|game| *game != alone[0]));
}

#[test]
fn resignations_are_checked() {
    let config = SelfPlayConfig { resign: 0.5, resign_moves: 1, resign_check: 0.5, ..config(Method::Gumbel) };
    let played = play(&config, 60, 1);
    let checked = played.iter().filter(|played| played.wrong_resignation.is_some()).count();
    let resigned = played.iter().filter(|played| played.score.is_none()).count();
    // A network that has learned nothing is rarely without hope.
    assert!(checked >= 3 && resigned >= 3 && checked + resigned < 60, "{checked} {resigned}");
    let given_up = played.iter().find(|played| played.score.is_none()).unwrap();
    assert!(given_up.record.positions.iter().flat_map(|p| &p.opinion).all(|o| o.ownership.is_empty()));
}

#[test]
fn an_interrupted_run_of_self_play_goes_on() {
    let (who, config) = (Who::Network(network(1)), config(Method::Gumbel));
    let whole = folder("whole");
    let run = |folder: &Path, games: u64, resume: bool, stop: &StopSignal, stop_at: u64| {
        let run =
            Run { who: &who, config: &config, games, seed: 3, venue: &Here(1), folder, resume, sgf: None };
        let mut count = 0;
        selfplay::run(&run, stop, |_| {
            count += 1;
            if count == stop_at {
                stop.stop();
            }
        })
    };
    let done = run(&whole, 300, false, &StopSignal::default(), 0).unwrap();
    assert_eq!((done.games, done.files.len()), (300, 6));
    let parts = folder("parts");
    assert_eq!(run(&parts, 300, false, &StopSignal::default(), 280).unwrap_or_default().games, 256);
    let again = run(&parts, 300, false, &StopSignal::default(), 0).unwrap_err().to_string();
    assert!(again.contains("--resume"), "{again}");
    let rest = run(&parts, 300, true, &StopSignal::default(), 0).unwrap();
    assert_eq!((rest.games, rest.positions), (300, done.positions));
    assert!(rest.evaluations < done.evaluations / 2, "only what was missing is played");
    for (a, b) in done.files.iter().zip(&rest.files) {
        assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap());
    }
    let bytes = fs::read(&done.files[0]).unwrap();
    for length in [0, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(Records::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let other = SelfPlayConfig { simulations: 7, ..config.clone() };
    let run = Run {
        who: &who,
        config: &other,
        games: 300,
        seed: 3,
        venue: &Here(1),
        folder: &parts,
        resume: true,
        sgf: None,
    };
    let error = selfplay::run(&run, &StopSignal::default(), |_| ()).unwrap_err().to_string();
    assert!(error.contains("simulations is 6, not 7"), "{error}");
}

#[test]
fn a_folder_grows_without_playing_again_and_never_shrinks() {
    let (who, config) = (Who::Network(network(1)), config(Method::Gumbel));
    let play = |folder: &Path, games: u64, resume: bool| {
        let run =
            Run { who: &who, config: &config, games, seed: 3, venue: &Here(1), folder, resume, sgf: None };
        let mut played = Vec::new();
        selfplay::run(&run, &StopSignal::default(), |game| played.push(game.number))
            .map(|done| (done, played))
    };
    let (whole, parts) = (folder("grown-whole"), folder("grown-parts"));
    let (done, _) = play(&whole, 20, false).unwrap();
    play(&parts, 7, false).unwrap();
    let (grown, mut played) = play(&parts, 20, true).unwrap();
    played.sort_unstable();
    assert_eq!(played, (7..20).collect::<Vec<_>>(), "only what is missing");
    assert_eq!((grown.games, grown.positions), (20, done.positions));
    for (a, b) in done.files.iter().zip(&grown.files) {
        assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap());
    }
    let error = play(&parts, 7, true).unwrap_err().to_string();
    assert!(error.contains("has 20 games already"), "{error}");
    assert_eq!(play(&parts, 20, true).unwrap().0.positions, done.positions, "nothing is lost");
    // Killed after the files, before the mark: the block is played again rather than having games twice.
    let (marked, _) = play(&folder("grown-mark"), 7, false).unwrap();
    let mark = marked.files[0].with_file_name("games-000000.json");
    fs::copy(mark, parts.join("games-000000.json")).unwrap();
    let (again, played) = play(&parts, 20, true).unwrap();
    assert_eq!((again.games, again.positions, played.len()), (20, done.positions, 20));
}

#[test]
fn records_tell_who_played() {
    let who = Who::Network(network(1));
    let behaviours = |who: &Who, config: &SelfPlayConfig, name: &str| {
        let folder = folder(name);
        let run = Run {
            who,
            config,
            games: 2,
            seed: 1,
            venue: &Here(1),
            folder: &folder,
            resume: false,
            sgf: None,
        };
        let done = selfplay::run(&run, &StopSignal::default(), |_| ()).unwrap();
        let game = Records::load(&done.files[0]).unwrap().games.remove(0);
        (game.behaviour, game.net_hash)
    };
    let hash = network(1).fingerprint();
    let small = SelfPlayConfig { sizes: [3, 3], simulations: 6, ..SelfPlayConfig::default() };
    let expected = (format!("gumbel, 6 simulations, network {hash}"), hash);
    assert_eq!(behaviours(&who, &small, "who-network"), expected);
    let spec: tengen_lab::PlayerSpec = "uct,playouts=10".parse().unwrap();
    let signature = spec.behaviour(3, 3).unwrap()["signature"].as_str().unwrap().to_owned();
    let player = Who::Player(Box::new(spec));
    assert_eq!(behaviours(&player, &small, "who-player"), (signature, String::new()));
}

#[test]
fn any_player_makes_records() {
    let who = Who::Player(Box::new("uct,playouts=20".parse().unwrap()));
    let config = SelfPlayConfig { sizes: [5, 5], ..SelfPlayConfig::default() };
    let (folder, sgf) = (folder("player"), folder("player-sgf"));
    let run = Run {
        who: &who,
        config: &config,
        games: 3,
        seed: 1,
        venue: &Here(1),
        folder: &folder,
        resume: false,
        sgf: Some(&sgf),
    };
    let done = selfplay::run(&run, &StopSignal::default(), |_| ()).unwrap();
    let records = Records::load(&done.files[0]).unwrap();
    assert_eq!((records.games.len(), fs::read_dir(&sgf).unwrap().count()), (3, 3));
    let thoughts = records.games.iter().flat_map(|game| &game.positions).filter_map(|p| p.opinion.as_ref());
    assert!(thoughts.clone().count() > 20 && thoughts.clone().any(|o| o.policy.len() > 3));
    let said = |records: &Records| {
        records.games.iter().flat_map(|g| &g.positions).filter(|p| p.network.is_some()).count()
    };
    assert_eq!(said(&records), 0);
}

/// What the network says by itself stands beside what the player made of it, whether it searches or not.
#[test]
fn the_networks_of_players_are_recorded() {
    for spec in ["policy,net=prior-small", "zero,playouts=4"] {
        let who = Who::Player(Box::new(spec.parse().unwrap()));
        let config = SelfPlayConfig { sizes: [5, 5], ..SelfPlayConfig::default() };
        let folder = folder(&spec[..4]);
        let (stop, seed, games) = (StopSignal::default(), 1, 2);
        let run = Run {
            who: &who,
            config: &config,
            games,
            seed,
            venue: &Here(1),
            folder: &folder,
            resume: false,
            sgf: None,
        };
        let done = selfplay::run(&run, &stop, |_| ()).unwrap();
        let records = Records::load(&done.files[0]).unwrap();
        let mut open = 0;
        for position in records.games.iter().flat_map(|game| &game.positions) {
            let (policy, value) = position.network.as_ref().unwrap();
            // Nobody thinks about the random moves at the beginning.
            assert_eq!(!policy.is_empty(), position.opinion.is_some(), "{spec}");
            if policy.is_empty() {
                continue;
            }
            let sum: f32 = policy.iter().map(|(_, share)| share.to_f32()).sum();
            assert!((sum - 1.0).abs() < 0.02 && value.abs() <= 1.0, "{spec}: {sum}");
            open += usize::from(policy.len() > 1);
        }
        assert!(open > 10, "{spec}: a network has several moves in mind");
    }
}

fn zero() -> ZeroConfig {
    let mut config = ZeroConfig::new(arch(), 3, [0.5, 1.5]);
    (config.generations, config.games, config.batch) = (4, 16, 32);
    (config.selfplay.simulations, config.window.least) = (6, 100.0);
    config.anchors.opponents.clear();
    config
}

#[test]
fn learning_from_nothing_survives_interruptions_to_the_last_bit() {
    for (gate, overlap) in [(0, false), (4, false), (0, true), (4, true)] {
        let mut config = zero();
        (config.gate.games, config.overlap) = (gate, overlap);
        let (whole, parts) = (folder("zero-whole"), folder("zero-parts"));
        let log = Zero::new(&whole, &config, None).unwrap().run(&StopSignal::default(), |_| ()).unwrap();
        assert_eq!(log.len(), 4);
        assert!(log.iter().all(|line| line.train.loss.is_finite() && line.gate.is_some() == (gate > 0)));
        let stop = StopSignal::default();
        let mut run = Zero::new(&parts, &config, None).unwrap();
        // In the middle of games, of steps, and between generations.
        for stop_at in [5, 40, 22, 60, 1_000_000] {
            let mut events = 0;
            run.run(&stop, |event| {
                events += u64::from(!matches!(event, Event::Position(_)));
                if events == stop_at {
                    stop.stop();
                }
            })
            .unwrap();
            stop.reset();
            run = Zero::resume(&parts).unwrap();
        }
        assert_eq!(run.log().len(), 4);
        drop(run);
        let bytes = |folder: &Path| fs::read(folder.join("net.safetensors")).unwrap();
        assert!(bytes(&whole) == bytes(&parts));
        let page = fs::read_to_string(parts.join("report.html")).unwrap();
        assert!(page.contains("<svg") && page.contains("4 generations"));
        let error = Zero::new(&parts, &config, None).err().unwrap().to_string();
        assert!(error.contains("--resume"), "{error}");
    }
}

#[test]
fn with_overlap_games_are_played_by_the_network_before() {
    let config = ZeroConfig { overlap: true, keep_games: true, ..zero() };
    let folder = folder("overlap");
    let log = Zero::new(&folder, &config, None).unwrap().run(&StopSignal::default(), |_| ()).unwrap();
    let player = |generation: usize| {
        let path = folder.join(format!("games/gen-{generation:06}-3x3.npz"));
        Records::load(&path).unwrap().games[0].net_hash.clone()
    };
    assert_eq!(player(1), player(2));
    assert_eq!((player(3), player(4)), (log[0].network.clone(), log[1].network.clone()));
    assert_eq!(log.iter().map(|line| line.games).collect::<Vec<_>>(), [16, 32, 48, 64]);
}

/// Copies the files of a folder, not of those in it.
fn copy(from: &Path, to: &Path, which: impl Fn(&str) -> bool) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() && which(&entry.file_name().to_string_lossy()) {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_champion_that_was_promoted_before_the_checkpoint_does_not_play() {
    let mut config = zero();
    // Every network is promoted.
    (config.gate.games, config.gate.share) = (2, 0.0);
    let stop_after = |generation: u64, stop: &StopSignal| {
        let stop = stop.clone();
        move |event: Event<'_>| {
            if matches!(event, Event::Generation(line) if line.generation == generation) {
                stop.stop();
            }
        }
    };
    let (later, killed) = (folder("champion-later"), folder("champion-killed"));
    let stop = StopSignal::default();
    Zero::new(&later, &config, None).unwrap().run(&stop, stop_after(1, &stop)).unwrap();
    copy(&later, &killed, |name| name != "lock");
    copy(&later.join("games"), &killed.join("games"), |_| true);
    stop.reset();
    Zero::resume(&later).unwrap().run(&stop, stop_after(2, &stop)).unwrap();
    // Everything of the second generation is there but its checkpoint.
    copy(&later, &killed, |name| name != "lock" && name != "checkpoint.safetensors");
    stop.reset();
    Zero::resume(&later).unwrap().run(&stop, |_| ()).unwrap();
    Zero::resume(&killed).unwrap().run(&stop, |_| ()).unwrap();
    let bytes = |folder: &Path| fs::read(folder.join("net.safetensors")).unwrap();
    assert!(bytes(&later) == bytes(&killed));
    let champions = fs::read_dir(&killed)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("champion"));
    assert_eq!(champions.count(), 1, "the others are gone");
}

#[test]
fn what_was_not_promoted_is_not_the_network_of_the_run() {
    let mut config = zero();
    // Nobody wins more than all games.
    (config.gate.games, config.gate.share, config.generations) = (2, 1.5, 2);
    let folder = folder("not-promoted");
    let run = Zero::new(&folder, &config, None).unwrap();
    let first = run.network().fingerprint();
    let log = run.run(&StopSignal::default(), |_| ()).unwrap();
    assert!(log.iter().all(|line| line.network == first && line.gate.is_some_and(|(_, promoted)| !promoted)));
    assert_eq!(Network::load(&folder.join("net.safetensors")).unwrap().fingerprint(), first);
}

#[test]
fn opponents_that_an_interruption_left_out_are_met_later() {
    let mut config = zero();
    config.generations = 2;
    (config.anchors.every, config.anchors.games) = (1, 2);
    config.anchors.opponents = vec!["random".to_owned(), "mc,playouts=2".to_owned()];
    config.anchors.player = "policy".to_owned();
    let folder = folder("left-out");
    let stop = StopSignal::default();
    let log = Zero::new(&folder, &config, None).unwrap().run(&stop, |event| {
        if matches!(event, Event::Anchor(_)) {
            stop.stop();
        }
    });
    assert_eq!(log.unwrap()[0].anchors.len(), 1);
    stop.reset();
    let log = Zero::resume(&folder).unwrap().run(&stop, |_| ()).unwrap();
    let opponents =
        |line: usize| -> Vec<_> { log[line].anchors.iter().map(|r| r.opponent.clone()).collect() };
    assert_eq!(
        (log.len(), opponents(0), opponents(1)),
        (2, config.anchors.opponents.clone(), config.anchors.opponents)
    );
    let text = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    assert_eq!(text.matches("mc,playouts=2").count(), 2, "{text}");
}

#[test]
fn only_what_does_not_decide_the_learning_changes_under_way() {
    let folder = folder("changed");
    let mut run = Zero::new(&folder, &zero(), None).unwrap();
    let mut longer = ZeroConfig { generations: 9, threads: 2, keep_games: true, ..zero() };
    longer.anchors.games = 4;
    run.change(longer.clone()).unwrap();
    assert_eq!(*run.config(), longer);
    let error = run.change(ZeroConfig { games: 17, ..longer.clone() }).unwrap_err().to_string();
    assert!(error.contains("games is 16, not 17") && error.contains("generations, threads"), "{error}");
    longer.selfplay.method = Method::Policy;
    let error = run.change(longer).unwrap_err().to_string();
    assert!(error.contains("gumbel or puct"), "{error}");
}

#[test]
fn learning_starts_from_networks_without_some_heads() {
    for name in ["prior-small", "rollout-a"] {
        let start = Network::load(Path::new(name)).unwrap();
        let mut config = zero();
        (config.arch, config.generations) = (start.spec().with_all_heads(), 1);
        let log = Zero::new(&folder(&format!("from-{name}")), &config, Some(&start)).unwrap();
        assert_eq!(log.run(&StopSignal::default(), |_| ()).unwrap().len(), 1);
    }
}

#[test]
fn a_training_that_diverges_keeps_its_last_network() {
    let folder = folder("diverged");
    Zero::new(&folder, &zero(), None).unwrap().run(&StopSignal::default(), |_| ()).unwrap();
    let wild = self::folder("wild");
    let mut config = zero();
    // Each step multiplies the weights by about a thousand.
    (config.optimizer.learning_rate, config.optimizer.weight_decay) = (99.0, 10.0);
    let start = Network::load(&folder.join("net.safetensors")).unwrap();
    let run = Zero::new(&wild, &config, Some(&start)).unwrap();
    let error = run.run(&StopSignal::default(), |_| ()).unwrap_err().to_string();
    assert!(error.contains("diverged"), "{error}");
    let kept = Network::load(&wild.join("net.safetensors")).unwrap();
    assert_eq!(kept.fingerprint(), Zero::resume(&wild).unwrap().log().last().unwrap().network);
}
