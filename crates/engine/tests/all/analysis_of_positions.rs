//! Searches that are watched, restricted, and gone on with.
#![allow(clippy::unwrap_used)]

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tengen_board::{Color, Game, Move, Rules};
use tengen_engine::{
    players::{Mcts, MctsConfig, Player, Query, RandomPlayer, Request},
    playout::UniformConfig,
    search::{Restriction, RestrictionKind, SearchReport, Watch},
};

fn game() -> Game {
    Game::new(9, 9, Rules::CHINESE.with_komi(7.0)).unwrap()
}

fn player(threads: usize) -> Mcts {
    Mcts::new("test", &MctsConfig::default(), threads, 1)
}

fn playouts(count: u64) -> Request {
    Request::playouts(count)
}

/// A request whose reports are collected.
fn watched(request: Request, every: Duration) -> (Request, Arc<Mutex<Vec<SearchReport>>>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&reports);
    let watch = Watch::new(every, move |report| seen.lock().unwrap().push(report.clone()));
    (Request { watch: Some(watch), ..request }, reports)
}

#[test]
fn reports_arrive_while_the_search_runs() {
    for threads in [1, 2] {
        let time = Request::time(Duration::from_millis(600));
        let (request, reports) = watched(time, Duration::from_millis(50));
        let mut player = player(threads);
        let last = player.analyse(&game(), &request).unwrap().unwrap().clone();
        let reports = reports.lock().unwrap();
        assert!((3..=12).contains(&reports.len()), "{} reports", reports.len());
        assert!(reports.is_sorted_by(|a, b| a.playouts < b.playouts && a.elapsed < b.elapsed));
        for report in reports.iter() {
            assert!(report.playouts <= last.playouts);
            assert!(report.moves[0].visits > 0);
            assert!(report.black_value > 0.0 && report.black_value < 1.0);
            assert!(game().board().points().any(|v| report.ownership[v] != 0.0));
            assert_eq!(report.moves[0].line.len(), report.moves[0].line_visits.len());
        }
    }
}

#[test]
fn a_watched_search_finds_the_same() {
    let summary = |report: &SearchReport| {
        report.moves.iter().map(|m| (m.mv, m.visits, m.black_value, m.score)).collect::<Vec<_>>()
    };
    let (request, reports) = watched(playouts(3000), Duration::from_millis(1));
    let watched = summary(player(1).analyse(&game(), &request).unwrap().unwrap());
    assert!(!reports.lock().unwrap().is_empty());
    assert_eq!(watched, summary(player(1).analyse(&game(), &playouts(3000)).unwrap().unwrap()));
}

#[test]
fn analysis_goes_on_from_what_is_known() {
    let mut player = player(1);
    player.analyse(&game(), &playouts(300)).unwrap();
    let report = player.analyse(&game(), &playouts(200)).unwrap().unwrap();
    assert_eq!((report.playouts, report.visits), (200, 500));
    let visits = |report: &SearchReport| report.moves.iter().map(|m| f64::from(m.visits)).sum::<f64>();
    let mean = |report: &SearchReport| {
        let sum: f64 = report.moves.iter().map(|m| f64::from(m.visits) * f64::from(m.score)).sum();
        sum / visits(report)
    };
    assert!(
        (mean(report) - f64::from(report.score)).abs() < 0.01,
        "scores are those of all visits, not of the new ones"
    );
    let value: f64 = report.moves.iter().map(|m| f64::from(m.visits) * f64::from(m.black_value)).sum();
    assert!((value / visits(report) - f64::from(report.black_value)).abs() < 1e-4);
}

#[test]
fn a_stop_ends_a_watched_search_at_once() {
    let (request, _reports) = watched(playouts(u64::MAX), Duration::from_hours(1));
    let stop = request.stop.clone();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        stop.stop();
        Instant::now()
    });
    player(2).analyse(&game(), &request).unwrap();
    let ended = Instant::now();
    assert!(ended.duration_since(stopper.join().unwrap()) < Duration::from_millis(100));
}

