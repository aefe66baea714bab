//! Sequential tests on the games of a match, in the order of their numbers.

use super::record::GameRecord;
use crate::stats::{Sprt, SprtVerdict};

/// The games with numbers below `games`, in order.
pub fn in_order(records: &[GameRecord], games: usize) -> Vec<GameRecord> {
    let mut kept: Vec<_> = records.iter().filter(|record| record.game < games).cloned().collect();
    kept.sort_by_key(|record| record.game);
    kept
}

/// After how many games the test is decided, if it is. Games after the first one that is missing are not looked at.
pub fn decision(test: &Sprt, records: &[GameRecord]) -> Option<usize> {
    let ordered = in_order(records, usize::MAX);
    let mut score = 0.0;
    for (record, number) in ordered.iter().zip(0..) {
        if record.game != number {
            break;
        }
        score += record.points_a();
        // Colours alternate, so the test looks after every second game.
        let games = number + 1;
        if games % 2 == 0 && test.state(score, games).verdict != SprtVerdict::Undecided {
            return Some(games);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::{Ending, Side};

    fn record(game: usize, winner: Side) -> GameRecord {
        GameRecord {
            game,
            black: Side::A,
            winner: Some(winner),
            result: "B+R".to_owned(),
            ending: Ending::Resignation,
            score: None,
            referee: None,
            moves: String::new(),
            fingerprint: String::new(),
            opening: 0,
            seed_a: 0,
            seed_b: 0,
            seconds: 0.0,
            cpu_a: None,
            cpu_b: None,
            left_a: None,
            left_b: None,
            message: None,
        }
    }

    #[test]
    fn games_count_in_order_and_in_pairs() {
        let test = Sprt::parse("0,200").unwrap();
        // ln(p₁/½) = 0.4184 for each win: 2.94 is reached with the eighth.
        let mut records: Vec<_> = (0..12).map(|game| record(game, Side::A)).collect();
        assert_eq!(decision(&test, &records), Some(8));
        records.reverse();
        assert_eq!(decision(&test, &records), Some(8));
        records.retain(|record| record.game != 5);
        assert_eq!(decision(&test, &records), None, "game 5 is not over yet");
        let lost: Vec<_> = (0..12).map(|game| record(game, Side::B)).collect();
        // ln((1−p₁)/½) = −0.733 for each loss: −2.94 is reached with the fifth.
        assert_eq!(decision(&test, &lost), Some(6));
        assert_eq!(in_order(&records, 3).len(), 3);
    }
}
