//! A rollout network in whole numbers of 16 bits, arranged for the way it is used.

use std::{path::Path, sync::Arc};

use tengen_board::{Board, MAX_SIZE};

use super::{
    codes::Codes,
    lanes::{LANES, Lane, Multiply, Total, to_lanes},
    middle::{MIDDLE_SCALE, Middle},
};
use crate::{
    error::NetError,
    exec::kernels::padded,
    model::{
        network::Network,
        planes::centrality,
        spec::{NetSpec, Trunk},
    },
    serve::shelf::Shelf,
};

/// Columns and rows around the board that the first layer's sums have, so that stamps need not be cut off: kernels are at
/// most 9 wide.
pub(super) const MARGIN: usize = 4;
/// Distance between a cell and the one above it.
pub(super) const STRIDE: usize = MAX_SIZE + 2 * MARGIN;
/// Cells of the largest board and its margin.
pub(super) const CELLS: usize = STRIDE * STRIDE;

/// Sums beyond the board start here: whatever is added, they stay below 0, which is 0 after the ReLU.
const OUTSIDE: i16 = -16384;
/// The largest sum on the board.
const MOST: f32 = 16383.0;

/// The cell of a point.
#[inline(always)]
pub(super) const fn cell(col: usize, row: usize) -> usize {
    (row + MARGIN) * STRIDE + col + MARGIN
}

/// The column and the row of a cell.
#[inline(always)]
pub(super) const fn point(cell: usize) -> (usize, usize) {
    (cell % STRIDE - MARGIN, cell / STRIDE - MARGIN)
}

/// A network that plays rollouts.
#[derive(Debug)]
pub struct RolloutNetwork {
    spec: NetSpec,
    pub(super) codes: Codes,
    /// Channels, padded, in lanes: 1 or 2.
    pub(super) depth: usize,
    /// Width of the first kernel.
    pub(super) kernel: usize,
    /// What 1 is in the sums of the first layer.
    scale: f32,
    /// For each code, turn and the ko, `kernel` rows of `kernel` cells.
    stamps: Vec<Lane>,
    first: FloatLayer,
    pub(super) middle: Vec<Middle>,
    pub(super) head: Head,
}

/// The first layer as it was learned.
#[derive(Debug)]
struct FloatLayer {
    /// Channels, not padded.
    channels: usize,
    planes: usize,
    taps: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl FloatLayer {
    fn weight(&self, channel: usize, plane: usize, tap: usize) -> f32 {
        self.weights[(channel * self.planes + plane) * self.taps + tap]
    }
}

/// The 3x3 layer that gives the logits.
#[derive(Debug)]
pub(super) struct Head {
    /// The lanes of 9 cells.
    weights: Vec<Lane>,
    bias: f32,
    /// From the sum of products to a logit.
    factor: f32,
}

impl RolloutNetwork {
    /// Reads a network from a safetensors file.
    pub fn load(path: &Path) -> Result<RolloutNetwork, NetError> {
        let network = Network::load(path)?;
        RolloutNetwork::new(&network).map_err(|error| match error {
            NetError::Spec(message) => NetError::File { path: path.to_owned(), message },
            other => other,
        })
    }

    /// The same, but a file that was read before is shared, not read again.
    pub fn shared(path: &Path) -> Result<Arc<RolloutNetwork>, NetError> {
        static LOADED: Shelf<Arc<RolloutNetwork>> = Shelf::new();
        LOADED.get(path, |path| RolloutNetwork::load(path).map(Arc::new))
    }

