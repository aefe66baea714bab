//! Moves that a search is told to leave out, or to keep to (KataGo's `avoidMoves` and `allowMoves`).

use tengen_board::{Color, Move};

/// What the moves of a [`Restriction`] mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestrictionKind {
    /// These moves are not tried.
    Avoid,
    /// Only these moves are tried, even if the search would not consider them by itself.
    Allow,
}

/// A rule about the moves of one player near the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// What the moves mean.
    pub kind: RestrictionKind,
    /// Whose moves.
    pub color: Color,
    /// The moves.
    pub moves: Vec<Move>,
    /// How many moves from the root the rule holds; 1 is the root only.
    pub depth: usize,
}

impl Restriction {
    /// Whether the rule holds for `color` after `depth` moves from the root.
    pub(crate) fn holds(&self, color: Color, depth: usize) -> bool {
        self.color == color && depth < self.depth
    }
}

/// The candidates that the rules leave; `is_playable` tells which allowed moves are legal.
pub(crate) fn permitted(
    rules: &[Restriction],
    (color, depth): (Color, usize),
    mut moves: Vec<Move>,
    is_playable: impl Fn(Move) -> bool,
) -> Vec<Move> {
    for rule in rules.iter().filter(|rule| rule.holds(color, depth)) {
        match rule.kind {
            RestrictionKind::Avoid => moves.retain(|mv| !rule.moves.contains(mv)),
            RestrictionKind::Allow => {
                moves.clone_from(&rule.moves);
                moves.retain(|&mv| is_playable(mv));
            }
        }
    }
    if moves.is_empty() {
        moves.push(Move::PASS);
    }
    moves
}
