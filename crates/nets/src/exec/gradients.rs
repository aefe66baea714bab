//! Gradients of the weights, summed over boards.

use super::{
    kernels::{
        direct, padded, pointwise,
        winograd::{self, TileKind},
    },
    numbers::Numbers,
    prepared::{conv_shape, plain_params},
};
use crate::model::graph::{Graph, Op};

/// Sums of gradients, arranged as the kernels have the weights.
#[derive(Clone, Debug)]
pub(crate) struct Gradients {
    kind: TileKind,
    pub(super) arrays: Vec<Numbers>,
}

impl Gradients {
    /// Zeros for weights of this kind.
    pub(crate) fn new(graph: &Graph, kind: TileKind) -> Gradients {
        let mut arrays: Vec<Numbers> = graph.params.iter().map(|p| Numbers::zeros(p.len())).collect();
        for op in &graph.ops {
            if let Op::Conv { kernel, weight, .. } = *op {
                let (to, from) = conv_shape(graph, weight);
                let products = if kernel == 3 { kind.products() } else { kernel * kernel };
                arrays[weight.0].resize(products * padded(to) * padded(from));
            }
        }
        Gradients { kind, arrays }
    }

    pub(crate) fn clear(&mut self) {
        self.arrays.iter_mut().for_each(|array| array.fill(0.0));
    }

    /// Adds the sums to gradients of the weights as they are stored.
    pub(crate) fn add_to(&self, graph: &Graph, out: &mut [Vec<f32>]) {
        for op in &graph.ops {
            if let Op::Conv { kernel, weight, .. } = *op {
                let sizes = conv_shape(graph, weight);
                let (sums, out) = (&self.arrays[weight.0], &mut out[weight.0]);
                if kernel == 3 {
                    winograd::add_weight_gradient(self.kind, sums, sizes, out);
                } else {
                    direct::add_weight_gradient(sums, kernel, sizes, out);
                }
            }
            for (id, _) in plain_params(graph, op).into_iter().flatten() {
                pointwise::add(&mut out[id.0], &self.arrays[id.0]);
            }
        }
    }
}
