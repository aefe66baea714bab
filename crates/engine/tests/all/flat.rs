//! Flat Monte Carlo as a player, against slow references and drawn positions.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tengen_board::{Board, Color, Game, Move, Rules, Vertex, playout_score};
use tengen_engine::{
    flat::{AmafConfig, Flat, FlatConfig, MethodConfig, PruningConfig, TemperatureConfig},
    gtp::Server,
    players::{Decision, Player, Query, Request, Seat},
    playout::{EyeRule, PlayoutConfig, PlayoutPolicy, PlayoutsConfig, Uniform, UniformConfig},
    rng::Rng,
    search::{Restriction, RestrictionKind, SearchReport, Watch},
};

fn position(diagram: &str) -> Game {
    Game::from_board(Board::from_diagram(diagram).unwrap(), Rules::CHINESE)
}

fn player(method: MethodConfig, eyes: EyeRule, seed: u64) -> Flat {
    let policy = PlayoutConfig::Uniform(UniformConfig { eyes });
    let playouts = PlayoutsConfig { policy, ..PlayoutsConfig::default() };
    let config = FlatConfig { method, playouts, ..FlatConfig::default() };
    Flat::new("flat", &config, seed)
}

fn games(number: u64) -> Request {
    Request::playouts(number)
}

fn amaf() -> MethodConfig {
    MethodConfig::AllMovesAsFirst(AmafConfig::default())
}

/// Move, games and mean score of every candidate.
fn rows(report: &SearchReport) -> Vec<(Move, u32, f32)> {
    report.moves.iter().map(|m| (m.mv, m.visits, m.score)).collect()
}

/// Random games on an empty board of 3x3, a move at a time: the moves, and Black's points without komi.
fn slow_games(openings: impl Iterator<Item = Option<Move>>, seed: u64) -> Vec<(Vec<Move>, i32)> {
    let mut rng = Rng::new(seed);
    let mut policy = Uniform::new(&UniformConfig::default());
    let mut game = |opening: Option<Move>| {
        let (mut board, mut moves) = (Board::new(3, 3), Vec::new());
        if let Some(mv) = opening {
            board.play(mv);
            moves.push(mv);
        }
        let end = moves.len() + 27;
        while moves.len() < end && !moves.ends_with(&[Move::PASS, Move::PASS]) {
            let mv = policy.choose(&mut board, &moves, &mut rng);
            board.play(mv);
            moves.push(mv);
        }
        (moves, playout_score(&board))
    };
    openings.map(&mut game).collect()
}

fn mean(scores: &[i32], komi: f32) -> f32 {
    scores.iter().sum::<i32>() as f32 / scores.len() as f32 - komi
}

#[test]
fn all_moves_as_first_agrees_with_a_slow_reference() {
    const GAMES: u64 = 500;
    let game = position(". . . / . . . / . . .");
    let mut flat = player(amaf(), EyeRule::default(), 5);
    let found = rows(flat.search(&game, &games(GAMES)));
    let slow = slow_games((0..GAMES).map(|_| None), 5);
    assert_eq!(found.len(), 9);
    for (mv, visits, score) in found {
        // The games in which Black, who plays the even moves, was first there.
        let is_first = |moves: &[Move]| moves.iter().position(|&m| m == mv).is_some_and(|i| i % 2 == 0);
        let scores: Vec<_> = slow.iter().filter(|(moves, _)| is_first(moves)).map(|(_, s)| *s).collect();
        assert_eq!(visits as usize, scores.len(), "{mv}");
        assert!((score - mean(&scores, game.rules().komi)).abs() < 1e-4, "{mv}: {score}");
    }
}

