//! Ladders as KataGo's networks were shown them.
//!
//! Not the engine's reader: that one is cautious and fast, this one gives KataGo's answers, with its limits and its way with
//! kos, because a network expects what it was trained with. The owner of a chain may extend it or capture attackers in atari;
//! the attacker may only put it in atari again.
//!
//! - Three liberties are free, and so is a chain whose attacker has just taken a ko. Ko is forgotten before the owner's first
//!   move.
//! - A chain whose two liberties are both kos for the attacker is caught, if nothing gains it liberties.
//! - A sequence longer than one and a half times the board is caught; after 25,000 moves the answer is "free".

use tengen_board::{Board, Color, Vertex};
use tengen_engine::reading::{
    ladder::{attackers_in_atari, escapes_at_once},
    tactics::{Few, liberties_after},
};

/// Moves that may be played for one question.
const MAX_MOVES: usize = 25_000;

/// Reads ladders. It owns the boards that it reads on.
#[derive(Debug, Default)]
pub(super) struct LadderReader {
    boards: Vec<Board>,
    moves: usize,
}

/// The chain in question.
#[derive(Clone, Copy)]
struct Prey {
    stone: Vertex,
    color: Color,
}

impl LadderReader {
    /// Whether a chain in atari is captured though its owner moves first.
    pub(super) fn is_doomed(&mut self, board: &Board, chain: Vertex) -> bool {
        let Some(color) = board.color_at(chain) else { return false };
        let prey = Prey { stone: chain, color };
        self.begin(board);
        self.turn_to(color);
        self.is_captured_on_own_turn(0, 0, prey)
    }

    /// Whether a chain with two liberties is captured if the opponent plays `at`, one of them, and `other` is the other one.
    pub(super) fn is_captured_by(&mut self, board: &Board, chain: Vertex, at: Vertex, other: Vertex) -> bool {
        let Some(color) = board.color_at(chain) else { return false };
        let prey = Prey { stone: chain, color };
        if at == board.ko() || escapes_at_once(board, color, at, other) {
            return false;
        }
        self.begin(board);
        self.turn_to(!color);
        if !self.boards[0].is_legal(at) {
            return false;
        }
        self.boards[0].play_unchecked(at.into());
        self.turn_to(color);
        self.is_captured_on_own_turn(0, 0, prey)
    }

    fn begin(&mut self, board: &Board) {
        self.moves = 0;
        match self.boards.first_mut() {
            Some(first) => first.clone_from(board),
            None => self.boards.push(board.clone()),
        }
    }

    /// Gives the turn to `color` on the first board, and forgets a ko there.
    fn turn_to(&mut self, color: Color) {
        self.boards[0].set_to_play(!color);
        self.boards[0].set_to_play(color);
    }

    /// Plays a legal move on board `on`, or on a copy of it if it is still needed; the index of the board after it.
    fn play(&mut self, on: usize, v: Vertex, is_last: bool) -> usize {
        self.moves += 1;
        let mut after = on;
        if !is_last {
            after += 1;
            if after == self.boards.len() {
                let copy = self.boards[on].clone();
                self.boards.push(copy);
            } else {
                let (from, to) = self.boards.split_at_mut(after);
                to[0].clone_from(&from[on]);
            }
        }
        self.boards[after].play_unchecked(v.into());
        after
    }

    /// The owner is to move on board `on`, which is used up.
    fn is_captured_on_own_turn(&mut self, on: usize, depth: usize, prey: Prey) -> bool {
        let board = &self.boards[on];
        let Some(liberty) = board.atari(board.chain(prey.stone)) else { return false };
        if board.ko() != Vertex::NONE || self.moves >= MAX_MOVES {
            return false;
        }
        if depth + 1 >= max_depth(board) {
            return true;
        }
        let extended = liberties_after::<3>(board, liberty, prey.color).len();
        if extended >= 3 {
            return false;
        }
        let mut choices = Few::<16>::new();
        let attackers = attackers_in_atari::<16>(board, prey.stone, prey.color);
        let captures = attackers.iter().filter_map(|&attacker| board.atari(attacker));
        captures.filter(|&v| board.is_legal(v)).for_each(|v| choices.add(v));
        // With a single liberty it would be captured on the next move.
        if extended == 2 {
            choices.add(liberty);
        }
        let last = choices.len().saturating_sub(1);
        choices.iter().enumerate().all(|(i, &choice)| {
            let after = self.play(on, choice, i == last);
            self.is_captured_on_attackers_turn(after, depth + 1, prey)
        })
    }

    /// The attacker is to move on board `on`, which is used up.
    fn is_captured_on_attackers_turn(&mut self, on: usize, depth: usize, prey: Prey) -> bool {
        let board = &self.boards[on];
        let chain = board.chain(prey.stone);
        let liberties = board.liberties::<3>(chain);
        let (a, b) = match liberties[..] {
            [] | [_] => return true,
            [a, b] => (a, b),
            _ => return false,
        };
        if self.moves >= MAX_MOVES {
            return false;
        }
        if depth + 1 >= max_depth(board) || is_double_ko(board, prey, [a, b]) {
            return true;
        }
        let hopeful = |x, y| board.is_legal(x) && !escapes_at_once(board, prey.color, x, y);
        let mut choices = Few::<2>::new();
        [(a, b), (b, a)].into_iter().filter(|&(x, y)| hopeful(x, y)).for_each(|(x, _)| choices.add(x));
        let last = choices.len().saturating_sub(1);
        choices.iter().enumerate().any(|(i, &choice)| {
            let after = self.play(on, choice, i == last);
            self.is_captured_on_own_turn(after, depth + 1, prey)
        })
    }
}

fn max_depth(board: &Board) -> usize {
    board.area() * 3 / 2
}

/// Whether both liberties are kos that the attacker takes, and the owner gains nothing by filling one or by capturing.
fn is_double_ko(board: &Board, prey: Prey, liberties: [Vertex; 2]) -> bool {
    liberties.into_iter().all(|v| {
        board.empty_neighbors(v) == 0
            && is_ko_capture(board, v, !prey.color)
            && liberties_after::<3>(board, v, prey.color).len() <= 2
    }) && attackers_in_atari::<1>(board, prey.stone, prey.color).is_empty()
}

/// Whether a stone of `color` on `v` would take a single stone and stand where it can be taken back at once.
fn is_ko_capture(board: &Board, v: Vertex, color: Color) -> bool {
    if !board.is_surrounded(v, !color) {
        return false;
    }
    let mut captured = Few::<4>::new();
    for n in v.neighbors() {
        let enemy = board.chain_of(n, !color);
        if enemy != Vertex::NONE && board.is_atari_at(enemy, v) {
            captured.add(enemy);
        }
    }
    matches!(captured[..], [chain] if board.chain_size(chain) == 1)
}
