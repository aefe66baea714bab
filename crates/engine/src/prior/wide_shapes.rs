//! **What.** Wide shapes: the stones around a point in nested neighbourhoods of 8 to 60 points, whatever the rotation and
//! reflection, each with a weight if players have played there often enough.
//!
//! **Formula.** A neighbourhood has all points up to some distance, columns and rows and the larger of them once more. A
//! shape's name is the sum of random numbers, one for each point and what lies there, the smallest over the eight symmetries.
//! Five neighbourhoods know colours only; three smaller ones also how many liberties the stones have (1, 2, more) and which of
//! them is the last move.
//!
//! **Source.** Stern, Herbrich and Graepel 2006 and Coulom 2007 (nested shapes, their names by hashing); Silver et al. 2016
//! (liberties and the last move).
//!
//! **Differences.** A move has the weights of all its shapes that are known, not only of the largest.

use std::sync::LazyLock;

use tengen_board::{Board, MAX_SIZE, Move, Vertex, VertexMap, splitmix};

/// How far neighbourhoods reach.
pub(crate) const REACH: usize = 4;
const SIDE: usize = MAX_SIZE + 2 * REACH;
const POINTS: usize = 60;
/// Points of the neighbourhoods of which only colours are looked at.
const COLORS: [usize; 5] = [12, 20, 28, 36, 60];
/// Points of those with liberties and the last move.
const LIBERTIES: [usize; 3] = [8, 12, 20];
/// The most shapes that a move can have.
pub(crate) const MOST: usize = COLORS.len() + LIBERTIES.len();

/// What may lie on a point: nothing, an own or an enemy stone whose chain has one, two or more liberties, or the edge.
const CODES: usize = 8;
const EDGE: u8 = 7;
/// Codes of a family of names: the last move is marked by one more.
const MARK: usize = CODES;

/// A number for each symmetry.
type Lanes = [u32; 8];

struct Tables {
    /// The points around the origin, the nearest first.
    points: [(isize, isize); POINTS],
    /// The place of each of them in that list, by row and column; `POINTS` for those too far away.
    places: [[u8; 2 * REACH + 1]; 2 * REACH + 1],
    colors: Vec<[Lanes; CODES + 1]>,
    liberties: Vec<[Lanes; CODES + 1]>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let reach = REACH as isize;
    let distance = |&(col, row): &(isize, isize)| col.abs() + row.abs() + col.abs().max(row.abs());
    let mut around: Vec<_> = (-reach..=reach)
        .flat_map(|row| (-reach..=reach).map(move |col| (col, row)))
        .filter(|point| (1..=9).contains(&distance(point)))
        .collect();
    around.sort_by_key(distance);
    let mut places = [[POINTS as u8; 2 * REACH + 1]; 2 * REACH + 1];
    for (place, (col, row)) in around.iter().enumerate() {
        places[(row + reach) as usize][(col + reach) as usize] = place as u8;
    }
    let points: [_; POINTS] = around.try_into().expect("sixty points are that near");
    let mut numbers = (0..).map(|index| (splitmix(0, index) >> 32) as u32);
    let mut family = |class_of: fn(usize) -> usize| {
        let mut random = || numbers.next().expect("they have no end");
        let numbers: Vec<[u32; CODES + 1]> = (0..POINTS).map(|_| std::array::from_fn(|_| random())).collect();
        points
            .iter()
            .map(|&point| {
                std::array::from_fn(|code| {
                    std::array::from_fn(|symmetry| {
                        let (col, row) = image(point, symmetry);
                        let place = places[(row + reach) as usize][(col + reach) as usize];
                        numbers[place as usize][class_of(code)]
                    })
                })
            })
            .collect()
    };
    let colors = family(|code| match code {
        1..=3 => 1,
        4..=6 => 4,
        other => other,
    });
    let liberties = family(|code| code);
    Tables { points, places, colors, liberties }
});

/// A point around the origin in one of the eight symmetries.
fn image((mut col, mut row): (isize, isize), symmetry: usize) -> (isize, isize) {
    if symmetry & 4 != 0 {
        (col, row) = (row, col);
    }
    if symmetry & 2 != 0 {
        row = -row;
    }
    if symmetry & 1 != 0 {
        col = -col;
    }
    (col, row)
}

/// A position prepared for naming the shapes around its points.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    codes: [u8; SIDE * SIDE],
    last: Option<(isize, isize)>,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings { codes: [EDGE; SIDE * SIDE], last: None }
    }
}

const fn cell(col: usize, row: usize) -> usize {
    (row + REACH) * SIDE + col + REACH
}

