//! A game: a board with its history, rules, handicap and result.

use std::fmt;

use crate::{
    board::{Board, IllegalMove, InvalidSize},
    color::Color,
    handicap::{HandicapError, free_handicap_points, handicap_points},
    moves::Move,
    outcome::Outcome,
    past::Past,
    rules::{KoRule, Rules},
    score,
    vertex::Vertex,
};

/// A move and who played it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// Who moved. Colours need not alternate.
    pub color: Color,
    /// What was played.
    pub mv: Move,
}

/// A board with its history, rules and result.
///
/// ```
/// use tengen_board::{Game, Rules};
/// let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
/// game.try_play("E5".parse().unwrap()).unwrap();
/// assert_eq!(game.moves().len(), 1);
/// game.undo();
/// assert!(game.moves().is_empty());
/// ```
#[derive(Clone)]
pub struct Game {
    rules: Rules,
    start: Board,
    board: Board,
    handicap: usize,
    moves: Vec<PlayedMove>,
    /// All positions up to the current one, for superko.
    past: Past,
    outcome: Option<Outcome>,
    /// Whether the turn was given away, and the board and the number of keys before that.
    given_away: Option<(Box<Board>, usize)>,
}

impl Game {
    /// A game on an empty board.
    pub fn new(width: usize, height: usize, rules: Rules) -> Result<Game, InvalidSize> {
        Ok(Game::from_board(Board::try_new(width, height)?, rules))
    }

    /// A game that starts from a position.
    pub fn from_board(start: Board, rules: Rules) -> Game {
        let (board, moves, past) = (start.clone(), Vec::new(), Past::new(&start));
        let mut game =
            Game { rules, board, start, handicap: 0, moves, past, outcome: None, given_away: None };
        game.past.push(game.current_key());
        game
    }

    /// The current position.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position before the first move, with handicap and set-up stones.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// The rules.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Changes the rules from here on; moves already played and the turn stay.
    pub fn set_rules(&mut self, rules: Rules) {
        let turn = self.to_play();
        self.rules = rules;
        let moves = std::mem::take(&mut self.moves);
        self.replay(&moves);
        self.set_to_play(turn);
    }

    /// Whose turn it is.
    #[inline]
    pub fn to_play(&self) -> Color {
        self.board.to_play()
    }

    /// Gives the turn to `color`, as if the opponent had passed, though it does not count as a pass. Giving it back
    /// restores a ko that this had ended.
    pub fn set_to_play(&mut self, color: Color) {
        if color == self.to_play() {
            return;
        }
        if self.moves.is_empty() {
            self.start.set_to_play(color);
            self.replay(&[]);
        } else if let Some((board, keys)) = self.given_away.take() {
            self.board = *board;
            self.past.truncate(keys);
        } else {
            self.given_away = Some((Box::new(self.board.clone()), self.past.keys().len()));
            self.take_turn(color);
        }
    }

    /// The board with `color` to play is a position of its own for situational superko.
    fn take_turn(&mut self, color: Color) {
        if color != self.to_play() {
            self.board.set_to_play(color);
            self.past.push(self.current_key());
        }
    }

    /// The moves so far.
    #[inline]
    pub fn moves(&self) -> &[PlayedMove] {
        &self.moves
    }

    /// The last move, if any.
    #[inline]
    pub fn last_move(&self) -> Option<PlayedMove> {
        self.moves.last().copied()
    }

    /// Black's handicap stones, as they were placed before the game.
    #[inline]
    pub fn handicap(&self) -> usize {
        self.handicap
    }

    /// The handicap that White is compensated for: stones that were placed, or that Black played before White's first move, as
    /// some clients send a handicap.
    pub fn compensated_handicap(&self) -> usize {
        let played = self.moves.iter().take_while(|m| m.color == Color::Black && !m.mv.is_pass()).count();
        if played >= 2 { self.handicap.max(played) } else { self.handicap }
    }

    /// Passes in a row up to here.
    pub fn passes(&self) -> usize {
        self.moves.iter().rev().take_while(|m| m.mv.is_pass()).count()
    }

    /// Whether both players have passed, or the outcome is settled.
    pub fn is_over(&self) -> bool {
        self.passes() >= 2 || self.outcome.is_some()
    }

    /// Ends the game with an outcome that the board does not show, such as a resignation.
    pub fn set_outcome(&mut self, outcome: Option<Outcome>) {
        self.outcome = outcome;
    }

