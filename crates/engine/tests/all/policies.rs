//! What holds for every playout policy.

use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, playout_score};
use tengen_engine::{
    playout::{
        FinishedPlayout, LgrConfig, PlayoutConfig, PlayoutPolicy, ReplyChoice, ReplyContext, ReplyRatesConfig,
    },
    reading::tactics::is_self_atari,
    rng::Rng,
};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct File {
    playout: PlayoutConfig,
}

/// Every kind, and every kind as the default policy of those that have one.
fn configs() -> Vec<PlayoutConfig> {
    let mut all = PlayoutConfig::all_kinds();
    for base in PlayoutConfig::all_kinds() {
        all.push(PlayoutConfig::Lgr(LgrConfig {
            context: ReplyContext::Two,
            forget: true,
            base: Box::new(base),
            ..LgrConfig::default()
        }));
    }
    all.push(PlayoutConfig::Lgr(LgrConfig { first_occurrence_only: true, ..LgrConfig::default() }));
    all.push(PlayoutConfig::Lgr(LgrConfig { tree_moves_only: true, ..LgrConfig::default() }));
    all.push(PlayoutConfig::ReplyRates(ReplyRatesConfig {
        choice: ReplyChoice::Softmax { temperature: 0.1 },
        ..ReplyRatesConfig::default()
    }));
    all
}

/// Plays a game and checks each move; the first moves stand for the tree's, chosen by nobody.
fn checked_playout(policy: &mut dyn PlayoutPolicy, root: &Board, tree: usize, rng: &mut Rng) -> Vec<Move> {
    let mut board = root.clone();
    let mut moves = Vec::new();
    for _ in 0..tree {
        let mv = board.draw_empty(|| rng.bits(), Board::is_legal);
        board.play(mv);
        moves.push(mv);
    }
    let mut passes = 0;
    while passes < 2 && moves.len() < 3 * board.area() + tree {
        let me = board.to_play();
        let (hash, ko, stones) = (board.hash(), board.ko(), board.stones(me));
        let mv = policy.choose(&mut board, &moves, rng);
        assert_eq!((hash, ko, stones, me), (board.hash(), board.ko(), board.stones(me), board.to_play()));
        assert_eq!(board.check(mv, false), Ok(()), "{mv}\n{board}");
        if let Some(v) = mv.vertex() {
            assert!(!board.is_eye(v, me), "{mv} fills an eye\n{board}");
            passes = 0;
        } else {
            // A policy may refuse to put own stones in atari; everything else is to be played.
            let useful = |v| board.is_legal(v) && !board.is_eye(v, me) && !is_self_atari(&board, v, me);
            assert!(!board.points().any(useful), "a pass with moves left\n{board}");
            passes += 1;
        }
        board.play(mv);
        moves.push(mv);
    }
    let score = playout_score(&board);
    let winner = match score {
        0 => None,
        s if s > 0 => Some(Color::Black),
        _ => Some(Color::White),
    };
    let before = [Move::PASS; 2];
    policy.finish(&FinishedPlayout {
        before,
        moves: &moves,
        first: root.to_play(),
        tree_moves: tree,
        winner,
    });
    moves
}

#[test]
fn every_policy_plays_legal_games_to_the_end() {
    for config in configs() {
        for (width, height) in [(5, 5), (9, 9), (13, 13), (7, 3)] {
            let mut policy = config.build();
            let mut rng = Rng::new(7);
            for i in 0..200 {
                let mut root = Board::new(width, height);
                if i % 2 == 1 {
                    root.set_to_play(Color::White);
                }
                let moves = checked_playout(&mut *policy, &root, i % 4, &mut rng);
                assert!(!moves.is_empty());
            }
            let hits = policy.reply_hits();
            assert!(hits.is_none_or(|hits| hits.hits > 0 && hits.hits < hits.moves), "{config:?} {hits:?}");
        }
    }
}

#[test]
fn every_policy_is_deterministic() {
    for config in configs() {
        let games = || {
            let mut policy = config.build();
            let mut rng = Rng::new(11);
            let root = Board::new(9, 9);
            (0..20).map(|_| checked_playout(&mut *policy, &root, 2, &mut rng)).collect::<Vec<_>>()
        };
        let first = games();
        assert_eq!(first, games(), "{config:?}");
        assert!(first.windows(2).any(|pair| pair[0] != pair[1]), "{config:?} repeats one game");
    }
}

#[test]
fn a_cleared_policy_is_as_good_as_new() {
    for config in configs() {
        let root = Board::new(7, 7);
        let mut policy = config.build();
        let mut play = || {
            let mut rng = Rng::new(5);
            (0..10).map(|_| checked_playout(&mut *policy, &root, 1, &mut rng)).collect::<Vec<_>>()
        };
        let first = play();
        policy.clear();
        let mut fork = policy.fork();
        let mut rng = Rng::new(5);
        let second: Vec<_> = (0..10).map(|_| checked_playout(&mut *fork, &root, 1, &mut rng)).collect();
        assert_eq!(first, second, "{config:?}");
    }
}

#[test]
fn every_config_survives_toml() {
    for playout in configs() {
        let file = File { playout };
        let text = toml::to_string(&file).unwrap();
        assert_eq!(toml::from_str::<File>(&text).unwrap(), file, "{text}");
    }
}

#[test]
fn defaults_need_only_a_kind_and_misspelt_fields_are_refused() {
    for playout in PlayoutConfig::all_kinds() {
        let text = toml::to_string(&File { playout: playout.clone() }).unwrap();
        let kind = text.lines().find(|line| line.starts_with("kind")).unwrap();
        let parsed: File = toml::from_str(&format!("[playout]\n{kind}\n")).unwrap();
        assert_eq!(parsed.playout, playout);
        let error = toml::from_str::<File>(&format!("[playout]\n{kind}\nmispelt = 1\n")).unwrap_err();
        assert!(error.to_string().contains("mispelt"), "{error}");
    }
    let error = toml::from_str::<File>("playout = { kind = \"lgr\", context = 3 }").unwrap_err();
    assert!(error.to_string().contains("1 or 2"), "{error}");
    let nested = "playout = { kind = \"lgr\", base = { kind = \"uniform\", eys = \"one-chain\" } }";
    assert!(toml::from_str::<File>(nested).unwrap_err().to_string().contains("eys"));
}