#[test]
fn the_basic_method_gives_every_move_its_share() {
    let game = position(". . . / . . . / . . .");
    let mut flat = player(MethodConfig::default(), EyeRule::default(), 6);
    let found = rows(flat.search(&game, &games(904)));
    let points: Vec<Vertex> = game.board().points().collect();
    let slow = slow_games((0..904).map(|i| Some(points[i % 9].into())), 6);
    for (mv, visits, score) in found {
        let scores: Vec<_> = slow.iter().filter(|(moves, _)| moves[0] == mv).map(|(_, s)| *s).collect();
        assert_eq!(visits as usize, scores.len(), "{mv}");
        assert!((100..=101).contains(&visits));
        assert!((score - mean(&scores, game.rules().komi)).abs() < 1e-4, "{mv}: {score}");
    }
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let game = position(". . . . . / . . X . . / . O . . . / . . . X . / . . . . .");
    for method in MethodConfig::all_kinds() {
        let search =
            |seed| rows(player(method.clone(), EyeRule::TwoLiberties, seed).search(&game, &games(3000)));
        assert_eq!(search(1), search(1), "{method:?}");
        assert_ne!(search(1), search(2), "{method:?}");
    }
}

/// Whether a point is an eye of Black by the first and by the second definition.
fn is_eye(game: &Game, point: &str) -> [bool; 2] {
    let v: Vertex = point.parse().unwrap();
    [EyeRule::TwoLiberties, EyeRule::OneChain].map(|rule| rule.is_eye(game.board(), v, Color::Black))
}

#[test]
fn the_two_definitions_of_an_eye() {
    // A1: one string with many liberties. E5: one string with another liberty at C5.
    let both = position(". . . X . / . . O X X / . . O O O / X X . . . / . X . . .");
    assert_eq!((is_eye(&both, "A1"), is_eye(&both, "E5")), ([true, true], [true, true]));
    // A1: two strings. E5: one string, which has no other liberty.
    let one_each = position(". . O X . / . . O X X / . . O O O / X . . . . / . X . . .");
    assert_eq!((is_eye(&one_each, "A1"), is_eye(&one_each, "E5")), ([true, false], [false, true]));
    assert_eq!(is_eye(&one_each, "C1"), [false, false]);
    // What is an eye is no candidate.
    for (rule, expected) in [(EyeRule::TwoLiberties, false), (EyeRule::OneChain, true)] {
        let mut flat = player(MethodConfig::default(), rule, 1);
        let moves = rows(flat.search(&one_each, &games(1)));
        assert_eq!(moves.iter().any(|&(mv, ..)| mv == "A1".parse().unwrap()), expected, "{rule:?}");
    }
}

#[test]
fn the_stones_that_decide_the_game_are_captured() {
    // Both sides live. Black takes eight stones with E5; White would save them there.
    let few_choices = position(
        "O O O O . O . /
         O O O O X O O /
         X X X X O O . /
         . X . X O . O /
         X X X X O O O",
    );
    // Of thirty points one takes five stones.
    let many_choices = position(
        ". . . . . . . /
         X X X X X . . /
         O O O O O . . /
         X X X X X . . /
         . . . . . . . /
         . . . O O . . /
         . . . . . . .",
    );
    for method in MethodConfig::all_kinds() {
        let best = |game: &Game| {
            let mut flat = player(method.clone(), EyeRule::default(), 2);
            assert!(matches!(flat.decide(game, &games(100)), Ok(Decision::Play(_))), "{method:?}");
            flat.search(game, &games(6000)).best().mv.to_string()
        };
        assert_eq!(best(&few_choices), "E5", "{method:?}");
        // Gobble's averages are of its random games and of its ordered ones: it is not as sure.
        if !matches!(method, MethodConfig::Gobble(_)) {
            assert_eq!(best(&many_choices), "F5", "{method:?}");
        }
    }
}

#[test]
fn pruning_saves_games_and_tells_when_it_did() {
    let game = position(". . . . . / . . . . . / . . . . . / . . . . . / . . . . .");
    let pruning =
        MethodConfig::ProgressivePruning(PruningConfig { equality: 2.0, ..PruningConfig::default() });
    let mut flat = player(pruning, EyeRule::TwoLiberties, 3);
    let report = flat.search(&game, &Request::default());
    let (kept, pruned): (Vec<_>, Vec<_>) = report.moves.iter().partition(|m| m.pruned_at.is_none());
    assert!(!kept.is_empty() && pruned.len() > 10, "{} pruned", pruned.len());
    assert!(report.playouts < 250_000, "it ended by itself");
    assert!(kept.iter().all(|m| m.visits == kept[0].visits));
    for m in pruned {
        assert!(m.visits >= 100 && m.visits <= kept[0].visits, "{m:?}");
        assert!(m.pruned_at.unwrap() >= 25 * 100, "{m:?}");
    }
    assert_eq!(report.moves.iter().map(|m| u64::from(m.visits)).sum::<u64>(), report.playouts);
    assert!(report.best().pruned_at.is_none());
}

