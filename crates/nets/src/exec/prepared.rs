//! Weights arranged for the kernels.

use std::sync::Arc;

use super::kernels::{
    Direction, direct,
    matmul::transpose,
    padded,
    winograd::{self, TileKind},
};
use crate::model::graph::{Graph, Op, ParamId, Shape};

/// Shared prepared weights.
pub(crate) type SharedWeights = Arc<Prepared>;

/// Weights arranged for the kernels: one array for each parameter.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(super) arrays: Vec<Vec<f32>>,
    /// Matrices of `arrays` transposed: what the backward pass, or a linear layer's forward pass, needs.
    pub(super) transposed: Vec<Vec<f32>>,
}

impl Prepared {
    /// Arranges `weights` (one array for each parameter) for boards whose tiles are of this kind.
    pub(crate) fn new(graph: &Graph, weights: &[Vec<f32>], kind: TileKind) -> Prepared {
        let empty = vec![Vec::new(); graph.params.len()];
        let mut prepared = Prepared { arrays: empty.clone(), transposed: empty };
        prepared.arrange_convolutions(graph, weights, kind, Direction::Forward);
        for op in &graph.ops {
            if let Op::Linear { from, weight, .. } = *op {
                let out = &mut prepared.transposed[weight.0];
                out.resize(weights[weight.0].len(), 0.0);
                transpose(&weights[weight.0], graph.width(from), out);
            }
            for (id, is_planar) in plain_params(graph, op).into_iter().flatten() {
                let out = &mut prepared.arrays[id.0];
                out.extend_from_slice(&weights[id.0]);
                if is_planar {
                    out.resize(padded(out.len()), 0.0);
                }
            }
        }
        prepared
    }

    /// Prepares the backward pass too.
    pub(crate) fn for_training(graph: &Graph, weights: &[Vec<f32>], kind: TileKind) -> Prepared {
        let mut prepared = Prepared::new(graph, weights, kind);
        prepared.arrange_convolutions(graph, weights, kind, Direction::Backward);
        prepared
    }

    fn arrange_convolutions(
        &mut self,
        graph: &Graph,
        weights: &[Vec<f32>],
        kind: TileKind,
        direction: Direction,
    ) {
        let arrays = if direction == Direction::Forward { &mut self.arrays } else { &mut self.transposed };
        for op in &graph.ops {
            if let Op::Conv { kernel, weight, .. } = *op {
                let (sizes, weights, out) =
                    (conv_shape(graph, weight), &weights[weight.0], &mut arrays[weight.0]);
                if kernel == 3 {
                    winograd::transform_weights(kind, weights, sizes, direction, out);
                } else {
                    direct::arrange_weights(weights, kernel, sizes, direction, out);
                }
            }
        }
    }
}

/// The parameters of an operation that are used as they are, and whether they are padded as channels.
pub(super) fn plain_params(graph: &Graph, op: &Op) -> [Option<(ParamId, bool)>; 2] {
    let planar = |id: ParamId| (id, matches!(graph.tensors[op.to().0], Shape::Planes(_)));
    match *op {
        Op::Conv { bias, .. } => [bias.map(planar), None],
        Op::Affine { scale, bias, .. } => [Some(planar(scale)), Some(planar(bias))],
        Op::RmsNorm { scale, bias, .. } => [Some(planar(scale)), bias.map(planar)],
        Op::Linear { weight, bias, .. } => [Some((weight, false)), bias.map(planar)],
        Op::Center { mean, .. } => [Some(planar(mean)), None],
        Op::Pool { .. } | Op::AddVector { .. } | Op::Gate { .. } | Op::Attention { .. } => [None, None],
    }
}

/// Channels after and before a convolution.
pub(super) fn conv_shape(graph: &Graph, weight: ParamId) -> (usize, usize) {
    let shape = &graph.params[weight.0].shape;
    (shape[0], shape[1])
}
