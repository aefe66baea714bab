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
    let of = |kind| rules.iter().filter(move |rule| rule.kind == kind && rule.holds(color, depth));
    if of(RestrictionKind::Allow).next().is_some() {
        moves.clear();
        for &mv in of(RestrictionKind::Allow).flat_map(|rule| &rule.moves) {
            if is_playable(mv) && !moves.contains(&mv) {
                moves.push(mv);
            }
        }
    }
    moves.retain(|mv| !of(RestrictionKind::Avoid).any(|rule| rule.moves.contains(mv)));
    if moves.is_empty() {
        moves.push(Move::PASS);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_several_rules_allow_are_all_allowed() {
        let mv = |name: &str| name.parse::<Move>().unwrap();
        let rule =
            |kind, name: &str| Restriction { kind, color: Color::Black, moves: vec![mv(name)], depth: 1 };
        let rules = [
            rule(RestrictionKind::Allow, "E5"),
            rule(RestrictionKind::Avoid, "C3"),
            rule(RestrictionKind::Allow, "D5"),
            rule(RestrictionKind::Allow, "C3"),
        ];
        let all = vec![mv("A1"), mv("E5")];
        assert_eq!(permitted(&rules, (Color::Black, 0), all.clone(), |_| true), [mv("E5"), mv("D5")]);
        assert_eq!(permitted(&rules, (Color::White, 0), all.clone(), |_| true), all);
        assert_eq!(permitted(&rules, (Color::Black, 1), all.clone(), |_| true), all);
        assert_eq!(permitted(&rules, (Color::Black, 0), all, |_| false), [Move::PASS]);
    }
}
