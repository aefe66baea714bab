//! **What.** Features of moves: the eight stones around the point, and wider shapes that are played often; the line, and
//! where no stone is near, the lines from both edges; the distances to the last two moves; captures by size and use; ways
//! out of atari, and whether a ladder catches them all the same; atari, and whether a ladder makes it a capture;
//! self-atari; attack and defence of chains with two liberties.
//!
//! **Source.** Coulom 2007.

use std::sync::Arc;

use tengen_board::{Board, Color, MAX_SIZE, Move, Vertex};

use crate::{
    prior::wide_shapes::{self, KnownShapes, Surroundings},
    reading::{
        ladder::LadderReader,
        shapes::{SHAPES, ShapeClasses},
        tactics::{LARGEST_NAKADE, is_self_atari, is_threatened, liberties_after, stones_at_stake},
    },
};

/// What can be true of a move besides its shape, its line and its distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// Captures one stone.
    CaptureOne,
    /// Captures two or three.
    CaptureFew,
    /// Captures more.
    CaptureMany,
    /// Captures the chain of the last move.
    CaptureLast,
    /// Captures a chain beside an own chain in atari.
    CaptureSaves,
    /// Extends an own chain out of atari.
    Escape,
    /// Extends an own chain that a ladder catches all the same.
    EscapeInVain,
    /// Leaves few own stones one liberty.
    SelfAtari,
    /// Leaves many own stones one liberty.
    SelfAtariOfMany,
    /// Puts a chain in atari that a ladder then catches.
    Ladder,
    /// Puts a chain in atari that gets out.
    Atari,
    /// Gives an own chain of two liberties that could be caught more of them.
    Defend,
}

impl Fact {
    const ALL: [Fact; 12] = [
        Fact::CaptureOne,
        Fact::CaptureFew,
        Fact::CaptureMany,
        Fact::CaptureLast,
        Fact::CaptureSaves,
        Fact::Escape,
        Fact::EscapeInVain,
        Fact::SelfAtari,
        Fact::SelfAtariOfMany,
        Fact::Ladder,
        Fact::Atari,
        Fact::Defend,
    ];
}

const LINES: usize = 6;
const DISTANCES: usize = 14;
/// The first number of each kind of feature; shapes begin at 0.
const LINE: usize = SHAPES;
const LAST: usize = LINE + LINES;
const BEFORE: usize = LAST + DISTANCES;
pub(super) const FACT: usize = BEFORE + DISTANCES;
/// Points that no stone is near, by the lines from the two edges, the nearer one first.
const OPEN: usize = FACT + Fact::ALL.len();
/// As many lines as there are to the middle of the largest board.
const OPEN_LINES: usize = MAX_SIZE.div_ceil(2);
const OPEN_POINTS: usize = OPEN_LINES * (OPEN_LINES + 1) / 2;

/// The features of one move, as numbers: those below [`Features::NAMED`] have names, the rest are known wide shapes.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    list: [u32; Features::MOST],
    len: usize,
}

impl Features {
    /// How many features there are besides wide shapes.
    pub const NAMED: usize = OPEN + OPEN_POINTS;

    /// A move has at most a shape, a line, two distances, an open point, every fact, and wide shapes.
    const MOST: usize = 5 + Fact::ALL.len() + wide_shapes::MOST;

    /// The name of each feature: `shape` and the smallest code of its class, `line` from the edge, `last` and `before`
    /// with the distance to that move, a fact, or `open` with the lines from the nearer and the farther edge.
    pub fn names() -> Vec<String> {
        let shapes = ShapeClasses::get();
        let shape = |class| format!("shape {}", shapes.smallest_code(class));
        let numbered = |name: &'static str, numbers: std::ops::Range<usize>| {
            numbers.map(move |number| format!("{name} {number}"))
        };
        (0..SHAPES)
            .map(shape)
            .chain(numbered("line", 1..LINES + 1))
            .chain(numbered("last", 2..DISTANCES + 2))
            .chain(numbered("before", 2..DISTANCES + 2))
            .chain(Fact::ALL.iter().map(|fact| format!("{fact:?}")))
            .chain((1..=OPEN_LINES).flat_map(|far| (1..=far).map(move |near| format!("open {near} {far}"))))
            .collect()
    }

    fn new() -> Features {
        Features { list: [0; Features::MOST], len: 0 }
    }

    #[inline]
    fn add(&mut self, feature: usize) {
        self.list[self.len] = feature as u32;
        self.len += 1;
    }

    #[inline]
    fn add_fact(&mut self, fact: Fact) {
        let feature = FACT + fact as usize;
        if !self.contains(&(feature as u32)) {
            self.add(feature);
        }
    }
}

