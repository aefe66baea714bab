//! Problems as people solve them: positions with a right answer, from the files that are in use, from suites, and from one's own
//! mistakes.
//!
//! Which moves are right depends on who has written the file. Where a comment contains `RIGHT` (goproblems.com) or `CORRECT`, the
//! lines that lead to such a comment are right; where moves are marked `TE` (Many Faces of Go), these; where some are marked wrong,
//! by a comment with `WRONG` or by `WV` or `TR` on the move (uliGo), all others; else the main line.

use tengen_board::{
    Color, Game, Move,
    sgf::{self, GameInfo, NodeId, Record, SgfError},
};

use crate::notes::{self, move_of};

/// How a file tells what is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Lines with a comment that says so.
    Right,
    /// Moves marked as good.
    Good,
    /// Whatever is not marked as wrong.
    Wrong,
    /// The first continuation.
    MainLine,
}

/// What a move of the solver leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was the last one; the opponent may still answer.
    Solved {
        /// The answer.
        reply: Option<Move>,
    },
    /// It is right, and the opponent's answer asks for another one.
    GoOn {
        /// The answer.
        reply: Move,
        /// Where the problem goes on in its record.
        at: NodeId,
    },
    /// It is wrong.
    Wrong {
        /// The opponent's answer, if the file has one.
        reply: Option<Move>,
    },
    /// The file does not know it, and it may be as good as the right one: the engine judges.
    Unknown,
}

/// A record that is solved.
#[derive(Clone, Debug)]
pub struct Problem {
    record: Record,
    marks: Marks,
}

impl Problem {
    /// The problem of a record.
    pub fn new(record: Record) -> Problem {
        let marks = marks(&record);
        Problem { record, marks }
    }

    /// Whether a record looks like one: a position that was set up, some moves, and no result.
    pub fn is_one(record: &Record) -> bool {
        let root = record.node(record.root());
        let has = |identifier| root.values(identifier).is_some();
        let is_set_up = has("AB") || has("AW");
        is_set_up && !has("HA") && !has("RE") && record.children(record.root()).next().is_some()
    }

    /// The record with the solution.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// How it tells what is right.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// Whether the engine judges moves that the file does not know. It does where the record says what the position is worth, as in
    /// one's own mistakes: no analysis tells all moves that are good.
    pub fn is_judged(&self) -> bool {
        notes::evaluation(&self.record, self.record.root()).is_some()
    }

    /// The position to solve.
    pub fn position(&self) -> Result<Game, SgfError> {
        self.record.game_at(self.record.root())
    }

    /// A name for the position, whatever file it is in, by which the solver's progress is kept.
    pub fn key(&self) -> Result<String, SgfError> {
        let game = self.position()?;
        Ok(format!("problem-{:016x}-{}", game.board().hash(), game.to_play()))
    }

    /// What a move at a node of the record leads to.
    pub fn step(&self, at: NodeId, mv: Move) -> Step {
        let record = &self.record;
        let played = record.children(at).find(|&child| move_of(record, child).is_some_and(|(_, m)| m == mv));
        let Some(node) = played else {
            if self.is_judged() {
                return Step::Unknown;
            }
            // Where every move that is told is wrong, the others are right.
            let all_wrong = self.marks == Marks::Wrong && !record.children(at).any(|n| self.is_right(n));
            return if all_wrong { Step::Solved { reply: None } } else { Step::Wrong { reply: None } };
        };
        let next = record.children(node).next();
        let reply = next.and_then(|next| Some(move_of(record, next)?.1));
        if !self.is_right(node) {
            return Step::Wrong { reply };
        }
        match (next, reply) {
            (Some(next), Some(reply)) if !self.ends_at(node) && record.children(next).next().is_some() => {
                Step::GoOn { reply, at: next }
            }
            _ => Step::Solved { reply },
        }
    }

    /// The right line from a node on, the solver's moves and the answers.
    pub fn solution(&self) -> Vec<Move> {
        let mut line = Vec::new();
        let mut at = self.record.root();
        while let Some(node) = self.record.children(at).find(|&child| self.is_right(child)) {
            let Some((_, mv)) = move_of(&self.record, node) else { break };
            line.push(mv);
            match self.step(at, mv) {
                Step::GoOn { reply, at: next } => {
                    line.push(reply);
                    at = next;
                }
                Step::Solved { reply } => {
                    line.extend(reply);
                    break;
                }
                Step::Wrong { .. } | Step::Unknown => break,
            }
        }
        line
    }

