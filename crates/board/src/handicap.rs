//! Where handicap stones go.

use std::fmt;

use crate::{board::Board, vertex::Vertex};

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
pub(crate) fn free_handicap_points(board: &Board, stones: usize) -> Vec<Vertex> {
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

    fn names(points: &[Vertex]) -> String {
        points.iter().map(Vertex::to_string).collect::<Vec<_>>().join(" ")
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
}
