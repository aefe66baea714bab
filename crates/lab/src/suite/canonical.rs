//! Whether two problems are the same but for a symmetry, the colours, or their place on the board.

use std::collections::BTreeSet;

use tengen_board::{Board, Symmetry, Vertex};

/// The same text for regions, with what is next to them, that differ by a symmetry, by colours or by a shift.
pub fn canonical(board: &Board, region: &[Vertex]) -> String {
    let (width, height) = (board.width(), board.height());
    let me = board.to_play();
    let shown: BTreeSet<Vertex> = region.iter().flat_map(|v| v.neighbors().into_iter().chain([*v])).collect();
    let texts = Symmetry::ALL.into_iter().map(|symmetry| {
        let mut cells: Vec<(usize, usize, char)> = Vec::new();
        for &v in shown.iter().filter(|&&v| board.contains(v)) {
            let to = symmetry.vertex(v, width, height);
            let is_open = region.contains(&v);
            let letter = match board.color_at(v) {
                None => 'e',
                Some(color) if color == me => {
                    if is_open {
                        'm'
                    } else {
                        'M'
                    }
                }
                Some(_) => {
                    if is_open {
                        'o'
                    } else {
                        'O'
                    }
                }
            };
            cells.push((to.row(), to.col(), letter));
        }
        let top = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
        let left = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
        cells.sort_unstable();
        let text = |(row, col, letter): &(usize, usize, char)| format!("{}{}{letter}", row - top, col - left);
        cells.iter().map(text).collect::<Vec<_>>().concat()
    });
    texts.min().unwrap_or_default()
}
