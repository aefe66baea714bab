//! Proof of an answer: every line of play in a small region, to its end.
//!
//! **What.** Both sides play in the region or pass, two passes end the game, and every stone on the board counts (area
//! scoring): who wants dead stones gone has to capture them. A side *gets* so many points if it can reach them against
//! every defence.
//!
//! **How.** A search of all replies, with a table of positions. Whoever is to get the points must not return to a position of
//! the same line, nor play for longer than 60 moves: so what is proved holds whatever the ko rule, and whatever was played
//! before. The price is that some true statements are not proved.

use std::collections::HashMap;

use tengen_board::{Board, Color, Move, Vertex, area_score, sgf::Record, unconditional_life};

/// More positions than allowed: nothing is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The longest line in moves; one that is longer counts as a failure.
const LONGEST: usize = 60;

/// Proves that a side gets so many points.
pub struct Prover<'a> {
    region: &'a [Vertex],
    color: Color,
    points: i32,
    /// Positions that may still be looked at.
    left: usize,
    /// Moves of the line that is being looked at.
    depth: usize,
    /// Whether the points are proved; `None` while a position is being looked at.
    table: HashMap<u64, Option<bool>>,
}

/// The points that are not settled: neither living unconditionally, nor inside what lives so.
pub fn unsettled(board: &Board) -> Vec<Vertex> {
    let lives = [Color::Black, Color::White].map(|color| unconditional_life(board, color, false));
    board.points().filter(|&v| lives.iter().all(|life| !life.stones[v] && !life.regions[v])).collect()
}

/// The points that a record of a suite marks at its root (`SL`): where the fight is.
pub fn marked_region(record: &Record, board: &Board) -> Vec<Vertex> {
    let vertex = |point: &String| match point.as_bytes() {
        [column @ b'a'..=b's', row @ b'a'..=b's'] => {
            let row = board.height().checked_sub(1 + usize::from(row - b'a'))?;
            (usize::from(column - b'a') < board.width()).then(|| Vertex::new(usize::from(column - b'a'), row))
        }
        _ => None,
    };
    let marked = record.node(record.root()).values("SL").unwrap_or_default();
    marked.iter().filter_map(vertex).collect()
}

impl<'a> Prover<'a> {
    /// Proves that `color` has `points` more than the opponent in the end, if both play in `region`, by looking at no more than
    /// `limit` positions.
    pub fn new(region: &'a [Vertex], color: Color, points: i32, limit: usize) -> Prover<'a> {
        Prover { region, color, points, left: limit, depth: 0, table: HashMap::new() }
    }

    /// Whether it is proved for a position after so many passes in a row.
    pub fn holds(&mut self, board: &Board, passes: usize) -> Result<bool, TooLarge> {
        if passes == 2 {
            return Ok(self.color.sign() * area_score(board) >= self.points);
        }
        let mark = mark(board, passes);
        if let Some(known) = self.table.get(&mark) {
            return Ok(known.unwrap_or(false));
        }
        if self.depth == LONGEST {
            return Ok(false);
        }
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        self.table.insert(mark, None);
        let is_mine = board.to_play() == self.color;
        let mut holds = !is_mine;
        for mv in moves(board, self.region) {
            if self.holds_after(board, mv, passes)? == is_mine {
                holds = is_mine;
                break;
            }
        }
        self.table.insert(mark, Some(holds));
        Ok(holds)
    }

    /// Whether it is proved after a move.
    pub fn holds_after(&mut self, board: &Board, mv: Move, passes: usize) -> Result<bool, TooLarge> {
        let mut after = Box::new(board.clone());
        after.play_unchecked(mv);
        self.depth += 1;
        let holds = self.holds(&after, if mv.is_pass() { passes + 1 } else { 0 });
        self.depth -= 1;
        holds
    }
}

/// The legal moves in a region: first captures, last the pass and then what fills own eyes.
pub fn moves(board: &Board, region: &[Vertex]) -> Vec<Move> {
    let me = board.to_play();
    let captures = |v: Vertex| {
        let taken = |n: Vertex| board.is_color(n, !me) && board.is_atari_at(board.chain(n), v);
        v.neighbors().into_iter().any(taken)
    };
    let legal = region.iter().copied().filter(|&v| board.is_empty(v) && board.is_legal(v));
    let mut moves: Vec<(u8, Move)> = legal
        .map(|v| {
            (
                if captures(v) {
                    0
                } else if board.is_eye(v, me) {
                    3
                } else {
                    1
                },
                v.into(),
            )
        })
        .chain([(2, Move::PASS)])
        .collect();
    moves.sort_by_key(|(order, _)| *order);
    moves.into_iter().map(|(_, mv)| mv).collect()
}

/// The most points that `color` is proved to get.
pub fn most(
    board: &Board,
    region: &[Vertex],
    color: Color,
    passes: usize,
    limit: usize,
) -> Result<i32, TooLarge> {
    let area = board.area() as i32;
    // Proved for the first, not for the last.
    let (mut low, mut high) = (-area, area + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if Prover::new(region, color, middle, limit).holds(board, passes)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// What tells positions apart: the stones, the ko, whose turn it is, and the passes.
fn mark(board: &Board, passes: usize) -> u64 {
    let rest = (board.ko().index() * 4 + passes * 2 + usize::from(board.to_play() == Color::White)) as u64;
    board.hash() ^ (rest + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
