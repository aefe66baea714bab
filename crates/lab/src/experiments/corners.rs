//! The local-search experiment of Drake 2009, section 5.2 (S1.8): in how many playouts are four corners played correctly?
//!
//! Each corner holds a group that lives if its owner plays the vital point, and only then; `tests/all/corners.rs` proves this by
//! exhaustive search. A playout plays a corner correctly if the defender plays the vital point before any other stone is played
//! in the 3x3 area of the corner, or the attacker plays there first.
//!
//! The paper's problems are in a figure that its text does not contain, so these are our own: four eye spaces that every Go
//! player knows.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use tengen_board::{Board, Color, Game, Move, Rules, Vertex};
use tengen_engine::{
    players::MctsConfig,
    playout::{LearnedReply, ReplyHits},
    rng::Rng,
    search::{Evaluator, Leaf, PlayoutEvaluator, SearchParts, Totals, search},
    tree::Tree,
};

use super::runs::{RunContext, Values};

/// A problem in the lower left corner: `O` defends, `X` attacks.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// What the eye space is called.
    pub name: &'static str,
    /// The corner, its last row at the edge of the board and its first column too.
    pub diagram: &'static str,
    /// Where the defender has to play.
    pub vital: &'static str,
}

/// The four problems.
pub const PROBLEMS: [Problem; 4] = [
    Problem { name: "bent three", diagram: "X X . . / O O X . / . O O X / . . O X", vital: "A1" },
    Problem { name: "straight three", diagram: "X X X X . / O O O O X / . . . O X", vital: "B1" },
    Problem { name: "pyramid four", diagram: "X X X . . / O O O X . / O . O O X / . . . O X", vital: "B1" },
    Problem { name: "bulky five", diagram: "X X . . / O O X . / . O O X / . . O X / . . O X", vital: "A2" },
];

/// A problem on the board.
struct Corner {
    name: &'static str,
    vital: Vertex,
    defender: Color,
    /// The 3x3 points.
    area: Vec<Vertex>,
}

/// The four problems in the four corners of a board, defended by White and Black in turn, Black to play.
fn set_up(size: usize, rules: Rules) -> (Game, Vec<Corner>) {
    let mut board = Board::new(size, size);
    let mut stones = Vec::new();
    let mut corners = Vec::new();
    for (i, problem) in PROBLEMS.iter().enumerate() {
        let (right, above) = (i % 2 == 1, i >= 2);
        let place = |column: usize, row: usize| {
            Vertex::new(
                if right { size - 1 - column } else { column },
                if above { size - 1 - row } else { row },
            )
        };
        // Diagonally opposite corners belong to the same colour.
        let defender = if right == above { Color::White } else { Color::Black };
        let rows: Vec<_> = problem.diagram.split('/').rev().collect();
        for (row, line) in rows.iter().enumerate() {
            for (column, stone) in line.split_whitespace().enumerate() {
                match stone {
                    "O" => stones.push((place(column, row), defender)),
                    "X" => stones.push((place(column, row), !defender)),
                    _ => {}
                }
            }
        }
        let vital: Vertex = problem.vital.parse().expect("the vital point is a point");
        corners.push(Corner {
            name: problem.name,
            vital: place(vital.col(), vital.row()),
            defender,
            area: (0..9).map(|i| place(i % 3, i / 3)).collect(),
        });
    }
    board.set_up(&stones).expect("every chain has a liberty");
    (Game::from_board(board, rules), corners)
}

impl Corner {
    /// Whether a playout played it correctly.
    fn is_correct(&self, moves: &[Move], first: Color) -> bool {
        let mut color = first;
        for mv in moves {
            if let Some(v) = mv.vertex().filter(|v| self.area.contains(v)) {
                return color != self.defender || v == self.vital;
            }
            color = !color;
        }
        false
    }
}

/// Looks at every playout of another evaluator.
struct Observer {
    inner: Box<dyn Evaluator>,
    corners: Arc<[Corner]>,
    correct: Arc<[AtomicU64]>,
    playouts: Arc<AtomicU64>,
}

impl Evaluator for Observer {
    fn evaluate(&mut self, leaves: &mut [Leaf], komi: f32, rng: &mut Rng) {
        self.inner.evaluate(leaves, komi, rng);
        for leaf in leaves {
            self.playouts.fetch_add(1, Relaxed);
            for (corner, correct) in self.corners.iter().zip(&*self.correct) {
                if corner.is_correct(leaf.since_root(), leaf.root_color) {
                    correct.fetch_add(1, Relaxed);
                }
            }
        }
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(Observer {
            inner: self.inner.fork(),
            corners: Arc::clone(&self.corners),
            correct: Arc::clone(&self.correct),
            playouts: Arc::clone(&self.playouts),
        })
    }

    fn learned_replies(&self, color: Color, previous: Move) -> Vec<LearnedReply> {
        self.inner.learned_replies(color, previous)
    }

    fn reply_hits(&self) -> Option<ReplyHits> {
        self.inner.reply_hits()
    }
}

/// One search of the position.
pub(super) fn run(context: &RunContext<'_>, config: &MctsConfig) -> Values {
    let (game, corners) = set_up(context.game.board().width(), *context.game.rules());
    let observer = Observer {
        inner: Box::new(PlayoutEvaluator::new(config.playouts.policy.build(), config.playouts.limits)),
        correct: corners.iter().map(|_| AtomicU64::new(0)).collect(),
        corners: corners.into(),
        playouts: Arc::default(),
    };
    let policy = config.search.tree_policy.build();
    let parts = SearchParts {
        config: &config.search,
        tree: &Tree::with_capacity(config.search.max_tree_mb << 20, &*policy),
        policy: &*policy,
        evaluator: &observer,
        gcmb: None,
        threads: 1,
    };
    let request = context.request();
    let spending = request.limits.into();
    search(&game, &parts, &mut Totals::default(), &request, &spending, &mut Rng::new(context.seed));
    let playouts = observer.playouts.load(Relaxed) as f64;
    let corners = observer.corners.iter().zip(&*observer.correct);
    corners
        .map(|(corner, correct)| (corner.name.to_owned(), (correct.load(Relaxed) as f64, playouts)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stone_in_a_corner_decides() {
        let (game, corners) = set_up(19, Rules::CHINESE);
        let vital: Vec<_> =
            corners.iter().map(|corner| (corner.vital.to_string(), corner.defender)).collect();
        let expected =
            [("A1", Color::White), ("S1", Color::Black), ("B19", Color::Black), ("T18", Color::White)];
        assert_eq!(vital, expected.map(|(point, color)| (point.to_owned(), color)), "{}", game.board());
        let moves = |text: &str| text.split(' ').map(|mv| mv.parse().unwrap()).collect::<Vec<Move>>();
        for (line, correct) in [
            ("K10 A1", true),             // White, the defender, at the vital point
            ("K10 B1", false),            // elsewhere in the corner
            ("A1 B1", true),              // the attacker first
            ("K10 K11 K12", false),       // nobody
            ("K10 K11 K12 A2 A1", false), // too late
        ] {
            assert_eq!(corners[0].is_correct(&moves(line), Color::Black), correct, "{line}");
        }
    }
}