#[test]
fn scores_and_ownership_of_single_moves_add_up() {
    let request = Request { query: Query { moves_ownership: true, ..Query::default() }, ..playouts(2000) };
    let mut player = player(1);
    let report = player.analyse(&game(), &request).unwrap().unwrap();
    let weighted: f64 = report.moves.iter().map(|m| f64::from(m.score) * f64::from(m.visits)).sum();
    assert!((weighted / 2000.0 - f64::from(report.score)).abs() < 0.01, "{weighted} {}", report.score);
    assert!(report.score_deviation > 5.0);
    let best = report.moves.iter().max_by_key(|m| m.visits).unwrap();
    let ownership = best.ownership.as_ref().unwrap();
    assert!(ownership[best.mv.vertex().unwrap()] > 0.3, "the stone just played is likely to stay");
    assert!(report.moves.iter().all(|m| m.ownership.is_some() == (m.visits > 0)));
    player.new_game();
    assert!(
        player.analyse(&game(), &playouts(10)).unwrap().unwrap().moves.iter().all(|m| m.ownership.is_none())
    );
}

fn restricted(kind: RestrictionKind, color: Color, moves: &[&str], depth: usize) -> Request {
    let moves = moves.iter().map(|mv| mv.parse().unwrap()).collect();
    let restrictions = vec![Restriction { kind, color, moves, depth }];
    Request { query: Query { restrictions, ..Query::default() }, ..playouts(500) }
}

fn root_moves(report: &SearchReport) -> Vec<String> {
    let mut moves: Vec<_> = report.moves.iter().map(|m| m.mv.to_string()).collect();
    moves.sort();
    moves
}

#[test]
fn only_allowed_moves_are_tried() {
    let request = restricted(RestrictionKind::Allow, Color::Black, &["E5", "A1", "pass"], 1);
    let mut player = player(1);
    assert_eq!(root_moves(player.analyse(&game(), &request).unwrap().unwrap()), ["A1", "E5", "pass"]);
    // Without the rule the tree is another one.
    assert_eq!(player.analyse(&game(), &playouts(100)).unwrap().unwrap().moves.len(), 81);
}

#[test]
fn avoided_moves_are_not_tried_to_the_depth_asked_for() {
    let request = restricted(RestrictionKind::Avoid, Color::White, &["E5"], 2);
    let mut player = player(1);
    let report = player.analyse(&game(), &request).unwrap().unwrap();
    assert_eq!(report.moves.len(), 81, "Black is not restricted");
    assert!(report.moves.iter().all(|m| m.line.get(1) != Some(&"E5".parse().unwrap())));
    let request = restricted(RestrictionKind::Avoid, Color::Black, &["E5", "E4"], 1);
    let moves = root_moves(player.analyse(&game(), &request).unwrap().unwrap());
    assert_eq!(moves.len(), 79);
    assert!(!moves.contains(&"E5".to_owned()));
}

#[test]
fn whoever_may_play_nothing_passes() {
    let request = restricted(RestrictionKind::Allow, Color::Black, &[], 1);
    assert_eq!(player(1).analyse(&game(), &request).unwrap().unwrap().best().mv, Move::PASS);
}

#[test]
fn a_player_that_does_not_search_has_nothing_to_report() {
    let mut player = RandomPlayer::new(&UniformConfig::default(), 1);
    assert!(player.analyse(&game(), &playouts(10)).unwrap().is_none());
}

#[test]
fn an_analysis_is_without_dynamic_komi() {
    let mut game = game();
    game.place_fixed_handicap(4).unwrap();
    let mut player = player(1);
    player.decide(&game, &playouts(500)).unwrap();
    let decided = player.report().unwrap();
    assert!(decided.extra_komi > 0.0);
    let with_komi = decided.black_value;
    let analysed = player.analyse(&game, &playouts(500)).unwrap().unwrap();
    assert_eq!((analysed.extra_komi, analysed.visits), (0.0, 500), "the tree is another one");
    assert!(analysed.black_value > with_komi + 0.1, "{} {with_komi}", analysed.black_value);
}
