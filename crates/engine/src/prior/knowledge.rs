//! **What.** Go knowledge as equivalent experience: a move that experts would play starts with visits that were won.
//!
//! **Formula.** The probability of a move is p = Π γ(feature) over its features, divided by the sum over all candidates.
//! It starts with `even` visits, half of them won, and `weight` · √p visits that were won, in its own statistics or in its
//! all-moves-as-first statistics. The features: the eight stones around the point, and wider shapes that are played often;
//! the line, and where no stone is near, the lines from both edges; the distances to the last two moves; captures by size and use; ways out of atari, and whether a ladder catches them all the same; atari, and whether
//! a ladder makes it a capture; self-atari; attack and defence of chains with two liberties.
//!
//! **Source.** Gelly and Silver 2007 (heuristic priors); S3.1. Coulom 2007 for features whose weights are learned from
//! game records as Bradley-Terry strengths. Visits in proportion to √p as in Pachi, which gives 210 (9x9) to 300 of them.
//!
//! **Differences.** The weights are in `knowledge.weights`, whose first lines say what `tengen train knowledge` learned them
//! from; those of the wide shapes are in `knowledge.shapes`, five bytes each.
use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, MAX_SIZE, Move, Vertex};

use crate::{
    eval::Candidate,
    ladder::LadderReader,
    playout::tactics::{LARGEST_NAKADE, is_self_atari, is_threatened, liberties_after, stones_at_stake},
    prior::wide_shapes::{self, KnownShapes, Surroundings},
    shapes::{SHAPES, ShapeClasses},
};

/// Where equivalent experience is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnowledgeTarget {
    /// In the all-moves-as-first statistics, as in S3.1.
    #[default]
    Amaf,
    /// In the move's own statistics, as in Pachi.
    Value,
}

/// Parameters of [`Knowledge`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Where the experience is counted.
    #[schemars(extend("x-peer" = true))]
    pub target: KnowledgeTarget,
    /// Visits of every move, half of them won. Pachi: 14 to 20; michi: 10.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub even: f32,
    /// Won visits of a move of probability 1. Pachi: 210 to 300.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub weight: f32,
    /// The probability of a pass.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub pass: f32,
    /// The share of the probabilities that all moves get alike, so that none is forgotten.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub equal_share: f32,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        KnowledgeConfig {
            target: KnowledgeTarget::Amaf,
            even: 20.0,
            weight: 250.0,
            pass: 0.001,
            equal_share: 0.0,
        }
    }
}

/// What can be true of a move besides its shape, its line and its distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
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
const FACT: usize = BEFORE + DISTANCES;
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

/// The logarithm of every feature's weight.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureWeights {
    logs: Vec<f32>,
    shapes: Arc<KnownShapes>,
}

/// Wide shapes are written in steps of one part in so many.
const STEPS: f32 = 24.0;

impl FeatureWeights {
    /// All features weigh the same.
    pub fn even(shapes: KnownShapes) -> FeatureWeights {
        FeatureWeights { logs: vec![0.0; Features::NAMED + shapes.names().len()], shapes: Arc::new(shapes) }
    }

    /// The weights that come with the program.
    pub fn standard() -> FeatureWeights {
        FeatureWeights::read(include_str!("knowledge.weights"), include_bytes!("knowledge.shapes"))
            .expect("a test reads the files")
    }

    /// The logarithms, by feature.
    pub fn logs(&self) -> &[f32] {
        &self.logs
    }

    /// The logarithms, to be changed.
    pub fn logs_mut(&mut self) -> &mut [f32] {
        &mut self.logs
    }

    /// Finds the features that have weights.
    pub fn reader(&self) -> FeatureReader {
        FeatureReader {
            ladders: LadderReader::default(),
            shapes: self.shapes.clone(),
            surroundings: Surroundings::default(),
            last_two: [Move::PASS; 2],
        }
    }

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

