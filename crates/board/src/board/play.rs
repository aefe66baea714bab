//! Legality, drawing at random, and play.

#![allow(unsafe_code)] // The list of empty points; see the SAFETY comments.

use super::{Board, IllegalMove, around, pseudo};
use crate::{color::Color, moves::Move, vertex::Vertex, zobrist};

const BLACK: usize = Color::Black.index();
const WHITE: usize = Color::White.index();

/// How often random bits are shared out before there are too few left: a draw from 361 points takes nine of them.
const DRAWS_FROM_64_BITS: usize = 4;

/// A number below `end`. What is left of the random bits decides the next one: as a fraction between 0 and 1, `end` times the
/// bits has the number before the point and an independent fraction behind it.
#[inline]
fn share(bits: &mut u64, end: usize) -> usize {
    let product = u128::from(*bits) * end as u128;
    *bits = product as u64;
    (product >> 64) as usize
}

/// Legality and play.
impl Board {
    /// An empty point that `accept` takes, each equally likely (to one part in 2³⁰); a pass if it takes none. `bits` gives 64 random
    /// bits.
    ///
    /// The position stays the same, but refused points change places in [`Board::empties`] with the last of those
    /// that are still drawn from: that keeps the draw exact, and it ends.
    #[inline]
    pub fn draw_empty(
        &mut self,
        mut bits: impl FnMut() -> u64,
        accept: impl Fn(&Board, Vertex) -> bool,
    ) -> Move {
        let mut left = self.empties.as_slice().len();
        loop {
            let mut random = bits();
            for _ in 0..DRAWS_FROM_64_BITS {
                if left == 0 {
                    return Move::PASS;
                }
                let i = share(&mut random, left);
                // SAFETY: `i` is less than `left`, which is at most the length.
                let v = unsafe { *self.empties.as_slice().get_unchecked(i) };
                if accept(self, v) {
                    return v.into();
                }
                left -= 1;
                // SAFETY: both were less than `left` just now.
                unsafe { self.empties.exchange(i, left) };
            }
        }
    }

    /// Whether the player to move may play on the empty point `v`: no suicide, no simple ko.
    #[inline]
    pub fn is_legal(&self, v: Vertex) -> bool {
        self.is_empty(v) && (self.empty_neighbors(v) != 0 || self.is_legal_without_space(v, self.to_play()))
    }

    /// [`Board::is_legal`] for an empty point without empty neighbours, where `me` is to play: the stone must capture, or join
    /// a chain that has another liberty.
    #[inline]
    pub fn is_legal_without_space(&self, v: Vertex, me: Color) -> bool {
        v != self.info.ko && !self.is_suicide(v, me)
    }

    /// Whether a stone of `me` on the empty point `v`, which has no empty neighbour, would be captured itself.
    #[inline]
    pub(crate) fn is_suicide(&self, v: Vertex, me: Color) -> bool {
        // An enemy in atari is captured, and a friend not in atari has another liberty: either will do. Without branches,
        // because which neighbour decides cannot be predicted: one bit for each neighbour, where its colours are.
        let blacks = self.chains[Color::Black].beside(v);
        let whites = self.chains[Color::White].beside(v);
        let mut ataris = 0;
        for (i, (black, white)) in blacks.into_iter().zip(whites).enumerate() {
            ataris |= u32::from(self.is_atari_at(black.or(white), v)) << around::BESIDE[i];
        }
        let (black, white) = (self.around[v], self.around[v] >> 1);
        let mine = if me == Color::Black { black } else { white };
        (black ^ white) & (mine ^ ataris) & around::ALL_BESIDE == 0
    }

    /// [`Board::hash`] after a stone of the player to move on the empty point `v`.
    pub fn hash_after(&self, v: Vertex) -> u64 {
        let me = self.to_play();
        let mut hash = self.hash() ^ zobrist::stone(me, v);
        let mut remove = |chain: Vertex, color: Color| {
            for stone in self.chain_stones(chain) {
                hash ^= zobrist::stone(color, stone);
            }
        };
        let neighbors = v.neighbors();
        let distinct = |i: usize, color: Color| {
            let chain = self.chains[color][neighbors[i]];
            let seen = neighbors[..i].iter().any(|&n| self.chains[color][n] == chain);
            (chain != Vertex::NONE && !seen).then_some(chain)
        };
        if self.empty_neighbors(v) == 0 && self.is_suicide(v, me) {
            (0..4).filter_map(|i| distinct(i, me)).for_each(|chain| remove(chain, me));
            return hash ^ zobrist::stone(me, v);
        }
        (0..4)
            .filter_map(|i| distinct(i, !me))
            .filter(|&chain| self.is_atari_at(chain, v))
            .for_each(|chain| remove(chain, !me));
        hash
    }

