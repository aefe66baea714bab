//! A position with the history that networks look at.

use std::sync::Arc;

use tengen_board::{Board, Game, KoRule, Move, PlayedMove, Rules, Vertex};

/// The end of a game, and moves that a search has played from there.
#[derive(Clone)]
pub struct History {
    game: Arc<Game>,
    /// The position, the one before the last move, and the one before that; the oldest again where there is none.
    boards: Vec<Board>,
    /// Moves up to the position: at least the last eight, if there are as many.
    moves: Vec<PlayedMove>,
    /// Superko keys of the positions since the end of the game.
    keys: Vec<u64>,
}

/// Moves of the game that are kept.
const KEPT: usize = 8;

impl History {
    /// The end of a game.
    pub fn new(game: &Game) -> History {
        let moves = game.moves();
        let earlier = |back: usize| match moves.len().checked_sub(back) {
            Some(count) => {
                let mut game = game.clone();
                game.undo_to(count);
                game.board().clone()
            }
            None => game.start().clone(),
        };
        History {
            boards: vec![game.board().clone(), earlier(1), earlier(2)],
            moves: moves[moves.len().saturating_sub(KEPT)..].to_vec(),
            keys: Vec::new(),
            game: Arc::new(game.clone()),
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.boards.rotate_right(1);
        let (next, earlier) = self.boards.split_at_mut(1);
        let next = &mut next[0];
        next.clone_from(&earlier[0]);
        self.moves.push(PlayedMove { color: next.to_play(), mv });
        next.play_unchecked(mv);
        let rule = self.game.rules().ko;
        if rule != KoRule::Simple {
            self.keys.push(rule.key(next.hash(), next.to_play()));
        }
    }

    /// The position.
    pub fn board(&self) -> &Board {
        &self.boards[0]
    }

    /// The position so many moves ago, at most two.
    pub(crate) fn board_before(&self, moves: usize) -> &Board {
        &self.boards[moves]
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        self.game.rules()
    }

    /// What White gets on top of the stones and territory, the handicap bonus included.
    pub(crate) fn white_bonus(&self) -> f32 {
        self.rules().komi + self.rules().handicap_bonus.points(self.game.compensated_handicap()) as f32
    }

    /// The last moves, the last one last.
    pub fn moves(&self) -> &[PlayedMove] {
        &self.moves
    }

    /// A key of everything that networks see of the position, but for the rules.
    pub(crate) fn key(&self) -> u64 {
        let board = self.board();
        let mut key = board.to_play().index() as u64;
        let mut mix = |part: u64| key = (key.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.boards.iter().for_each(|board| mix(board.hash()));
        for m in self.moves.iter().rev().take(KEPT) {
            mix((m.mv.vertex_or_none().index() * 2 + m.color.index()) as u64);
        }
        board
            .points()
            .filter(|&v| board.is_empty(v) && self.is_ko_banned(v))
            .for_each(|v| mix(v.index() as u64));
        key ^ (key >> 29)
    }

    /// Whether ko or superko forbids the player to move the empty point `v`.
    pub(crate) fn is_ko_banned(&self, v: Vertex) -> bool {
        let board = self.board();
        if v == board.ko() {
            return true;
        }
        let rule = self.rules().ko;
        if rule == KoRule::Simple {
            return false;
        }
        let key = rule.key(board.hash_after(v), !board.to_play());
        self.keys.contains(&key) || self.game.has_occurred(key)
    }
}
