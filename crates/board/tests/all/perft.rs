//! Numbers of move sequences and of legal positions, agreed by independent programs.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use tengen_board::{Game, HandicapBonus, KoRule, Rules, Scoring, Tax, legal_positions, perft};

fn counts(width: usize, height: usize, ko: KoRule, suicide: bool, depth: usize) -> Vec<u64> {
    let rules = Rules {
        ko,
        suicide,
        scoring: Scoring::Area,
        tax: Tax::None,
        handicap_bonus: HandicapBonus::Zero,
        friendly_pass: false,
        komi: 0.0,
    };
    perft(&Game::new(width, height, rules).unwrap(), depth)
}

macro_rules! perft_tests {
    ($($name:ident: $width:literal x $height:literal, [$($ko:ident)*], [$($suicide:literal)*] => $expected:expr;)*) => {
        $(#[test]
        fn $name() {
            let expected = $expected;
            for ko in [$(KoRule::$ko),*] {
                for suicide in [$($suicide),*] {
                    let counts = counts($width, $height, ko, suicide, expected.len());
                    assert_eq!(counts, expected, "{}x{} {ko:?}, suicide {suicide}", $width, $height);
                }
            }
        })*
    };
}

perft_tests! {
    perft_2x2_simple: 2 x 2, [Simple], [false] => [5, 21, 68, 156, 316, 604, 1168, 2592, 5768, 12120, 24248, 47840];
    perft_2x2_simple_suicide: 2 x 2, [Simple], [true] => [5, 21, 68, 180, 428, 908, 2000, 5152, 14408, 39808, 101_832, 248_000];
    perft_2x2_positional: 2 x 2, [Positional], [false true] => [5, 21, 68, 156, 316, 604, 1088, 2184, 4184, 8024, 13800, 23560];
    perft_2x2_situational: 2 x 2, [Situational], [false] => [5, 21, 68, 156, 316, 604, 1112, 2312, 4544, 8800, 15248, 26456];
    perft_2x2_situational_suicide: 2 x 2, [Situational], [true] => [5, 21, 68, 180, 428, 860, 1704, 3936, 9808, 24400, 50704, 102_336];
    perft_2x3: 2 x 3, [Simple Positional Situational], [false] => [7, 43, 222, 934, 3242, 8666, 20760, 45332];
    perft_3x2: 3 x 2, [Simple Positional Situational], [false] => [7, 43, 222, 934, 3242, 8666, 20760, 45332];
    perft_2x3_positional_suicide: 2 x 3, [Positional], [true] => [7, 43, 222, 942, 3378, 9834, 26504, 64116];
    perft_2x3_situational_suicide: 2 x 3, [Situational], [true] => [7, 43, 222, 974, 3626, 11782, 36216, 104_560];
    perft_3x3_simple: 3 x 3, [Simple], [false] => [10, 91, 738, 5281, 33384, 179_712, 842_728, 3_271_816];
    perft_3x3_positional: 3 x 3, [Positional], [false] => [10, 91, 738, 5281, 33384, 179_712, 842_696, 3_271_208];
    perft_3x3_situational: 3 x 3, [Situational], [false] => [10, 91, 738, 5281, 33384, 179_712, 842_728, 3_271_784];
    perft_3x3_simple_suicide: 3 x 3, [Simple], [true] => [10, 91, 738, 5345, 34272, 193_424, 962_752, 4_270_672];
    perft_3x3_positional_suicide: 3 x 3, [Positional], [true] => [10, 91, 738, 5281, 33384, 180_768, 857_576, 3_474_312];
    perft_3x3_situational_suicide: 3 x 3, [Situational], [true] => [10, 91, 738, 5345, 34272, 193_040, 958_040, 4_211_048];
    perft_4x4: 4 x 4, [Simple Positional Situational], [false] => [17, 273, 4112, 57984, 764_016];
    perft_4x4_suicide: 4 x 4, [Simple Situational], [true] => [17, 273, 4112, 58104, 767_368];
    perft_5x5: 5 x 5, [Simple Positional Situational], [false] => [26, 651, 15650, 361_041, 7_984_104];
    perft_5x5_suicide: 5 x 5, [Simple Situational], [true] => [26, 651, 15650, 361_233, 7_992_928];
}

#[test]
fn perft_goes_on_from_a_game() {
    let mut game = Game::new(3, 3, Rules::TROMP_TAYLOR).unwrap();
    let whole = perft(&game, 4);
    let mut sum = [0; 3];
    for mv in game.board().points().map(Into::into).chain([tengen_board::Move::PASS]).collect::<Vec<_>>() {
        game.play(mv);
        for (total, count) in sum.iter_mut().zip(perft(&game, 3)) {
            *total += count;
        }
        game.undo();
    }
    assert_eq!(sum, whole[1..]);
}

#[test]
fn legal_position_counts() {
    for ((width, height), expected) in [
        ((2, 2), 57),
        ((2, 3), 489),
        ((3, 2), 489),
        ((3, 3), 12_675),
        ((3, 4), 321_689),
        ((4, 4), 24_318_165),
    ] {
        assert_eq!(legal_positions(width, height), expected, "{width}x{height}");
    }
}
