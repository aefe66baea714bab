//! A position with the history that networks look at.

use std::sync::Arc;

use tengen_board::{
    Board, Color, Game, IllegalMove, KoRule, Move, PlayedMove, Rules, Scoring, Vertex, zobrist,
};

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
    passes: Passes,
}

/// Passes, and what they end.
#[derive(Clone, Default)]
struct Passes {
    /// Passes in a row up to the position.
    in_a_row: usize,
    /// The positions in which somebody passed, told apart by whose turn it was.
    situations: Vec<u64>,
    /// Whether the last move ended the game.
    ended: bool,
    /// Moves that belong together: all of them, unless play went on after an end.
    turns: usize,
}

impl Passes {
    fn situation(board: &Board) -> u64 {
        board.hash() ^ if board.to_play() == Color::White { zobrist::WHITE_TO_PLAY } else { 0 }
    }

    /// Whether passing ends the game because the player has passed in the same situation before.
    fn repeats(&self, board: &Board, rules: &Rules) -> bool {
        rules.ko == KoRule::Simple && self.situations.contains(&Passes::situation(board))
    }

    fn note(&mut self, before: &Board, mv: Move, rules: &Rules) {
        if std::mem::take(&mut self.ended) {
            self.turns = self.turns.min(1);
        }
        self.turns += 1;
        if mv.is_pass() {
            self.ended = self.in_a_row > 0 || self.repeats(before, rules);
            self.in_a_row += 1;
            self.situations.push(Passes::situation(before));
        } else {
            self.in_a_row = 0;
        }
    }
}

/// Moves of the game that are kept.
const KEPT: usize = 8;

impl History {
    /// The end of a game.
    pub fn new(game: &Game) -> History {
        let mut boards = vec![game.start().clone(); 3];
        let mut passes = Passes::default();
        for m in game.moves() {
            let mut board = boards[0].clone();
            board.set_to_play(m.color);
            passes.note(&board, m.mv, game.rules());
            board.play_unchecked(m.mv);
            boards.rotate_right(1);
            boards[0] = board;
        }
        boards[0].clone_from(game.board());
        let moves = game.moves();
        History {
            boards,
            moves: moves[moves.len().saturating_sub(KEPT)..].to_vec(),
            keys: Vec::new(),
            passes,
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
        self.passes.note(next, mv, self.game.rules());
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

    /// What White gets by the time of this position, as KataGo counts: under territory scoring a point more for each stone that
    /// Black has played, a point less for each of White's, as if area were counted.
    pub(crate) fn white_bonus_so_far(&self) -> f32 {
        let board = self.board();
        let played = |color: Color| (board.stones(color) + board.prisoners(!color)) as f32;
        match self.rules().scoring {
            Scoring::Area => self.white_bonus(),
            Scoring::Territory => self.white_bonus() + played(Color::Black) - played(Color::White),
        }
    }

    /// Whether a pass would end the game.
    pub(crate) fn pass_would_end(&self) -> bool {
        self.passes.in_a_row > 0 || self.repeats_pass()
    }

    /// Whether it would because the player has passed in this situation before.
    pub(crate) fn repeats_pass(&self) -> bool {
        self.passes.repeats(self.board(), self.rules())
    }

    /// Passes in a row up to the position.
    pub(crate) fn passes(&self) -> usize {
        self.passes.in_a_row
    }

    /// How many of the last moves belong to the game that is going on: only one if it has just ended.
    pub(crate) fn turns(&self) -> usize {
        if self.passes.ended { self.passes.turns.min(1) } else { self.passes.turns }
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
        if !self.passes.situations.is_empty() {
            mix((self.turns().min(KEPT) * 2 + self.pass_would_end() as usize) as u64);
        }
        if self.rules().scoring == Scoring::Territory {
            mix(u64::from(self.white_bonus_so_far().to_bits()));
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
        if rule == KoRule::Simple || is_forbidden_suicide(board, v, self.rules().suicide) {
            return false;
        }
        let key = rule.key(board.hash_after(v), !board.to_play());
        self.keys.contains(&key) || self.game.has_occurred(key)
    }
}

/// Whether the player to move would take off stones of their own by the empty point `v`, and may not: nobody may take off a
/// single stone, which would be a pass.
pub(crate) fn is_forbidden_suicide(board: &Board, v: Vertex, suicide_allowed: bool) -> bool {
    board.check(v.into(), false) == Err(IllegalMove::Suicide)
        && !(suicide_allowed && board.stone_neighbors(v, board.to_play()) > 0)
}
