//! Counting finished games.

use crate::{
    board::Board,
    color::Color,
    rules::{Rules, Scoring},
    vertex::{MAX_AREA, Vertex, VertexMap},
};

/// Whom each point belongs to, under the assumption that every stone on the board is alive.
///
/// A point belongs to a colour if a stone of it is there, or if the empty region around it touches only that colour
/// (Tromp-Taylor).
pub fn area_owners(board: &Board) -> VertexMap<Option<Color>> {
    let mut owners = VertexMap::filled(None);
    let mut seen = VertexMap::filled(false);
    let mut region = Vec::with_capacity(MAX_AREA);
    for start in board.points() {
        if let Some(color) = board.color_at(start) {
            owners[start] = Some(color);
            continue;
        }
        if seen[start] {
            continue;
        }
        region.clear();
        region.push(start);
        seen[start] = true;
        let (mut black, mut white) = (false, false);
        let mut done = 0;
        while done < region.len() {
            for n in region[done].neighbors() {
                match board.color_at(n) {
                    Some(Color::Black) => black = true,
                    Some(Color::White) => white = true,
                    None if board.is_empty(n) && !seen[n] => {
                        seen[n] = true;
                        region.push(n);
                    }
                    None => {}
                }
            }
            done += 1;
        }
        let owner = match (black, white) {
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            _ => None,
        };
        for &v in &region {
            owners[v] = owner;
        }
    }
    owners
}

/// Black's area minus White's, every stone alive, no komi (Tromp-Taylor).
pub fn area_score(board: &Board) -> i32 {
    let owners = area_owners(board);
    board.points().filter_map(|v| owners[v]).map(Color::sign).sum()
}

/// [`area_score`] for the end of a playout, where every empty point is an eye or shared in a seki: no flood fill.
#[inline]
pub fn playout_score(board: &Board) -> i32 {
    let stones = board.stones(Color::Black) as i32 - board.stones(Color::White) as i32;
    let eyes: i32 = board
        .empties()
        .iter()
        .map(|&v| board.is_surrounded(v, Color::Black) as i32 - board.is_surrounded(v, Color::White) as i32)
        .sum();
    stones + eyes
}

/// Counts a finished position under `rules`: Black's points minus White's, with komi and the handicap bonus.
///
/// `dead` are stones that both players agree to be dead; under territory scoring points in `seki` (neutral for both)
/// count for nobody.
pub fn final_score(board: &Board, rules: &Rules, handicap: usize, dead: &[Vertex]) -> f32 {
    let cleared = without_stones(board, dead);
    let points = match rules.scoring {
        Scoring::Area => area_score(&cleared) - rules.handicap_bonus.points(handicap) as i32,
        Scoring::Territory => {
            let owners = area_owners(&cleared);
            let territory: i32 = cleared
                .points()
                .filter(|&v| cleared.is_empty(v))
                .filter_map(|v| owners[v])
                .map(Color::sign)
                .sum();
            let captured = board.prisoners(Color::Black) as i32 - board.prisoners(Color::White) as i32;
            let dead: i32 = dead.iter().filter_map(|&v| board.color_at(v)).map(|c| -c.sign()).sum();
            territory + captured + dead
        }
    };
    points as f32 - rules.komi
}

/// The board without the given stones.
fn without_stones(board: &Board, removed: &[Vertex]) -> Board {
    if removed.is_empty() {
        return board.clone();
    }
    let stones: Vec<_> = board
        .points()
        .filter(|v| !removed.contains(v))
        .filter_map(|v| board.color_at(v).map(|color| (v, color)))
        .collect();
    let mut cleared = Board::new(board.width(), board.height());
    cleared.set_up(&stones).expect("taking stones away leaves every chain its liberties");
    cleared
}
