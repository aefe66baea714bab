//! The moments that mattered most, each told in a sentence: moves that lost many points while the game was open.

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Move};

use super::{Class, ReviewedMove, name_of};

/// How many are told.
const MOST: usize = 3;

/// A better move this far away is larger, not only better.
const ELSEWHERE: usize = 5;

/// The weight of points that are lost in a game which is decided.
const DECIDED: f64 = 0.1;

/// A move that cost much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyMoment {
    /// The number of the move, from 1.
    pub number: usize,
    /// Who played it.
    pub color: Color,
    /// The move.
    #[serde(rename = "move")]
    pub played: Move,
    /// What it lost.
    pub points_lost: f64,
    /// The better move.
    pub best: Move,
    /// The sentence.
    pub text: String,
}

/// The moves that mattered most, at least an inaccuracy each, the worst first.
pub(super) fn key_moments(moves: &[ReviewedMove]) -> Vec<KeyMoment> {
    let mut worst: Vec<_> = moves.iter().filter(|m| m.class >= Class::Inaccuracy).collect();
    worst.sort_by(|a, b| importance(b).total_cmp(&importance(a)));
    let moment = |m: &ReviewedMove| KeyMoment {
        number: m.number,
        color: m.color,
        played: m.played,
        points_lost: m.points_lost,
        best: m.best,
        text: sentence(m),
    };
    worst.into_iter().take(MOST).map(moment).collect()
}

/// Points lost, weighed by how open the game was, before the move or after it: 4 · w · (1 − w) for winning chances w.
fn importance(m: &ReviewedMove) -> f64 {
    let open = |win_rate: f64| 4.0 * win_rate * (1.0 - win_rate);
    m.points_lost * open(m.win_rate).max(open(m.win_rate_after)).max(DECIDED)
}

/// Such as "Black 43 F3 lost 6.2 points: C5 was larger."
pub(super) fn sentence(m: &ReviewedMove) -> String {
    let chance = |black: f64| if m.color == Color::Black { black } else { 1.0 - black };
    let and_the_lead =
        if chance(m.win_rate) >= 0.5 && chance(m.win_rate_after) < 0.5 { " and the lead" } else { "" };
    let better = match (m.best.vertex(), m.played.vertex()) {
        (None, _) => "a pass was better".to_owned(),
        (Some(best), Some(played)) if best.manhattan(played) < ELSEWHERE => format!("{best} was better"),
        (Some(best), _) => format!("{best} was larger"),
    };
    let played = if m.played.is_pass() { "(a pass)".to_owned() } else { m.played.to_string() };
    format!(
        "{} {} {played} lost {:.1} points{and_the_lead}: {better}.",
        name_of(m.color),
        m.number,
        m.points_lost
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Phase;

    fn played(number: usize, color: Color, mv: &str, best: &str, points_lost: f64) -> ReviewedMove {
        ReviewedMove {
            number,
            color,
            played: mv.parse().unwrap(),
            lead: 0.0,
            win_rate: 0.55,
            points_lost,
            win_rate_lost: points_lost / 100.0,
            lead_after: 0.0,
            win_rate_after: 0.55 - f64::from(color.sign()) * points_lost / 100.0,
            class: Class::of(points_lost),
            best: best.parse().unwrap(),
            pv: Vec::new(),
            phase: Phase::MiddleGame,
            expected_loss: 0.0,
        }
    }

    #[test]
    fn the_worst_moves_are_told_in_a_sentence_each() {
        let moves = [
            played(42, Color::White, "E4", "E5", 1.6),
            played(43, Color::Black, "F3", "C5", 6.2),
            played(44, Color::White, "pass", "C5", 4.0),
            played(45, Color::Black, "A1", "pass", 1.7),
            played(47, Color::Black, "A2", "B2", 0.4),
        ];
        let told: Vec<_> = key_moments(&moves).into_iter().map(|moment| moment.text).collect();
        assert_eq!(
            told,
            [
                "Black 43 F3 lost 6.2 points and the lead: C5 was larger.",
                "White 44 (a pass) lost 4.0 points: C5 was larger.",
                "Black 45 A1 lost 1.7 points: a pass was better.",
            ]
        );
        assert_eq!(sentence(&moves[0]), "White 42 E4 lost 1.6 points: E5 was better.");
        assert_eq!(key_moments(&moves[4..]), []);
        // Ten points in a lost game matter less than two in an open one.
        let lost = ReviewedMove {
            win_rate: 0.01,
            win_rate_after: 0.01,
            ..played(61, Color::Black, "A5", "B5", 10.0)
        };
        let open = played(60, Color::White, "A4", "B4", 2.0);
        let numbers: Vec<_> = key_moments(&[open, lost]).iter().map(|moment| moment.number).collect();
        assert_eq!(numbers, [60, 61]);
    }
}
