//! Points and moves as Python writes them: `"E4"`, `(row, column)` or a flat index, row 0 being the top row.

use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyBytes},
};
use tengen_board::{Board, Color, Move, ParseVertexError};
use tengen_lab::environment::{action_of, move_of};

const HOW: &str = "write \"E4\", \"pass\", (row, column) or row * columns + column, row 0 being the top row";

/// Reads a move, which need not be legal but is on the board.
pub(crate) fn read_move(board: &Board, move_: &Bound<'_, PyAny>) -> PyResult<Move> {
    let off_board = |shown: &str| {
        let (rows, columns) = (board.height(), board.width());
        PyValueError::new_err(format!("{shown} is not on the board of {rows} rows and {columns} columns"))
    };
    if let Ok(text) = move_.extract::<&str>() {
        let mv: Move = text
            .trim()
            .parse()
            .map_err(|error: ParseVertexError| PyValueError::new_err(error.to_string()))?;
        return match mv.vertex() {
            Some(v) if !board.contains(v) => Err(off_board(text.trim())),
            _ => Ok(mv),
        };
    }
    // Both would pass for whole numbers.
    if move_.is_instance_of::<PyBool>() || move_.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("{} is not a move: {HOW}", shown(move_))));
    }
    let action = if let Ok(action) = move_.extract::<i64>() {
        usize::try_from(action).ok()
    } else {
        let pair: Vec<i64> = move_
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("{} is not a move: {HOW}", shown(move_))))?;
        let [row, column] = pair[..] else {
            return Err(PyValueError::new_err(format!("{} is not a move: {HOW}", shown(move_))));
        };
        let inside = |n: i64, end: usize| usize::try_from(n).ok().filter(|n| *n < end);
        inside(row, board.height())
            .zip(inside(column, board.width()))
            .map(|(row, column)| row * board.width() + column)
    };
    action.and_then(|action| move_of(board, action)).ok_or_else(|| off_board(&shown(move_)))
}

/// A value as an error message shows it.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 60;
    let text = value.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// The flat index of a move.
pub(crate) fn index(board: &Board, mv: Move) -> usize {
    action_of(board, mv)
}

/// A colour: 1 black, 2 white.
pub(crate) fn number(color: Color) -> u8 {
    1 + color.index() as u8
}