    /// Arranges a network for rollouts, if it is small and plain enough.
    pub fn new(network: &Network) -> Result<RolloutNetwork, NetError> {
        let spec = network.spec().clone();
        let fail = |what: &str| {
            Err(NetError::Spec(format!(
                "{what}; rollouts need a plain network such as those that `tengen train policy --arch rollout-a` trains"
            )))
        };
        let Trunk::Plain { layers, channels: real } = spec.trunk else {
            return fail("it has residual blocks");
        };
        let Some(codes) = Codes::new(spec.planes) else {
            return fail("it sees ladders, which cannot be followed move by move");
        };
        if spec.first_kernel > 2 * MARGIN + 1 || spec.policy.kernel != 3 {
            return fail("its first kernel is wider than 9, or its last one is not 3 wide");
        }
        if layers > 4 || padded(real) > 2 * LANES {
            return fail("it has more than 4 layers, or more than 32 channels");
        }
        if spec.policy.channels > 0 || spec.policy.pass || spec.value.is_some() {
            return fail("it has a value head, or a layer more in its policy head");
        }
        let weights = network.weights();
        let (channels, kernel) = (padded(real), spec.first_kernel);
        let first = FloatLayer {
            channels: real,
            planes: spec.planes.count(),
            taps: kernel * kernel,
            weights: weights[0].clone(),
            bias: weights[1].clone(),
        };
        let scale = MOST / largest_sum(&first, codes).max(1e-3);
        let stamps = stamps(&first, codes, channels, scale);
        let mut before = scale;
        let middle = weights[2..]
            .chunks_exact(2)
            .take(layers - 2)
            .map(|pair| {
                let layer = Middle::new(&pair[0], &pair[1], (real, channels), before);
                before = MIDDLE_SCALE;
                layer
            })
            .collect();
        let last = 2 * (layers - 1);
        let head = Head::new(&weights[last], weights[last + 1][0], (real, channels), before);
        let (stamps, depth) = (to_lanes(&stamps), channels / LANES);
        Ok(RolloutNetwork { spec, codes, depth, kernel, scale, stamps, first, middle, head })
    }

    /// Its description.
    pub fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// The stamp of a code; 0 adds nothing.
    #[inline(always)]
    pub(super) fn stone_stamp(&self, code: usize) -> &[Lane] {
        self.stamp(code)
    }

    /// The stamp of the last move but so many.
    #[inline(always)]
    pub(super) fn turn_stamp(&self, turn: usize) -> &[Lane] {
        self.stamp(self.codes.count() + turn)
    }

    /// The stamp of the ko.
    #[inline(always)]
    pub(super) fn ko_stamp(&self) -> &[Lane] {
        self.stamp(self.codes.count() + self.codes.turns)
    }

    #[inline(always)]
    fn stamp(&self, index: usize) -> &[Lane] {
        let size = self.kernel * self.kernel * self.depth;
        &self.stamps[index * size..][..size]
    }

    /// How far a change at a point reaches the first layer's sums.
    #[inline(always)]
    pub(super) fn first_reach(&self) -> usize {
        self.kernel / 2
    }

    /// How far a change at a point reaches the logits.
    pub(super) fn logit_reach(&self) -> usize {
        self.kernel / 2 + self.middle.len() + 1
    }

    /// The first layer's sums on an empty board.
    pub(super) fn empty_sums(&self, board: &Board) -> Vec<Lane> {
        let mut sums = vec![Lane::filled(OUTSIDE); CELLS * self.depth];
        let (ones, center) = self.codes.constant_planes();
        let half = self.kernel / 2;
        for p in board.points() {
            for c in 0..self.depth * LANES {
                let mut sum = 0.0;
                if c < self.first.channels {
                    sum = self.first.bias[c];
                    for q in board.points() {
                        let col = (q.col() + half).wrapping_sub(p.col());
                        let row = (q.row() + half).wrapping_sub(p.row());
                        if col < self.kernel && row < self.kernel {
                            let tap = row * self.kernel + col;
                            sum += ones.iter().map(|&plane| self.first.weight(c, plane, tap)).sum::<f32>();
                            sum += centrality(board, q) * self.first.weight(c, center, tap);
                        }
                    }
                }
                let lane = &mut sums[cell(p.col(), p.row()) * self.depth + c / LANES];
                lane.0[c % LANES] = (sum * self.scale).round() as i16;
            }
        }
        sums
    }

