//! Games: handicap, undo, ko and superko when turns are given away, stones set up by hand.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use tengen_board::{Board, Color, Game, HandicapError, IllegalMove, KoRule, Move, Rules, Scoring, Vertex};

use crate::reference::{Reference, Verdict};

fn vertex(name: &str) -> Vertex {
    name.parse().unwrap()
}

/// White has just captured the stone on B2 with a stone on C2: Black may not retake at once.
fn ko_fight(rules: Rules) -> Game {
    let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
    let mut game = Game::from_board(board, rules);
    for (color, name) in [(Color::White, "B3"), (Color::Black, "D1")] {
        game.try_play_as(color, vertex(name).into()).unwrap();
    }
    game
}

#[test]
fn free_handicap_takes_any_number() {
    for (width, height) in [(2, 2), (5, 3), (9, 9), (19, 19)] {
        for stones in 2..(width * height).min(40) {
            let mut game = Game::new(width, height, Rules::CHINESE).unwrap();
            let points = game.place_free_handicap(stones).unwrap();
            assert_eq!((points.len(), game.board().stones(Color::Black)), (stones, stones));
            assert_eq!((game.handicap(), game.to_play()), (stones, Color::White));
        }
    }
    let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
    assert!(game.place_free_handicap(81).is_err() && game.place_free_handicap(1).is_err());
    assert!(game.place_handicap(&[vertex("A1"), vertex("A1")]).is_err());
    assert!(game.place_handicap(&[vertex("A1"), vertex("K1")]).is_err());
    game.place_handicap(&[vertex("A1"), vertex("J9")]).unwrap();
    assert_eq!(game.place_fixed_handicap(2), Err(HandicapError::BoardNotEmpty));
}

#[test]
fn undo_goes_to_any_point() {
    let mut game = Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap();
    game.place_handicap(&[vertex("A1"), vertex("E5")]).unwrap();
    let mut hashes = vec![game.board().hash()];
    for name in ["B1", "C3", "pass", "A2", "pass", "pass"] {
        game.play(name.parse().unwrap());
        hashes.push(game.board().hash());
    }
    assert!(game.is_over() && game.outcome().is_some());
    for count in [6, 5, 2, 0] {
        game.undo_to(count);
        assert_eq!(game.moves().len(), count);
        assert_eq!(game.board().hash(), hashes[count]);
        assert!(count == 6 || !game.is_over());
    }
    assert!(!game.undo());
    assert_eq!((game.handicap(), game.to_play()), (2, Color::White));
}

#[test]
fn simple_ko_survives_a_change_of_turn_and_back() {
    let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
    let mut game = Game::from_board(board, Rules::CHINESE);
    game.try_play_as(Color::White, vertex("B3").into()).unwrap();
    assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
    game.set_to_play(Color::White);
    game.set_to_play(Color::Black);
    assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
    // A refused move out of turn changes nothing.
    assert_eq!(game.try_play_as(Color::White, vertex("B3").into()), Err(IllegalMove::Occupied));
    assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
}

#[test]
fn superko_remembers_more_than_the_last_move() {
    // Black passes after the ko was taken and gets another turn: only superko forbids taking it back then.
    for (rules, refused) in [(Rules::CHINESE, false), (Rules::CHINESE_SUPERKO, true), (Rules::AGA, true)] {
        let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
        let mut game = Game::from_board(board, rules);
        game.set_to_play(Color::White);
        game.play(vertex("B3").into());
        game.play(Move::PASS);
        game.set_to_play(Color::Black);
        let answer = game.check(vertex("C3").into());
        assert_eq!(answer == Err(IllegalMove::Superko), refused, "{rules:?}: {answer:?}");
    }
}

