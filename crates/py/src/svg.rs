//! Boards as pictures, for notebooks.

use std::fmt::Write;

use tengen_board::{Board, Color, Move, Vertex, VertexMap, column_letter};

/// Distance between lines.
const CELL: usize = 28;
/// Room for the coordinates.
const MARGIN: usize = 34;

/// What is drawn over a position.
#[derive(Default)]
pub(crate) struct Overlay<'a> {
    /// Each point's owner, from −1 (White) to 1 (Black).
    pub(crate) owners: Option<&'a VertexMap<f32>>,
    /// Empty points with how strongly they are marked, from 0 to 1, and what is written there.
    pub(crate) moves: Vec<(Vertex, f32, String)>,
}

/// A position as an SVG picture, the last move marked.
pub(crate) fn draw(board: &Board, last: Move, over: &Overlay<'_>) -> String {
    let (columns, rows) = (board.width() - 1, board.height() - 1);
    let (width, height) = (columns * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN);
    let x = |col: usize| MARGIN + col * CELL;
    let y = |row: usize| MARGIN + (rows - row) * CELL;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#e3b96b\"/><g stroke=\"#5a4522\">"
    );
    let mut put = |text: std::fmt::Arguments<'_>| svg.write_fmt(text).expect("a string takes everything");
    for col in 0..=columns {
        put(format_args!("<path d=\"M{} {}V{}\"/>", x(col), y(rows), y(0)));
    }
    for row in 0..=rows {
        put(format_args!("<path d=\"M{} {}H{}\"/>", x(0), y(row), x(columns)));
    }
    put(format_args!("</g><g fill=\"#5a4522\">"));
    for col in 0..=columns {
        let letter = column_letter(col);
        put(format_args!(
            "<text x=\"{0}\" y=\"13\">{letter}</text><text x=\"{0}\" y=\"{1}\">{letter}</text>",
            x(col),
            height - 5
        ));
    }
    for row in 0..=rows {
        let (middle, number) = (y(row) + 4, row + 1);
        put(format_args!(
            "<text x=\"9\" y=\"{middle}\">{number}</text><text x=\"{}\" y=\"{middle}\">{number}</text>",
            width - 9
        ));
    }
    let circle = |v: Vertex| format!("<circle cx=\"{}\" cy=\"{}\"", x(v.col()), y(v.row()));
    for v in board.points().filter(|&v| board.is_star(v) && board.is_empty(v)) {
        put(format_args!("{} r=\"3\"/>", circle(v)));
    }
    put(format_args!("</g>"));
    for v in board.points() {
        let Some(color) = board.color_at(v) else { continue };
        let (fill, mark) = if color == Color::Black { ("#111", "#fff") } else { ("#fff", "#111") };
        put(format_args!("{} r=\"13\" fill=\"{fill}\" stroke=\"#111\"/>", circle(v)));
        if last.vertex() == Some(v) {
            put(format_args!("{} r=\"6\" fill=\"none\" stroke=\"{mark}\" stroke-width=\"2\"/>", circle(v)));
        }
    }
    for v in board.points() {
        let owner = over.owners.map_or(0.0, |owners| owners[v]);
        let (fill, side) = (if owner > 0.0 { "#111" } else { "#fff" }, 10.0 * owner.abs());
        if side >= 1.0 {
            let (left, top) = (x(v.col()) as f32 - side / 2.0, y(v.row()) as f32 - side / 2.0);
            put(format_args!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" \
                 fill=\"{fill}\" stroke=\"#888\" stroke-width=\"0.5\"/>"
            ));
        }
    }
    for (v, strength, text) in &over.moves {
        put(format_args!("{} r=\"13\" fill=\"#2a6fdb\" fill-opacity=\"{strength:.2}\"/>", circle(*v)));
        put(format_args!("<text x=\"{}\" y=\"{}\" fill=\"#fff\">{text}</text>", x(v.col()), y(v.row()) + 4));
    }
    svg + "</svg>"
}
