//! Classes of mistakes, and figures that sum up how a player played.

use serde::{Deserialize, Serialize};
use tengen_board::Color;

use super::ReviewedMove;

/// How bad a move is, by the points that it lost. The bounds are KaTrain's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Less than half a point.
    Excellent,
    /// Up to 1.5 points.
    Good,
    /// Up to 3 points.
    Inaccuracy,
    /// Up to 6 points.
    Mistake,
    /// Up to 12 points.
    BigMistake,
    /// 12 points or more.
    Blunder,
}

impl Class {
    /// All classes, the best first.
    pub const ALL: [Class; 6] =
        [Class::Excellent, Class::Good, Class::Inaccuracy, Class::Mistake, Class::BigMistake, Class::Blunder];

    /// Points lost from which on each class but the first begins.
    pub const BOUNDS: [f64; 5] = [0.5, 1.5, 3.0, 6.0, 12.0];

    /// The class of a move that lost so many points.
    pub fn of(points_lost: f64) -> Class {
        Self::ALL[Self::BOUNDS.iter().filter(|bound| points_lost >= **bound).count()]
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Class::Excellent => "excellent",
            Class::Good => "good",
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::BigMistake => "big mistake",
            Class::Blunder => "blunder",
        }
    }

    /// The points it stands for, in words.
    pub fn range(self) -> String {
        let [first, .., last] = Self::BOUNDS;
        match self as usize {
            0 => format!("below {first}"),
            5 => format!("{last} or more"),
            i => format!("{} to {}", Self::BOUNDS[i - 1], Self::BOUNDS[i]),
        }
    }

    /// Its colour on graphs and boards.
    pub(super) fn color(self) -> &'static str {
        match self {
            Class::Excellent => "#2e8b57",
            Class::Good => "#8fbc3f",
            Class::Inaccuracy => "#d9a800",
            Class::Mistake => "#e07b00",
            Class::BigMistake => "#d03a2b",
            Class::Blunder => "#8e2a9c",
        }
    }
}

/// The part of a game, by how many moves were played for the points of the board (the shares are KaTrain's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// As many moves as 14% of the points: 50 on 19x19.
    Opening,
    /// As many as 40%: 144 on 19x19.
    MiddleGame,
    /// The rest.
    Endgame,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::MiddleGame, Phase::Endgame];

    /// The phase of a move by its number, from 1.
    pub fn of(number: usize, area: usize) -> Phase {
        match number as f64 / area as f64 {
            share if share <= 0.14 => Phase::Opening,
            share if share <= 0.4 => Phase::MiddleGame,
            _ => Phase::Endgame,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::MiddleGame => "middle game",
            Phase::Endgame => "endgame",
        }
    }
}

/// How accuracy is computed, for people.
pub const ACCURACY_FORMULA: &str = "accuracy = 100 · 0.75^(weighted mean of the points lost); \
    the weight of a move is the larger of the points that a move drawn by the network would have lost and a quarter of those that \
    it lost, within 0.05 to 1 (KaTrain's formula)";

/// What some moves of a player come to. Nothing is told of no moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many.
    pub moves: usize,
    /// Points lost a move.
    pub mean_loss: Option<f64>,
    /// See [`ACCURACY_FORMULA`].
    pub accuracy: Option<f64>,
    /// The share of moves that were the analyst's first choice.
    pub first_choices: Option<f64>,
}

impl Figures {
    fn new<'a>(moves: impl Iterator<Item = &'a ReviewedMove>) -> Figures {
        let (mut count, mut first, mut lost) = (0, 0, 0.0);
        let (mut weights, mut weighted) = (0.0, 0.0);
        for m in moves {
            count += 1;
            first += usize::from(m.is_first_choice());
            lost += m.points_lost;
            let weight = weight(m);
            weights += weight;
            weighted += weight * m.points_lost;
        }
        let share =
            |sum: f64, digits: f64| (count > 0).then(|| (sum / count as f64 * digits).round() / digits);
        Figures {
            moves: count,
            mean_loss: share(lost, 1000.0),
            accuracy: (count > 0).then(|| (1000.0 * 0.75f64.powf(weighted / weights)).round() / 10.0),
            first_choices: share(first as f64, 10_000.0),
        }
    }
}

/// How much a move counts for accuracy: little where every move is as good.
fn weight(m: &ReviewedMove) -> f64 {
    m.expected_loss.min(1.0).max(m.points_lost / 4.0).clamp(0.05, 1.0)
}

/// How many moves of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Classes {
    /// [`Class::Excellent`].
    pub excellent: usize,
    /// [`Class::Good`].
    pub good: usize,
    /// [`Class::Inaccuracy`].
    pub inaccuracy: usize,
    /// [`Class::Mistake`].
    pub mistake: usize,
    /// [`Class::BigMistake`].
    pub big_mistake: usize,
    /// [`Class::Blunder`].
    pub blunder: usize,
}

