//! Unconditional life: chains that cannot be captured even if their owner always passes.
//!
//! **What.** A region of a colour is a largest connected set of points without its stones. It is vital to a chain if the
//! chain touches every empty point of it: the opponent can never fill it without being captured there first. Chains
//! with two vital regions each, in regions bordered by no other chains, live whatever happens.
//!
//! **Source.** Benson 1976, *Life in the game of Go*. The answer is exact where suicide is forbidden. Where it is
//! allowed, a region counts as vital only if the chain touches every point of it, so that stones which the opponent
//! takes off do not matter.

use crate::{
    board::Board,
    color::Color,
    vertex::{Vertex, VertexMap},
};

/// What lives unconditionally for one colour.
#[derive(Clone, Debug)]
pub struct UnconditionalLife {
    /// The stones.
    pub stones: VertexMap<bool>,
    /// The regions that only such stones surround and that are vital to one of them: empty points, and stones of
    /// the opponent that are dead there.
    pub regions: VertexMap<bool>,
}

struct Region {
    points: Vec<Vertex>,
    /// The chains around it, each once.
    chains: Vec<Vertex>,
    /// Those to which it is vital.
    vital_to: Vec<Vertex>,
}

/// The chains of `color` that cannot be captured even if it always passes, and the regions that are theirs.
///
/// ```
/// use tengen_board::{Board, Color, unconditional_life};
/// let board = Board::from_diagram(". X . X . / X X X X . / . . . . . / . O . . . / . . . . .").unwrap();
/// let life = unconditional_life(&board, Color::Black, false);
/// assert!(life.stones["A4".parse().unwrap()] && life.regions["A5".parse().unwrap()]);
/// assert!(!life.regions["E5".parse().unwrap()], "an open region is nobody's");
/// ```
pub fn unconditional_life(board: &Board, color: Color, suicide_allowed: bool) -> UnconditionalLife {
    let mut regions = regions(board, color, suicide_allowed);
    let mut chains: Vec<Vertex> = regions.iter().flat_map(|region| region.chains.iter().copied()).collect();
    chains.sort_unstable();
    chains.dedup();
    loop {
        let before = chains.len();
        let vital = |chain: &Vertex| regions.iter().filter(|r| r.vital_to.contains(chain)).count();
        chains.retain(|chain| vital(chain) >= 2);
        regions.retain(|region| region.chains.iter().all(|chain| chains.contains(chain)));
        if chains.len() == before {
            break;
        }
    }
    let mut life = UnconditionalLife { stones: VertexMap::filled(false), regions: VertexMap::filled(false) };
    for chain in chains {
        for v in board.chain_stones(chain) {
            life.stones[v] = true;
        }
    }
    for region in regions.iter().filter(|region| !region.vital_to.is_empty()) {
        for &v in &region.points {
            life.regions[v] = true;
        }
    }
    life
}

/// The regions of a colour that have chains around them.
fn regions(board: &Board, color: Color, suicide_allowed: bool) -> Vec<Region> {
    let mut seen = VertexMap::filled(false);
    let mut regions = Vec::new();
    for start in board.points() {
        if seen[start] || board.is_color(start, color) {
            continue;
        }
        let mut region = Region { points: vec![start], chains: Vec::new(), vital_to: Vec::new() };
        seen[start] = true;
        let mut done = 0;
        while done < region.points.len() {
            for n in region.points[done].neighbors() {
                if !board.contains(n) {
                    continue;
                }
                if board.is_color(n, color) {
                    let chain = board.chain(n);
                    if !region.chains.contains(&chain) {
                        region.chains.push(chain);
                    }
                } else if !seen[n] {
                    seen[n] = true;
                    region.points.push(n);
                }
            }
            done += 1;
        }
        let touches = |v: Vertex, chain: Vertex| {
            v.neighbors().into_iter().any(|n| board.is_color(n, color) && board.chain(n) == chain)
        };
        let must_touch = |&&v: &&Vertex| suicide_allowed || board.is_empty(v);
        region.vital_to = region
            .chains
            .iter()
            .copied()
            .filter(|&chain| region.points.iter().filter(must_touch).all(|&v| touches(v, chain)))
            .collect();
        regions.push(region);
    }
    regions
}
