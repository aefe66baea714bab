//! The board in a terminal: in colour, in plain Unicode, or in ASCII for pipes and old terminals.

use std::{
    env,
    io::{self, IsTerminal},
};

use clap::ValueEnum;
use tengen_board::{Board, Color, Move, Vertex, column_letter};

const RESET: &str = "\x1b[0m";
/// Wooden background, brown lines.
const WOOD: &str = "\x1b[48;5;179m\x1b[38;5;94m";
const BLACK: &str = "\x1b[38;5;16m";
const WHITE: &str = "\x1b[38;5;231m";
const MARK: &str = "\x1b[1;38;5;160m";

/// How the board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BoardStyle {
    /// Colour on a terminal, ASCII elsewhere
    Auto,
    /// `X` and `O`
    Ascii,
    /// `●` and `○` on lines
    Unicode,
    /// Stones on a wooden board
    Color,
}

impl BoardStyle {
    /// Settles `Auto` by what stdout and the environment allow.
    pub(crate) fn resolve(self) -> BoardStyle {
        if self != BoardStyle::Auto {
            return self;
        }
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !io::stdout().is_terminal() || is_dumb {
            BoardStyle::Ascii
        } else if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            BoardStyle::Unicode
        } else {
            BoardStyle::Color
        }
    }

    /// What stands for a stone in the text around the board.
    pub(crate) fn stone(self, color: Color) -> &'static str {
        match (self, color) {
            (BoardStyle::Auto | BoardStyle::Ascii, Color::Black) => "X",
            (BoardStyle::Auto | BoardStyle::Ascii, Color::White) => "O",
            (BoardStyle::Unicode, Color::Black) => "●",
            (BoardStyle::Unicode, Color::White) => "○",
            (BoardStyle::Color, Color::Black) => "\x1b[48;5;179m\x1b[38;5;16m ● \x1b[0m",
            (BoardStyle::Color, Color::White) => "\x1b[48;5;179m\x1b[38;5;231m ● \x1b[0m",
        }
    }

    /// Draws the board with coordinates and the last move in parentheses.
    pub(crate) fn draw(self, board: &Board, last: Move) -> String {
        match self {
            BoardStyle::Auto | BoardStyle::Ascii => board.draw(last),
            BoardStyle::Unicode => draw_lines(board, last, false),
            BoardStyle::Color => draw_lines(board, last, true),
        }
    }
}

fn draw_lines(board: &Board, last: Move, is_colored: bool) -> String {
    let paint = |code: &'static str| if is_colored { code } else { "" };
    let letters: String = (0..board.width()).flat_map(|col| [' ', column_letter(col)]).collect();
    let mut text = format!("  {letters}\n");
    for row in (0..board.height()).rev() {
        text.push_str(&format!("{:2}{}", row + 1, paint(WOOD)));
        for col in 0..=board.width() {
            let is_last = |col: usize| last.vertex() == Some(Vertex::new(col, row));
            // Column by column: what stands left of the point, then the point.
            let (mark, between) = match col {
                _ if col < board.width() && is_last(col) => (true, '('),
                _ if col > 0 && is_last(col - 1) => (true, ')'),
                _ if col == 0 || col == board.width() => (false, ' '),
                _ => (false, '─'),
            };
            if mark {
                text.push_str(&format!("{}{between}{}", paint(MARK), paint("\x1b[22m\x1b[38;5;94m")));
            } else {
                text.push(between);
            }
            if col < board.width() {
                push_point(&mut text, board, Vertex::new(col, row), is_colored);
            }
        }
        text.push_str(&format!("{}{}\n", paint(RESET), row + 1));
    }
    text + &format!("  {letters}")
}

fn push_point(text: &mut String, board: &Board, v: Vertex, is_colored: bool) {
    match (board.color_at(v), is_colored) {
        (Some(Color::Black), false) => text.push('●'),
        (Some(Color::White), false) => text.push('○'),
        (Some(Color::Black), true) => text.push_str(&format!("{BLACK}●{WOOD}")),
        (Some(Color::White), true) => text.push_str(&format!("{WHITE}●{WOOD}")),
        (None, _) => text.push(crossing(board, v)),
    }
}

/// The lines that cross on an empty point.
fn crossing(board: &Board, v: Vertex) -> char {
    if board.is_star(v) {
        return '╋';
    }
    let across = (v.col() > 0) as usize + 2 * (v.col() + 1 < board.width()) as usize;
    match (v.row() > 0, v.row() + 1 < board.height()) {
        (true, true) => [' ', '┤', '├', '┼'][across],
        (true, false) => [' ', '┐', '┌', '┬'][across],
        _ => [' ', '┘', '└', '┴'][across],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stones_and_the_last_move_are_drawn() {
        let mut board = Board::new(5, 3);
        for point in ["B2", "E3", "A1"] {
            board.play(point.parse().unwrap());
        }
        let text = BoardStyle::Unicode.draw(&board, "A1".parse().unwrap());
        let expected = ["   A B C D E", " 3 ┌─┬─┬─┬─○ 3", " 2 ├─●─┼─┼─┤ 2", " 1(●)┴─┴─┴─┘ 1", "   A B C D E"];
        assert_eq!(text, expected.join("\n"));
        assert_eq!(BoardStyle::Ascii.draw(&board, Move::PASS), board.to_string());
    }
}