impl Surroundings {
    /// Looks at a position as the player to move sees it.
    pub(crate) fn look(&mut self, board: &Board, last: Move) {
        let me = board.to_play();
        let mut liberties = VertexMap::filled(0_u8);
        self.codes.fill(EDGE);
        for v in board.points() {
            let code = match board.color_at(v) {
                None => 0,
                Some(color) => {
                    let known = &mut liberties[board.chain(v)];
                    if *known == 0 {
                        *known = liberty_class(board, board.chain(v));
                    }
                    *known + if color == me { 0 } else { 3 }
                }
            };
            self.codes[cell(v.col(), v.row())] = code;
        }
        self.last = last.vertex().map(|v| (v.col() as isize, v.row() as isize));
    }

    /// Whether no stone is near the point.
    #[inline]
    pub(crate) fn is_open(&self, v: Vertex) -> bool {
        let origin = cell(v.col(), v.row());
        TABLES.points.iter().all(|&(cols, lines)| {
            matches!(self.codes[origin.wrapping_add_signed(lines * SIDE as isize + cols)], 0 | EDGE)
        })
    }

    /// Calls `each` with the name of each shape around the point, in each family from small to large, as long as it says that
    /// the shape is known: what contains an unknown shape is unknown.
    #[inline]
    pub(crate) fn names(&self, v: Vertex, mut each: impl FnMut(u32) -> bool) {
        let tables = &*TABLES;
        let origin = cell(v.col(), v.row());
        let place_of_last = self.last.map_or(POINTS, |(col, row)| {
            let (col, row) =
                (col - v.col() as isize + REACH as isize, row - v.row() as isize + REACH as isize);
            let inside = |at: isize| (0..=2 * REACH as isize).contains(&at);
            if inside(col) && inside(row) {
                tables.places[row as usize][col as usize] as usize
            } else {
                POINTS
            }
        });
        for (family, (rows, sizes)) in
            [(&tables.liberties, &LIBERTIES[..]), (&tables.colors, &COLORS[..])].into_iter().enumerate()
        {
            let mut lanes: Lanes = [0; 8];
            let mut from = 0;
            for &size in sizes {
                for (row, &(cols, lines)) in rows[from..size].iter().zip(&tables.points[from..size]) {
                    let at = origin.wrapping_add_signed(lines * SIDE as isize + cols);
                    add(&mut lanes, &row[self.codes[at] as usize]);
                }
                if family == 0 && (from..size).contains(&place_of_last) {
                    add(&mut lanes, &rows[place_of_last][MARK]);
                }
                from = size;
                let smallest = lanes.iter().fold(u32::MAX, |least, &lane| least.min(lane));
                // Families and sizes are kept apart.
                let name = (smallest ^ (size * 2 + family) as u32).wrapping_mul(0x9e37_79b1);
                if !each(name) {
                    break;
                }
            }
        }
    }
}

#[inline]
fn add(lanes: &mut Lanes, row: &Lanes) {
    for (lane, number) in lanes.iter_mut().zip(row) {
        *lane = lane.wrapping_add(*number);
    }
}

/// 1 and 2 liberties, or 3 for more.
fn liberty_class(board: &Board, chain: Vertex) -> u8 {
    match board.two_liberties(chain) {
        Some(_) => 2,
        None if board.is_in_atari(chain) => 1,
        None => 3,
    }
}

/// The shapes that have weights, and where these are.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownShapes {
    /// The names in order.
    names: Vec<u32>,
    /// How many of a name's upper bits tell its place.
    bits: u32,
    /// At the first free place from where a name's upper bits point to: its other bits, then its number plus one. With so little
    /// memory for each the table is near a cache's size; the price is that one name in ten thousand is taken for another.
    places: Vec<u32>,
}

impl Default for KnownShapes {
    fn default() -> KnownShapes {
        KnownShapes::new(Vec::new())
    }
}

impl KnownShapes {
    /// These names, each once.
    pub fn new(mut names: Vec<u32>) -> KnownShapes {
        names.sort_unstable();
        names.dedup();
        let bits = (names.len() * 3 / 2 + 2).next_power_of_two().ilog2();
        let mut known = KnownShapes { places: vec![0; 1 << bits], bits, names };
        for (number, &name) in known.names.iter().enumerate() {
            let mut at = known.start(name);
            while known.places[at] != 0 {
                at = (at + 1) & (known.places.len() - 1);
            }
            known.places[at] = name << bits | (number as u32 + 1);
        }
        known
    }

