//! Boards as text: `.` empty, `X` black, `O` white.

use std::fmt;

use crate::{
    board::Board,
    color::Color,
    moves::Move,
    vertex::{Vertex, column_letter},
};

/// Why a text is not a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseDiagramError {
    /// Rows of different length, or not 2 to 19 rows and columns.
    Shape(String),
    /// A character other than `.`, `X` and `O`.
    Character(char),
    /// A chain without liberties.
    NoLiberties(Vertex),
}

impl fmt::Display for ParseDiagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape(text) => write!(f, "a diagram has 2 to 19 rows of equal length: {text}"),
            Self::Character(c) => write!(f, "a diagram consists of . X O, not {c:?}"),
            Self::NoLiberties(v) => write!(f, "the chain at {v} has no liberties"),
        }
    }
}

impl std::error::Error for ParseDiagramError {}

impl Board {
    /// Reads a diagram: rows from the top, separated by line ends or `/`; spaces do not count. Black is to play.
    ///
    /// ```
    /// use tengen_board::Board;
    /// let board = Board::from_diagram(". X O / X . X / . X .").unwrap();
    /// assert!(board.is_eye("B2".parse().unwrap(), tengen_board::Color::Black));
    /// ```
    pub fn from_diagram(text: &str) -> Result<Board, ParseDiagramError> {
        let rows: Vec<Vec<char>> = text
            .split(['\n', '/'])
            .map(|row| row.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>())
            .filter(|row| !row.is_empty())
            .collect();
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(ParseDiagramError::Shape(text.trim().to_owned()));
        }
        let mut board = Board::try_new(width, rows.len())
            .map_err(|error| ParseDiagramError::Shape(format!("{}: {error}", text.trim())))?;
        let mut stones = Vec::new();
        for (row, line) in rows.iter().rev().enumerate() {
            for (col, c) in line.iter().enumerate() {
                match c {
                    '.' | '+' => {}
                    'X' => stones.push((Vertex::new(col, row), Color::Black)),
                    'O' => stones.push((Vertex::new(col, row), Color::White)),
                    c => return Err(ParseDiagramError::Character(*c)),
                }
            }
        }
        board.set_up(&stones).map_err(ParseDiagramError::NoLiberties)?;
        Ok(board)
    }

    /// Places stones on empty points, whatever the order; Black is to play afterwards. If a chain ends up without
    /// liberties one of its stones is returned as the error, and the board is of no use.
    pub fn set_up(&mut self, stones: &[(Vertex, Color)]) -> Result<(), Vertex> {
        // A chain that is surrounded before the whole set-up is there must not be captured on the way, so chains
        // that have liberties in the end go first: each pass places stones that keep the board legal.
        let mut left = stones.to_vec();
        while !left.is_empty() {
            let before = left.len();
            left.retain(|&(v, color)| {
                self.set_to_play(color);
                let mut trial = self.clone();
                let legal = trial.is_legal(v) && {
                    trial.play_unchecked(v.into());
                    trial.prisoners(color) == self.prisoners(color)
                };
                if legal {
                    *self = trial;
                }
                !legal
            });
            if left.len() == before {
                return Err(left[0].0);
            }
        }
        self.set_to_play(Color::Black);
        Ok(())
    }

    /// Draws the board with coordinates, the last move in parentheses and the star points as `+`.
    pub fn draw(&self, last: Move) -> String {
        let mut text = String::new();
        let letters: String = (0..self.width()).flat_map(|col| [' ', column_letter(col)]).collect();
        text.push_str(&format!("  {letters}\n"));
        for row in (0..self.height()).rev() {
            text.push_str(&format!("{:2}", row + 1));
            let mut follows_last = false;
            for col in 0..self.width() {
                let v = Vertex::new(col, row);
                let is_last = last.vertex() == Some(v);
                text.push(match (is_last, follows_last) {
                    (true, _) => '(',
                    (false, true) => ')',
                    _ => ' ',
                });
                text.push(match self.color_at(v) {
                    Some(Color::Black) => 'X',
                    Some(Color::White) => 'O',
                    None if self.is_star(v) => '+',
                    None => '.',
                });
                follows_last = is_last;
            }
            text.push(if follows_last { ')' } else { ' ' });
            text.push_str(&format!("{}\n", row + 1));
        }
        text.push_str(&format!("  {letters}"));
        text
    }

    /// Whether `v` is a star point (handicap point) of this board.
    pub fn is_star(&self, v: Vertex) -> bool {
        let on_line = |at: usize, size: usize| {
            let edge = if size >= 13 { 3 } else { 2 };
            size >= 7 && (at == edge || at + edge + 1 == size || (size % 2 == 1 && at == size / 2))
        };
        let middle = |at: usize, size: usize| size % 2 == 1 && at == size / 2;
        let (col, row, width, height) = (v.col(), v.row(), self.width(), self.height());
        on_line(col, width)
            && on_line(row, height)
            && (middle(col, width) == middle(row, height) || width.min(height) >= 15)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.draw(Move::PASS))
    }
}
