//! Makes `suites/tactics.sgf`: positions of small boards with one right move, found at random, proved, and named by what
//! they are about. The file holds what several seeds found, numbered anew.
//!
//!     cargo run --profile test --package tengen-lab --example make_suite -- 25 2500 1 > suites/tactics.sgf

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A tool of developers.

use std::collections::{BTreeMap, BTreeSet};

use tengen_board::{Board, Color, Game, Move, Rules, Vertex, area_owners, seki_groups, sgf};
use tengen_engine::{reading::ladder::LadderReader, rng::Rng};
use tengen_lab::suite::{
    canonical::canonical,
    prove::{Prover, TooLarge, most, moves, unsettled},
};

/// Positions that a proof may look at.
const LIMIT: usize = 60_000;
/// The kinds of problems, the rarest first: a position that is of several is of the first.
const KINDS: [&str; 9] =
    ["ladder", "net", "snapback", "seki", "ko", "nakade", "semeai", "life and death", "endgame"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let (Some(wanted), Some(seconds), Some(seed)) = (number(0), number(1), number(2)) else {
        eprintln!("usage: make_suite WANTED SECONDS SEED [KIND…]");
        std::process::exit(2);
    };
    let (wanted, asked) = (wanted as usize, &arguments[3..]);
    let begun = std::time::Instant::now();
    let mut rng = Rng::new(seed);
    let mut found: BTreeMap<&str, Vec<String>> = KINDS
        .iter()
        .filter(|kind| asked.is_empty() || asked.iter().any(|name| name == *kind))
        .map(|kind| (*kind, Vec::new()))
        .collect();
    let mut known = BTreeSet::new();
    while found.values().any(|list| list.len() < wanted) && begun.elapsed().as_secs() < seconds {
        let missing: Vec<&str> =
            found.iter().filter(|(_, list)| list.len() < wanted).map(|(kind, _)| *kind).collect();
        let aim = missing[rng.below(missing.len())];
        let mut tries = (0..5000).filter_map(|_| random_position(&mut rng, aim));
        let Some(board) = tries.find(|board| promises(board, aim)) else { continue };
        let Ok(Some(problem)) = problem(&board) else { continue };
        let Some(list) = found.get_mut(problem.kind) else { continue };
        if list.len() < wanted && known.insert(canonical(&board, &problem.region)) {
            list.push(problem.to_sgf(list.len() + 1));
            eprintln!("{} {}", problem.kind, list.len());
        }
    }
    for (kind, list) in found {
        eprintln!("{kind}: {}", list.len());
        for text in list {
            println!("{text}");
        }
    }
}

