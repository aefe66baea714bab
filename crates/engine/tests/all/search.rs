//! Conformance of every tree policy, golden trees, and what threads and memory caps must not break.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::{
    players::{Decision, Mcts, MctsConfig, Player, Query, Request},
    playout::PlayoutConfig,
    prior::{GcmbConfig, KnowledgeConfig},
    rng::Rng,
    search::{
        Evaluator, FinalMove, Leaf, MoveTemperature, RootNoise, SearchConfig, SearchParts, SearchReport,
        Totals, Widening, search,
    },
    tree::{Edge, NodeId, PuctConfig, Tree, TreePolicyConfig, Ucb1Config},
};

fn playouts(count: u64) -> Request {
    Request::playouts(count)
}

fn summary(report: &SearchReport) -> Vec<(Move, u32, String)> {
    report.moves.iter().map(|m| (m.mv, m.visits, format!("{:.4}", m.black_value))).collect()
}

#[test]
fn every_tree_policy_searches_legally_and_repeatably() {
    for tree_policy in TreePolicyConfig::all_kinds() {
        for (width, height) in [(5, 5), (9, 9), (2, 2), (7, 3)] {
            let config = SearchConfig { tree_policy: tree_policy.clone(), ..SearchConfig::default() };
            let run = || {
                let game = Game::new(width, height, Rules::TROMP_TAYLOR.with_komi(0.5)).unwrap();
                let mut player = Mcts::new("test", &config.clone().into(), 1, 42);
                let report = player.search(&game, &playouts(200));
                assert_eq!(report.playouts, 200, "{tree_policy:?}");
                for root_move in &report.moves {
                    let mut line = game.clone();
                    for &mv in &root_move.line {
                        line.try_play(mv).unwrap_or_else(|e| panic!("{tree_policy:?} {mv}: {e}\n{line:?}"));
                    }
                }
                summary(report)
            };
            assert_eq!(run(), run(), "{tree_policy:?}");
        }
    }
}

#[test]
fn every_tree_policy_survives_a_round_trip_and_refuses_unknown_fields() {
    for policy in TreePolicyConfig::all_kinds() {
        let text = toml::to_string(&policy).unwrap();
        assert_eq!(toml::from_str::<TreePolicyConfig>(&text).unwrap(), policy);
        let error = toml::from_str::<TreePolicyConfig>(&format!("{text}explore = 1\n")).unwrap_err();
        assert!(error.to_string().contains("unknown field `explore`"), "{error}");
    }
}

#[test]
fn games_under_superko_never_repeat() {
    let config = SearchConfig { knowledge: Some(KnowledgeConfig::default()), ..SearchConfig::default() };
    for rules in [Rules::TROMP_TAYLOR, Rules::AGA, Rules::CHINESE] {
        let mut game = Game::new(3, 3, Rules { suicide: false, ..rules }.with_komi(2.5)).unwrap();
        let mut player = Mcts::new("test", &config.clone().into(), 1, 5);
        while !game.is_over() && game.moves().len() < 60 {
            match player.decide(&game, &playouts(300)).unwrap() {
                Decision::Play(mv) => game.try_play(mv).unwrap_or_else(|e| panic!("{mv}: {e}\n{game:?}")),
                Decision::Resign => break,
            }
        }
    }
}

#[test]
fn a_kept_tree_is_the_subtree_of_the_moves_played() {
    let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut player = Mcts::new("test", &MctsConfig::default(), 1, 3);
    let report = player.search(&game, &playouts(2000)).clone();
    let line = report.best().line.clone();
    game.play(line[0]);
    game.play(line[1]);
    let kept = player.search(&game, &playouts(1)).visits;
    assert!(kept > 1, "the subtree of {} {} had visits", line[0], line[1]);
    assert!(kept < 2000);
    game.undo();
    let fresh = player.search(&game, &playouts(10)).visits;
    assert_eq!(fresh, 10, "another position starts with an empty tree");
}

#[test]
fn a_full_tree_is_searched_on() {
    for (size, max_tree_mb, count) in [(9, 1, 20_000), (19, 0, 500)] {
        let config = SearchConfig { max_tree_mb, ..SearchConfig::default() };
        let game = Game::new(size, size, Rules::CHINESE).unwrap();
        let mut player = Mcts::new("test", &config.into(), 1, 3);
        let report = player.search(&game, &playouts(count));
        assert_eq!(report.playouts, count);
        assert!(report.tree_full);
        assert!(report.tree_bytes <= 1 << 20);
    }
}

