//! Whose area each point is, as KataGo's networks see it: what counts if the game ended here, but that stones which cannot
//! live in the opponent's unconditionally safe territory are the opponent's.
//!
//! Such a territory is a region without stones of its owner that borders on unconditionally living chains only (Benson 1976)
//! and has at most one point that touches none of them, so that nobody can make two eyes in it.
//!
//! Where points in seki are taxed, groups that touch a neutral point, or have a stone in atari, own their stones only.

use tengen_board::{Board, Color, Tax, Vertex, VertexMap, area_owners, groups, unconditional_life};

/// The owner of each point.
pub(super) fn owners(board: &Board, suicide_allowed: bool, tax: Tax) -> VertexMap<Option<Color>> {
    let mut owners = area_owners(board);
    for color in Color::ALL {
        if board.stones(color) == 0 {
            continue;
        }
        let alive = unconditional_life(board, color, suicide_allowed).stones;
        let mut seen = VertexMap::filled(false);
        for start in board.points() {
            if seen[start] || board.is_color(start, color) {
                continue;
            }
            let region = region(board, start, color, &mut seen);
            let own = |v: Vertex| v.neighbors().into_iter().filter(|&n| board.is_color(n, color));
            let is_safe = region.iter().all(|&v| own(v).all(|stone| alive[stone]));
            let inner = region.iter().filter(|&&v| own(v).next().is_none()).count();
            if is_safe && inner <= 1 {
                for &v in &region {
                    owners[v] = Some(color);
                }
            }
        }
    }
    if tax != Tax::None {
        tax_seki(board, &mut owners);
    }
    owners
}

/// Takes from groups in seki what is not their stones.
fn tax_seki(board: &Board, owners: &mut VertexMap<Option<Color>>) {
    let before = *owners;
    for group in groups(board, &before) {
        let owner = before[group[0]];
        let is_neutral = |n| board.is_empty(n) && before[n].is_none();
        let in_seki = |&v: &Vertex| {
            let in_atari = board.color_at(v) == owner && board.atari(board.chain(v)).is_some();
            in_atari || v.neighbors().into_iter().any(is_neutral)
        };
        if group.iter().any(in_seki) {
            for &v in group.iter().filter(|&&v| board.color_at(v) != owner) {
                owners[v] = None;
            }
        }
    }
}

/// The points without stones of `color` that are connected with `start`.
fn region(board: &Board, start: Vertex, color: Color, seen: &mut VertexMap<bool>) -> Vec<Vertex> {
    let mut region = vec![start];
    seen[start] = true;
    let mut done = 0;
    while done < region.len() {
        for n in region[done].neighbors() {
            if board.contains(n) && !board.is_color(n, color) && !seen[n] {
                seen[n] = true;
                region.push(n);
            }
        }
        done += 1;
    }
    region
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(diagram: &str) -> String {
        let board = Board::from_diagram(diagram).unwrap();
        let owners = owners(&board, false, Tax::None);
        let rows = (0..board.height()).rev().map(|row| {
            let letter = |col| match owners[Vertex::new(col, row)] {
                Some(Color::Black) => "X",
                Some(Color::White) => "O",
                None => ".",
            };
            (0..board.width()).map(letter).collect::<String>()
        });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stones_in_safe_territory_are_the_opponents() {
        // The white stone at A5 cannot live; the region at the right has too many inner points.
        assert_eq!(
            drawn("O . X . X / . X X X X / X X . . . / . . . . O / . . . . ."),
            "XXXXX XXXXX XX... ....O ....."
        );
        // Without a second eye nothing is safe.
        assert_eq!(
            drawn("O . X X X / . X X . . / X X . . . / . . . . O / . . . . ."),
            "O.XXX .XX.. XX... ....O ....."
        );
    }

    #[test]
    fn open_areas_are_counted_as_they_stand() {
        assert_eq!(drawn(". . . / . X . / . . ."), "XXX XXX XXX");
        assert_eq!(drawn(". . . / X . O / . . ."), "... X.O ...");
        assert_eq!(drawn(". . . / . . . / . . ."), "... ... ...");
    }
}
