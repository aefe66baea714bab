//! The input planes: a position as a network sees it. Each plane is a number for every point.
//!
//! **The 44 planes of S4.1** ([`Planes::Holmes`]; Jin and Keutzer 2016, table 1). "Own" is the player to move.
//!
//! | plane | is 1 (else 0) |
//! |---|---|
//! | 0 | everywhere |
//! | 1 | where the point is empty |
//! | 2 | where an own stone stands |
//! | 3 | where a stone of the opponent stands |
//! | 4 to 11 | where the last move was played; the one before it; … the eighth last. Only the latest move on a point counts, and it does whether or not its stone was captured; passes are on no point |
//! | 12 to 19 | where a stone's chain, of either colour, has 1 liberty; 2; … 7; 8 or more |
//! | 20 to 27 | where an own stone's chain has 1 stone; 2; … 7; 8 or more |
//! | 28 to 35 | the same for the opponent's stones |
//! | 36 | where simple ko forbids a move |
//! | 37 to 42 | everywhere, in one of them, by the opponent's rank: amateur up to 3 dan; 4 or 5 dan; 6 or 7 dan; 8 or 9 dan; professional up to 4 dan; 5 dan or more. All 0 if it is unknown |
//! | 43 | no 1 and 0, but exp(−½√(u² + v²)) for a point u columns and v rows from the centre |
//!
//! For example, Black (X) to play after Black C4 and then White E5:
//!
//! ```text
//!     A B C D E        2: own        12: one       13: two       14: three     4: the        5: the one
//!   5 . . . X O        stones        liberty       liberties     liberties     last move     before it
//!   4 . . X O .        . . . 1 .     . . . 1 1     . . . . .     . . . . .     . . . . 1     . . . . .
//!   3 . . . . .        . . 1 . .     . . . . .     . . . 1 .     . . 1 . .     . . . . .     . . 1 . .
//!   2 . . . . .        . . . . .     . . . . .     . . . . .     . . . . .     . . . . .     . . . . .
//!   1 . . . . .        . . . . .     . . . . .     . . . . .     . . . . .     . . . . .     . . . . .
//!                      . . . . .     . . . . .     . . . . .     . . . . .     . . . . .     . . . . .
//! ```
//!
//! **tengen's own 48** ([`Planes::Tengen`]) add four:
//!
//! | plane | is |
//! |---|---|
//! | 44 | everywhere: komi as the player to move gets it (White's is positive), in tens of points |
//! | 45 | 1 on own stones in atari that a ladder or a direct capture takes even if they move first; ½ on own stones with two liberties that the opponent could take in a ladder |
//! | 46 | 1 on the opponent's stones with two liberties that the player can take in a ladder |
//! | 47 | 1 where the first move of such a ladder is |
//!
//! **Ten** ([`Planes::Reduced`]) are enough for rollouts, where a move that changes few planes at few points costs little:
//!
//! | plane | is 1 (else 0) |
//! |---|---|
//! | 0 | everywhere |
//! | 1 to 3 | where an own stone's chain has 1 liberty; 2; 3 or more |
//! | 4 to 6 | the same for the opponent's stones |
//! | 7 | where the last move was played; a pass is on no point |
//! | 8 | where simple ko forbids a move |
//! | 9 | plane 43 of the 44 |
//!
//! Points are ordered as [`Board::points`] does, from A1 along the bottom row; all planes of a point are together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, Vertex, VertexMap};
use tengen_engine::reading::ladder::LadderReader;

/// Which planes a network sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Planes {
    /// The 44 of S4.1.
    Holmes,
    /// Those, komi and ladders.
    Tengen,
    /// Ten of them or sums of them, for rollouts.
    Reduced,
}

/// Where each group of planes begins.
pub(crate) mod at {
    pub(crate) const ONES: usize = 0;
    pub(crate) const STONES: usize = 1;
    pub(crate) const TURNS_SINCE: usize = 4;
    pub(crate) const LIBERTIES: usize = 12;
    pub(crate) const SIZE: usize = 20;
    pub(crate) const KO: usize = 36;
    pub(crate) const RANK: usize = 37;
    pub(crate) const CENTER: usize = 43;
    pub(crate) const KOMI: usize = 44;
    pub(crate) const OWN_LADDER: usize = 45;
    pub(crate) const LADDER: usize = 46;
    pub(crate) const LADDER_MOVE: usize = 47;
}

/// The same for [`Planes::Reduced`].
pub(crate) mod reduced {
    pub(crate) const ONES: usize = 0;
    pub(crate) const STONES: usize = 1;
    pub(crate) const LAST: usize = 7;
    pub(crate) const KO: usize = 8;
    pub(crate) const CENTER: usize = 9;
}