    /// Whether the solver's move at a node is right.
    pub fn is_right(&self, node: NodeId) -> bool {
        let record = &self.record;
        let siblings = || record.parent(node).into_iter().flat_map(|parent| record.children(parent));
        let is_first = || siblings().next() == Some(node);
        match self.marks {
            Marks::Right => says(record, node, &RIGHT),
            Marks::Good if siblings().any(|n| is_good(record, n)) => is_good(record, node),
            Marks::Wrong => !is_wrong(record, node),
            Marks::Good | Marks::MainLine => is_first(),
        }
    }

    /// Whether nothing is asked after this move, although the file goes on.
    fn ends_at(&self, node: NodeId) -> bool {
        self.marks == Marks::Right && comment_says(&self.record, node, &RIGHT)
    }
}

const RIGHT: [&str; 2] = ["RIGHT", "CORRECT"];

fn marks(record: &Record) -> Marks {
    let root = record.root();
    let any = |is: &dyn Fn(NodeId) -> bool| descendants(record, root).any(is);
    if says(record, root, &RIGHT) {
        Marks::Right
    } else if any(&|node| is_good(record, node)) {
        Marks::Good
    } else if any(&|node| is_marked_wrong(record, node)) {
        Marks::Wrong
    } else {
        Marks::MainLine
    }
}

/// The nodes after a node.
fn descendants(record: &Record, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let mut todo: Vec<_> = record.children(node).collect();
    std::iter::from_fn(move || {
        let next = todo.pop()?;
        todo.extend(record.children(next));
        Some(next)
    })
}

fn comment_says(record: &Record, node: NodeId, words: &[&str]) -> bool {
    let comment = record.node(node).text("C").unwrap_or_default();
    words.iter().any(|word| comment.contains(word))
}

/// Whether a comment from a node on contains one of these words.
fn says(record: &Record, node: NodeId, words: &[&str]) -> bool {
    comment_says(record, node, words) || descendants(record, node).any(|n| comment_says(record, n, words))
}

fn is_good(record: &Record, node: NodeId) -> bool {
    record.node(node).values("TE").is_some()
}

/// Whether a node itself says that its move is wrong.
fn is_marked_wrong(record: &Record, node: NodeId) -> bool {
    let has = |identifier| record.node(node).values(identifier).is_some();
    move_of(record, node).is_some() && (has("WV") || has("TR") || comment_says(record, node, &["WRONG"]))
}

/// Whether a move leads to nothing but what is marked wrong.
fn is_wrong(record: &Record, node: NodeId) -> bool {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        if is_marked_wrong(record, node) {
            continue;
        }
        let before = todo.len();
        todo.extend(record.children(node));
        if todo.len() == before {
            return false;
        }
    }
    true
}

/// The starter set: of each kind of position of `suites/tactics.sgf`, which are proved, those with the smallest fights; first some that
/// one move solves, then those that go on (`suites/lines.sgf`), the shortest first.
pub fn starter() -> String {
    const ONE_MOVE: usize = 3;
    const LINES: usize = 4;
    let lines = by_kind(include_str!("../../../suites/lines.sgf"));
    let mut text = String::new();
    for (kind, problems) in by_kind(include_str!("../../../suites/tactics.sgf")) {
        let longer = lines.iter().find(|(other, _)| *other == kind).map_or(&[][..], |(_, longer)| longer);
        let longer = &longer[..longer.len().min(LINES)];
        let has = |name: &str| longer.iter().any(|record| name_of(record) == name);
        let short = problems.iter().filter(|record| !has(&name_of(record))).take(ONE_MOVE);
        for (i, record) in short.chain(longer).enumerate() {
            let mut record = record.clone();
            let root = record.root();
            record.set_text(root, "GN", &format!("{kind} {}", i + 1));
            record.node_mut(root).remove("SL");
            text += &record.to_sgf();
        }
    }
    text
}

/// The problems of a suite by the kinds in their names, in the order of the file, which begins with the easy ones; of each kind the
/// shortest first, and of those the smallest fights.
fn by_kind(suite: &str) -> Vec<(String, Vec<Record>)> {
    let mut kinds: Vec<(String, Vec<Record>)> = Vec::new();
    for record in sgf::games(suite).map_while(Result::ok) {
        let name = name_of(&record);
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim();
        match kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, problems)) => problems.push(record),
            None => kinds.push((kind.to_owned(), vec![record])),
        }
    }
    let region = |record: &Record| record.node(record.root()).values("SL").map_or(0, <[String]>::len);
    for (_, problems) in &mut kinds {
        problems.sort_by_key(|record| (record.main_nodes().count(), region(record)));
    }
    kinds
}

