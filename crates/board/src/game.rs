//! A game: a board with its history, rules, handicap and result.

use std::{fmt, str::FromStr};

use crate::{
    board::{Board, IllegalMove, InvalidSize},
    color::Color,
    moves::Move,
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

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// One player won.
    Win {
        /// The winner.
        winner: Color,
        /// Why.
        by: Reason,
    },
    /// Nobody won.
    Draw,
}

/// Why a player won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// More points, by this many.
    Points(f32),
    /// The opponent resigned.
    Resignation,
    /// The opponent ran out of time.
    Time,
    /// The opponent broke the rules or left.
    Forfeit,
    /// A record names the winner only.
    Unknown,
}

impl Outcome {
    /// The outcome of a counted game; `score` is Black's points minus White's.
    pub fn from_score(score: f32) -> Outcome {
        if score == 0.0 {
            return Outcome::Draw;
        }
        let winner = if score > 0.0 { Color::Black } else { Color::White };
        Outcome::Win { winner, by: Reason::Points(score.abs()) }
    }

    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Color> {
        match self {
            Outcome::Win { winner, .. } => Some(*winner),
            Outcome::Draw => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// As in SGF and GTP: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Draw => f.write_str("0"),
            Outcome::Win { winner, by } => {
                write!(f, "{}+", winner.letter())?;
                match by {
                    Reason::Points(points) => write!(f, "{points}"),
                    Reason::Resignation => f.write_str("R"),
                    Reason::Time => f.write_str("T"),
                    Reason::Forfeit => f.write_str("F"),
                    Reason::Unknown => Ok(()),
                }
            }
        }
    }
}

/// The text is not a result such as `B+3.5` or `W+R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOutcomeError(String);

impl fmt::Display for ParseOutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid result {:?}: write B+3.5, W+R (resignation), B+T (time), W+F (forfeit) or 0",
            self.0
        )
    }
}

impl std::error::Error for ParseOutcomeError {}

impl FromStr for Outcome {
    type Err = ParseOutcomeError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseOutcomeError(text.chars().take(40).collect());
        let word = text.trim().to_ascii_lowercase();
        if matches!(word.as_str(), "0" | "draw" | "jigo") {
            return Ok(Outcome::Draw);
        }
        let (winner, by) = word.split_once('+').ok_or_else(error)?;
        let winner = winner.trim().parse().map_err(|_| error())?;
        let by = match by.trim() {
            "" => Reason::Unknown,
            "r" | "res" | "resign" | "resignation" => Reason::Resignation,
            "t" | "time" => Reason::Time,
            "f" | "forfeit" => Reason::Forfeit,
            points => match points.replace(',', ".").parse::<f32>() {
                Ok(points) if points > 0.0 && points.is_finite() => Reason::Points(points),
                Ok(0.0) => return Ok(Outcome::Draw),
                _ => return Err(error()),
            },
        };
        Ok(Outcome::Win { winner, by })
    }
}

/// Why handicap stones cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandicapError {
    /// There are stones on the board already.
    BoardNotEmpty,
    /// This board has no fixed points for so many stones.
    InvalidNumber {
        /// The number asked for.
        stones: usize,
        /// The largest number that this board allows; 0 if it has no handicap points.
        most: usize,
    },
    /// The point is not on the board, or named twice.
    InvalidVertex(Vertex),
}

impl fmt::Display for HandicapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoardNotEmpty => f.write_str("board not empty: clear_board before placing handicap stones"),
            Self::InvalidNumber { stones, most: 0 } => {
                write!(f, "invalid number of handicap stones {stones}: this board has no handicap points")
            }
            Self::InvalidNumber { stones, most } => {
                write!(f, "invalid number of handicap stones {stones}: this board takes 2 to {most}")
            }
            Self::InvalidVertex(v) => write!(f, "invalid handicap point {v}: off the board or named twice"),
        }
    }
}

