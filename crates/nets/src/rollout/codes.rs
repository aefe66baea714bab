//! Codes of stones: colour, liberties and size of a stone's chain as one number, so that one stamp stands for all its planes.

use tengen_board::{Board, Color, Vertex};

use crate::model::planes::{Planes, at, reduced};

/// How the stones of a plane set are coded. Code 0 is an empty point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    planes: Planes,
    /// The most liberties and stones that are told apart.
    liberties: usize,
    sizes: usize,
    /// Moves that are shown.
    pub(super) turns: usize,
}

impl Codes {
    /// Codes for planes that change at few points; there are none for others.
    pub(super) fn new(planes: Planes) -> Option<Codes> {
        match planes {
            Planes::Holmes => Some(Codes { planes, liberties: 8, sizes: 8, turns: 8 }),
            Planes::Reduced => Some(Codes { planes, liberties: 3, sizes: 1, turns: 1 }),
            Planes::Tengen => None,
        }
    }

    /// Codes of one colour.
    const fn of_color(self) -> usize {
        self.liberties * self.sizes
    }

    /// How many there are.
    pub(super) const fn count(self) -> usize {
        1 + 2 * self.of_color()
    }

    /// The code of a chain's stones.
    #[inline]
    pub(super) fn of_chain(self, board: &Board, chain: Vertex, color: Color) -> u8 {
        let liberties = match self.liberties {
            3 => liberties::<3>(board, chain),
            _ => liberties::<8>(board, chain),
        };
        let size = board.chain_size(chain).min(self.sizes);
        (1 + color.index() * self.of_color() + (liberties - 1) * self.sizes + size - 1) as u8
    }

    /// Whether the code is a stone's of this colour.
    #[inline]
    pub(super) fn is_color(self, code: u8, color: Color) -> bool {
        code != 0 && usize::from(usize::from(code) > self.of_color()) == color.index()
    }

    /// The code as the player sees it whose stones come first.
    #[inline]
    pub(super) fn seen_by(self, code: u8, color: Color) -> usize {
        let (code, half) = (usize::from(code), self.of_color());
        // Without branches, because stones of both colours come in any order.
        let swapped = code + half - 2 * half * usize::from(code > half);
        std::hint::select_unpredictable(code != 0 && color == Color::White, swapped, code)
    }

    /// The planes of a code as [`Codes::seen_by`] gives it, as a difference from an empty point.
    pub(super) fn planes_of(self, code: usize) -> Vec<(usize, f32)> {
        let Some(stone) = code.checked_sub(1) else { return Vec::new() };
        let (opponents, chain) = (stone / self.of_color(), stone % self.of_color());
        let (liberties, size) = (chain / self.sizes, chain % self.sizes);
        match self.planes {
            Planes::Reduced => vec![(reduced::STONES + 3 * opponents + liberties, 1.0)],
            _ => vec![
                (at::STONES, -1.0),
                (at::STONES + 1 + opponents, 1.0),
                (at::LIBERTIES + liberties, 1.0),
                (at::SIZE + 8 * opponents + size, 1.0),
            ],
        }
    }

    /// The plane of the last move but so many.
    pub(super) const fn turn_plane(self, turn: usize) -> usize {
        match self.planes {
            Planes::Reduced => reduced::LAST,
            _ => at::TURNS_SINCE + turn,
        }
    }

    /// The plane of the ko.
    pub(super) const fn ko_plane(self) -> usize {
        match self.planes {
            Planes::Reduced => reduced::KO,
            _ => at::KO,
        }
    }

    /// The planes that are 1 on an empty board, and the one that shows the centre.
    pub(super) const fn constant_planes(self) -> (&'static [usize], usize) {
        match self.planes {
            Planes::Reduced => (&[reduced::ONES], reduced::CENTER),
            _ => (&[at::ONES, at::STONES], at::CENTER),
        }
    }
}

/// Liberties of a chain, at most `N`.
#[inline]
fn liberties<const N: usize>(board: &Board, chain: Vertex) -> usize {
    // A liberty touches at most four stones of a chain.
    if board.pseudo_liberties(chain) > 4 * (N - 1) {
        N
    } else if board.is_in_atari(chain) {
        1
    } else if N == 3 {
        if board.two_liberties(chain).is_some() { 2 } else { 3 }
    } else {
        board.liberties::<N>(chain).len()
    }
}