impl std::ops::Deref for Features {
    type Target = [u32];
    #[inline]
    fn deref(&self) -> &[u32] {
        &self.list[..self.len]
    }
}

/// Finds the features of moves. It owns the boards on which ladders are read.
#[derive(Debug)]
pub struct FeatureReader {
    ladders: LadderReader,
    shapes: Arc<KnownShapes>,
    surroundings: Surroundings,
    last_two: [Move; 2],
}

impl FeatureReader {
    /// Finds all features with names, and these wide shapes.
    pub(super) fn new(shapes: Arc<KnownShapes>) -> FeatureReader {
        FeatureReader {
            ladders: LadderReader::default(),
            shapes,
            surroundings: Surroundings::default(),
            last_two: [Move::PASS; 2],
        }
    }

    /// Prepares for the features of moves in a position that the last two moves led to, the later first.
    pub fn look(&mut self, board: &Board, last_two: [Move; 2]) {
        self.surroundings.look(board, last_two[0]);
        self.last_two = last_two;
    }

    /// The features of a stone on `v` for the player to move in the position that was looked at.
    pub fn features(&mut self, board: &Board, v: Vertex) -> Features {
        let [last, before] = self.last_two;
        let mut features = Features::new();
        features.add(ShapeClasses::get().of(board.surrounding_code(v, board.to_play())));
        features.add(LINE + line(board, v));
        if let Some(last) = last.vertex() {
            features.add(LAST + distance(v, last));
        }
        if let Some(before) = before.vertex() {
            features.add(BEFORE + distance(v, before));
        }
        self.add_facts(board, v, last, &mut features);
        // On boards of up to 9x9, shapes see what there is to see.
        if board.width().min(board.height()) > 2 * wide_shapes::REACH + 1 && self.surroundings.is_open(v) {
            features.add(OPEN + open_point(board, v));
        }
        self.surroundings.names(v, |name| match self.shapes.number(name) {
            Some(number) => {
                features.add(Features::NAMED + number as usize);
                true
            }
            None => false,
        });
        features
    }

    fn add_facts(&mut self, board: &Board, v: Vertex, last: Move, features: &mut Features) {
        let me = board.to_play();
        let mut captured = 0;
        for n in v.neighbors() {
            let enemy = board.chain_of(n, !me);
            if enemy != Vertex::NONE {
                if board.is_atari_at(enemy, v) {
                    captured += board.chain_size(enemy);
                    if board.chain(last.vertex_or_none()) == enemy {
                        features.add_fact(Fact::CaptureLast);
                    }
                    if touches_chain_in_atari(board, enemy, me) {
                        features.add_fact(Fact::CaptureSaves);
                    }
                } else if board.two_liberties(enemy).is_some() {
                    let caught = self.ladders.is_captured_by(board, enemy, v);
                    features.add_fact(if caught { Fact::Ladder } else { Fact::Atari });
                }
            }
            let friend = board.chain_of(n, me);
            if friend != Vertex::NONE {
                if board.is_atari_at(friend, v) {
                    let vain = self.ladders.is_doomed(board, friend);
                    features.add_fact(if vain { Fact::EscapeInVain } else { Fact::Escape });
                } else if let Some(liberties) = board.two_liberties(friend)
                    && is_threatened(board, friend, liberties, me)
                    && liberties_after::<3>(board, v, me).is_full()
                {
                    features.add_fact(Fact::Defend);
                }
            }
        }
        match captured {
            0 => {}
            1 => features.add_fact(Fact::CaptureOne),
            2 | 3 => features.add_fact(Fact::CaptureFew),
            _ => features.add_fact(Fact::CaptureMany),
        }
        if is_self_atari(board, v, me) {
            let many = stones_at_stake(board, v, me) > LARGEST_NAKADE;
            features.add_fact(if many { Fact::SelfAtariOfMany } else { Fact::SelfAtari });
        }
    }
}

/// Whether a chain of `me` in atari touches the enemy chain.
fn touches_chain_in_atari(board: &Board, enemy: Vertex, me: Color) -> bool {
    board
        .chain_stones(enemy)
        .any(|stone| stone.neighbors().iter().any(|&n| board.is_in_atari(board.chain_of(n, me))))
}

/// The lines of `v` from the nearest edges in both directions, the first being 0.
pub(super) fn lines(board: &Board, v: Vertex) -> (usize, usize) {
    let (col, row) = (v.col(), v.row());
    (col.min(board.width() - 1 - col), row.min(board.height() - 1 - row))
}

