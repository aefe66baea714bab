//! Counting: the move sequences of a given length (perft), and the legal positions of a board.
//!
//! Both are numbers known from elsewhere, so they prove that moves, captures, ko and superko are right.

use crate::{board::Board, color::Color, game::Game, moves::Move, rules::KoRule, vertex::Vertex};

/// The numbers of sequences of exactly 1, 2, …, `depth` plies from the position of `game`, under its rules.
///
/// Passing is always allowed, and nothing is played after two passes in a row. Positional superko compares the board
/// after a stone with every earlier board; situational superko also compares the player to move, and positions after
/// a pass count as earlier ones.
///
/// ```
/// use tengen_board::{Game, Rules, perft};
/// let game = Game::new(2, 2, Rules::CHINESE).unwrap();
/// assert_eq!(perft(&game, 4), [5, 21, 68, 156]);
/// ```
pub fn perft(game: &Game, depth: usize) -> Vec<u64> {
    let mut counts = vec![0; depth];
    if depth != 0 && !game.is_over() {
        let mut search = Search {
            game,
            boards: vec![game.board().clone(); depth],
            keys: game.keys().to_vec(),
            counts: &mut counts,
        };
        search.count(0, game.passes() == 1);
    }
    counts
}

struct Search<'a> {
    game: &'a Game,
    /// The board before each ply.
    boards: Vec<Board>,
    keys: Vec<u64>,
    counts: &'a mut [u64],
}

impl Search<'_> {
    fn count(&mut self, ply: usize, after_pass: bool) {
        let rules = *self.game.rules();
        let last = ply + 1 == self.counts.len();
        for i in 0..self.boards[ply].empties().len() {
            let board = &self.boards[ply];
            let v = board.empties()[i];
            if board.check(v.into(), rules.suicide).is_err() {
                continue;
            }
            if rules.ko != KoRule::Simple {
                let key = rules.ko.key(board.hash_after(v), !board.to_play());
                if self.keys.contains(&key) {
                    continue;
                }
            }
            self.counts[ply] += 1;
            if !last {
                self.play(ply, v.into(), false);
            }
        }
        self.counts[ply] += 1;
        if !last && !after_pass {
            self.play(ply, Move::PASS, true);
        }
    }

    /// Plays a move and counts what follows.
    fn play(&mut self, ply: usize, mv: Move, is_pass: bool) {
        let (before, after) = self.boards.split_at_mut(ply + 1);
        let after = &mut after[0];
        after.clone_from(&before[ply]);
        after.play_unchecked(mv);
        self.keys.push(self.game.rules().ko.key(after.hash(), after.to_play()));
        self.count(ply + 1, is_pass);
        self.keys.pop();
    }
}

/// The number of positions of a board in which every chain has a liberty. It grows about threefold with each point:
/// 4x4 takes a second or two.
///
/// # Panics
/// If width or height is not from 2 to 19.
///
/// ```
/// assert_eq!(tengen_board::legal_positions(2, 2), 57);
/// ```
pub fn legal_positions(width: usize, height: usize) -> u64 {
    let board = Board::new(width, height);
    let points: Vec<_> = board.points().collect();
    let mut boards = vec![board; points.len()];
    fill(&mut boards, &points)
}

/// Decides point after point whether it stays empty. While points are open they are liberties, so a stone that captures
/// (itself or others) can be part of no legal position, and what is left in the end is legal.
fn fill(boards: &mut [Board], points: &[Vertex]) -> u64 {
    let Some((&v, later)) = points.split_first() else { return 1 };
    let Some((board, rest)) = boards.split_first_mut() else { return 1 };
    let fits = Color::ALL.map(|color| {
        board.set_to_play(color);
        board.is_legal(v)
            && !v.neighbors().into_iter().any(|n| {
                let chain = board.chain_of(n, !color);
                chain != Vertex::NONE && board.is_atari_at(chain, v)
            })
    });
    if later.is_empty() {
        return 1 + fits.into_iter().filter(|&fits| fits).count() as u64;
    }
    rest[0].clone_from(board);
    let mut count = fill(rest, later);
    for color in Color::ALL.into_iter().filter(|color| fits[color.index()]) {
        rest[0].clone_from(board);
        rest[0].set_to_play(color);
        rest[0].play_unchecked(v.into());
        count += fill(rest, later);
    }
    count
}
