//! What a player does when little is left to play for.
#![allow(clippy::unwrap_used)]

use tengen_board::{Board, Color, Game, Move, Rules};
use tengen_engine::{
    gtp::Server,
    mcts::Mcts,
    player::{Budget, Decision, Player},
    playout::{HeavyConfig, PlayoutConfig},
    search::SearchConfig,
};

fn player() -> Mcts {
    let config = SearchConfig {
        playout: PlayoutConfig::Heavy(HeavyConfig::default()),
        resign: 0.0,
        ..SearchConfig::default()
    };
    Mcts::new("test", &config, Budget { playouts: Some(600), ..Budget::default() }, 1, 1)
}

fn decide(diagram: &str, color: Color, rules: Rules, cleanup: bool) -> String {
    let mut game = Game::from_board(Board::from_diagram(diagram).unwrap(), rules);
    game.set_to_play(color);
    match player().decide(&game, &Budget { cleanup, ..Budget::default() }) {
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
    let mut server = Server::new(Box::new(player()));
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
        let Decision::Play(mv) = player.decide(&game, &Budget { playouts: Some(60), ..Budget::default() })
        else {
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
        let mv = match (game.to_play(), player.decide(&game, &Budget::default())) {
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
    let config = SearchConfig { resign: 0.1, resign_moves: 3, ..SearchConfig::default() };
    let mut player = Mcts::new("test", &config, Budget { playouts: Some(400), ..Budget::default() }, 1, 1);
    let mut game = Game::from_board(Board::from_diagram(diagram).unwrap(), Rules::CHINESE);
    game.set_to_play(color);
    (1..=5).find(|_| {
        let decision = player.decide(&game, &Budget::default());
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

/// What is answered to the last of these lines.
fn asked(player: Mcts, lines: &[&str]) -> String {
    let mut server = Server::new(Box::new(player));
    let mut answer = String::new();
    for line in lines {
        answer = server.execute(line).unwrap().to_string();
        assert!(answer.starts_with('='), "{line}: {answer}");
    }
    answer.trim_start_matches('=').trim().to_owned()
}

#[test]
fn a_game_that_is_won_by_passing_is_not_lost_in_the_own_territory() {
    // White is half a point ahead; the black stone at H5 is dead.
    let position = "set_position b F1 b G1 b E2 b G2 b E3 b G3 b H3 b E4 b F4 b E5 b H5 b B6 b C6 b D6 b E6 b F6 b A7 b B7 \
                    b A8 b A9 w H1 w H2 w J2 w J3 w G4 w H4 w F5 w G5 w G6 w H6 w C7 w D7 w E7 w F7 w B8 w C8 w G8 w B9";
    let lines = ["boardsize 9", "kata-set-rules japanese", "komi 3.5", position, "play b pass", "genmove w"];
    assert_eq!(asked(player(), &lines), "pass");
}

#[test]
fn dead_stones_are_approached_where_they_must_be_captured() {
    // The white stones in the upper left cannot be captured before A7 is played.
    let position = "set_position b A1 b G1 b J1 b A2 b B2 b H2 b B3 b C3 b G3 b A4 b C4 b G4 b H4 b B5 b D5 b G5 b A6 b B6 \
                    b D6 b E6 b G6 b B7 b E7 b G7 b A8 b D8 b E8 b F8 b G8 b C9 b D9 b F9 b G9 b H9 w B1 w C1 w D1 w C2 w E2 \
                    w F2 w G2 w D3 w F3 w H3 w J3 w D4 w F4 w J4 w C5 w E5 w F5 w H5 w J5 w C6 w F6 w H6 w C7 w F7 w H7 \
                    w B8 w C8 w H8 w J8 w B9 w J9";
    let lines =
        ["boardsize 9", "kata-set-rules tromp-taylor", "komi 5.5", position, "play w pass", "genmove b"];
    assert_ne!(asked(player(), &lines), "pass", "Black would lose");
}

#[test]
fn extra_komi_is_no_reason_to_resign() {
    // Black owns the left side, White the right side, and the nine handicap stones are the wall.
    let mut lines = vec!["boardsize 9", "kata-set-rules japanese", "komi 0.5"];
    lines.push("set_free_handicap E1 E2 E3 E4 E5 E6 E7 E8 E9");
    for white in [
        "play w F1",
        "play w F2",
        "play w F3",
        "play w F4",
        "play w F5",
        "play w F6",
        "play w F7",
        "play w F8",
    ] {
        lines.extend([white, "play b pass"]);
    }
    lines.extend(["play w F9", "genmove b", "play w G5", "genmove b", "play w G4", "genmove b"]);
    let config =
        SearchConfig { playout: PlayoutConfig::Heavy(HeavyConfig::default()), ..SearchConfig::default() };
    let player = Mcts::new("test", &config, Budget { playouts: Some(300), ..Budget::default() }, 1, 1);
    assert_ne!(asked(player, &lines), "resign", "Black is seven points ahead");
}