/// A small open region with a few stones; all around it stones that live, of one colour or of both.
fn random_position(rng: &mut Rng, aim: &str) -> Option<Board> {
    let size = 7 + rng.below(3);
    let mut board = Board::new(size, size);
    let points: Vec<Vertex> = board.points().collect();
    // A random walk makes the region, often along an edge.
    let wanted = match aim {
        "ladder" | "net" => 13 + rng.below(3),
        "nakade" => 3 + rng.below(4),
        _ => 7 + rng.below(9),
    };
    let mut region = BTreeSet::from([points[rng.below(points.len())]]);
    while region.len() < wanted {
        let from = *region.iter().nth(rng.below(region.len()))?;
        let to = from.neighbors()[rng.below(4)];
        if board.contains(to) {
            region.insert(to);
        }
    }
    // An eye space with a wall around it.
    let space = region.clone();
    if aim == "nakade" {
        region = space
            .iter()
            .flat_map(|v| v.neighbors())
            .filter(|&v| board.contains(v))
            .chain(space.iter().copied())
            .collect();
    }
    let wall = if rng.chance(0.5) { Color::Black } else { Color::White };
    // A line through the board divides what is outside.
    let (angle, shift) = (rng.unit() * std::f32::consts::TAU, (rng.unit() - 0.5) * 8.0);
    let middle = size as f32 / 2.0 - 0.5;
    let side = |v: Vertex| {
        let (x, y) = (v.col() as f32 - middle, v.row() as f32 - middle);
        match aim {
            "nakade" => !wall,
            _ if x * angle.cos() + y * angle.sin() > shift => Color::Black,
            _ => Color::White,
        }
    };
    let owns = |v: Vertex, color: Color| !board.contains(v) || !region.contains(&v) && side(v) == color;
    let mut eyes = BTreeSet::new();
    for color in [Color::Black, Color::White] {
        let homes: Vec<Vertex> = points
            .iter()
            .copied()
            .filter(|&v| owns(v, color) && v.surrounding().into_iter().all(|n| owns(n, color)))
            .collect();
        for _ in 0..2 {
            if !homes.is_empty() {
                eyes.insert(homes[rng.below(homes.len())]);
            }
        }
    }
    let share = match aim {
        "ladder" | "net" | "nakade" => 0.25,
        _ => 0.2 + 0.5 * rng.unit(),
    };
    let mut stones = Vec::new();
    for &v in points.iter().filter(|v| !eyes.contains(v)) {
        if !region.contains(&v) {
            stones.push((v, side(v)));
        } else if aim == "nakade" && !space.contains(&v) {
            if rng.chance(0.95) {
                stones.push((v, wall));
            }
        } else if rng.chance(share) {
            stones.push((v, if rng.chance(0.5) { Color::Black } else { Color::White }));
        }
    }
    board.set_up(&stones).ok()?;
    board.set_to_play(if rng.chance(0.5) && aim != "nakade" { wall } else { !wall });
    // Whatever is open is part of the region.
    unsettled(&board).iter().all(|v| region.contains(v)).then_some(board)
}

/// The positions after each stone that can be played.
fn after_moves(board: &Board) -> impl Iterator<Item = (Board, Vertex)> + '_ {
    moves(board, &unsettled(board)).into_iter().filter_map(|mv| {
        let mut after = board.clone();
        after.play_unchecked(mv);
        Some((after, mv.vertex()?))
    })
}

/// Whether a position has what a rare kind of problem needs, which is quicker to see than to prove.
fn promises(board: &Board, aim: &str) -> bool {
    let me = board.to_play();
    let prey = || {
        board
            .points()
            .filter(|&v| board.is_color(v, !me) && board.chain(v) == v && board.liberty_count(v) == 2)
    };
    let mut reader = LadderReader::new();
    match aim {
        "ladder" => prey()
            .any(|prey| reader.capturing_move(board, prey).is_some_and(|at| steps(board, prey, at) >= 3)),
        "net" => prey().any(|prey| reader.capturing_move(board, prey).is_none()),
        "snapback" => after_moves(board).any(|(after, at)| is_snapback(&after, at, me)),
        "ko" => after_moves(board).any(|(after, _)| board.contains(after.ko())),
        "semeai" | "seki" => {
            let region = unsettled(board);
            let is_weak = |v: Vertex, color: Color| {
                board.is_color(v, color)
                    && region.contains(&v)
                    && board.chain_size(board.chain(v)) >= 2
                    && board.liberty_count(board.chain(v)) <= 4
            };
            region.iter().any(|&v| {
                is_weak(v, me) && v.neighbors().into_iter().any(|n| board.contains(n) && is_weak(n, !me))
            })
        }
        _ => true,
    }
}

struct Problem {
    board: Board,
    region: Vec<Vertex>,
    answer: Move,
    kind: &'static str,
    /// Black's score after the answer and after the next best move.
    scores: (i32, i32),
}