#[test]
fn threads_share_the_work() {
    let config = SearchConfig {
        gcmb: Some(GcmbConfig::default()),
        knowledge: Some(KnowledgeConfig::default()),
        batch: 4,
        ..SearchConfig::default()
    };
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut player = Mcts::new("test", &config.into(), 4, 3);
    let report = player.search(&game, &playouts(4000));
    assert_eq!(report.playouts, 4000);
    let visits: u32 = report.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, 4000, "no visit is lost, and none is left under way");
}

#[test]
fn a_stop_signal_and_a_clock_end_a_search() {
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut player = Mcts::new("test", &MctsConfig::default(), 1, 3);
    let time = std::time::Duration::from_millis(50);
    let report = player.search(&game, &Request::time(time));
    // A batch that would be late is not begun.
    assert!(report.elapsed * 2 >= time && report.elapsed < time * 10, "{:?}", report.elapsed);
    let request = Request::playouts(u64::MAX);
    let stop = request.stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(time);
        stop.stop();
    });
    player.search(&game, &request);
    thread.join().unwrap();
}

#[test]
fn widening_limits_the_moves_that_are_tried() {
    let config = SearchConfig {
        widening: Widening::Fixed { width: 5 },
        knowledge: Some(KnowledgeConfig::default()),
        tree_policy: TreePolicyConfig::Ucb1(Ucb1Config::default()),
        ..SearchConfig::default()
    };
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut player = Mcts::new("test", &config.into(), 1, 3);
    let report = player.search(&game, &playouts(500));
    assert_eq!(report.moves.iter().filter(|m| m.visits > 0).count(), 5);
}

/// A deterministic evaluator that knows nothing: the value is a hash of the position.
struct HashEvaluator;

impl Evaluator for HashEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf], _komi: f32, _rng: &mut Rng) {
        for leaf in leaves {
            leaf.black_value = (leaf.board.hash() % 1000) as f32 / 1000.0;
        }
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(HashEvaluator)
    }
}

/// Hashes as a network's value, priors and ownership; it counts the leaves of its largest batch.
#[derive(Default)]
struct HashNetwork {
    largest: Arc<AtomicUsize>,
}

impl Evaluator for HashNetwork {
    fn evaluate(&mut self, leaves: &mut [Leaf], _komi: f32, _rng: &mut Rng) {
        self.largest.fetch_max(leaves.len(), Ordering::Relaxed);
        for leaf in leaves {
            let hash = leaf.board.hash();
            leaf.black_value = (hash % 1000) as f32 / 1000.0;
            leaf.score = (hash % 21) as f32 - 10.0;
            leaf.ownership =
                Some(leaf.board.points().map(|v| if v.col() == 0 { 1.0 } else { -0.5 }).collect());
            let weight = |mv: Move| 1 + (hash >> (mv.vertex_or_none().index() % 40)) % 16;
            let sum: u64 = leaf.candidates.iter().map(|c| weight(c.mv)).sum();
            leaf.candidates.iter_mut().for_each(|c| c.prior = weight(c.mv) as f32 / sum as f32);
        }
    }

    fn sets_priors(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(HashNetwork { largest: Arc::clone(&self.largest) })
    }
}

/// A search in the manner of AlphaGo Zero.
fn zero_config() -> SearchConfig {
    let puct = PuctConfig { growth: 0.225, ..PuctConfig::default() };
    SearchConfig {
        tree_policy: TreePolicyConfig::Puct(puct),
        expand_visits: 0,
        batch: 4,
        final_move: FinalMove::LowerBound,
        ..SearchConfig::default()
    }
}

#[test]
fn a_network_sets_priors_ownership_and_score() {
    let game = Game::new(5, 5, Rules::CHINESE).unwrap();
    let network = HashNetwork::default();
    let largest = Arc::clone(&network.largest);
    let mut player = Mcts::with_evaluator("test", &zero_config().into(), Box::new(network), 1, 1);
    let request = Request { query: Query { moves_ownership: true, ..Query::default() }, ..playouts(50) };
    let report = player.search(&game, &request);
    assert_eq!(report.playouts, 50, "the last batch is smaller");
    assert_eq!(largest.load(Ordering::Relaxed), 4);
    assert!(report.moves.iter().any(|m| m.mv.is_pass()), "a network may pass at any time");
    let sum: f32 = report.moves.iter().map(|m| m.prior).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let owner = |v: &str| report.ownership[v.parse().unwrap()];
    assert_eq!((owner("A3"), owner("C3")), (1.0, -0.5));
    assert!(report.best().ownership.is_some() && report.score.abs() <= 10.0);
    assert!(report.best().visits * 20 >= report.moves.iter().map(|m| m.visits).max().unwrap() * 3);
}

