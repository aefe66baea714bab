//! Follows a game move by move for both colours.

use std::sync::Arc;

use pulp::NullaryFnOnce;
use tengen_board::{Board, Color, MAX_AREA, Move, Vertex, VertexMap};
use tengen_engine::rng::Rng;

use super::{
    lanes::{Lane, Multiply, Plain},
    quantized::RolloutNetwork,
    side::Side,
};

/// Follows a game with a rollout network.
pub(super) struct Stepper {
    network: Arc<RolloutNetwork>,
    /// Turns a logit into a power of 2.
    sharpness: f32,
    instructions: Instructions,
    /// The board's width and height, and the first layer's sums when it is empty.
    size: (usize, usize),
    empty_sums: Vec<Lane>,
    /// What each point is, and prisoners taken by each colour.
    codes: VertexMap<u8>,
    /// The columns of stones in each row.
    occupied: [u32; 19],
    prisoners: [usize; 2],
    sides: [Side; 2],
    /// Stones that were captured and are still to be looked at.
    captured: Vec<Vertex>,
    /// The position that all this is about: stones and whose turn it is.
    position: Option<(u64, Color)>,
}

/// A set of vertices.
#[derive(Clone, Copy, Default)]
struct VertexSet([u64; 8]);

impl VertexSet {
    #[inline(always)]
    fn insert(&mut self, v: Vertex) {
        self.0[v.index() / 64] |= 1 << (v.index() % 64);
    }

    #[inline(always)]
    fn contains(&self, v: Vertex) -> bool {
        self.0[v.index() / 64] >> (v.index() % 64) & 1 == 1
    }
}

impl Stepper {
    /// A stepper whose moves are drawn from the softmax at a temperature.
    pub(super) fn new(network: Arc<RolloutNetwork>, temperature: f32) -> Stepper {
        let sides = Color::ALL.map(|color| Side::new(color, &network));
        Stepper {
            sharpness: std::f32::consts::LOG2_E / temperature,
            instructions: Instructions::best(),
            size: (0, 0),
            empty_sums: Vec::new(),
            codes: VertexMap::filled(0),
            occupied: [0; 19],
            prisoners: [0; 2],
            sides,
            captured: Vec::with_capacity(MAX_AREA),
            position: None,
            network,
        }
    }

    /// The same for another thread.
    pub(super) fn fork(&self) -> Stepper {
        Stepper {
            network: Arc::clone(&self.network),
            sharpness: self.sharpness,
            instructions: self.instructions,
            size: self.size,
            empty_sums: self.empty_sums.clone(),
            codes: self.codes,
            occupied: self.occupied,
            prisoners: self.prisoners,
            sides: self.sides.clone(),
            captured: Vec::with_capacity(MAX_AREA),
            position: self.position,
        }
    }

    /// The same without special instructions.
    #[cfg(test)]
    pub(super) fn plain(mut self) -> Stepper {
        self.instructions = Instructions::Plain;
        self
    }

    /// Starts with a position.
    pub(super) fn begin(&mut self, board: &Board) {
        let size = (board.width(), board.height());
        if self.size != size {
            self.size = size;
            self.empty_sums = self.network.empty_sums(board);
            self.sides.iter_mut().for_each(Side::forget_size);
        }
        self.sides.iter_mut().for_each(|side| side.clear(&self.empty_sums));
        self.codes = VertexMap::filled(0);
        self.occupied = [0; 19];
        for v in board.points() {
            let chain = board.chain(v);
            // A chain is coded when its first stone comes.
            if chain != Vertex::NONE && self.codes[v] == 0 {
                let color = if board.is_color(v, Color::Black) { Color::Black } else { Color::White };
                self.refresh(board, chain, color);
            }
        }
        self.prisoners = Color::ALL.map(|color| board.prisoners(color));
        self.position = Some((board.hash(), board.to_play()));
    }

    /// Whether it stands at this position.
    #[inline]
    pub(super) fn is_at(&self, board: &Board) -> bool {
        self.position == Some((board.hash(), board.to_play())) && self.size == (board.width(), board.height())
    }