    /// Whether the player to move may play, and if not, why.
    pub fn check(&self, mv: Move, suicide_allowed: bool) -> Result<(), IllegalMove> {
        let Some(v) = mv.vertex() else { return Ok(()) };
        if !self.contains(v) {
            Err(IllegalMove::OffBoard)
        } else if !self.is_empty(v) {
            Err(IllegalMove::Occupied)
        } else if v == self.info.ko {
            Err(IllegalMove::Ko)
        } else if !suicide_allowed && self.empty_neighbors(v) == 0 && self.is_suicide(v, self.to_play()) {
            Err(IllegalMove::Suicide)
        } else {
            Ok(())
        }
    }

    /// Plays a move from outside if it is legal; otherwise leaves the board as it is and says why.
    pub fn try_play(&mut self, mv: Move, suicide_allowed: bool) -> Result<(), IllegalMove> {
        self.check(mv, suicide_allowed)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a legal move (suicide is not).
    ///
    /// # Panics
    /// If the move is illegal: for tests and examples.
    pub fn play(&mut self, mv: Move) {
        if let Err(error) = self.try_play(mv, false) {
            panic!("{} cannot play {mv}: {error}\n{self}", self.to_play());
        }
    }

    /// Plays a move that the caller knows to be legal. A suicide takes its own stones off; a move on an occupied point
    /// is a pass.
    #[inline(never)]
    pub fn play_unchecked(&mut self, mv: Move) {
        match self.to_play() {
            Color::Black => self.play_as::<BLACK>(mv),
            Color::White => self.play_as::<WHITE>(mv),
        }
    }

    /// [`Board::play_unchecked`] where it is known to the compiler that it is the turn of `Color::ALL[ME]`: what depends on the
    /// colour is then a constant, and the code part of the caller's loop.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Uniform playouts are 5% faster.
    pub fn play_as<const ME: usize>(&mut self, mv: Move) {
        debug_assert_eq!(self.to_play().index(), ME);
        self.info.ko = Vertex::NONE;
        self.info.to_play = !Color::ALL[ME];
        let v = mv.vertex_or_none();
        if self.is_empty(v) {
            self.put_stone::<ME>(v);
        } else {
            debug_assert!(mv.is_pass(), "{mv} is occupied\n{self}");
        }
    }

    /// Puts a stone on the empty point `v`. Straight-line code but for what is rare: merging chains, captures and suicide,
    /// which are functions of their own and look again at what is around the stone.
    #[inline(always)]
    #[allow(clippy::inline_always)] // As above.
    fn put_stone<const ME: usize>(&mut self, v: Vertex) {
        let me = Color::ALL[ME];

        // 1. The point is no longer empty.
        // SAFETY: it was.
        unsafe { self.empties.remove(v) };
        self.info.hash ^= zobrist::stone(me, v);
        self.info.stones[me] += 1;
        let liberty = std::mem::take(&mut self.as_liberty[v]);
        self.count_stone::<true>(v, me);

        // 2. Neighbouring chains lose a liberty; the dummy chain absorbs empty points and border.
        let friends = self.chains[me].beside(v);
        let enemies = self.chains[!me].beside(v);
        for (friend, enemy) in friends.into_iter().zip(enemies) {
            self.liberties[friend.or(enemy)] -= liberty;
        }

        // 3. The stone starts a chain or joins one. The neighbours belong to one chain exactly if the sum of their names is what
        // as many times all their bits together are.
        let sum: usize = friends.iter().map(|friend| friend.index()).sum();
        let [a, b, c, d] = friends;
        let joined = a.or(b).or(c.or(d));
        let chain = if sum == joined.index() * self.stone_neighbors(v, me) {
            let chain = if joined == Vertex::NONE { v } else { joined };
            self.join::<ME>(v, chain);
            chain
        } else {
            self.join_several::<ME>(v)
        };

        // 4. Enemies without liberties are captured.
        if enemies.iter().any(|&enemy| self.liberties[enemy] == 0) {
            self.capture::<ME>(v);
        }

        // 5. Suicide.
        if self.liberties[chain] == 0 {
            self.info.prisoners[!me] += self.size[chain];
            self.remove_chain::<ME>(chain);
        }
        self.liberties[Vertex::NONE] = pseudo::DUMMY;
    }

    /// Adds (or takes back) a stone in the counters of the eight points around it, a row at a time.
    #[inline]
    fn count_stone<const ADD: bool>(&mut self, v: Vertex, color: Color) {
        let stone = &around::STONE[color.index()];
        self.around.change_rows(v, |row, words| {
            for (word, add) in words.iter_mut().zip(stone[row]) {
                *word = if ADD { word.wrapping_add(add) } else { word.wrapping_sub(add) };
            }
        });
    }

    /// Adds the stone on `v` to a chain, which it may be the first one of.
    #[inline]
    fn join<const ME: usize>(&mut self, v: Vertex, chain: Vertex) {
        self.chains[Color::ALL[ME]][v] = chain;
        self.liberties[chain] += self.as_liberty.beside(v).into_iter().sum::<u64>();
        self.size[chain] += 1;
        let after = self.next[chain];
        self.next[chain] = self.next[v];
        self.next[v] = after;
    }

    /// Adds the stone on `v` to the chain beside it with the largest name, and merges the others into that. Returns the chain.
    #[inline(never)]
    fn join_several<const ME: usize>(&mut self, v: Vertex) -> Vertex {
        let me = Color::ALL[ME];
        // One turn for each chain, not for each neighbour: how many there are can be predicted, which neighbours they are cannot.
        let mut friends = self.chains[me].beside(v);
        let mut largest = max(friends);
        let mut chain = largest;
        self.join::<ME>(v, chain);
        loop {
            friends = friends.map(|friend| if friend == largest { Vertex::NONE } else { friend });
            largest = max(friends);
            if largest == Vertex::NONE {
                return chain;
            }
            chain = self.merge::<ME>(chain, largest);
        }
    }

    /// Merges two chains and returns the name of the result: the smaller one is renamed.
    #[inline]
    fn merge<const ME: usize>(&mut self, a: Vertex, b: Vertex) -> Vertex {
        let (keep, drop) = if self.size[a] >= self.size[b] { (a, b) } else { (b, a) };
        // Four stones at a time, because the number of turns is then nearly always one. The ring brings it back to stones that it has
        // seen, which does no harm.
        let mut stone = drop;
        for _ in 0..self.size[drop].div_ceil(4) {
            for _ in 0..4 {
                self.chains[Color::ALL[ME]][stone] = keep;
                stone = self.next[stone];
            }
        }
        let after = self.next[keep];
        self.next[keep] = self.next[drop];
        self.next[drop] = after;
        self.size[keep] += std::mem::take(&mut self.size[drop]);
        self.liberties[keep] += std::mem::take(&mut self.liberties[drop]);
        keep
    }

    /// Takes off the enemies that the stone on `v` has left without liberties. A single stone that is captured in an enemy eye
    /// makes a ko.
    #[inline(never)]
    fn capture<const ME: usize>(&mut self, v: Vertex) {
        let me = Color::ALL[ME];
        let in_enemy_eye = self.is_surrounded(v, !me);
        let mut captured = 0;
        for n in v.neighbors() {
            let enemy = self.chains[!me][n];
            if self.liberties[enemy] == 0 {
                captured += self.size[enemy];
                self.info.ko = if captured == 1 && in_enemy_eye { enemy } else { Vertex::NONE };
                match ME {
                    BLACK => self.remove_chain::<WHITE>(enemy),
                    _ => self.remove_chain::<BLACK>(enemy),
                }
            }
        }
        self.info.prisoners[me] += captured;
    }

    /// Takes the stones of a chain off the board.
    #[inline(never)]
    fn remove_chain<const COLOR: usize>(&mut self, chain: Vertex) {
        let color = Color::ALL[COLOR];
        let count = std::mem::take(&mut self.size[chain]);
        self.info.stones[color] -= count;
        let mut stone = chain;
        for _ in 0..count {
            let after = self.next[stone];
            self.next[stone] = stone;
            self.chains[color][stone] = Vertex::NONE;
            self.info.hash ^= zobrist::stone(color, stone);
            let liberty = pseudo::liberty(stone);
            self.as_liberty[stone] = liberty;
            // Friends beside it are of the same chain.
            for enemy in self.chains[!color].beside(stone) {
                self.liberties[enemy] = self.liberties[enemy].wrapping_add(liberty);
            }
            self.count_stone::<false>(stone, color);
            self.empties.add(stone);
            stone = after;
        }
        self.liberties[chain] = 0;
    }
}

/// The largest name among those of the neighbours.
#[inline]
fn max([a, b, c, d]: [Vertex; 4]) -> Vertex {
    a.max(b).max(c.max(d))
}
