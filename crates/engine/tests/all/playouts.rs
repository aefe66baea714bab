//! Uniform playouts are the right games: their statistics agree with an independent program's, and each definition of
//! an eye is checked on diagrams.

use tengen_board::{Board, Color};
use tengen_engine::{
    playout::{EyeRule, PlayoutLimits, PlayoutPolicy, Uniform, UniformConfig},
    rng::Rng,
};

/// Playouts from the empty board as an independent program played them: uniform over legal points that are not own
/// eyes (diagonal rule), no suicide, simple ko, area score without komi.
struct Reference {
    size: usize,
    games: f64,
    length: (f64, f64),
    score: (f64, f64),
    black_ahead: f64,
    black_ahead_by_komi: f64,
}

/// Mean and standard deviation of length and score; the share of games that Black wins by more than 0 and 7.5 points.
#[rustfmt::skip]
const REFERENCES: [Reference; 5] = [
    Reference { size: 5, games: 200e3, length: (42.36, 6.6), score: (1.83, 23.5), black_ahead: 0.539, black_ahead_by_komi: 0.482 },
    Reference { size: 7, games: 40e3, length: (72.31, 13.2), score: (2.44, 33.2), black_ahead: 0.536, black_ahead_by_komi: 0.405 },
    Reference { size: 9, games: 30e3, length: (111.09, 16.0), score: (2.23, 39.2), black_ahead: 0.527, black_ahead_by_komi: 0.424 },
    Reference { size: 13, games: 8e3, length: (219.4, 19.7), score: (1.9, 50.5), black_ahead: 0.512, black_ahead_by_komi: 0.442 },
    Reference { size: 19, games: 15e3, length: (455.4, 27.3), score: (1.7, 69.5), black_ahead: 0.510, black_ahead_by_komi: 0.461 },
];

/// Plays `games` playouts and returns length and score of each.
fn playouts(size: usize, games: usize, eyes: EyeRule) -> Vec<(f64, f64)> {
    let mut policy = Uniform::new(&UniformConfig { eyes });
    let mut rng = Rng::new(size as u64);
    let empty = Board::new(size, size);
    let mut board = empty.clone();
    let mut moves = Vec::new();
    (0..games)
        .map(|_| {
            board.clone_from(&empty);
            moves.clear();
            let limits = PlayoutLimits::default();
            let score = policy.play_out(&mut board, &mut moves, &limits, &mut rng);
            (moves.len() as f64, f64::from(score))
        })
        .collect()
}

fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

/// Both figures are samples: they may differ by four standard errors of their difference, and by the rounding.
fn assert_agree(
    what: &str,
    ours: f64,
    theirs: f64,
    deviation: f64,
    reference: &Reference,
    games: usize,
    rounding: f64,
) {
    let error = deviation * (1.0 / games as f64 + 1.0 / reference.games).sqrt();
    let size = reference.size;
    assert!(
        (ours - theirs).abs() < 4.0 * error + rounding,
        "{what} on {size}x{size}: {ours} instead of {theirs}, standard error {error}"
    );
}

fn check_against(reference: &Reference, games: usize) {
    let played = playouts(reference.size, games, EyeRule::Diagonals);
    let agree = |what: &str, ours: f64, theirs: f64, deviation: f64, rounding: f64| {
        assert_agree(what, ours, theirs, deviation, reference, games, rounding);
    };
    let (length, length_deviation) = mean_and_deviation(played.iter().map(|game| game.0));
    let (score, score_deviation) = mean_and_deviation(played.iter().map(|game| game.1));
    agree("mean length", length, reference.length.0, reference.length.1, 0.05);
    agree("mean score", score, reference.score.0, reference.score.1, 0.05);
    // The standard error of a deviation is about that of the mean.
    agree("deviation of the length", length_deviation, reference.length.1, reference.length.1, 0.05);
    agree("deviation of the score", score_deviation, reference.score.1, reference.score.1, 0.05);
    let share = |margin: f64| played.iter().filter(|game| game.1 > margin).count() as f64 / games as f64;
    agree("share won by Black", share(0.0), reference.black_ahead, 0.5, 0.0005);
    agree("share won by Black with komi", share(7.5), reference.black_ahead_by_komi, 0.5, 0.0005);
}

