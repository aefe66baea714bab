//! The levels: more reading from one to the next, honest reports, and an end to lost games.
#![allow(clippy::unwrap_used)]

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::players::{Decision, Request, Seat};
use tengen_lab::PlayerSpec;

fn level(number: usize) -> PlayerSpec {
    format!("level-{number}").parse().unwrap()
}

/// The level, as hosts seat it: it thinks as long as its preset says.
fn seat(number: usize, seed: u64) -> Seat {
    level(number).build(seed).unwrap()
}

#[test]
fn the_search_grows_with_the_level() {
    let playouts: Vec<_> = (1..10).map(|number| level(number).options.playouts.unwrap()).collect();
    assert!(playouts.is_sorted_by(|a, b| a < b), "{playouts:?}");
    assert!(level(10).options.time.is_some_and(|seconds| seconds <= 0.5));
}

#[test]
fn what_a_level_reports_is_its_search_and_not_what_it_drew() {
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut is_other = false;
    for seed in 0..8 {
        let mut seat = seat(2, seed);
        let Decision::Play(played) = seat.decide(&game, &Request::default()).unwrap() else {
            panic!("it resigns")
        };
        let report = seat.report().unwrap();
        let most = report.moves.iter().map(|m| m.visits).max().unwrap();
        assert!(report.best().visits * 20 >= most * 3, "the search's rule chooses: {:?}", report.best());
        assert_eq!(
            report.moves.iter().map(|m| m.visits).sum::<u32>(),
            report.visits,
            "no visits are made up"
        );
        is_other |= played != report.best().mv;
    }
    assert!(is_other, "it plays its search's move every time");
}

#[test]
fn a_level_gives_up_a_lost_game_late() {
    // White owns everything but a corner.
    let lost = ". X O . O . . / X X O O . O O / . X O . O O . / O O O O O . O / . O . O . O O / O O O . O . O / . O . O O O .";
    for number in [1, 5] {
        let mut seat = seat(number, 1);
        let mut game = Game::from_board(Board::from_diagram(lost).unwrap(), Rules::CHINESE);
        game.set_to_play(Color::Black);
        let given_up = (1..=15).find(|_| {
            let decision = seat.decide(&game, &Request::default()).unwrap();
            game.play(Move::PASS);
            game.play(Move::PASS);
            decision == Decision::Resign
        });
        assert_eq!(given_up, Some(10), "level {number}");
    }
}

/// Points that each move of a game of a level against itself loses, as the analyst of reviews sees it.
fn losses(number: usize, seed: u64) -> Vec<f32> {
    let mut player = seat(number, seed);
    let mut analyst = "default,threads=1".parse::<PlayerSpec>().unwrap().build(1).unwrap();
    let mut lead = |game: &Game| analyst.analyse(game, &Request::playouts(30)).unwrap().unwrap().score;
    let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let mut before = lead(&game);
    let mut losses = Vec::new();
    while losses.len() < 40 {
        let color = game.to_play();
        let Decision::Play(mv) = player.decide(&game, &Request::default()).unwrap() else { break };
        game.play(mv);
        if game.is_over() {
            break;
        }
        let after = lead(&game);
        losses.push(((before - after) * color.sign() as f32).max(0.0));
        before = after;
    }
    losses
}

#[test]
fn no_level_is_suddenly_perfect_or_blunders_beyond_its_class() {
    // The level, the most that a move may lose, and the least that moves lose in the mean, before and after the twentieth.
    for (number, most, least) in [(1, 72.0, 0.8), (4, 36.0, 0.3), (8, 18.0, 0.0)] {
        let games: Vec<_> = (0..3).map(|seed| losses(number, seed)).collect();
        let worst = games.iter().flatten().copied().fold(0.0, f32::max);
        let mean = |part: &dyn Fn(&Vec<f32>) -> Vec<f32>| {
            let all: Vec<_> = games.iter().flat_map(part).collect();
            all.iter().sum::<f32>() / all.len().max(1) as f32
        };
        let halves = [
            mean(&|game| game.iter().take(20).copied().collect()),
            mean(&|game| game.iter().skip(20).copied().collect()),
        ];
        println!("level {number}: {halves:.1?} points a move, at most {worst:.1}");
        assert!(worst <= most, "level {number}: a move lost {worst} points");
        assert!(halves.iter().all(|mean| *mean >= least), "level {number}: {halves:?}");
    }
}