/// The line of `v`, the first being 0.
fn line(board: &Board, v: Vertex) -> usize {
    let (cols, rows) = lines(board, v);
    cols.min(rows).min(LINES - 1)
}

/// The number of a place that a point may have on the board, whatever the symmetry.
fn open_point(board: &Board, v: Vertex) -> usize {
    let (cols, rows) = lines(board, v);
    let (near, far) = (cols.min(rows), cols.max(rows));
    far * (far + 1) / 2 + near
}

/// The distance of two points as Coulom measures it, columns and rows and the larger of them once more; 2 counts as 0.
fn distance(a: Vertex, b: Vertex) -> usize {
    let (cols, rows) = (a.col().abs_diff(b.col()), a.row().abs_diff(b.row()));
    (cols + rows + cols.max(rows)).saturating_sub(2).min(DISTANCES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(name: &str) -> Vertex {
        name.parse().unwrap()
    }

    /// The facts of Black's move.
    fn facts(diagram: &str, at: &str, last: &str) -> Vec<Fact> {
        let board = Board::from_diagram(diagram).unwrap();
        let mut reader = FeatureReader::new(Arc::default());
        reader.look(&board, [last.parse().unwrap(), Move::PASS]);
        let features = reader.features(&board, vertex(at));
        let is_fact = |&feature: &u32| (feature as usize).checked_sub(FACT).map(|fact| Fact::ALL[fact]);
        features.iter().filter_map(is_fact).collect()
    }

    #[test]
    fn facts_of_captures_and_escapes() {
        let diagram = ". . . . . / . X . . . / O O X . . / X O X . . / . X . . .";
        assert_eq!(facts(diagram, "A4", "B2"), [Fact::CaptureLast, Fact::CaptureSaves, Fact::CaptureFew]);
        let diagram = ". . . . . . / . . . . . . / . O . . . . / O X . . . . / . O . . . . / . . . . . .";
        assert_eq!(facts(diagram, "C3", "A3"), [Fact::Escape]);
        // In the corner there is nowhere to run.
        let diagram = ". . . . . . / . . . . . . / . . . . . . / O . . . . . / X O . . . . / . . . . . .";
        assert_eq!(facts(diagram, "A1", "B2"), [Fact::EscapeInVain, Fact::SelfAtari]);
    }

    #[test]
    fn facts_of_ataris() {
        // White's stone at the edge has two liberties: from A1 it runs along the first line into Black's stone.
        let diagram = ". . . . . . / . . . . . . / . . . . . . / . X X X . . / . O . . X . ";
        assert_eq!(facts(diagram, "A1", "B1"), [Fact::Ladder, Fact::SelfAtari]);
        // In the open it gets away.
        let diagram =
            ". . . . . . . / . . . . . . . / . . X . . . . / . X O . . . . / . . . . . . . / . . . . . . .";
        assert_eq!(facts(diagram, "D3", "C3"), [Fact::Atari]);
        let diagram =
            ". . . . . . . / . . . . . . . / . . X O . . . / . X O . . . . / . . . . . . . / . . . . . . .";
        assert_eq!(facts(diagram, "C2", "C3"), [Fact::Atari]);
        // Two liberties that the opponent could take one by one.
        let diagram = ". . . . . . / . . . . . . / . O O . . . / O X X . . . / . O . . . . / . . O . . .";
        assert_eq!(facts(diagram, "D3", "B2"), [Fact::Defend]);
    }

    #[test]
    fn open_points_are_known_by_their_lines() {
        let names = Features::names();
        let mut reader = FeatureReader::new(Arc::default());
        let mut open = |board: &Board, at: &str| -> Option<String> {
            reader.look(board, [Move::PASS; 2]);
            let features = reader.features(board, vertex(at));
            features
                .iter()
                .map(|&feature| names[feature as usize].clone())
                .find(|name| name.starts_with("open"))
        };
        let mut board = Board::new(19, 19);
        assert_eq!(open(&board, "D4").as_deref(), Some("open 4 4"));
        assert_eq!(open(&board, "Q17").as_deref(), Some("open 3 4"));
        assert_eq!(open(&board, "K10").as_deref(), Some("open 10 10"));
        assert_eq!(open(&board, "T1").as_deref(), Some("open 1 1"));
        // A stone four lines away is near, one five lines away is not.
        board.play("Q16".parse().unwrap());
        assert_eq!(open(&board, "Q12"), None);
        assert_eq!(open(&board, "Q11").as_deref(), Some("open 4 9"));
        assert_eq!(open(&Board::new(9, 9), "E5"), None);
        assert_eq!(open(&Board::new(19, 10), "D5").as_deref(), Some("open 4 5"));
    }
}