impl std::error::Error for HandicapError {}

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
    /// The keys of all positions up to the current one, for superko.
    keys: Vec<u64>,
    outcome: Option<Outcome>,
}

impl Game {
    /// A game on an empty board.
    pub fn new(width: usize, height: usize, rules: Rules) -> Result<Game, InvalidSize> {
        Ok(Game::from_board(Board::try_new(width, height)?, rules))
    }

    /// A game that starts from a position.
    pub fn from_board(start: Board, rules: Rules) -> Game {
        let (board, moves, keys) = (start.clone(), Vec::new(), Vec::new());
        let mut game = Game { rules, board, start, handicap: 0, moves, keys, outcome: None };
        game.keys.push(game.current_key());
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

    /// Changes the rules from here on; moves already played stay.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
        let moves = std::mem::take(&mut self.moves);
        self.replay(&moves);
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
        match self.moves.last() {
            Some(last) if color != last.color => {
                let moves = std::mem::take(&mut self.moves);
                self.replay(&moves);
            }
            Some(_) => self.take_turn(color),
            None => {
                self.start.set_to_play(color);
                self.replay(&[]);
            }
        }
    }

    /// The board with `color` to play is a position of its own for situational superko.
    fn take_turn(&mut self, color: Color) {
        if color != self.to_play() {
            self.board.set_to_play(color);
            self.keys.push(self.current_key());
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

    /// Black's handicap stones.
    #[inline]
    pub fn handicap(&self) -> usize {
        self.handicap
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
        score::final_score(&self.board, &self.rules, self.handicap, dead)
    }

    /// Whether the player to move may play, and if not, why. Passing is always allowed.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        self.board.check(mv, self.rules.suicide)?;
        let repeats = |v| self.has_occurred(self.rules.ko.key(self.board.hash_after(v), !self.to_play()));
        if self.rules.ko != KoRule::Simple && mv.vertex().is_some_and(repeats) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Whether a position with this key was on the board before, or is now.
    #[inline]
    pub fn has_occurred(&self, key: u64) -> bool {
        self.keys.contains(&key)
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
        let before = (self.board.clone(), self.keys.len());
        self.take_turn(color);
        self.try_play(mv).inspect_err(|_| {
            self.board = before.0;
            self.keys.truncate(before.1);
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
        self.moves.push(PlayedMove { color: self.to_play(), mv });
        self.board.play_unchecked(mv);
        self.keys.push(self.current_key());
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
        self.moves.clear();
        self.keys.clear();
        self.keys.push(self.current_key());
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
        &self.keys
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

/// The customary handicap points, in the order of the GTP specification (section 4.1.1).
pub fn handicap_points(width: usize, height: usize, stones: usize) -> Result<Vec<Vertex>, HandicapError> {
    let least = width.min(height);
    let most = match (least, width % 2 == 1 && height % 2 == 1) {
        (0..7, _) => 0,
        (7.., true) if least > 7 => 9,
        _ => 4,
    };
    if !(2..=most).contains(&stones) {
        return Err(HandicapError::InvalidNumber { stones, most });
    }
    let edge = |size: usize| if size >= 13 { 3 } else { 2 };
    let (left, bottom) = (edge(width), edge(height));
    let (right, top) = (width - 1 - left, height - 1 - bottom);
    let (center, middle) = (width / 2, height / 2);
    let corners = [(left, bottom), (right, top), (left, top), (right, bottom)];
    let sides = [(left, middle), (right, middle), (center, bottom), (center, top)];
    let mut points: Vec<_> = corners[..stones.min(4)].to_vec();
    if stones >= 6 {
        points.extend(&sides[..if stones >= 8 { 4 } else { 2 }]);
    }
    if stones >= 5 && stones % 2 == 1 {
        points.push((center, middle));
    }
    Ok(points.into_iter().map(|(col, row)| Vertex::new(col, row)).collect())
}

/// The customary points as far as they go, then each time the point farthest from all stones, on the third line or
/// above where there is one.
fn free_handicap_points(board: &Board, stones: usize) -> Vec<Vertex> {
    let (width, height) = (board.width(), board.height());
    let most = (2..=9.min(stones)).rev().find_map(|n| handicap_points(width, height, n).ok());
    let mut points = most.unwrap_or_default();
    while points.len() < stones {
        let line = |v: Vertex| v.col().min(v.row()).min(width - 1 - v.col()).min(height - 1 - v.row());
        let distance = |v: Vertex| points.iter().map(|p| p.manhattan(v)).min().unwrap_or(0);
        let next = board
            .points()
            .filter(|v| !points.contains(v))
            .max_by_key(|&v| (line(v).min(2), distance(v), std::cmp::Reverse(v)))
            .expect("fewer stones than points");
        points.push(next);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Scoring;

    fn vertex(name: &str) -> Vertex {
        name.parse().unwrap()
    }

    fn names(points: &[Vertex]) -> String {
        points.iter().map(Vertex::to_string).collect::<Vec<_>>().join(" ")
    }

    /// White has just captured the stone on B2 with a stone on C2: Black may not retake at once.
    fn ko_fight(rules: Rules) -> Game {
        let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
        let mut game = Game::from_board(board, rules);
        for (color, name) in [(Color::White, "B3"), (Color::Black, "D1")] {
            game.try_play_as(color, vertex(name).into()).unwrap();
        }
        game
    }

    #[test]
    fn fixed_handicap_follows_the_gtp_specification() {
        let points = |size, stones| handicap_points(size, size, stones).map(|points| names(&points));
        assert_eq!(points(19, 2).unwrap(), "D4 Q16");
        assert_eq!(points(19, 3).unwrap(), "D4 Q16 D16");
        assert_eq!(points(19, 5).unwrap(), "D4 Q16 D16 Q4 K10");
        assert_eq!(points(19, 6).unwrap(), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(points(19, 7).unwrap(), "D4 Q16 D16 Q4 D10 Q10 K10");
        assert_eq!(points(19, 9).unwrap(), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(points(9, 4).unwrap(), "C3 G7 C7 G3");
        assert_eq!(points(13, 2).unwrap(), "D4 K10");
        assert!(
            points(8, 5).is_err()
                && points(7, 5).is_err()
                && points(6, 2).is_err()
                && points(19, 10).is_err()
        );
    }

    #[test]
    fn free_handicap_takes_any_number() {
        for (width, height) in [(2, 2), (5, 3), (9, 9), (19, 19)] {
            for stones in 2..(width * height).min(40) {
                let mut game = Game::new(width, height, Rules::CHINESE).unwrap();
                let points = game.place_free_handicap(stones).unwrap();
                assert_eq!((points.len(), game.board().stones(Color::Black)), (stones, stones));
                assert_eq!((game.handicap(), game.to_play()), (stones, Color::White));
            }
        }
        let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
        assert!(game.place_free_handicap(81).is_err() && game.place_free_handicap(1).is_err());
        assert!(game.place_handicap(&[vertex("A1"), vertex("A1")]).is_err());
        assert!(game.place_handicap(&[vertex("A1"), vertex("K1")]).is_err());
        game.place_handicap(&[vertex("A1"), vertex("J9")]).unwrap();
        assert_eq!(game.place_fixed_handicap(2), Err(HandicapError::BoardNotEmpty));
    }

    #[test]
    fn undo_goes_to_any_point() {
        let mut game = Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap();
        game.place_handicap(&[vertex("A1"), vertex("E5")]).unwrap();
        let mut hashes = vec![game.board().hash()];
        for name in ["B1", "C3", "pass", "A2", "pass", "pass"] {
            game.play(name.parse().unwrap());
            hashes.push(game.board().hash());
        }
        assert!(game.is_over() && game.outcome().is_some());
        for count in [6, 5, 2, 0] {
            game.undo_to(count);
            assert_eq!(game.moves().len(), count);
            assert_eq!(game.board().hash(), hashes[count]);
            assert!(count == 6 || !game.is_over());
        }
        assert!(!game.undo());
        assert_eq!((game.handicap(), game.to_play()), (2, Color::White));
    }

    #[test]
    fn simple_ko_survives_a_change_of_turn_and_back() {
        let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
        let mut game = Game::from_board(board, Rules::CHINESE);
        game.try_play_as(Color::White, vertex("B3").into()).unwrap();
        assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
        game.set_to_play(Color::White);
        game.set_to_play(Color::Black);
        assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
        // A refused move out of turn changes nothing.
        assert_eq!(game.try_play_as(Color::White, vertex("B3").into()), Err(IllegalMove::Occupied));
        assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Ko));
    }

    #[test]
    fn superko_remembers_more_than_the_last_move() {
        // Black passes after the ko was taken and gets another turn: only superko forbids taking it back then.
        for (rules, refused) in [(Rules::CHINESE, false), (Rules::CHINESE_SUPERKO, true), (Rules::AGA, true)]
        {
            let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
            let mut game = Game::from_board(board, rules);
            game.set_to_play(Color::White);
            game.play(vertex("B3").into());
            game.play(Move::PASS);
            game.set_to_play(Color::Black);
            let answer = game.check(vertex("C3").into());
            assert_eq!(answer == Err(IllegalMove::Superko), refused, "{rules:?}: {answer:?}");
        }
    }

    #[test]
    fn situational_superko_sees_turns_given_away() {
        let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
        let mut game = Game::from_board(board, Rules::AGA);
        game.play(Move::PASS);
        game.play(vertex("B3").into());
        game.play(Move::PASS);
        game.play(Move::PASS);
        // The same board with White to play was there before.
        assert_eq!(game.check(vertex("C3").into()), Err(IllegalMove::Superko));
        // If the turn had been given to White without a pass, it would be the same.
        let mut again = Game::from_board(game.start().clone(), Rules::AGA);
        again.try_play_as(Color::White, vertex("B3").into()).unwrap();
        again.play(Move::PASS);
        again.play(Move::PASS);
        assert_eq!(again.check(vertex("C3").into()), Err(IllegalMove::Superko));
        again.set_rules(Rules::CHINESE);
        assert_eq!(again.check(vertex("C3").into()), Ok(()));
        again.set_rules(Rules::AGA);
        assert_eq!(again.check(vertex("C3").into()), Err(IllegalMove::Superko));
    }

    #[test]
    fn set_up_in_the_middle_begins_anew() {
        let mut game = ko_fight(Rules::JAPANESE);
        assert_eq!(game.board().prisoners(Color::White), 1);
        game.set_up(&[(vertex("D1"), None), (vertex("A1"), Some(Color::White))]).unwrap();
        assert!(game.moves().is_empty() && game.board().is_empty(vertex("D1")));
        assert_eq!(game.board().prisoners(Color::White), 1);
        assert_eq!(game.set_up(&[(vertex("T19"), None)]), Err(vertex("T19")));
        assert_eq!(game.rules().scoring, Scoring::Territory);
    }

    #[test]
    fn outcomes_round_trip() {
        for text in ["B+3.5", "W+12", "W+R", "B+T", "W+F", "0", "B+"] {
            assert_eq!(text.parse::<Outcome>().unwrap().to_string(), text);
        }
        assert_eq!("w+Resign".parse::<Outcome>().unwrap().to_string(), "W+R");
        assert_eq!("B+0".parse::<Outcome>(), Ok(Outcome::Draw));
        for text in ["", "?", "Void", "B+x", "X+3", "B+NaN", "B+inf", "B+-3", "+"] {
            assert!(text.parse::<Outcome>().is_err(), "{text}");
        }
    }
}