    /// Their names, in the order of their numbers.
    pub fn names(&self) -> &[u32] {
        &self.names
    }

    #[inline]
    fn start(&self, name: u32) -> usize {
        (name >> (u32::BITS - self.bits)) as usize
    }

    /// The number of a shape, if it is known.
    #[inline]
    pub(crate) fn number(&self, name: u32) -> Option<u32> {
        let mask = self.places.len() - 1;
        let mut at = self.start(name);
        loop {
            let place = self.places[at & mask];
            if place == 0 {
                return None;
            }
            if (place ^ name << self.bits) >> self.bits == 0 {
                return Some((place & mask as u32) - 1);
            }
            at += 1;
        }
    }
}

/// Counts how often shapes were played.
#[derive(Debug, Default)]
pub struct ShapeCounter {
    surroundings: Surroundings,
    counts: std::collections::HashMap<u32, u32>,
}

impl ShapeCounter {
    /// Counts the shapes of a move that was played after `last`.
    pub fn count(&mut self, board: &Board, v: Vertex, last: Move) {
        self.surroundings.look(board, last);
        self.surroundings.names(v, |name| {
            *self.counts.entry(name).or_default() += 1;
            true
        });
    }

    /// Those that were played at least so many times.
    pub fn played(&self, times: u32) -> KnownShapes {
        KnownShapes::new(
            self.counts.iter().filter(|(_, count)| **count >= times).map(|(name, _)| *name).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Symmetry;

    use super::*;
    use crate::{
        playout::{PlayoutPolicy, Uniform, UniformConfig},
        rng::Rng,
    };

    fn names(board: &Board, v: Vertex, last: Move) -> Vec<u32> {
        let mut surroundings = Surroundings::default();
        surroundings.look(board, last);
        let mut found = Vec::new();
        surroundings.names(v, |name| {
            found.push(name);
            true
        });
        found
    }

    #[test]
    fn names_do_not_depend_on_the_position_of_the_board() {
        let mut policy = Uniform::new(&UniformConfig::default());
        let mut rng = Rng::new(5);
        for symmetry in Symmetry::ALL {
            let (mut board, mut image) = (Board::new(9, 9), Board::new(9, 9));
            for _ in 0..40 {
                let mv = policy.choose(&mut board, &[], &mut rng);
                let turned = symmetry.apply(mv, 9, 9);
                board.play(mv);
                image.play(turned);
                for &v in board.empties() {
                    assert_eq!(
                        names(&board, v, mv),
                        names(&image, symmetry.vertex(v, 9, 9), turned),
                        "{board}"
                    );
                }
            }
        }
    }

    #[test]
    fn names_tell_stones_liberties_and_the_last_move_apart() {
        let board = |diagram| Board::from_diagram(diagram).unwrap();
        let at = |name: &str| name.parse::<Vertex>().unwrap();
        let one = board(". . . . . / . . . . . / . O . . . / . . . . . / . . . . .");
        let two = board(". . . . . / . . . . . / . O . . O / . . . . . / . . . . .");
        let weak = board(". . . . . / . X . . . / X O . . . / . X . . . / . . . . .");
        let none = names(&one, at("C3"), Move::PASS);
        assert_eq!(none.len(), MOST);
        // A stone two lines away is seen from the second size on.
        let far = names(&two, at("C3"), Move::PASS);
        assert!(none[0] == far[0] && none[1] != far[1] && none[3] != far[3]);
        // The last move is marked where liberties are.
        let answered = names(&one, at("C3"), "B3".parse().unwrap());
        assert!(none[0] != answered[0] && none[3..] == answered[3..]);
        // Seen from D3, B3 is the same stone, but for its liberties and for what is around it.
        let (strong, weak) = (names(&one, at("D3"), Move::PASS), names(&weak, at("D3"), Move::PASS));
        assert!(strong[0] == weak[0] && strong[1] != weak[1] && strong[3] == weak[3]);
    }

    #[test]
    fn known_shapes_are_found_again() {
        let mut rng = Rng::new(1);
        let names: Vec<u32> = (0..5000).map(|_| rng.below(1 << 30) as u32 * 3).collect();
        let known = KnownShapes::new(names.iter().copied().step_by(2).collect());
        for name in names.iter().step_by(2) {
            let number = known.number(*name).expect("it was put in");
            assert_eq!(known.names()[number as usize], *name);
        }
        assert!(names.iter().skip(1).step_by(2).all(|name| known.number(*name).is_none()));
        assert_eq!(KnownShapes::default().number(7), None);
    }
}