#[test]
fn situational_superko_sees_turns_given_away() {
    let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
    let mut game = Game::from_board(board, Rules::AGA);
    game.play(Move::PASS);
    game.play(vertex("B3").into());
    game.play(Move::PASS);
    game.play(Move::PASS);
    // The same board with White to play was there before.
    assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Superko));
    // If the turn had been given to White without a pass, it would be the same.
    let mut again = Game::from_board(game.start().clone(), Rules::AGA);
    again.try_play_as(Color::White, vertex("B3").into()).unwrap();
    again.play(Move::PASS);
    again.play(Move::PASS);
    assert_eq!(again.check(vertex("C3").into()), Err(IllegalMove::Superko));
    again.set_rules(Rules::CHINESE);
    assert_eq!(again.check(vertex("C3").into()), Ok(()));
    again.set_rules(Rules::AGA);
    assert_eq!(again.check(vertex("C3").into()), Err(IllegalMove::Superko));
}

#[test]
fn new_rules_keep_the_turn() {
    let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
    game.play("C3".parse().unwrap());
    game.set_to_play(Color::Black);
    game.set_rules(Rules::AGA);
    assert_eq!((game.to_play(), game.moves().len()), (Color::Black, 1));
}

#[test]
fn set_up_in_the_middle_begins_anew() {
    let mut game = ko_fight(Rules::JAPANESE);
    assert_eq!(game.board().prisoners(Color::White), 1);
    game.set_up(&[(vertex("D1"), None), (vertex("A1"), Some(Color::White))]).unwrap();
    assert!(game.moves().is_empty() && game.board().is_empty(vertex("D1")));
    assert_eq!(game.board().prisoners(Color::White), 1);
    assert_eq!(game.set_up(&[(vertex("T19"), None)]), Err(vertex("T19")));
    assert_eq!(game.rules().scoring, Scoring::Territory);
}

/// Superko in long random games on small boards, against a list of all boards that there were.
#[test]
fn superko_agrees_with_a_list_of_positions() {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut refused = 0;
    for round in 0..120 {
        let ko = [KoRule::Positional, KoRule::Situational][round % 2];
        let rules = Rules { ko, suicide: round % 3 == 0, ..Rules::CHINESE };
        let (width, height) = (2 + round % 5, 2 + round / 3 % 4);
        let mut game = Game::new(width, height, rules).unwrap();
        let mut reference = Reference::new(width, height);
        let turn = |board: &Reference| if ko == KoRule::Situational { board.turn } else { 0 };
        let mut seen = vec![(reference.stones.clone(), turn(&reference))];
        for _ in 0..160 {
            let mut legal = vec![None];
            for p in reference.points() {
                let mut after = reference.clone();
                let expected = match reference.check(p, rules.suicide) {
                    Verdict::Occupied => Err(IllegalMove::Occupied),
                    Verdict::Ko => Err(IllegalMove::Ko),
                    Verdict::Suicide => Err(IllegalMove::Suicide),
                    Verdict::Legal => {
                        after.play(Some(p));
                        let repeats = seen.contains(&(after.stones.clone(), turn(&after)));
                        refused += usize::from(repeats);
                        if repeats { Err(IllegalMove::Superko) } else { Ok(()) }
                    }
                };
                assert_eq!(game.check(Vertex::new(p.0, p.1).into()), expected, "{game:?}");
                if expected.is_ok() {
                    legal.push(Some(p));
                }
            }
            let p = legal[random() % legal.len()];
            game.play(p.map_or(Move::PASS, |(x, y)| Vertex::new(x, y).into()));
            reference.play(p);
            seen.push((reference.stones.clone(), turn(&reference)));
        }
        let count = random() % 160;
        let moves = game.moves()[..count].to_vec();
        game.undo_to(count);
        assert_eq!(game.moves(), moves);
        let mut again = Game::new(width, height, rules).unwrap();
        for played in &moves {
            again.play(played.mv);
        }
        assert_eq!(again.board().hash(), game.board().hash());
        for v in game.board().points() {
            assert_eq!(again.check(v.into()), game.check(v.into()));
        }
    }
    assert!(refused > 100, "superko came up only {refused} times");
}
