//! What a player does when little is left to play for.
#![allow(clippy::unwrap_used)]

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::{
    gtp::Server,
    players::{ConductConfig, Decision, Limits, Mcts, MctsConfig, Player, Query, Request, Seat},
    playout::{HeavyConfig, PlayoutConfig, PlayoutsConfig},
};

fn player() -> Mcts {
    let config = MctsConfig {
        playouts: PlayoutsConfig {
            policy: PlayoutConfig::Heavy(HeavyConfig::default()),
            ..PlayoutsConfig::default()
        },
        conduct: ConductConfig { resign: 0.0, ..ConductConfig::default() },
        ..MctsConfig::default()
    };
    Mcts::new("test", &config, 1, 1)
}

fn decide(diagram: &str, color: Color, rules: Rules, cleanup: bool) -> String {
    let mut game = Game::from_board(Board::from_diagram(diagram).unwrap(), rules);
    game.set_to_play(color);
    let query = Query { cleanup, ..Query::default() };
    match player().decide(&game, &Request { query, ..Request::playouts(600) }).unwrap() {
        Decision::Play(mv) => mv.to_string(),
        Decision::Resign => "resign".to_owned(),
    }
}

/// Everything is settled; the white stone at C2 is dead.
const SETTLED: &str = ". X O . O . . /
     . X O O . O O /
     X X X O O O . /
     . X . X O . O /
     X . X X O O O /
     . X O X O . O /
     X X . X O O .";

#[test]
fn passes_when_everything_is_settled() {
    for color in Color::ALL {
        assert_eq!(decide(SETTLED, color, Rules::CHINESE, false), "pass", "{color}");
        assert_eq!(decide(SETTLED, color, Rules::JAPANESE, false), "pass", "{color}");
        assert_eq!(decide(SETTLED, color, Rules::AGA, false), "pass", "{color}");
    }
}

#[test]
fn captures_what_is_dead_where_it_must() {
    assert_eq!(decide(SETTLED, Color::Black, Rules::TROMP_TAYLOR, false), "C1");
    assert_eq!(decide(SETTLED, Color::Black, Rules::CHINESE, true), "C1", "the opponent disputes it");
    assert_eq!(decide(SETTLED, Color::White, Rules::CHINESE, true), "pass", "White has nothing to capture");
}

#[test]
fn dame_are_played_where_they_count() {
    // C3 and C1 are neutral.
    let dame = ". X O O . / X X O O O / . X . O . / X X X O O / . X . O .";
    for color in Color::ALL {
        let chinese = decide(dame, color, Rules::CHINESE, false);
        assert!(["C3", "C1"].contains(&chinese.as_str()), "{chinese}");
        assert_eq!(decide(dame, color, Rules::JAPANESE, false), "pass", "{color}");
    }
}

#[test]
fn a_capture_that_is_open_is_not_left_alone() {
    // White can capture two stones at B1, or Black saves them.
    let open = ". X . O . / X X X O O / . X O . O / X X O O O / X . X X O";
    for rules in [Rules::CHINESE, Rules::JAPANESE] {
        assert_ne!(decide(open, Color::White, rules, false), "pass");
    }
}

#[test]
fn a_disputed_game_is_cleaned_up_to_the_last_stone() {
    // The two white stones on the left are dead, and Black has to come from outside to take them.
    let disputed = ". . X . O . . /
                    O . X O O O O /
                    O . X X O . O /
                    X X . X O O O /
                    . X X X X O . /
                    X . X . X O O /
                    . X X X X O .";
    let mut server = Server::new(Seat::new(Box::new(player())).with_limits(Limits::playouts(600)));
    let mut game = Game::from_board(Board::from_diagram(disputed).unwrap(), Rules::CHINESE);
    game.set_to_play(Color::Black);
    server = server.with_game(game);
    for _ in 0..10 {
        let answer = server.execute("kgs-genmove_cleanup b").unwrap().text().to_owned();
        if answer == "PASS" || answer == "pass" {
            break;
        }
        server.execute("play w pass").unwrap();
    }
    let board = server.game().board();
    assert!(board.is_empty("A5".parse().unwrap()) && board.is_empty("A6".parse().unwrap()), "{board}");
}

#[test]
fn nobody_goes_round_in_circles() {
    // Under simple ko Black could throw in two stones, lose them and take one back for ever.
    let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
    let mut player = player();
    while game.passes() < 2 && game.moves().len() < 150 {
        let Decision::Play(mv) = player.decide(&game, &Request::playouts(60)).unwrap() else {
            break;
        };
        game.play(mv);
    }
    assert!(game.moves().len() < 150, "{game:?}");
}

#[test]
fn a_game_against_a_player_that_passes_comes_to_an_end() {
    let mut game = Game::new(5, 5, Rules::JAPANESE).unwrap();
    let mut player = player();
    while game.passes() < 2 && game.moves().len() < 60 {
        let mv = match (game.to_play(), player.decide(&game, &Request::playouts(600)).unwrap()) {
            (Color::Black, Decision::Play(mv)) => mv,
            _ => Move::PASS,
        };
        game.play(mv);
    }
    let stones = game.board().stones(Color::Black);
    assert!(stones <= 12, "it goes on filling its own territory:\n{}", game.board());
}

/// When a player that gives up below a tenth, after three moves, does so, if both players only pass.
fn resigns_after(diagram: &str, color: Color) -> Option<usize> {
    let conduct = ConductConfig { resign: 0.1, resign_moves: 3, ..ConductConfig::default() };
    let mut player = Mcts::new("test", &MctsConfig { conduct, ..MctsConfig::default() }, 1, 1);
    let mut game = Game::from_board(Board::from_diagram(diagram).unwrap(), Rules::CHINESE);
    game.set_to_play(color);
    (1..=5).find(|_| {
        let decision = player.decide(&game, &Request::playouts(400)).unwrap();
        game.play(Move::PASS);
        game.play(Move::PASS);
        decision == Decision::Resign
    })
}

#[test]
fn a_lost_game_is_given_up_after_some_moves_and_an_open_one_is_not() {
    // White owns everything but a corner.
    let lost = ". X O . O . . / X X O O . O O / . X O . O O . / O O O O O . O / . O . O . O O / O O O . O . O / . O . O O O .";
    assert_eq!(resigns_after(lost, Color::Black), Some(3));
    assert_eq!(resigns_after(lost, Color::White), None);
    // Nobody owns anything yet.
    let open = ". . . . . . . / . . . . . . . / . . . . . . . / . . . . . . . / . . . . . . .";
    assert_eq!(resigns_after(open, Color::Black), None);
}