/// The problem that a position is, if one move is better than all others.
fn problem(board: &Board) -> Result<Option<Problem>, TooLarge> {
    let region = unsettled(board);
    if region.iter().filter(|&&v| board.is_empty(v)).count() > 12 {
        return Ok(None);
    }
    let me = board.to_play();
    let best = most(board, &region, me, 0, LIMIT)?;
    let mut mine = Prover::new(&region, me, best, LIMIT);
    let mut answers = Vec::new();
    for mv in moves(board, &region) {
        if mine.holds_after(board, mv, 0)? {
            answers.push(mv);
        }
    }
    let [answer] = answers[..] else { return Ok(None) };
    if answer.is_pass() {
        return Ok(None);
    }
    // All others lose two points at least, proved for the opponent.
    let margin = 2;
    let mut theirs = Prover::new(&region, !me, margin - best, LIMIT);
    for mv in moves(board, &region) {
        if mv != answer && !theirs.holds_after(board, mv, 0)? {
            return Ok(None);
        }
    }
    let mut second = -(board.area() as i32);
    for mv in moves(board, &region).into_iter().filter(|&mv| mv != answer) {
        let mut after = board.clone();
        after.play_unchecked(mv);
        second = second.max(most(&after, &region, me, usize::from(mv.is_pass()), LIMIT)?);
    }
    let Some(kind) = kind(board, &region, answer, best)? else { return Ok(None) };
    let scores = (me.sign() * best, me.sign() * second);
    Ok(Some(Problem { board: board.clone(), region, answer, kind, scores }))
}

/// The end of a line of best play, in which who is to move gets `points`.
fn end(board: &Board, region: &[Vertex], passes: usize) -> Result<Option<Board>, TooLarge> {
    let me = board.to_play();
    let points = most(board, region, me, passes, LIMIT)?;
    let (mut mine, mut theirs) =
        (Prover::new(region, me, points, LIMIT), Prover::new(region, !me, -points, LIMIT));
    let (mut board, mut passes) = (board.clone(), passes);
    for _ in 0..60 {
        if passes == 2 {
            return Ok(Some(board));
        }
        let prover = if board.to_play() == me { &mut mine } else { &mut theirs };
        let mut chosen = None;
        for mv in [Move::PASS].into_iter().chain(moves(&board, region)) {
            if prover.holds_after(&board, mv, passes)? {
                chosen = Some(mv);
                break;
            }
        }
        let Some(mv) = chosen else { return Ok(None) };
        board.play_unchecked(mv);
        passes = if mv.is_pass() { passes + 1 } else { 0 };
    }
    Ok(None)
}

/// What a problem is about.
fn kind(board: &Board, region: &[Vertex], answer: Move, best: i32) -> Result<Option<&'static str>, TooLarge> {
    let (me, at) = (board.to_play(), answer.vertex().unwrap());
    let mut after = board.clone();
    after.play_unchecked(answer);
    let mut passed = board.clone();
    passed.play_unchecked(Move::PASS);
    let (Some(played), Some(left)) = (end(&after, region, 0)?, end(&passed, region, 1)?) else {
        return Ok(None);
    };
    let lost = best - most(&passed, region, me, 1, LIMIT)?;
    // Stones that live in one line and not in the other.
    let fate = |color: Color, end: &Board| {
        board
            .points()
            .filter(|&v| board.is_color(v, color) && end.is_color(v, color))
            .collect::<BTreeSet<_>>()
    };
    let saved = fate(me, &played).difference(&fate(me, &left)).count();
    let killed: Vec<Vertex> = fate(!me, &left).difference(&fate(!me, &played)).copied().collect();

    let ladder_prey = board.points().find(|&v| {
        board.is_color(v, !me)
            && board.chain(v) == v
            && board.liberty_count(v) == 2
            && !played.is_color(v, !me)
    });
    if let Some(prey) = ladder_prey.filter(|_| !killed.is_empty()) {
        let mut reader = LadderReader::new();
        if reader.is_captured_by(board, prey, at) && steps(board, prey, at) >= 3 {
            return Ok(Some("ladder"));
        }
    }
    let touches = |v: Vertex| v.neighbors().into_iter().any(|n| board.is_color(n, !me));
    let caught_loosely = killed.iter().any(|&v| {
        let chain = board.chain(v);
        let liberties = board.liberty_count(chain);
        let next_to = at.neighbors().into_iter().any(|n| board.is_color(n, !me) && board.chain(n) == chain);
        (2..=3).contains(&liberties) && !next_to && after.liberty_count(after.chain(v)) >= 2
    });
    if caught_loosely && !touches(at) {
        return Ok(Some("net"));
    }
    if is_snapback(&after, at, me) {
        return Ok(Some("snapback"));
    }
    let in_seki = |end: &Board| {
        let groups = seki_groups(end, &area_owners(end));
        [Color::Black, Color::White]
            .into_iter()
            .all(|c| end.points().any(|v| groups[v] && end.is_color(v, c)))
    };
    if in_seki(&played) && !in_seki(&left) {
        return Ok(Some("seki"));
    }
    if board.contains(after.ko()) && lost >= 2 {
        return Ok(Some("ko"));
    }
    let inside = space(board, at, !me);
    let is_eye_space = (3..=7).contains(&inside.len())
        && inside.iter().all(|v| {
            v.neighbors()
                .into_iter()
                .all(|n| !board.contains(n) || inside.contains(&n) || board.is_color(n, !me))
        });
    if is_eye_space && killed.len() >= 3 {
        return Ok(Some("nakade"));
    }
    if saved >= 2 && killed.len() >= 2 {
        return Ok(Some("semeai"));
    }
    if saved >= 3 || killed.len() >= 3 {
        return Ok(Some("life and death"));
    }
    Ok((saved == 0 && killed.is_empty()).then_some("endgame"))
}