#[test]
fn self_play_games_differ_and_repeat_with_their_seed() {
    let noisy = MctsConfig {
        search: SearchConfig {
            root_noise: RootNoise { weight: 0.25, ..RootNoise::default() },
            ..zero_config()
        },
        draw: MoveTemperature { temperature: 1.0, moves: 8 },
        ..MctsConfig::default()
    };
    let opening = |config: &MctsConfig, seed| {
        let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let network = Box::new(HashNetwork::default());
        let mut player = Mcts::with_evaluator("test", config, network, 1, seed);
        while game.moves().len() < 8 && !game.is_over() {
            let Decision::Play(mv) = player.decide(&game, &playouts(30)).unwrap() else { break };
            game.try_play(mv).unwrap();
        }
        game.moves().to_vec()
    };
    assert_eq!(opening(&noisy, 1), opening(&noisy, 1));
    let distinct = |config| {
        let mut games: Vec<_> = (0..6).map(|seed| format!("{:?}", opening(config, seed))).collect();
        games.sort();
        games.dedup();
        games.len()
    };
    assert_eq!(distinct(&noisy), 6);
}

fn dump(tree: &Tree, id: NodeId, depth: usize, out: &mut String) {
    let mut edges: Vec<&Edge> = tree.view(id).edges.iter().filter(|e| e.visits() > 0).collect();
    edges.sort_by_key(|e| (std::cmp::Reverse(e.visits()), e.mv()));
    for edge in edges {
        out.push_str(&format!(
            "{}{} {} {:.3}\n",
            "  ".repeat(depth),
            edge.mv(),
            edge.visits(),
            edge.black_value()
        ));
        if let Some(child) = edge.child().filter(|_| depth < 2) {
            dump(tree, child, depth + 1, out);
        }
    }
}

/// Compares the trees of a known evaluator with `tests/golden/NAME.txt`. Run with `TENGEN_GOLDEN=write` to write the files
/// anew after a change that is meant to change the search; never edit them.
#[test]
fn golden_trees_stay_the_same() {
    let mut game = Game::from_board(Board::new(4, 4), Rules::CHINESE.with_komi(0.5));
    game.play("B2".parse().unwrap());
    let mut searches: Vec<(String, SearchConfig, Box<dyn Evaluator>)> = Vec::new();
    for tree_policy in TreePolicyConfig::all_kinds() {
        let name = toml::Table::try_from(&tree_policy).unwrap()["kind"].as_str().unwrap().to_owned();
        let config = SearchConfig { tree_policy, expand_visits: 1, ..SearchConfig::default() };
        searches.push((name, config, Box::new(HashEvaluator)));
    }
    searches.push(("network".to_owned(), zero_config(), Box::new(HashNetwork::default())));
    for (name, config, evaluator) in searches {
        let policy = config.tree_policy.build();
        let tree = Tree::with_capacity(1 << 20, &*policy);
        let parts = SearchParts {
            config: &config,
            tree: &tree,
            policy: &*policy,
            evaluator: &*evaluator,
            gcmb: None,
            threads: 1,
        };
        let request = playouts(100);
        let (spending, mut rng) = (request.limits.into(), Rng::new(1));
        let report = search(&game, &parts, &mut Totals::default(), &request, &spending, &mut rng);
        assert_eq!(report.to_play, Color::White);
        let mut text = String::new();
        dump(&tree, Tree::ROOT, 0, &mut text);
        let file = format!("{}/tests/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("TENGEN_GOLDEN").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(text, expected, "{name}");
    }
}

#[test]
fn the_default_playout_is_named_in_toml() {
    let config: MctsConfig = toml::from_str("[playout]\nkind = \"uniform\"\n").unwrap();
    assert_eq!(config.playouts.policy, PlayoutConfig::default());
}
