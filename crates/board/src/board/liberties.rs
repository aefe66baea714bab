//! Which points are the liberties of a chain.
//!
//! The board knows the number of a chain's pseudo-liberties, their sum and the sum of their squares. That tells at once whether
//! there is one liberty, and so it does after those that are known have been taken off: most questions need no walk along
//! the chain.

use super::{Board, pseudo};
use crate::{
    color::Color,
    vertex::{MAX_AREA, Vertex},
};

/// Up to `N` liberties of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Liberties<const N: usize> {
    list: [Vertex; N],
    len: usize,
}

impl<const N: usize> Liberties<N> {
    const NONE: Liberties<N> = Liberties { list: [Vertex::NONE; N], len: 0 };

    #[inline]
    fn add(&mut self, v: Vertex) {
        self.list[self.len] = v;
        self.len += 1;
    }
}

impl<const N: usize> std::ops::Deref for Liberties<N> {
    type Target = [Vertex];
    #[inline]
    fn deref(&self) -> &[Vertex] {
        &self.list[..self.len]
    }
}

/// The liberties that a chain has besides some that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherLiberties {
    /// None.
    None,
    /// This one.
    One(Vertex),
    /// At least two.
    More,
}

/// Liberties.
impl Board {
    /// The only liberty of a chain that has just one.
    #[inline]
    pub fn atari(&self, chain: Vertex) -> Option<Vertex> {
        pseudo::single(self.liberties[chain])
    }

    /// Whether a chain has just one liberty.
    #[inline]
    pub fn is_in_atari(&self, chain: Vertex) -> bool {
        pseudo::is_single(self.liberties[chain])
    }

    /// Whether the empty point `v` is the only liberty of the chain.
    #[inline]
    pub fn is_atari_at(&self, chain: Vertex, v: Vertex) -> bool {
        let word = self.liberties[chain];
        word == pseudo::number(word).wrapping_mul(self.as_liberty[v])
    }

    /// An upper bound of a chain's number of liberties, at no cost: each counted once for each stone that touches it.
    #[inline]
    pub fn pseudo_liberties(&self, chain: Vertex) -> usize {
        pseudo::number(self.liberties[chain]) as usize
    }

    /// The first `N` liberties found: all of them if fewer than `N` are returned.
    #[inline]
    pub fn liberties<const N: usize>(&self, chain: Vertex) -> Liberties<N> {
        let mut found = Liberties::NONE;
        let mut left = self.liberties[chain];
        for stone in self.chain_stones(chain) {
            if let Some(last) = pseudo::single(left) {
                if !found.contains(&last) {
                    found.add(last);
                }
                return found;
            }
            for n in stone.neighbors() {
                let liberty = self.as_liberty[n];
                if liberty == 0 {
                    continue;
                }
                left -= liberty;
                if !found.contains(&n) {
                    found.add(n);
                    if found.len == N {
                        return found;
                    }
                }
            }
            if left == 0 {
                break;
            }
        }
        found
    }

    /// The two liberties of a chain that has exactly two.
    #[inline]
    pub fn two_liberties(&self, chain: Vertex) -> Option<[Vertex; 2]> {
        let word = self.liberties[chain];
        // A liberty touches at most four stones of a chain. Chains in atari are told by the words alone, too.
        if pseudo::number(word) > 8 || pseudo::is_single(word) {
            return None;
        }
        let color = if self.is_color(chain, Color::Black) { Color::Black } else { Color::White };
        let first = self
            .chain_stones(chain)
            .find(|&stone| self.empty_neighbors(stone) != 0)
            .and_then(|stone| stone.neighbors().into_iter().find(|&n| self.is_empty(n)))?;
        let second = pseudo::single(word - self.contribution(chain, color, first))?;
        Some([first, second])
    }

    /// The liberties of a chain of `color` besides the points `known`, which are different from each other.
    #[inline]
    pub fn liberties_besides(&self, chain: Vertex, color: Color, known: &[Vertex]) -> OtherLiberties {
        let mut word = self.liberties[chain];
        // A liberty touches at most four stones of a chain.
        if pseudo::number(word) as usize > 4 * (known.len() + 1) {
            return OtherLiberties::More;
        }
        for &v in known {
            word -= self.contribution(chain, color, v);
        }
        if word == 0 {
            OtherLiberties::None
        } else {
            pseudo::single(word).map_or(OtherLiberties::More, OtherLiberties::One)
        }
    }

    /// What the point `v` contributes to the pseudo-liberties of a chain of `color`.
    #[inline]
    fn contribution(&self, chain: Vertex, color: Color, v: Vertex) -> u64 {
        let stones = self.chains[color].beside(v).into_iter().filter(|&beside| beside == chain).count();
        stones as u64 * self.as_liberty[v]
    }

    /// The exact number of liberties of a chain, up to 361.
    pub fn liberty_count(&self, chain: Vertex) -> usize {
        self.liberties::<MAX_AREA>(chain).len()
    }
}