/// The points around `at` without stones of `color`.
fn space(board: &Board, at: Vertex, color: Color) -> BTreeSet<Vertex> {
    let (mut points, mut open) = (BTreeSet::from([at]), vec![at]);
    while let Some(v) = open.pop() {
        for n in v.neighbors() {
            if board.contains(n) && !board.is_color(n, color) && points.insert(n) {
                open.push(n);
            }
        }
    }
    points
}

/// How often a chain is put in atari until it is captured, if it always extends.
fn steps(board: &Board, prey: Vertex, at: Vertex) -> usize {
    let (mut board, mut at, mut count) = (board.clone(), at, 0);
    let mut reader = LadderReader::new();
    loop {
        if !board.is_legal(at) {
            return 0;
        }
        board.play_unchecked(at.into());
        count += 1;
        let Some(exit) = board.atari(board.chain(prey)) else { return 0 };
        if !board.is_legal(exit) {
            return count;
        }
        board.play_unchecked(exit.into());
        let chain = board.chain(prey);
        if board.liberty_count(chain) < 2 {
            return count;
        }
        match reader.capturing_move(&board, chain) {
            Some(next) if count < 30 => at = next,
            _ => return 0,
        }
    }
}

/// Whether the stone just played is captured, and what captured it taken at once, three stones or more.
fn is_snapback(after: &Board, at: Vertex, me: Color) -> bool {
    let Some(exit) = after.atari(after.chain(at)) else { return false };
    if !after.is_legal(exit) {
        return false;
    }
    let mut taken = after.clone();
    taken.play_unchecked(exit.into());
    let chain = taken.chain(exit);
    taken.is_empty(at)
        && taken.chain_size(chain) >= 3
        && taken.is_atari_at(chain, at)
        && taken.to_play() == me
        && taken.is_legal(at)
}

impl Problem {
    fn to_sgf(&self, number: usize) -> String {
        let komi = (self.scores.0 + self.scores.1) as f32 / 2.0;
        // A half point, so that there is no draw.
        let komi = if komi.fract() == 0.0 { komi + 0.5 * self.board.to_play().sign() as f32 } else { komi };
        let mut rules = Rules::CHINESE;
        rules.komi = komi;
        let game = Game::from_board(self.board.clone(), rules);
        let info = sgf::GameInfo::default();
        let mut record = sgf::Record::from_game(&game, &info);
        let root = record.root();
        record.set_text(root, "GN", &format!("{} {number}", self.kind));
        let height = self.board.height();
        let point = |v: &Vertex| {
            let letter = |n: usize| char::from(b'a' + n as u8);
            format!("{}{}", letter(v.col()), letter(height - 1 - v.row()))
        };
        record.node_mut(root).set("SL", self.region.iter().map(point).collect());
        let answer = record.add_move(root, self.board.to_play(), self.answer);
        record.set_text(answer, "C", "RIGHT");
        record.to_sgf()
    }
}
