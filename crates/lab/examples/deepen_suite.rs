//! Makes `suites/lines.sgf`: the positions of `suites/tactics.sgf` in which the answer is not the end: after a reply of the opponent
//! again one move is right and all others lose, which is proved.
//!
//!     cargo run --profile test --package tengen-lab --example deepen_suite > suites/lines.sgf

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A tool of developers.

use tengen_board::{Board, Move, Vertex, sgf};
use tengen_lab::suite::prove::{Prover, TooLarge, marked_region, moves};

/// Positions that a proof may look at.
const LIMIT: usize = 300_000;
/// The solver's moves in the longest line.
const MOVES: usize = 5;

fn main() {
    for record in sgf::games(include_str!("../../../suites/tactics.sgf")) {
        let mut record = record.unwrap();
        let root = record.root();
        let game = record.game_at(root).unwrap();
        let board = game.board();
        let region = marked_region(&record, board);
        let needed = (board.to_play().sign() as f32 * game.rules().komi + 0.5) as i32;
        let mut proof = Proof {
            mine: Prover::new(&region, board.to_play(), needed, LIMIT),
            theirs: Prover::new(&region, !board.to_play(), 1 - needed, LIMIT),
            region: &region,
        };
        let Ok(Some(answer)) = proof.only(board) else { continue };
        let line = proof.line(&after(board, answer), MOVES - 1).unwrap_or_default();
        if line.is_empty() {
            continue;
        }
        let first = record.children(root).next().unwrap();
        record.node_mut(first).remove("C");
        let (mut node, mut color) = (first, !board.to_play());
        for mv in line {
            node = record.add_move(node, color, mv);
            color = !color;
        }
        record.set_text(node, "C", "RIGHT");
        println!("{}", record.to_sgf());
    }
}

struct Proof<'a> {
    mine: Prover<'a>,
    theirs: Prover<'a>,
    region: &'a [Vertex],
}

impl Proof<'_> {
    /// The solver's move that wins, if all others are proved to lose.
    fn only(&mut self, board: &Board) -> Result<Option<Move>, TooLarge> {
        let mut only = None;
        for mv in moves(board, self.region) {
            if self.mine.holds_after(board, mv, 0)? {
                if only.replace(mv).is_some() {
                    return Ok(None);
                }
            } else if !self.theirs.holds_after(board, mv, 0)? {
                return Ok(None);
            }
        }
        Ok(only.filter(|mv| !mv.is_pass()))
    }

    /// The longest line of replies and only moves from a position in which the opponent is to move.
    fn line(&mut self, board: &Board, left: usize) -> Result<Vec<Move>, TooLarge> {
        let mut longest = Vec::new();
        for reply in moves(board, self.region).into_iter().filter(|mv| left > 0 && !mv.is_pass()) {
            let replied = after(board, reply);
            let Some(answer) = self.only(&replied)? else { continue };
            let mut line = vec![reply, answer];
            line.extend(self.line(&after(&replied, answer), left - 1)?);
            if line.len() > longest.len() {
                longest = line;
            }
        }
        Ok(longest)
    }
}

fn after(board: &Board, mv: Move) -> Board {
    let mut after = board.clone();
    after.play_unchecked(mv);
    after
}