#[test]
fn statistics_agree_with_an_independent_program() {
    for (reference, games) in REFERENCES.iter().zip([200_000, 100_000, 60_000, 20_000, 15_000]) {
        check_against(reference, games);
    }
}

#[test]
fn every_eye_rule_ends_its_games() {
    for eyes in [EyeRule::TwoLiberties, EyeRule::OneChain, EyeRule::ThreeDiagonals] {
        let games = playouts(9, 2000, eyes);
        let (length, _) = mean_and_deviation(games.iter().map(|game| game.0));
        let (score, _) = mean_and_deviation(games.iter().map(|game| game.1));
        assert!((90.0..180.0).contains(&length), "{eyes:?}: mean length {length}");
        assert!((-4.0..9.0).contains(&score), "{eyes:?}: mean score {score}");
    }
}

#[test]
fn the_same_seed_plays_the_same_games() {
    assert_eq!(playouts(9, 50, EyeRule::Diagonals), playouts(9, 50, EyeRule::Diagonals));
}

/// A board, a point, and whether it is Black's eye by [`EyeRule::Diagonals`], `TwoLiberties`, `OneChain` and
/// `ThreeDiagonals`.
const EYES: [(&str, &str, [bool; 4]); 11] = [
    // One solid chain around it.
    (". . . . . / . X X X . / . X . X . / . X X X . / . . . . .", "C3", [true, true, true, true]),
    // Four stones that are not connected, nothing on the diagonals.
    (". . . . . / . . X . . / . X . X . / . . X . . / . . . . .", "C3", [true, true, false, false]),
    // The opponent has two diagonals: a false eye.
    (". . . . . / . O X . . / . X . X . / . . X O . / . . . . .", "C3", [false, true, false, false]),
    // The opponent has one diagonal.
    (". . . . . / . X X X . / . X . X . / . X X O . / . . . . .", "C3", [true, true, true, true]),
    // False by its diagonals, yet the chain is connected far around.
    (
        ". . . . . . . / . . . . . . . / . . X X X . . / . . X . X X X / . . O X O . X / . . . X . . X / . . . X X X X",
        "D4",
        [false, true, true, false],
    ),
    // A neighbour in atari, the opponent on two diagonals.
    (". . . . . / . O X X . / O X . X . / . O X X . / . . . . .", "C3", [false, false, false, false]),
    // The corner: its only diagonal is empty, friendly, or the opponent's.
    (". . . . / . . . . / X . . . / . X . .", "A1", [true, true, false, true]),
    (". . . . / . . . . / X X . . / . X . .", "A1", [true, true, true, true]),
    (". . . . / . . . . / X O . . / . X . .", "A1", [false, true, false, true]),
    // The corner is the last liberty of the chain around it.
    (". . . . / O O . . / X X O . / . X O .", "A1", [true, false, true, true]),
    // The edge: one diagonal of the opponent is enough to make it false.
    (". . . . . / . O X X . / . X . X .", "C1", [false, true, false, true]),
];

#[test]
fn eye_rules_judge_diagrams() {
    let rules = [EyeRule::Diagonals, EyeRule::TwoLiberties, EyeRule::OneChain, EyeRule::ThreeDiagonals];
    for (diagram, point, expected) in EYES {
        let board = Board::from_diagram(diagram).unwrap();
        let v = point.parse().unwrap();
        for (rule, is_eye) in rules.into_iter().zip(expected) {
            assert_eq!(rule.is_eye(&board, v, Color::Black), is_eye, "{rule:?} at {point}\n{board}");
            assert!(!rule.is_eye(&board, v, Color::White), "{rule:?} at {point} for White\n{board}");
        }
    }
}

#[test]
fn a_point_with_an_empty_or_enemy_neighbour_is_no_eye() {
    let diagrams = [
        ". . . . . / . X X X . / . X . . . / . X X X . / . . . . .",
        ". . . . . / . X X X . / . X . O . / . X X X . / . . . . .",
    ];
    for diagram in diagrams {
        let board = Board::from_diagram(diagram).unwrap();
        for rule in [EyeRule::Diagonals, EyeRule::TwoLiberties, EyeRule::OneChain, EyeRule::ThreeDiagonals] {
            assert!(!rule.is_eye(&board, "C3".parse().unwrap(), Color::Black), "{rule:?}\n{board}");
        }
    }
}
