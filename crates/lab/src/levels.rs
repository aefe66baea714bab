//! What the levels are worth in kyu and dan, as far as their ladders have been played.
//!
//! **What.** In a ladder (`experiments/levels-9x9` and its like) each level plays the one before it, and GNU Go plays two of them. One fit
//! over all games tells how far each level is above GNU Go at its level 10, which is taken for 8 kyu; `tengen lab report` writes it down, and
//! the program comes with it.
//!
//! **Formula.** A rank is 100 points r, and 1 dan is 2100. One player beats another with probability 1 / (1 + exp(β(r₂) − β(r₁))), where
//! β(r) = −7 · ln(3300 − r): a rank is 61 Elo at 8 kyu, and 101 at 1 dan.
//!
//! **Source.** The rating system of the European Go Federation, as it is since 2021.
//!
//! **Limits.** These are estimates. The interval tells how few games there were, not how far GNU Go is from 8 kyu: that is what people
//! say of it on 19x19. Among programs of one kind a difference wins more games than among people.

use serde::Serialize;

use crate::review::rank;

/// The ladders, by the size of the board, as their reports tell them.
const LADDERS: [(usize, &str); 3] = [
    (9, include_str!("../../../experiments/levels-9x9/ranks.csv")),
    (13, include_str!("../../../experiments/levels-13x13/ranks.csv")),
    (19, include_str!("../../../experiments/levels-19x19/ranks.csv")),
];

/// What a report tells of each arm.
pub(crate) const COLUMNS: [&str; 6] = ["arm", "rank", "from", "to", "Elo above the anchor", "95%"];

/// The rank of a level on boards of one size, with its interval at 95%.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LevelRank {
    /// Columns and rows.
    pub size: usize,
    /// Such as `12k`.
    pub rank: String,
    /// Where the interval begins,
    pub low: String,
    /// ... and ends.
    pub high: String,
}

/// The ranks of a preset that is a level, on the sizes on which it was measured.
pub fn ranks(player: &str) -> Vec<LevelRank> {
    let on = |&(size, ladder): &(usize, &str)| {
        let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let row = ladder.lines().skip(1).map(fields).find(|fields| fields[0] == player)?;
        let [_, rank, low, high, ..] = <[String; 6]>::try_from(row).ok()?;
        Some(LevelRank { size, rank, low, high })
    };
    LADDERS.iter().filter_map(on).collect()
}

/// The rank of whoever is so much Elo above a player of this rank.
pub(crate) fn ranks_above(anchor: f64) -> impl Fn(f64) -> String {
    /// β at its end, and what it is multiplied by.
    const END: f64 = 3300.0;
    const FACTOR: f64 = 7.0;
    let points = 2000.0 + 100.0 * anchor;
    move |elo| {
        let logits = elo * std::f64::consts::LN_10 / 400.0;
        rank::name((END - (END - points) * (-logits / FACTOR).exp() - 2000.0) / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_becomes_ranks() {
        let above_8k = ranks_above(-7.0);
        assert_eq!([0.0, 61.0, 1000.0, -610.0, 9000.0].map(above_8k), ["8k", "7k", "4d", "21k", "9d"]);
        assert_eq!(ranks_above(1.0)(101.0), "2d");
        assert_eq!(ranks_above(1.0)(-9000.0), "30k");
    }

    #[test]
    fn the_ladders_that_were_played_can_be_read() {
        let played = LADDERS.iter().filter(|(_, ladder)| ladder.lines().count() > 1).count();
        assert_eq!(ranks("level-4").len(), played);
        assert_eq!(ranks("default"), []);
        for (_, ladder) in LADDERS {
            assert_eq!(ladder.lines().next(), Some(COLUMNS.join(",").as_str()));
        }
    }
}