impl Classes {
    fn new<'a>(moves: impl Iterator<Item = &'a ReviewedMove>) -> Classes {
        let mut counts = [0; Class::ALL.len()];
        moves.for_each(|m| counts[m.class as usize] += 1);
        let [excellent, good, inaccuracy, mistake, big_mistake, blunder] = counts;
        Classes { excellent, good, inaccuracy, mistake, big_mistake, blunder }
    }

    /// How many of one class.
    pub fn count(&self, class: Class) -> usize {
        match class {
            Class::Excellent => self.excellent,
            Class::Good => self.good,
            Class::Inaccuracy => self.inaccuracy,
            Class::Mistake => self.mistake,
            Class::BigMistake => self.big_mistake,
            Class::Blunder => self.blunder,
        }
    }
}

/// Figures by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// [`Phase::Opening`].
    pub opening: Figures,
    /// [`Phase::MiddleGame`].
    pub middle_game: Figures,
    /// [`Phase::Endgame`].
    pub endgame: Figures,
}

impl Phases {
    /// The figures of one phase.
    pub fn of(&self, phase: Phase) -> &Figures {
        match phase {
            Phase::Opening => &self.opening,
            Phase::MiddleGame => &self.middle_game,
            Phase::Endgame => &self.endgame,
        }
    }
}

/// How a player played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerFigures {
    /// The name in the record.
    pub name: Option<String>,
    /// The whole game.
    #[serde(flatten)]
    pub all: Figures,
    /// The rank in the record.
    pub recorded_rank: Option<String>,
    /// An estimate of the player's rank. Nothing is told without a fit on games of known ranks.
    pub rank: Option<String>,
    /// Its interval at 95%.
    pub rank_ci95: Option<[String; 2]>,
    /// Moves of each class.
    pub classes: Classes,
    /// The parts of the game.
    pub phases: Phases,
}

impl PlayerFigures {
    /// The estimate of the rank in words: `about 3k (8k to 2d)`.
    pub fn rank_in_words(&self) -> Option<String> {
        let [low, high] = self.rank_ci95.as_ref()?;
        Some(format!("about {} ({low} to {high})", self.rank.as_ref()?))
    }

    pub(super) fn new(name: Option<String>, moves: &[ReviewedMove], color: Color) -> PlayerFigures {
        let own = || moves.iter().filter(move |m| m.color == color);
        let phase = |phase| Figures::new(own().filter(move |m| m.phase == phase));
        PlayerFigures {
            name,
            all: Figures::new(own()),
            recorded_rank: None,
            rank: None,
            rank_ci95: None,
            classes: Classes::new(own()),
            phases: Phases {
                opening: phase(Phase::Opening),
                middle_game: phase(Phase::MiddleGame),
                endgame: phase(Phase::Endgame),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Move;

    use super::*;

    fn lost(points_lost: f64, expected_loss: f64, first: bool) -> ReviewedMove {
        ReviewedMove {
            number: 1,
            color: Color::Black,
            played: Move::PASS,
            lead: 0.0,
            win_rate: 0.5,
            points_lost,
            win_rate_lost: 0.0,
            lead_after: 0.0,
            win_rate_after: 0.5,
            class: Class::of(points_lost),
            best: if first { Move::PASS } else { "C3".parse().unwrap() },
            pv: Vec::new(),
            phase: Phase::Opening,
            expected_loss,
        }
    }

    #[test]
    fn classes_begin_at_their_bounds() {
        let lost = [0.0, 0.49, 0.5, 1.5, 3.0, 5.99, 6.0, 12.0, 400.0];
        let places = lost.map(|points| Class::of(points) as usize);
        assert_eq!(places, [0, 0, 1, 2, 3, 3, 4, 5, 5]);
        let ranges: Vec<_> = Class::ALL.iter().map(|class| class.range()).collect();
        assert_eq!(ranges, ["below 0.5", "0.5 to 1.5", "1.5 to 3", "3 to 6", "6 to 12", "12 or more"]);
    }

    #[test]
    fn phases_follow_the_size_of_the_board() {
        let phases = |area: usize, numbers: [usize; 4]| numbers.map(|number| Phase::of(number, area).name());
        assert_eq!(phases(361, [50, 51, 144, 145]), ["opening", "middle game", "middle game", "endgame"]);
        assert_eq!(phases(81, [11, 12, 32, 33]), ["opening", "middle game", "middle game", "endgame"]);
    }

    #[test]
    fn accuracy_is_that_of_the_formula() {
        // Weights: 0.05 (nothing could be lost), max(0.5, 2 / 4) and max(0.2, 8 / 4) within 1.
        let moves = [lost(0.0, 0.0, true), lost(2.0, 0.5, false), lost(8.0, 0.2, false)];
        let figures = Figures::new(moves.iter());
        let weighted = (0.5 * 2.0 + 8.0) / (0.05 + 0.5 + 1.0);
        assert_eq!(figures.accuracy, Some((1000.0 * 0.75f64.powf(weighted)).round() / 10.0));
        assert_eq!(figures.mean_loss, Some(3.333));
        assert_eq!(figures.first_choices, Some(0.3333));
        assert_eq!(Figures::new([].iter()).accuracy, None);
        assert_eq!(Figures::new([lost(0.0, 3.0, true)].iter()).accuracy, Some(100.0));
    }
}
