//! A position before a mistake as a picture: the move played drawn faintly, the better line numbered.

use tengen_board::{Board, Color, Game, Move, Vertex, column_letter};

use super::ReviewedMove;

/// Pixels between two lines.
const CELL: usize = 24;
/// Moves of the better line that are shown.
const LINE: usize = 8;

/// The picture as SVG.
pub(super) fn diagram(game: &Game, m: &ReviewedMove) -> String {
    let board = game.board();
    let (width, height) = ((board.width() + 1) * CELL, (board.height() + 1) * CELL);
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"{} {} {}, better {}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#e9c27c\"/>\n",
        m.color, m.number, m.played, m.best
    );
    grid(board, &mut svg);
    for v in board.points() {
        if let Some(color) = board.color_at(v) {
            svg += &stone(board, v, color, 1.0);
        }
    }
    if let Some(v) = game.last_move().and_then(|last| last.mv.vertex()) {
        let (x, y) = at(board, v);
        svg += &format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"none\" stroke=\"#888\" stroke-width=\"2\"/>\n"
        );
    }
    if let Some(v) = m.played.vertex() {
        let (x, y) = at(board, v);
        svg += &stone(board, v, m.color, 0.45);
        svg += &format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\"/>\n",
            CELL / 2 - 2,
            m.class.color()
        );
    }
    let mut seen: Vec<Move> = vec![m.played];
    let mut color = m.color;
    for (i, &mv) in m.pv.iter().take(LINE).enumerate() {
        if let Some(v) = mv.vertex().filter(|_| !seen.contains(&mv)) {
            let (x, y) = at(board, v);
            let ink = if color == Color::Black { "#fff" } else { "#000" };
            svg += &stone(board, v, color, 0.9);
            svg += &format!("<text x=\"{x}\" y=\"{}\" fill=\"{ink}\">{}</text>\n", y + 4, i + 1);
        }
        seen.push(mv);
        color = !color;
    }
    svg + "</svg>\n"
}

/// The middle of a point.
fn at(board: &Board, v: Vertex) -> (usize, usize) {
    (CELL + v.col() * CELL, (board.height() - v.row()) * CELL)
}

fn stone(board: &Board, v: Vertex, color: Color, opacity: f32) -> String {
    let (x, y) = at(board, v);
    let fill = if color == Color::Black { "#111" } else { "#fff" };
    let r = CELL / 2 - 1;
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" stroke=\"#333\" opacity=\"{opacity}\"/>\n"
    )
}

/// Lines, star points and coordinates.
fn grid(board: &Board, svg: &mut String) {
    let (right, bottom) = (board.width() * CELL, board.height() * CELL);
    let mut path = String::new();
    for column in 1..=board.width() {
        path += &format!("M{0} {CELL}V{bottom}", column * CELL);
    }
    for row in 1..=board.height() {
        path += &format!("M{CELL} {0}H{right}", row * CELL);
    }
    *svg += &format!("<path d=\"{path}\" stroke=\"#5a4420\" fill=\"none\"/>\n");
    for v in board.points().filter(|&v| board.is_star(v)) {
        let (x, y) = at(board, v);
        *svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#5a4420\"/>\n");
    }
    for column in 0..board.width() {
        let (x, _) = at(board, Vertex::new(column, 0));
        *svg += &format!(
            "<text class=\"c\" x=\"{x}\" y=\"{}\">{}</text>\n",
            bottom + CELL - 6,
            column_letter(column)
        );
    }
    for row in 0..board.height() {
        let (_, y) = at(board, Vertex::new(0, row));
        *svg += &format!("<text class=\"c\" x=\"7\" y=\"{}\">{}</text>\n", y + 4, row + 1);
    }
}