    /// Reads what [`FeatureWeights`] prints and what [`FeatureWeights::shape_bytes`] gives. Features that are not named weigh 1;
    /// lines that begin with `#` are skipped.
    pub fn read(text: &str, shapes: &[u8]) -> Result<FeatureWeights, String> {
        let (entries, rest) = shapes.as_chunks::<5>();
        if !rest.is_empty() {
            return Err("wide shapes have five bytes each: the file is cut off".to_owned());
        }
        let known = KnownShapes::new(entries.iter().copied().map(name_of).collect());
        if known.names().len() != entries.len()
            || !entries.iter().copied().map(name_of).eq(known.names().iter().copied())
        {
            return Err("wide shapes are not in order: the file is damaged".to_owned());
        }
        let names = FeatureWeights::names();
        let mut weights = FeatureWeights::even(known);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let broken = |what: &str| format!("line {}: {what} in {line:?}", number + 1);
            let (name, log) = line.rsplit_once(' ').ok_or_else(|| broken("a name and a number expected"))?;
            let feature = names.iter().position(|n| n == name).ok_or_else(|| broken("unknown feature"))?;
            let log: f32 = log.parse().map_err(|_| broken("no number"))?;
            if !log.is_finite() || log.abs() > 20.0 {
                return Err(broken("a logarithm beyond 20"));
            }
            weights.logs[feature] = log;
        }
        for (log, entry) in weights.logs[Features::NAMED..].iter_mut().zip(entries) {
            *log = shape_log(entry[4]);
        }
        Ok(weights)
    }

    /// The wide shapes, each by its name, the lowest byte first, and a byte with its weight.
    pub fn shape_bytes(&self) -> Vec<u8> {
        let logs = &self.logs[Features::NAMED..];
        self.shapes
            .names()
            .iter()
            .zip(logs)
            .flat_map(|(name, log)| {
                let [a, b, c, d] = name.to_le_bytes();
                [a, b, c, d, (log * STEPS).round().clamp(-127.0, 127.0) as i8 as u8]
            })
            .collect()
    }
}

/// The logarithm that a byte of a file stands for.
fn shape_log(byte: u8) -> f32 {
    f32::from(byte as i8) / STEPS
}

/// The name of a wide shape in a file.
fn name_of([a, b, c, d, _]: [u8; 5]) -> u32 {
    u32::from_le_bytes([a, b, c, d])
}

impl fmt::Display for FeatureWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, log) in FeatureWeights::names().iter().zip(&self.logs).filter(|(_, log)| **log != 0.0) {
            writeln!(f, "{name} {log:.3}")?;
        }
        Ok(())
    }
}

/// The weights that come with the program, as factors, computed once.
static STANDARD: LazyLock<Factors> = LazyLock::new(|| {
    let weights = FeatureWeights::standard();
    Factors {
        named: weights.logs[..Features::NAMED].iter().map(|log| log.exp()).collect(),
        shapes: weights.shape_bytes().into_iter().skip(4).step_by(5).collect(),
        steps: std::array::from_fn(|byte| shape_log(byte as u8).exp()),
        weights,
    }
});

/// What the strengths of moves are multiplied from. The weights of wide shapes stay bytes, of which more fit a cache.
struct Factors {
    weights: FeatureWeights,
    named: Vec<f32>,
    shapes: Vec<u8>,
    steps: [f32; 256],
}