    /// Follows a move, which was just played on the board.
    #[inline]
    pub(super) fn played(&mut self, board: &Board, mv: Move) {
        self.position = Some((board.hash(), board.to_play()));
        let Some(v) = mv.vertex() else { return };
        let me = !board.to_play();
        let mut seen = VertexSet::default();
        let taken = board.prisoners(me);
        if std::mem::replace(&mut self.prisoners[me.index()], taken) != taken {
            self.remove_captured(board, v, me, &mut seen);
        }
        let chain = board.chain_of(v, me);
        if chain == Vertex::NONE {
            // A suicide, which no rollout plays.
            self.begin(board);
            return;
        }
        let code = self.network.codes.of_chain(board, chain, me);
        let neighbors = v.neighbors();
        // The other stones of the chain are those of its parts, each of which had one code.
        self.set(v, code);
        if neighbors.iter().any(|&n| board.is_color(n, me) && self.codes[n] != code) {
            board.chain_stones(chain).for_each(|stone| self.set(stone, code));
        }
        seen.insert(chain);
        for n in neighbors {
            let enemy = board.chain_of(n, !me);
            if enemy != Vertex::NONE && !seen.contains(enemy) {
                seen.insert(enemy);
                self.refresh(board, enemy, !me);
            }
        }
    }

    /// Takes the stones off that a move of `me` on `v` captured; own chains around them have more liberties.
    #[inline(never)]
    fn remove_captured(&mut self, board: &Board, v: Vertex, me: Color, seen: &mut VertexSet) {
        let mut captured = std::mem::take(&mut self.captured);
        let gone = |codes: &VertexMap<u8>, network: &RolloutNetwork, n: Vertex| {
            network.codes.is_color(codes[n], !me) && board.is_empty(n)
        };
        let look_at = |stepper: &mut Stepper, v: Vertex, captured: &mut Vec<Vertex>| {
            for n in v.neighbors() {
                if gone(&stepper.codes, &stepper.network, n) {
                    stepper.set(n, 0);
                    captured.push(n);
                }
            }
        };
        look_at(self, v, &mut captured);
        while let Some(stone) = captured.pop() {
            look_at(self, stone, &mut captured);
            for n in stone.neighbors() {
                let chain = board.chain_of(n, me);
                // The chain of the move itself is seen to afterwards.
                if chain != Vertex::NONE && chain != board.chain_of(v, me) && !seen.contains(chain) {
                    seen.insert(chain);
                    self.refresh(board, chain, me);
                }
            }
        }
        self.captured = captured;
    }

    /// Codes the stones of a chain again, which all had the same code.
    #[inline]
    fn refresh(&mut self, board: &Board, chain: Vertex, color: Color) {
        let code = self.network.codes.of_chain(board, chain, color);
        if self.codes[chain] != code {
            board.chain_stones(chain).for_each(|stone| self.set(stone, code));
        }
    }

    #[inline(always)]
    fn set(&mut self, v: Vertex, code: u8) {
        self.codes[v] = code;
        let bit = 1 << v.col();
        let row = &mut self.occupied[v.row()];
        *row = if code == 0 { *row & !bit } else { *row | bit };
        self.sides.iter_mut().for_each(|side| side.note(v));
    }

    /// Draws a move for the player to move; `moves` led to the position.
    #[inline]
    pub(super) fn draw(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Move {
        self.update(board, moves).draw(rng)
    }

    /// The position as the player to move sees it, brought up to date.
    #[inline]
    pub(super) fn update(&mut self, board: &Board, moves: &[Move]) -> &Side {
        let side = &mut self.sides[board.to_play().index()];
        let (network, sharpness) = (&*self.network, self.sharpness);
        let stones = (&self.codes, &self.occupied);
        match self.instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::V3(simd) => {
                simd.vectorize(Update { multiply: simd, side, network, board, stones, moves, sharpness });
            }
            Instructions::Plain => {
                Update { multiply: Plain, side, network, board, stones, moves, sharpness }.call();
            }
        }
        side
    }
}

/// What the machine can do.
#[derive(Clone, Copy)]
pub(super) enum Instructions {
    /// Any machine.
    Plain,
    /// With AVX2.
    #[cfg(target_arch = "x86_64")]
    V3(pulp::x86::V3),
}

impl Instructions {
    fn best() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return Instructions::V3(simd);
        }
        Instructions::Plain
    }
}

/// An update, compiled for each set of instructions.
struct Update<'a, M> {
    multiply: M,
    side: &'a mut Side,
    network: &'a RolloutNetwork,
    board: &'a Board,
    stones: (&'a VertexMap<u8>, &'a [u32; 19]),
    moves: &'a [Move],
    sharpness: f32,
}

impl<M: Multiply> NullaryFnOnce for Update<'_, M> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Update { multiply, side, network, board, stones, moves, sharpness } = self;
        if network.depth == 1 {
            side.update::<1>(multiply, network, board, stones, moves, sharpness);
        } else {
            side.update::<2>(multiply, network, board, stones, moves, sharpness);
        }
    }
}