fn name_of(record: &Record) -> String {
    record.node(record.root()).simple_text("GN").unwrap_or_default()
}

/// The mistakes of a reviewed game as problems: the positions before moves of the colours that lost at least so many points, in which the
/// better move, or one as good, is to be found. Few moves may have been looked at, so those without a better one are left out.
pub fn mistakes(record: &Record, colors: &[Color], least: f32) -> Vec<Record> {
    let mistake = |(number, node): (usize, NodeId)| {
        let lost = notes::points_lost(record, node).filter(|lost| *lost >= least)?;
        let (color, played) = move_of(record, node).filter(|(color, _)| colors.contains(color))?;
        let before = record.parent(node)?;
        let better = notes::expected(record, before);
        // A position without stones would be no problem, but a new game.
        let is_one =
            |game: &Game| game.to_play() == color && game.board().empties().len() < game.board().area();
        let game = record.game_at(before).ok().filter(is_one)?;
        let name = format!("{played} lost {lost:.1} points (move {number})");
        let mut board = game.board().clone();
        board.set_to_play(color);
        let info = GameInfo { name: Some(name), ..GameInfo::default() };
        let mut problem = Record::from_game(&Game::from_board(board, *game.rules()), &info);
        let (worth, by) =
            (notes::evaluation(record, before)?, notes::evaluator(record, before).unwrap_or_default());
        let root = problem.root();
        notes::set_evaluation(&mut problem, root, worth, by);
        let answer = problem.add_move(root, color, *better.first()?);
        problem.node_mut(answer).set("TE", vec!["1".to_owned()]);
        Some(problem)
    };
    record.main_nodes().enumerate().filter_map(mistake).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Evaluation;

    fn problem(text: &str) -> Problem {
        Problem::new(Record::parse(text.as_bytes()).unwrap())
    }

    fn step(problem: &Problem, mv: &str) -> Step {
        problem.step(problem.record.root(), mv.parse().unwrap())
    }

    fn point(mv: &str) -> Move {
        mv.parse().unwrap()
    }

    #[test]
    fn right_lines_are_those_that_lead_to_right() {
        let p = problem(
            "(;SZ[9]AB[aa]AW[bb](;B[cc];W[dd](;B[ee]C[RIGHT])(;B[ff]))(;B[gg];W[hh])(;B[ii]C[RIGHT];W[ig];B[ih]))",
        );
        assert_eq!(p.marks(), Marks::Right);
        let Step::GoOn { reply: answer, at } = step(&p, "C7") else { panic!("{:?}", step(&p, "C7")) };
        assert_eq!(answer, "D6".parse().unwrap());
        assert_eq!(p.step(at, "E5".parse().unwrap()), Step::Solved { reply: None });
        assert_eq!(p.step(at, "F4".parse().unwrap()), Step::Wrong { reply: None });
        assert_eq!(step(&p, "G3"), Step::Wrong { reply: Some(point("H2")) });
        assert_eq!(step(&p, "J9"), Step::Wrong { reply: None });
        assert_eq!(step(&p, "J1"), Step::Solved { reply: Some(point("J3")) }, "RIGHT ends it");
        assert_eq!(p.solution(), ["C7", "D6", "E5"].map(|mv| mv.parse().unwrap()));
    }

    #[test]
    fn good_moves_wrong_variations_and_main_lines() {
        let p = problem("(;SZ[9]AB[aa](;B[cc])(;B[dd]TE[2]))");
        assert_eq!((p.marks(), step(&p, "C7")), (Marks::Good, Step::Wrong { reply: None }));
        assert_eq!(step(&p, "D6"), Step::Solved { reply: None });
        let p = problem("(;SZ[9]AB[aa](;B[cc];W[ca])(;B[dd]WV[];W[de])(;B[ee]TR[ee]))");
        assert_eq!((p.marks(), step(&p, "C7")), (Marks::Wrong, Step::Solved { reply: Some(point("C9")) }));
        assert_eq!(step(&p, "D6"), Step::Wrong { reply: Some(point("D5")) });
        assert_eq!(
            [step(&p, "E5"), step(&p, "A1")],
            [Step::Wrong { reply: None }, Step::Wrong { reply: None }]
        );
        let p = problem("(;SZ[9]AB[aa](;B[cc]C[WRONG]))");
        assert_eq!(step(&p, "A1"), Step::Solved { reply: None }, "every other move");
        let p = problem("(;SZ[9]AB[aa](;B[cc](;W[ca]C[WRONG])(;W[cb];B[ab]))(;B[dd];W[de];B[ef]WV[]))");
        assert!(
            matches!(step(&p, "C7"), Step::GoOn { .. } | Step::Solved { .. }),
            "one of its lines is not wrong"
        );
        assert!(matches!(step(&p, "D6"), Step::Wrong { .. }), "it leads to nothing else");
        let p = problem("(;SZ[9]AB[aa](;B[cc];W[dd];B[ee])(;B[ff]))");
        assert_eq!((p.marks(), p.solution().len()), (Marks::MainLine, 3));
        assert_eq!(step(&p, "F4"), Step::Wrong { reply: None });
    }

    #[test]
    fn problems_are_told_from_games() {
        let is_one = |text: &str| Problem::is_one(&Record::parse(text.as_bytes()).unwrap());
        assert!(is_one("(;SZ[9]AB[aa]AW[bb];B[cc])"));
        assert!(!is_one("(;SZ[9]AB[aa]AW[bb])"), "nothing is asked");
        assert!(!is_one("(;SZ[9]HA[2]AB[cc][gg];W[ee])"), "a handicap game");
        assert!(!is_one("(;SZ[9];B[cc];W[dd])"));
        let key = |text: &str| problem(text).key().unwrap();
        assert_eq!(key("(;SZ[9]AB[aa]PL[W];W[cc])"), key("(;SZ[9]AB[aa]PL[W]C[the same];W[dd])"));
        assert_ne!(key("(;SZ[9]AB[aa]PL[W];W[cc])"), key("(;SZ[9]AB[ab]PL[W];W[cc])"));
    }

    #[test]
    fn the_starter_set_has_problems_of_every_kind() {
        let text = starter();
        let problems: Vec<_> = sgf::games(&text).map(|record| Problem::new(record.unwrap())).collect();
        assert_eq!(problems.len(), 63);
        let mut keys = std::collections::BTreeSet::new();
        let mut longer = 0;
        for p in &problems {
            assert!(Problem::is_one(p.record()));
            assert!(keys.insert(p.key().unwrap()));
            let (mut game, mut at) = (p.position().unwrap(), p.record().root());
            let solution = p.solution();
            longer += usize::from(solution.len() > 1);
            for (i, &mv) in solution.iter().enumerate() {
                if i % 2 == 0 {
                    match p.step(at, mv) {
                        Step::GoOn { reply, at: next } => {
                            assert_eq!(solution[i + 1], reply);
                            at = next;
                        }
                        step => assert_eq!((step, i + 1), (Step::Solved { reply: None }, solution.len())),
                    }
                }
                game.try_play(mv).unwrap();
            }
        }
        assert_eq!(longer, 36, "problems of several moves");
    }

    #[test]
    fn mistakes_of_a_reviewed_game_are_problems() {
        let mut record = Record::parse(b"(;SZ[9];B[ee];W[cc];B[ai])").unwrap();
        let nodes: Vec<_> = record.main_nodes().collect();
        for (node, score) in nodes.iter().zip([4.0, 0.5, 4.0, -5.0]) {
            notes::set_evaluation(&mut record, *node, Evaluation { value: 0.5, score }, "one");
        }
        for (node, line) in [(nodes[0], ["C3", "G7"]), (nodes[1], ["G7", "C3"]), (nodes[2], ["C3", "G7"])] {
            notes::set_expected(&mut record, node, &line.map(|mv| mv.parse().unwrap()));
        }
        let all = mistakes(&record, &Color::ALL, 3.0);
        assert_eq!(all.len(), 2, "and not the first move of the game");
        let problem = Problem::new(all[1].clone());
        assert_eq!(problem.record().info().name.as_deref(), Some("A1 lost 9.0 points (move 3)"));
        assert_eq!(problem.solution(), ["C3".parse().unwrap()]);
        assert_eq!(step(&problem, "C3"), Step::Solved { reply: None });
        assert_eq!(step(&problem, "G7"), Step::Unknown, "it may be as good");
        assert_eq!(problem.position().unwrap().to_play(), Color::Black);
        assert_eq!(problem.position().unwrap().board().stones(Color::White), 1);
        assert_eq!(mistakes(&record, &[Color::White], 3.0).len(), 1);
        assert_eq!(mistakes(&record, &Color::ALL, 20.0).len(), 0);
    }
}
