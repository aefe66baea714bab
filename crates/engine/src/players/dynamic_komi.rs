//! Dynamic komi: in handicap games the search starts from an even position.
//!
//! **What.** A search only wants to win: where one side is far ahead, all its moves win alike and all those of the other
//! side lose alike, and both play carelessly. So a handicap is answered with extra komi for White, which shrinks to nothing
//! as the game goes on. Values that a search for a move reports are with this komi; scores and analyses are without.
//!
//! **Formula.** `h · points · (1 − n / m)` points for White with `h` handicap stones after `n` moves, where `m` is `moves` on
//! 19x19 and in proportion to the area on other boards.
//!
//! **Source.** Baudis 2011, *Balancing MCTS by dynamically adjusting the komi value*: linear adjustment (Pachi: 8 points a
//! stone until move 150 as White, 12 until move 200 as Black).
//!
//! **Differences.** One set of numbers for both colours, so that what is pondered on the opponent's turn can be kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Game, MAX_AREA};

/// How much extra komi White gets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DynamicKomi {
    /// None.
    Off,
    /// In proportion to the handicap, less with every move.
    Linear {
        /// Points for each handicap stone at the beginning.
        #[schemars(extend("x-peer" = true), range(min = 0.0, max = 100.0))]
        points: f32,
        /// The move, on 19x19, from which on there is none.
        #[schemars(extend("x-peer" = true), range(min = 0, max = 10_000))]
        moves: usize,
    },
}

impl Default for DynamicKomi {
    fn default() -> Self {
        DynamicKomi::Linear { points: 8.0, moves: 150 }
    }
}

impl DynamicKomi {
    /// Points that White gets on top of the komi; whole ones, so that a search can be continued from move to move.
    pub fn extra(self, game: &Game) -> f32 {
        match self {
            DynamicKomi::Off => 0.0,
            DynamicKomi::Linear { points, moves } => {
                let last = (moves * game.board().area()) as f32 / MAX_AREA as f32;
                let left = 1.0 - game.moves().len() as f32 / last.max(1.0);
                (game.compensated_handicap() as f32 * points * left.max(0.0)).round()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Move, Rules};

    use super::*;

    #[test]
    fn it_shrinks_to_nothing() {
        let komi = DynamicKomi::default();
        let mut game = Game::new(19, 19, Rules::CHINESE).unwrap();
        assert_eq!(komi.extra(&game), 0.0, "an even game");
        game.place_fixed_handicap(4).unwrap();
        assert_eq!(komi.extra(&game), 32.0);
        (0..75).for_each(|_| game.play(Move::PASS));
        assert_eq!(komi.extra(&game), 16.0);
        (0..75).for_each(|_| game.play(Move::PASS));
        assert_eq!(komi.extra(&game), 0.0);
        assert_eq!(DynamicKomi::Off.extra(&game), 0.0);
    }

    #[test]
    fn stones_that_are_played_count_as_those_that_are_placed() {
        let mut game = Game::new(19, 19, Rules::CHINESE).unwrap();
        for point in ["D4", "Q16", "Q4"] {
            game.set_to_play(Color::Black);
            game.play(point.parse().unwrap());
        }
        let all = |extra: f32| (extra / 8.0).ceil();
        assert_eq!(all(DynamicKomi::default().extra(&game)), 3.0);
        game.set_to_play(Color::White);
        game.play("D16".parse().unwrap());
        game.set_to_play(Color::Black);
        game.play("C6".parse().unwrap());
        assert_eq!(all(DynamicKomi::default().extra(&game)), 3.0);
    }
}
