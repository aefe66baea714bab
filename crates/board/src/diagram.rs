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
    /// let board = Board::from_diagram(". X . / X . X / . X .").unwrap();
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

    /// Places stones on empty points; Black is to play afterwards. If a point is not empty, or a chain would have no
    /// liberty, the error is that point or a stone of that chain, and the board stays as it was.
    pub fn set_up(&mut self, stones: &[(Vertex, Color)]) -> Result<(), Vertex> {
        // Any order will do. While the set-up is incomplete a chain has a liberty at the place of a stone that is still
        // to come and will join it, or at one that stays empty. So a capture means that the whole is impossible.
        let mut board = self.clone();
        for &(v, color) in stones {
            if !board.is_empty(v) {
                return Err(v);
            }
            board.set_to_play(color);
            let captured = v.neighbors().into_iter().find(|&n| {
                let chain = board.chain_of(n, !color);
                chain != Vertex::NONE && board.is_atari_at(chain, v)
            });
            if let Some(stone) = captured {
                return Err(stone);
            }
            board.play_unchecked(v.into());
            if !board.is_color(v, color) {
                return Err(v);
            }
        }
        board.set_to_play(Color::Black);
        *self = board;
        Ok(())
    }

    /// The board after stones are put on it (`Some`) or taken off (`None`) by hand, whatever was there before. Nothing
    /// is captured, prisoners and turn stay, the ko ends. A stone of a chain without liberties is the error.
    pub fn edited(&self, edits: &[(Vertex, Option<Color>)]) -> Result<Board, Vertex> {
        let mut colors: Vec<_> = self.points().map(|v| (v, self.color_at(v))).collect();
        for &(v, color) in edits {
            if !self.contains(v) {
                return Err(v);
            }
            colors[v.place(self.width())].1 = color;
        }
        let stones: Vec<_> = colors.into_iter().filter_map(|(v, color)| Some((v, color?))).collect();
        let mut board = Board::new(self.width(), self.height());
        board.set_up(&stones)?;
        board.set_prisoners(Color::ALL.map(|color| self.prisoners(color)));
        board.set_to_play(self.to_play());
        Ok(board)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_up_takes_any_order() {
        // White's eye in the corner, the black stones around it placed before and after.
        let board = Board::from_diagram(". O X . / O O X . / X X X . / . . . .").unwrap();
        let stones: Vec<_> =
            board.points().filter_map(|v| board.color_at(v).map(|color| (v, color))).collect();
        for start in 0..stones.len() {
            let mut order = stones.clone();
            order.rotate_left(start);
            let mut again = Board::new(4, 4);
            again.set_up(&order).unwrap();
            assert_eq!(again.hash(), board.hash());
            order.reverse();
            let mut again = Board::new(4, 4);
            again.set_up(&order).unwrap();
            assert_eq!(again.hash(), board.hash());
        }
    }

    #[test]
    fn impossible_set_ups_are_refused() {
        let point = |name: &str| name.parse::<Vertex>().unwrap();
        let mut board = Board::new(3, 3);
        let captured = [("A1", Color::White), ("A2", Color::Black), ("B1", Color::Black)];
        for turn in 0..3 {
            let mut order: Vec<_> = captured.iter().map(|(name, color)| (point(name), *color)).collect();
            order.rotate_left(turn);
            assert_eq!(board.set_up(&order), Err(point("A1")));
        }
        assert_eq!(board.set_up(&[(point("D1"), Color::Black)]), Err(point("D1")));
        assert_eq!(board.set_up(&[(point("B2"), Color::Black); 2]), Err(point("B2")));
        assert_eq!(board.empties().len(), 9, "nothing changed");
    }

    #[test]
    fn edits_keep_prisoners() {
        let mut board = Board::from_diagram("O X . / . . . / . . .").unwrap();
        board.play("A2".parse().unwrap());
        assert_eq!(board.prisoners(Color::Black), 1);
        let corner = "A3".parse().unwrap();
        let edited = board.edited(&[("A2".parse().unwrap(), None), (corner, Some(Color::White))]).unwrap();
        assert_eq!(edited.prisoners(Color::Black), 1);
        assert_eq!(edited.to_play(), Color::White);
        assert_eq!(edited.color_at(corner), Some(Color::White));
        assert_eq!(board.edited(&[(corner, Some(Color::White))]).unwrap_err(), corner);
    }

    #[test]
    fn drawing_and_reading_agree() {
        let board = Board::from_diagram("X . O\n. X .").unwrap();
        assert_eq!(board.draw("B1".parse().unwrap()), "   A B C\n 2 X . O 2\n 1 .(X). 1\n   A B C");
    }
}