#[test]
fn searches_are_watched_stopped_and_ended_by_time() {
    let game = position(". . . . . / . . . . . / . . . . . / . . . . . / . . . . .");
    for method in MethodConfig::all_kinds() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let request = Request::playouts(u64::MAX);
        let (stop, list) = (request.stop.clone(), seen.clone());
        let watch = Watch::new(Duration::from_millis(20), move |report| {
            list.lock().unwrap().push((report.playouts, report.moves.len()));
            stop.stop();
        });
        let mut flat = player(method.clone(), EyeRule::default(), 1);
        let report = flat.search(&game, &Request { watch: Some(watch), ..request });
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), 1, "{method:?}");
        assert!(seen[0].0 > 0 && seen[0].0 <= report.playouts && seen[0].1 == report.moves.len());
        let request = Request::time(Duration::from_millis(30));
        assert!(flat.search(&game, &request).playouts > 0);
    }
}

#[test]
fn moves_are_left_out_or_kept_to_as_told() {
    let game = position(". . . . . / . . . . . / . . . . . / . . . . . / . . . . .");
    let point = |name: &str| -> Move { name.parse().unwrap() };
    for method in MethodConfig::all_kinds() {
        let mut flat = player(method, EyeRule::default(), 1);
        let restricted = |kind| {
            let moves = vec![point("A1"), point("B1")];
            let restrictions = vec![Restriction { kind, color: Color::Black, moves, depth: 1 }];
            Request { query: Query { restrictions, ..Query::default() }, ..games(500) }
        };
        let request = restricted(RestrictionKind::Allow);
        let mut moves: Vec<_> = rows(flat.search(&game, &request)).into_iter().map(|(mv, ..)| mv).collect();
        moves.sort_by_key(ToString::to_string);
        assert_eq!(moves, [point("A1"), point("B1")]);
        let request = restricted(RestrictionKind::Avoid);
        assert!(rows(flat.search(&game, &request)).iter().all(|&(mv, ..)| mv != point("A1")));
    }
}

#[test]
fn a_temperature_of_0_finds_the_values_of_even_games() {
    let game = position(". . . . . / . . X . . / . O . . . / . . . X . / . . . . .");
    let cold = TemperatureConfig { k: 0.0, ..TemperatureConfig::default() };
    let tempered = MethodConfig::AllMovesAsFirst(AmafConfig { temperature: Some(cold) });
    let search = |method: MethodConfig| {
        let mut moves = rows(player(method, EyeRule::OneChain, 9).search(&game, &games(40_000)));
        moves.sort_by_key(|(mv, ..)| mv.to_string());
        moves
    };
    for ((mv, even_games, even), (_, cold_games, cold)) in search(amaf()).into_iter().zip(search(tempered)) {
        // Single scores deviate by less than 20 points: five standard errors of the difference.
        let bound = 5.0 * 20.0 * (2.0 / even_games.min(cold_games) as f32).sqrt();
        assert!((even - cold).abs() < bound, "{mv}: {even} and {cold}");
    }
}

#[test]
fn gtp_shows_scores_and_what_was_pruned() {
    let pruning =
        MethodConfig::ProgressivePruning(PruningConfig { equality: 2.0, ..PruningConfig::default() });
    let mut server = Server::new(Seat::new(Box::new(player(pruning, EyeRule::TwoLiberties, 3))));
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 5");
    let words = |answer: &str| answer.split_whitespace().skip(1).filter(|&word| word != "\"\"").count();
    assert_eq!(words(&ask("tengen-scores")), 25);
    let pruned = words(&ask("tengen-pruned"));
    assert!(pruned > 10 && pruned < 25, "{pruned}");
    let explained = ask("gomill-explain_last_move");
    assert!(explained.contains(&format!("{pruned} of 25 moves pruned")), "{explained}");
    assert!(ask("kata-analyze b 10").contains("scoreLead"));
}