/// Moves that the planes show.
pub const HISTORY: usize = 8;

/// A player's strength in six levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(u8);

impl Rank {
    /// Reads a rank as records write it, such as `9d` or `3p`; weaker players than 1 dan, and what cannot be read, have none.
    pub fn parse(text: &str) -> Option<Rank> {
        let text = text.trim();
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let number: u8 = text[..digits].parse().ok().filter(|n| *n > 0)?;
        Some(Rank(match (text[digits..].trim_start().chars().next()?.to_ascii_lowercase(), number) {
            ('p', 5..) => 5,
            ('p', _) => 4,
            ('d', 8..) => 3,
            ('d', 6..) => 2,
            ('d', 4..) => 1,
            ('d', _) => 0,
            _ => return None,
        }))
    }
}

/// A position with what the planes tell besides it.
#[derive(Clone, Copy)]
pub struct Position<'a> {
    /// The position.
    pub board: &'a Board,
    /// The moves that led to it, the last one last; more than [`HISTORY`] do not matter.
    pub moves: &'a [Move],
    /// Points that White gets.
    pub komi: f32,
    /// The opponent's rank, if it is known.
    pub rank: Option<Rank>,
}

/// Computes planes; it keeps memory for reading ladders.
#[derive(Debug, Default)]
pub struct PlaneWriter {
    ladders: LadderReader,
}

impl Planes {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Planes::Holmes => 44,
            Planes::Tengen => 48,
            Planes::Reduced => 10,
        }
    }
}

impl PlaneWriter {
    /// A writer.
    pub fn new() -> PlaneWriter {
        PlaneWriter::default()
    }

    /// Writes the planes of a position, `stride` numbers for each point, of which those behind the planes are 0.
    ///
    /// # Panics
    /// If `out` is not `stride` times as long as the board has points, or `stride` is less than the planes.
    pub fn write(&mut self, planes: Planes, position: &Position<'_>, out: &mut [f32], stride: usize) {
        let board = position.board;
        assert!(stride >= planes.count(), "{stride} numbers cannot hold {} planes", planes.count());
        assert_eq!(out.len(), board.area() * stride, "the planes have {} points", board.area());
        out.fill(0.0);
        if planes == Planes::Reduced {
            write_reduced(position, out, stride);
            return;
        }
        let me = board.to_play();
        write_points(position, out, stride);
        let mut put = |v: Vertex, plane: usize, value: f32| {
            out[v.place(board.width()) * stride + plane] = value;
        };
        // The latest move on a point counts: written last.
        let recent = &position.moves[position.moves.len().saturating_sub(HISTORY)..];
        let mut seen = [Vertex::NONE; HISTORY];
        for (turns, mv) in recent.iter().rev().enumerate() {
            let Some(v) = mv.vertex().filter(|v| board.contains(*v) && !seen.contains(v)) else { continue };
            put(v, at::TURNS_SINCE + turns, 1.0);
            seen[turns] = v;
        }
        if board.ko() != Vertex::NONE {
            put(board.ko(), at::KO, 1.0);
        }
        if planes == Planes::Tengen {
            self.write_ladders(board, me, &mut put);
            let komi = -position.komi * me.sign() as f32 / 10.0;
            out.chunks_exact_mut(stride).for_each(|point| point[at::KOMI] = komi);
        }
    }

    fn write_ladders(&mut self, board: &Board, me: Color, put: &mut impl FnMut(Vertex, usize, f32)) {
        let mut done = VertexMap::filled(false);
        for v in board.points() {
            let chain = board.chain(v);
            if chain == Vertex::NONE || done[chain] {
                continue;
            }
            done[chain] = true;
            let own = board.is_color(v, me);
            let mut mark = |plane: usize, value: f32| {
                board.chain_stones(chain).for_each(|stone| put(stone, plane, value));
            };
            if own {
                if board.atari(chain).is_some() {
                    if self.ladders.is_doomed(board, chain) {
                        mark(at::OWN_LADDER, 1.0);
                    }
                } else if self.ladders.capturing_move(board, chain).is_some() {
                    mark(at::OWN_LADDER, 0.5);
                }
            } else if board.atari(chain).is_none()
                && let Some(first) = self.ladders.capturing_move(board, chain)
            {
                mark(at::LADDER, 1.0);
                put(first, at::LADDER_MOVE, 1.0);
            }
        }
    }
}

/// How near the centre a point is: 1 there.
pub(crate) fn centrality(board: &Board, v: Vertex) -> f32 {
    let u = v.col() as f32 - (board.width() - 1) as f32 / 2.0;
    let w = v.row() as f32 - (board.height() - 1) as f32 / 2.0;
    (-0.5 * (u * u + w * w).sqrt()).exp()
}

