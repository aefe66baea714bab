//! The lead near the end of a game.
//!
//! **What.** A network tells by how much a side leads, and errs by a point or two even where nothing is left to play for. There the
//! count is better: stones that are lost by the search's ownership are taken off, and neutral points go to whom they seem to
//! belong. The lead that is reported passes from one to the other as ownership and count come to agree.
//!
//! **Measured.** On finished games of people and of our own (`lab/tests/all/lead.rs`), within 1.5 points of the result are 80 to 87% of the
//! network's leads and 90 to 97% of these. What playouts take for dead makes it worse on 13x13. Earlier in a game the count is worse than
//! the network wherever a border is open, by ten points on 19x19, hence the bounds.

use tengen_board::{Game, Scoring, area_owners, without_chains};

use super::SearchReport;
use crate::reading::status::lost_stones;

/// Where ownership and count differ by this share of the board's points or less, the lead is the count; from the second on, it is what
/// the search says.
const AGREE: (f32, f32) = (0.02, 0.1);

/// The same once somebody has passed, and so says that nothing is left.
const AGREE_AFTER_PASS: (f32, f32) = (0.2, 0.4);

/// From this share on a neutral point is taken for somebody's.
const OWNED: f32 = 0.8;

/// Makes the lead of a report, and those of its moves, what the position counts for, as far as it is settled.
pub(crate) fn settle(game: &Game, report: &mut SearchReport) {
    let (sure, open) = if game.passes() > 0 { AGREE_AFTER_PASS } else { AGREE };
    let (counted, doubt) = counted(game, report);
    let weight = ((open - doubt) / (open - sure)).clamp(0.0, 1.0);
    let shift = weight * (counted - report.score);
    report.score += shift;
    report.moves.iter_mut().for_each(|m| m.score += shift);
}

/// What the position counts for, and by which share of its points ownership differs from that.
fn counted(game: &Game, report: &SearchReport) -> (f32, f32) {
    let board = game.board();
    let dead = lost_stones(board, &report.ownership);
    let owners = area_owners(&without_chains(board, &dead).0);
    let has_dame = game.rules().scoring == Scoring::Area;
    let (mut score, mut doubt) = (game.score(&dead), 0.0);
    for v in board.points() {
        let share = report.ownership[v];
        match owners[v] {
            Some(color) => doubt += (share - color.sign() as f32).abs(),
            None if has_dame => {
                score += (share / OWNED).clamp(-1.0, 1.0);
                doubt += 1.0 - share.abs();
            }
            None => doubt += share.abs(),
        }
    }
    (score, doubt / board.area() as f32)
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Move, Rules};

    use super::*;
    use crate::players::{Mcts, MctsConfig, Request};

    const SETTLED: &str = ". X . O . / X X X O O / . X . O O / X X X O O / . X . O O";

    /// A report that says `score`, with the ownership of the stones of a diagram.
    fn settled(diagram: &str, rules: Rules, score: f32, passes: usize) -> f32 {
        let mut game = Game::from_board(Board::from_diagram(diagram).unwrap(), rules);
        let mut player = Mcts::new("test", &MctsConfig::default(), 1, 1);
        let mut report = player.search(&game, &Request::playouts(1)).clone();
        for v in game.board().points() {
            report.ownership[v] =
                area_owners(game.board())[v].map_or(-0.3, |color| 0.95 * color.sign() as f32);
        }
        report.score = score;
        report.moves[0].score = score + 1.0;
        (0..passes).for_each(|_| game.play(Move::PASS));
        settle(&game, &mut report);
        assert!((report.moves[0].score - report.score - 1.0).abs() < 1e-4, "moves keep their distance");
        report.score
    }

    #[test]
    fn a_settled_position_is_worth_its_count() {
        // Black has 12 points, White 10, and three neutral ones lean to White by 0.3.
        let chinese = [-9.0, 9.0].map(|score| settled(SETTLED, Rules::CHINESE.with_komi(0.5), score, 1));
        let counted = 12.0 - 10.0 - 3.0 * 0.3 / OWNED - 0.5;
        assert!(chinese.iter().all(|score| (score - counted).abs() < 1e-3), "{chinese:?}");
        let [low, high] = [-9.0, 9.0].map(|score| settled(SETTLED, Rules::JAPANESE, score, 1));
        assert!((low - high).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn an_open_position_is_worth_what_the_search_says() {
        let open = ". . . . . / . X . O . / . . . . . / . X . O . / . . . . .";
        assert_eq!(settled(open, Rules::JAPANESE, 3.0, 0), 3.0);
    }
}