    /// The outcome: as set, else after two passes the score with every stone alive, else none.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome.or_else(|| (self.passes() >= 2).then(|| Outcome::from_score(self.score(&[]))))
    }

    /// Black's points minus White's, komi and handicap bonus included, without the `dead` stones.
    pub fn score(&self, dead: &[Vertex]) -> f32 {
        score::final_score(&self.board, &self.rules, self.compensated_handicap(), dead)
    }

    /// Whether the player to move may play, and if not, why. Passing is always allowed.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        self.board.check(mv, self.rules.suicide)?;
        if mv.vertex().is_some_and(|v| self.repeats(v)) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Whether the player to move may play on a point of the board: [`Game::check`] without the reason.
    #[inline]
    pub fn is_legal(&self, v: Vertex) -> bool {
        let board = &self.board;
        let on_board =
            if self.rules.suicide { board.is_empty(v) && v != board.ko() } else { board.is_legal(v) };
        on_board && !self.repeats(v)
    }

    /// Whether superko forbids the player to move the empty point `v`.
    #[inline]
    fn repeats(&self, v: Vertex) -> bool {
        self.rules.ko != KoRule::Simple
            && self
                .past
                .repeats(&self.board, v, || self.rules.ko.key(self.board.hash_after(v), !self.to_play()))
    }

    /// Whether a position with this key was on the board before, or is now.
    #[inline]
    pub fn has_occurred(&self, key: u64) -> bool {
        self.past.contains(key)
    }

    fn current_key(&self) -> u64 {
        self.rules.ko.key(self.board.hash(), self.board.to_play())
    }

    /// Plays for the player to move, or says why not.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays for `color`, whoever's turn it is, or says why not.
    pub fn try_play_as(&mut self, color: Color, mv: Move) -> Result<(), IllegalMove> {
        if color == self.to_play() {
            return self.try_play(mv);
        }
        let before = (self.board.clone(), self.past.keys().len());
        self.take_turn(color);
        self.try_play(mv).inspect_err(|_| {
            self.board = before.0;
            self.past.truncate(before.1);
        })
    }

    /// Puts stones on the board (`Some`) or takes them off (`None`) in the middle of a game. The game begins anew from
    /// the result: earlier moves cannot be taken back and do not count for superko; prisoners, turn and rules stay.
    /// A stone that would have no liberty is the error.
    pub fn set_up(&mut self, edits: &[(Vertex, Option<Color>)]) -> Result<(), Vertex> {
        self.start = self.board.edited(edits)?;
        self.outcome = None;
        self.replay(&[]);
        Ok(())
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// If the move is illegal: for tests and examples.
    pub fn play(&mut self, mv: Move) {
        if let Err(error) = self.try_play(mv) {
            panic!("{} cannot play {mv}: {error}\n{}", self.to_play(), self.board);
        }
    }

    /// Plays a move that the caller knows to be legal.
    pub fn play_unchecked(&mut self, mv: Move) {
        self.given_away = None;
        let color = self.to_play();
        self.moves.push(PlayedMove { color, mv });
        self.board.play_unchecked(mv);
        if let Some(v) = mv.vertex().filter(|&v| self.board.is_color(v, color)) {
            self.past.put(color, v);
        }
        self.past.push(self.current_key());
    }

    /// Takes back the last move. `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(count) = self.moves.len().checked_sub(1) else { return false };
        self.undo_to(count);
        true
    }

    /// Takes back moves until `count` are left (no effect on the moves if there are no more than that).
    pub fn undo_to(&mut self, count: usize) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.truncate(count);
        self.outcome = None;
        self.replay(&moves);
    }

    fn replay(&mut self, moves: &[PlayedMove]) {
        self.board.clone_from(&self.start);
        self.given_away = None;
        self.moves.clear();
        self.past = Past::new(&self.start);
        self.past.push(self.current_key());
        for played in moves {
            self.take_turn(played.color);
            self.play_unchecked(played.mv);
        }
    }

    /// Places `stones` black stones on the customary points (GTP's `fixed_handicap`) and returns them.
    pub fn place_fixed_handicap(&mut self, stones: usize) -> Result<Vec<Vertex>, HandicapError> {
        let points = handicap_points(self.board.width(), self.board.height(), stones)?;
        self.place_handicap(&points)?;
        Ok(points)
    }

    /// Places `stones` black stones on good points (GTP's `place_free_handicap`), any number from 2 up to one less
    /// than the board has points, and returns them.
    pub fn place_free_handicap(&mut self, stones: usize) -> Result<Vec<Vertex>, HandicapError> {
        let most = self.board.area() - 1;
        if !(2..=most).contains(&stones) {
            return Err(HandicapError::InvalidNumber { stones, most });
        }
        let points = free_handicap_points(&self.board, stones);
        self.place_handicap(&points)?;
        Ok(points)
    }

    /// Places black handicap stones on chosen points (GTP's `set_free_handicap`); White is to play.
    pub fn place_handicap(&mut self, points: &[Vertex]) -> Result<(), HandicapError> {
        if self.board.empties().len() != self.board.area() || !self.moves.is_empty() {
            return Err(HandicapError::BoardNotEmpty);
        }
        let most = self.board.area() - 1;
        if !(2..=most).contains(&points.len()) {
            return Err(HandicapError::InvalidNumber { stones: points.len(), most });
        }
        for (i, &v) in points.iter().enumerate() {
            if !self.board.contains(v) || points[..i].contains(&v) {
                return Err(HandicapError::InvalidVertex(v));
            }
        }
        let stones: Vec<_> = points.iter().map(|&v| (v, Color::Black)).collect();
        self.start.set_up(&stones).expect("handicap stones leave an empty point");
        self.start.set_to_play(Color::White);
        self.handicap = points.len();
        self.replay(&[]);
        Ok(())
    }

    /// The keys of all positions so far, for a search that goes on from here.
    pub(crate) fn keys(&self) -> &[u64] {
        self.past.keys()
    }

    /// Says that `stones` of the set-up stones are handicap stones (from an SGF record, for the bonus).
    pub fn set_handicap(&mut self, stones: usize) {
        self.handicap = stones;
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{:?}\n{}", self.rules, self.moves, self.board)
    }
}