impl Factors {
    #[inline]
    fn of(&self, feature: u32) -> f32 {
        let feature = feature as usize;
        match feature.checked_sub(Features::NAMED) {
            None => self.named[feature],
            Some(shape) => self.steps[usize::from(self.shapes[shape])],
        }
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

/// Gives candidates their equivalent experience.
pub struct Knowledge {
    config: KnowledgeConfig,
    reader: FeatureReader,
}

impl Knowledge {
    /// The knowledge with these parameters.
    pub fn new(config: &KnowledgeConfig) -> Knowledge {
        Knowledge { config: config.clone(), reader: STANDARD.weights.reader() }
    }

    /// Rates the candidates of a position that the last two moves led to, the later first.
    pub fn rate(&mut self, board: &Board, last_two: [Move; 2], candidates: &mut [Candidate]) {
        let factors = &*STANDARD;
        self.reader.look(board, last_two);
        let mut total = 0.0;
        for candidate in candidates.iter_mut() {
            candidate.prior = match candidate.mv.vertex() {
                None => 0.0,
                Some(v) => {
                    let features = self.reader.features(board, v);
                    features.iter().map(|&feature| factors.of(feature)).product()
                }
            };
            total += candidate.prior;
        }
        let KnowledgeConfig { target, even, weight, pass, equal_share } = self.config;
        let scale = if total > 0.0 { (1.0 - equal_share) / total } else { 0.0 };
        let equal = equal_share / candidates.len().max(1) as f32;
        for candidate in candidates {
            candidate.prior = if candidate.mv.is_pass() { pass } else { candidate.prior * scale + equal };
            let won = weight * candidate.prior.sqrt();
            let (visits, wins) = (even + won, even / 2.0 + won);
            let black = if board.to_play() == Color::Black { wins } else { visits - wins };
            match target {
                KnowledgeTarget::Amaf => {
                    candidate.amaf_visits += visits;
                    candidate.amaf_black_value += black;
                }
                KnowledgeTarget::Value => {
                    candidate.prior_visits += visits;
                    candidate.prior_black_value += black;
                }
            }
        }
    }
}

impl FeatureReader {
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
                } else if two_liberties(board, enemy).is_some() {
                    let caught = self.ladders.is_captured_by(board, enemy, v);
                    features.add_fact(if caught { Fact::Ladder } else { Fact::Atari });
                }
            }
            let friend = board.chain_of(n, me);
            if friend != Vertex::NONE {
                if board.is_atari_at(friend, v) {
                    let vain = self.ladders.is_doomed(board, friend);
                    features.add_fact(if vain { Fact::EscapeInVain } else { Fact::Escape });
                } else if let Some(liberties) = two_liberties(board, friend)
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

/// The liberties of a chain that has exactly two.
#[inline]
fn two_liberties(board: &Board, chain: Vertex) -> Option<[Vertex; 2]> {
    if board.pseudo_liberties(chain) > 8 {
        return None;
    }
    board.liberties::<3>(chain)[..].try_into().ok()
}

/// Whether a chain of `me` in atari touches the enemy chain.
fn touches_chain_in_atari(board: &Board, enemy: Vertex, me: Color) -> bool {
    board.chain_stones(enemy).any(|stone| {
        stone.neighbors().iter().any(|&n| {
            let friend = board.chain_of(n, me);
            friend != Vertex::NONE && board.atari(friend).is_some()
        })
    })
}

/// The lines of `v` from the nearest edges in both directions, the first being 0.
fn lines(board: &Board, v: Vertex) -> (usize, usize) {
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
        let mut reader = FeatureWeights::even(KnownShapes::default()).reader();
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
        let names = FeatureWeights::names();
        let mut reader = FeatureWeights::even(KnownShapes::default()).reader();
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

    #[test]
    fn the_first_moves_on_a_large_board_are_in_the_corners() {
        let board = Board::new(19, 19);
        let mut candidates: Vec<_> = board.empties().iter().map(|&v| Candidate::new(v.into())).collect();
        Knowledge::new(&KnowledgeConfig::default()).rate(&board, [Move::PASS; 2], &mut candidates);
        let corner = |c: &&Candidate| {
            c.mv.vertex().is_some_and(|v| {
                let (cols, rows) = lines(&board, v);
                (2..=4).contains(&cols) && (2..=4).contains(&rows)
            })
        };
        let share: f32 = candidates.iter().filter(corner).map(|c| c.prior).sum();
        assert!(share > 0.7, "{share}");
    }

    #[test]
    fn probabilities_add_up_and_experience_follows_them() {
        let mut board =
            Board::from_diagram(". . . . . / . X O . . / . O X . . / . . . . . / . . . . .").unwrap();
        board.set_to_play(Color::White);
        let mut candidates: Vec<_> = board.empties().iter().map(|&v| Candidate::new(v.into())).collect();
        let config = KnowledgeConfig { even: 10.0, weight: 100.0, ..KnowledgeConfig::default() };
        Knowledge::new(&config).rate(&board, ["C3".parse().unwrap(), Move::PASS], &mut candidates);
        let total: f32 = candidates.iter().map(|c| c.prior).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
        for c in &candidates {
            let won = 100.0 * c.prior.sqrt();
            assert!((c.amaf_visits - (10.0 + won)).abs() < 1e-3);
            // White's wins are Black's losses.
            assert!((c.amaf_black_value - 5.0).abs() < 1e-3);
        }
    }

    #[test]
    fn the_weights_that_come_with_the_program_are_complete() {
        let weights = FeatureWeights::standard();
        let known = weights.logs().iter().filter(|log| **log != 0.0).count();
        assert!(known > 900, "{known}");
        let log = |fact: Fact| weights.logs()[FACT + fact as usize];
        assert!(log(Fact::Escape) > log(Fact::EscapeInVain) && log(Fact::SelfAtari) < 0.0);
        assert!(weights.logs().len() - Features::NAMED > 100_000, "{}", weights.logs().len());
        let (printed, shapes) = (weights.to_string(), weights.shape_bytes());
        assert_eq!(FeatureWeights::read(&printed, &shapes).unwrap(), weights);
    }

    #[test]
    fn broken_weights_are_refused() {
        for (text, expected) in [
            ("shape 0 x", "no number"),
            ("shape 65535000 1.0", "unknown feature"),
            ("line 1 1e9", "beyond 20"),
            ("line", "a name and a number"),
        ] {
            let error = FeatureWeights::read(text, &[]).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        for (shapes, expected) in [(&[1; 7][..], "cut off"), (&[1; 10][..], "damaged")] {
            let error = FeatureWeights::read("", shapes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