    /// A layer's sums before anything is computed.
    pub(super) fn blank_sums(&self) -> Vec<Lane> {
        vec![Lane::filled(0); CELLS * self.depth]
    }
}

/// The planes of every stamp: codes, turns, the ko.
fn contributions(codes: Codes) -> Vec<Vec<(usize, f32)>> {
    let stones = (0..codes.count()).map(|code| codes.planes_of(code));
    let turns = (0..codes.turns).map(|turn| vec![(codes.turn_plane(turn), 1.0)]);
    stones.chain(turns).chain([vec![(codes.ko_plane(), 1.0)]]).collect()
}

/// A bound of the first layer's sums.
fn largest_sum(first: &FloatLayer, codes: Codes) -> f32 {
    let all = contributions(codes);
    let (stones, others) = all.split_at(codes.count());
    let (turns, ko) = others.split_at(codes.turns);
    let (ones, center) = codes.constant_planes();
    let bound = |c: usize| {
        let of_tap = |tap: usize| {
            let size = |planes: &Vec<(usize, f32)>| {
                planes.iter().map(|&(plane, x)| x * first.weight(c, plane, tap)).sum::<f32>().abs()
            };
            let constant = ones.iter().map(|&plane| first.weight(c, plane, tap)).sum::<f32>().abs();
            let largest = |of: &[Vec<(usize, f32)>]| of.iter().map(size).fold(0.0, f32::max);
            largest(stones) + largest(turns) + largest(ko) + constant + first.weight(c, center, tap).abs()
        };
        first.bias[c].abs() + (0..first.taps).map(of_tap).sum::<f32>()
    };
    (0..first.channels).map(bound).fold(0.0, f32::max)
}

fn stamps(first: &FloatLayer, codes: Codes, channels: usize, scale: f32) -> Vec<i16> {
    let mut out = Vec::new();
    for planes in contributions(codes) {
        // A point is seen by the cells around it through the kernel turned round.
        for tap in (0..first.taps).rev() {
            for c in 0..channels {
                let sum: f32 = if c < first.channels {
                    planes.iter().map(|&(plane, x)| x * first.weight(c, plane, tap)).sum()
                } else {
                    0.0
                };
                out.push((sum * scale).round() as i16);
            }
        }
    }
    out
}

/// Weights of one channel (`real` x taps) as the lanes of each tap.
fn arrange(weights: &[f32], (real, channels): (usize, usize), scale: f32) -> Vec<Lane> {
    let taps = weights.len() / real;
    let numbers: Vec<i16> = (0..taps * channels)
        .map(|i| {
            let (tap, c) = (i / channels, i % channels);
            if c < real { (weights[c * taps + tap] * scale).round() as i16 } else { 0 }
        })
        .collect();
    to_lanes(&numbers)
}

/// The largest scale for weights such that neither they nor their products with hidden numbers overflow.
pub(super) fn weight_scale(filters: &[f32], each: usize) -> f32 {
    let most = filters.iter().fold(1e-6f32, |most, w| most.max(w.abs()));
    let sum = filters.chunks_exact(each).map(|f| f.iter().map(|w| w.abs()).sum::<f32>()).fold(1e-6, f32::max);
    (32767.0 / most).min(2_000_000_000.0 / 32767.0 / sum)
}

impl Head {
    fn new(weights: &[f32], bias: f32, (real, channels): (usize, usize), before: f32) -> Head {
        // Of several predicted moves the next one.
        let weights = &weights[..real * 9];
        let scale = weight_scale(weights, weights.len());
        Head { weights: arrange(weights, (real, channels), scale), bias, factor: 1.0 / (scale * before) }
    }

    /// The logits of four cells, of `DEPTH` lanes.
    #[inline(always)]
    pub(super) fn logits<const DEPTH: usize>(
        &self,
        multiply: impl Multiply,
        sums: &[Lane],
        [a, b, c, d]: [u16; 4],
    ) -> [f32; 4] {
        let weights = &self.weights[..9 * DEPTH];
        // From the first cell around each to the last.
        let around = |cell| &sums[(usize::from(cell) - STRIDE - 1) * DEPTH..][..(2 * STRIDE + 3) * DEPTH];
        // (Not with `map`, which is compiled apart, without the instructions of the machine; so below.)
        let around = [around(a), around(b), around(c), around(d)];
        let mut totals = [Total::default(); 4];
        for row in 0..3 {
            for i in 0..3 * DEPTH {
                for (total, around) in totals.iter_mut().zip(around) {
                    let numbers = &around[row * STRIDE * DEPTH + i];
                    multiply.add_positive(total, numbers, &weights[row * 3 * DEPTH + i]);
                }
            }
        }
        let [a, b, c, d] = multiply.sums(totals);
        let logit = |sum| sum as f32 * self.factor + self.bias;
        [logit(a), logit(b), logit(c), logit(d)]
    }
}
