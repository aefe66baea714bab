//! Weights arranged for the kernels.

use std::sync::Arc;

use super::{
    kernels::{
        Direction, direct,
        matmul::transpose,
        padded,
        winograd::{self, Precision, TileKind},
    },
    numbers::Numbers,
};
use crate::model::graph::{Graph, Op, ParamId, Shape};

/// Shared prepared weights.
pub(crate) type SharedWeights = Arc<Prepared>;

/// Weights arranged for the kernels: one array for each parameter.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(super) arrays: Vec<Numbers>,
    /// Matrices of `arrays` transposed: what the backward pass, or a linear layer's forward pass, needs.
    pub(super) transposed: Vec<Numbers>,
    /// Of the 3x3 convolutions.
    pub(super) precision: Precision,
}

impl Prepared {
    /// Arranges `weights` (one array for each parameter) for boards whose tiles are of this kind.
    pub(crate) fn new(graph: &Graph, weights: &[Vec<f32>], kind: TileKind, precision: Precision) -> Prepared {
        let empty = vec![Numbers::default(); graph.params.len()];
        let mut prepared = Prepared { arrays: empty.clone(), transposed: empty, precision };
        prepared.arrange_convolutions(graph, weights, kind, Direction::Forward);
        for op in &graph.ops {
            if let Op::Linear { from, weight, .. } = *op {
                let out = &mut prepared.transposed[weight.0];
                out.resize(weights[weight.0].len());
                transpose(&weights[weight.0], graph.width(from), out);
            }
            for (id, is_planar) in plain_params(graph, op).into_iter().flatten() {
                let out = &mut prepared.arrays[id.0];
                let weights = &weights[id.0];
                out.resize(if is_planar { padded(weights.len()) } else { weights.len() });
                out[..weights.len()].copy_from_slice(weights);
            }
        }
        prepared
    }

    /// Prepares the backward pass too.
    pub(crate) fn for_training(graph: &Graph, weights: &[Vec<f32>], kind: TileKind) -> Prepared {
        let mut prepared = Prepared::new(graph, weights, kind, Precision::Float);
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
        let precision = self.precision;
        let arrays = if direction == Direction::Forward { &mut self.arrays } else { &mut self.transposed };
        for op in &graph.ops {
            if let Op::Conv { kernel, weight, .. } = *op {
                let (sizes, weights) = (conv_shape(graph, weight), &weights[weight.0]);
                arrays[weight.0] = if kernel == 3 {
                    winograd::transform_weights(kind, weights, sizes, direction, precision)
                } else {
                    direct::arrange_weights(weights, kernel, sizes, direction)
                };
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
