//! Whether stones can be captured, by trying everything around them.
//!
//! **What.** The attacker begins; the defender may pass, and the attacker has failed when it finds nothing more. Only points
//! near the stones are played: everything that is connected with them by empty points and by chains that are not known to
//! live, and what becomes empty by captures. It is exact for small fights in finished games, of which a seki is one, and says nothing about larger ones.
//!
//! **Limits.** Kos are fought without threats elsewhere.

use tengen_board::{Board, Color, Vertex, VertexMap};

/// With more empty points than this nothing is said,
const MOST_EMPTY: usize = 7;
/// ... nor after trying so many moves,
const MOST_NODES: usize = 20_000;
/// ... or so many in a row.
const MOST_DEPTH: usize = 14;
/// Who captures more stones than this at once lives: there is room for two eyes.
const MOST_DEADLY: usize = 6;

/// Whether the opponent, moving first, can capture the stone at `target`; `None` if that is too hard to tell. Chains that
/// are known to be `safe` are not looked at.
pub(crate) fn can_be_captured(board: &Board, target: Vertex, safe: &VertexMap<bool>) -> Option<bool> {
    let color = board.color_at(target)?;
    let mut reader = Reader { target, color, points: neighborhood(board, target, safe)?, nodes: 0 };
    let mut board = board.clone();
    board.set_to_play(!color);
    reader.is_captured(&board, 0)
}

/// The points around a stone where a fight about it takes place, stones that may be captured included.
fn neighborhood(board: &Board, target: Vertex, safe: &VertexMap<bool>) -> Option<Vec<Vertex>> {
    let mut seen = VertexMap::filled(false);
    let (mut points, mut empty) = (Vec::new(), 0);
    let mut open = vec![target];
    while let Some(v) = open.pop() {
        if seen[v] || safe[v] {
            continue;
        }
        if board.is_empty(v) {
            empty += 1;
            if empty > MOST_EMPTY {
                return None;
            }
            seen[v] = true;
            points.push(v);
            open.extend(v.neighbors().into_iter().filter(|&n| board.contains(n)));
            continue;
        }
        for stone in board.chain_stones(board.chain(v)) {
            seen[stone] = true;
            points.push(stone);
            open.extend(stone.neighbors().into_iter().filter(|&n| board.contains(n)));
        }
    }
    Some(points)
}

struct Reader {
    target: Vertex,
    color: Color,
    points: Vec<Vertex>,
    nodes: usize,
}

impl Reader {
    fn is_captured(&mut self, board: &Board, depth: usize) -> Option<bool> {
        if !board.is_color(self.target, self.color) {
            return Some(true);
        }
        self.nodes += 1;
        if self.nodes > MOST_NODES || depth > MOST_DEPTH {
            return None;
        }
        let attacks = board.to_play() != self.color;
        let mut is_unclear = false;
        for i in 0..self.points.len() {
            let v = self.points[i];
            if !board.is_empty(v) || !board.is_legal(v) {
                continue;
            }
            let mut next = board.clone();
            next.play_unchecked(v.into());
            if !attacks && next.stones(!self.color) + MOST_DEADLY < board.stones(!self.color) {
                return Some(false);
            }
            match self.is_captured(&next, depth + 1) {
                Some(captured) if captured == attacks => return Some(attacks),
                Some(_) => {}
                None => is_unclear = true,
            }
        }
        // Where nothing helps, the attacker gives up, and the defender passes.
        let otherwise = if attacks {
            Some(false)
        } else {
            let mut next = board.clone();
            next.set_to_play(!self.color);
            self.is_captured(&next, depth + 1)
        };
        match otherwise {
            Some(false) if !attacks => Some(false),
            _ if is_unclear => None,
            otherwise => otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(diagram: &str, target: &str) -> Option<bool> {
        let board = Board::from_diagram(diagram).unwrap();
        can_be_captured(&board, target.parse().unwrap(), &VertexMap::filled(false))
    }

    #[test]
    fn stones_that_die_are_told_from_stones_that_live() {
        assert_eq!(read(". X . X O / X X X X O / O O O O O / . O . O .", "A3"), Some(false), "two eyes");
        assert_eq!(read("X . X X O / X X X X O / O O O O O / . O . O .", "A3"), Some(true), "one eye");
        let three = ". . . X O / X X X X O / O O O O O / . O . O .";
        assert_eq!(read(three, "A3"), Some(true), "White plays B4");
        let four = ". . . . X O / X X X X X O / O O O O O O / . O . O O .";
        assert_eq!(read(four, "A3"), Some(false), "whatever White plays, Black makes two eyes");
    }

    #[test]
    fn nobody_can_begin_in_a_seki() {
        // White's three stones and Black's wall share the liberties C1 and G1; all around is White.
        let seki = "O O O O O O O O O / . O . O O O . O . / O O O O O O O O O / O X X X X X X X O / O X . O O O . X O";
        assert_eq!(read(seki, "D1"), Some(false));
        let board = Board::from_diagram(seki).unwrap();
        let outside = VertexMap::filled(false);
        assert_eq!(can_be_captured(&board, "B1".parse().unwrap(), &outside), Some(false));
    }

    #[test]
    fn too_much_is_left_open() {
        assert_eq!(read(". . . . . / . . X . . / . . . . . / . . . O . / . . . . .", "C4"), None);
    }
}