/// [`Planes::Reduced`].
fn write_reduced(position: &Position<'_>, out: &mut [f32], stride: usize) {
    let board = position.board;
    let last = position.moves.last().and_then(|mv| mv.vertex());
    for (v, point) in board.points().zip(out.chunks_exact_mut(stride)) {
        point[reduced::ONES] = 1.0;
        point[reduced::CENTER] = centrality(board, v);
        point[reduced::LAST] = f32::from(last == Some(v));
        point[reduced::KO] = f32::from(board.ko() == v);
        let chain = board.chain(v);
        if chain != Vertex::NONE {
            let opponents = usize::from(!board.is_color(v, board.to_play()));
            let liberties = board.liberties::<3>(chain).len();
            point[reduced::STONES + 3 * opponents + liberties - 1] = 1.0;
        }
    }
}

/// The planes that look at one point or one chain at a time.
fn write_points(position: &Position<'_>, out: &mut [f32], stride: usize) {
    let board = position.board;
    let me = board.to_play();
    let mut liberties = VertexMap::filled(0u8);
    for (v, point) in board.points().zip(out.chunks_exact_mut(stride)) {
        point[at::ONES] = 1.0;
        point[at::CENTER] = centrality(board, v);
        if let Some(Rank(level)) = position.rank {
            point[at::RANK + level as usize] = 1.0;
        }
        let chain = board.chain(v);
        if chain == Vertex::NONE {
            point[at::STONES] = 1.0;
            continue;
        }
        let opponents = usize::from(!board.is_color(v, me));
        point[at::STONES + 1 + opponents] = 1.0;
        if liberties[chain] == 0 {
            liberties[chain] = board.liberties::<8>(chain).len() as u8;
        }
        point[at::LIBERTIES + liberties[chain] as usize - 1] = 1.0;
        point[at::SIZE + 8 * opponents + board.chain_size(chain).min(8) - 1] = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane as rows from the top, as a diagram shows it.
    fn plane(board: &Board, moves: &[&str], planes: Planes, number: usize) -> String {
        let moves: Vec<Move> = moves.iter().map(|m| m.parse().unwrap()).collect();
        let position = Position { board, moves: &moves, komi: 7.5, rank: Rank::parse("9d") };
        let mut out = vec![f32::NAN; board.area() * 64];
        PlaneWriter::new().write(planes, &position, &mut out, 64);
        let at = |col: usize, row: usize| out[(row * board.width() + col) * 64 + number];
        let row = |row: usize| {
            let show = |col: usize| match at(col, row) {
                0.0 => ".".to_owned(),
                1.0 => "1".to_owned(),
                0.5 => "h".to_owned(),
                other => format!("{other:.3}"),
            };
            (0..board.width()).map(show).collect::<Vec<_>>().join(" ")
        };
        (0..board.height()).rev().map(row).collect::<Vec<_>>().join(" / ")
    }

    fn example() -> Board {
        Board::from_diagram(". . . X O / . . X O . / . . . . . / . . . . . / . . . . .").unwrap()
    }

    #[test]
    fn the_example_of_the_documentation() {
        let show = |number| plane(&example(), &["C4", "E5"], Planes::Holmes, number);
        let none = ". . . . . / . . . . . / . . . . . / . . . . . / . . . . .";
        let ones = "1 1 1 1 1 / 1 1 1 1 1 / 1 1 1 1 1 / 1 1 1 1 1 / 1 1 1 1 1";
        assert_eq!(show(0), ones);
        assert_eq!(show(1), "1 1 1 . . / 1 1 . . 1 / 1 1 1 1 1 / 1 1 1 1 1 / 1 1 1 1 1");
        assert_eq!(show(2), ". . . 1 . / . . 1 . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(3), ". . . . 1 / . . . 1 . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(4), ". . . . 1 / . . . . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(5), ". . . . . / . . 1 . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(12), ". . . 1 1 / . . . . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(13), ". . . . . / . . . 1 . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(14), ". . . . . / . . 1 . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(20), ". . . 1 . / . . 1 . . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(28), ". . . . 1 / . . . 1 . / . . . . . / . . . . . / . . . . .");
        assert_eq!(show(40), ones, "9 dan");
        for empty in [6, 11, 15, 19, 21, 27, 29, 36, 37, 39, 41, 42] {
            assert_eq!(show(empty), none, "plane {empty}");
        }
    }

    #[test]
    fn long_chains_and_many_liberties_are_eight_or_more() {
        let board = Board::from_diagram("X X X X X X X X X / . . . . . . . . . / O O O O O O O . .").unwrap();
        let top = "1 1 1 1 1 1 1 1 1 / . . . . . . . . . / . . . . . . . . .";
        let bottom = ". . . . . . . . . / . . . . . . . . . / 1 1 1 1 1 1 1 . .";
        assert_eq!(plane(&board, &[], Planes::Holmes, 27), top, "nine own stones");
        assert_eq!(plane(&board, &[], Planes::Holmes, 34), bottom, "seven of the opponent's");
        assert_eq!(
            plane(&board, &[], Planes::Holmes, 19),
            "1 1 1 1 1 1 1 1 1 / . . . . . . . . . / 1 1 1 1 1 1 1 . .",
            "nine and eight liberties"
        );
    }

    #[test]
    fn the_ko_the_latest_move_and_the_centre() {
        let mut board = Board::from_diagram(". X O . / X O . O / . X O . / . . . .").unwrap();
        board.play("C3".parse().unwrap());
        let moves = ["B3", "C3", "pass", "C3"];
        assert_eq!(plane(&board, &moves, Planes::Holmes, 36), ". . . . / . 1 . . / . . . . / . . . .");
        assert_eq!(plane(&board, &moves, Planes::Holmes, 4), ". . . . / . . 1 . / . . . . / . . . .");
        assert_eq!(plane(&board, &moves, Planes::Holmes, 6), ". . . . / . . . . / . . . . / . . . .");
        assert_eq!(plane(&board, &moves, Planes::Holmes, 7), ". . . . / . 1 . . / . . . . / . . . .");
        let center = plane(&Board::new(3, 3), &[], Planes::Holmes, 43);
        // exp(-√2/2) and exp(-1/2)
        assert_eq!(center, "0.493 0.607 0.493 / 0.607 1 0.607 / 0.493 0.607 0.493");
    }

    #[test]
    fn the_reduced_planes() {
        let mut board = Board::from_diagram(". X O . / X O . O / . X O . / . . . .").unwrap();
        board.play("C3".parse().unwrap());
        let show = |number| plane(&board, &["B3", "C3"], Planes::Reduced, number);
        assert_eq!(show(0), "1 1 1 1 / 1 1 1 1 / 1 1 1 1 / 1 1 1 1");
        let none = ". . . . / . . . . / . . . . / . . . .";
        assert_eq!(show(1), ". . 1 . / . . . . / . . . . / . . . .", "White's stone in atari");
        assert_eq!(show(2), ". . . . / . . . 1 / . . 1 . / . . . .", "two liberties each");
        assert_eq!(show(3), none);
        assert_eq!(show(4), ". . . . / . . 1 . / . . . . / . . . .", "Black's, who took the ko");
        assert_eq!(show(7), ". . . . / . . 1 . / . . . . / . . . .");
        assert_eq!(show(8), ". . . . / . 1 . . / . . . . / . . . .");
        assert_eq!(show(9), plane(&board, &[], Planes::Holmes, 43));
        for mv in [vec![], vec!["A1", "pass"]] {
            assert_eq!(plane(&board, &mv, Planes::Reduced, 7), none, "no last move on the board");
        }
    }

    #[test]
    fn komi_and_ladders() {
        let board = Board::from_diagram(
            ". . . . . . . / . . . . . . . / . . . . . . . / . . X X . . . / . X O . . . . / . . X . . . . / . . . . . . .",
        );
        let mut board = board.unwrap();
        let stone = ". . . . . . . / . . . . . . . / . . . . . . . / . . . . . . . / . . 1 . . . . / . . . . . . . / . . . . . . .";
        assert!(board.atari("C3".parse::<Vertex>().unwrap()).is_some());
        board.set_to_play(Color::White);
        assert_eq!(plane(&board, &[], Planes::Tengen, 45), stone, "the ladder works");
        assert!(plane(&board, &[], Planes::Tengen, 44).starts_with("0.750"), "White gets komi");
        board.set_to_play(Color::Black);
        assert!(plane(&board, &[], Planes::Tengen, 44).starts_with("-0.750"));
        assert_eq!(plane(&board, &[], Planes::Tengen, 46), plane(&Board::new(7, 7), &[], Planes::Tengen, 46));
    }

    #[test]
    fn ranks() {
        let levels: Vec<_> = ["1d", "5d", "7 dan", "9d", "1p", "9p"].map(Rank::parse).to_vec();
        assert_eq!(levels, (0..6).map(|level| Some(Rank(level))).collect::<Vec<_>>());
        assert!(["5k", "", "d", "0d", "?"].iter().all(|text| Rank::parse(text).is_none()));
    }
}
