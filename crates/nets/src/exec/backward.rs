//! Runs a graph backwards: from the gradients of its outputs to those of its weights.

use std::mem;

use super::{
    gradients::Gradients,
    kernels::{
        activation::Activation,
        direct,
        matmul::{Left, Right, Size, Write, multiply},
        padded, pointwise,
        winograd::{self, Finish, Job},
    },
    prepared::{Prepared, conv_shape},
    workspace::Workspace,
};
use crate::model::graph::{Graph, Op, TensorId};

/// Why some operations have no backward pass.
const UNTRAINED: &str = "only KataGo's networks have it, which are not trained here";

impl Workspace {
    /// The gradient of a tensor.
    pub(crate) fn gradient_mut(&mut self, id: TensorId) -> &mut [f32] {
        &mut self.gradients[id.0]
    }

    /// Clears the gradients of the outputs, before they are set, and forgets all others.
    pub(crate) fn clear_gradients(&mut self, graph: &Graph) {
        self.written.fill(false);
        for id in &graph.outputs {
            self.gradients[id.0].fill(0.0);
            self.written[id.0] = true;
        }
    }

    /// Adds the gradients of the weights to `sums`, from the gradients of the outputs.
    pub(crate) fn backward(&mut self, graph: &Graph, weights: &Prepared, sums: &mut Gradients) {
        for op in graph.ops.iter().rev() {
            if !self.written[op.to().0] {
                continue;
            }
            let mut dout = mem::take(&mut self.gradients[op.to().0]);
            let activation = match *op {
                Op::Conv { activation, .. }
                | Op::Affine { activation, .. }
                | Op::RmsNorm { activation, .. }
                | Op::Linear { activation, .. }
                | Op::AddVector { activation, .. } => activation,
                Op::Gate { .. } | Op::Attention { .. } | Op::Pool { .. } | Op::Center { .. } => {
                    Activation::Identity
                }
            };
            match activation {
                Activation::Identity => {}
                Activation::Relu => pointwise::mask(&mut dout, &self.memory[op.to().0]),
                Activation::Mish | Activation::Silu => unreachable!("{UNTRAINED}"),
            }
            self.run_backward(graph, weights, op, &dout, sums);
            self.gradients[op.to().0] = dout;
        }
    }

    fn run_backward(
        &mut self,
        graph: &Graph,
        weights: &Prepared,
        op: &Op,
        dout: &[f32],
        sums: &mut Gradients,
    ) {
        let Workspace { geometry, memory, gradients, written, scratch, .. } = self;
        // The first gradient that reaches a tensor replaces what is there; later ones are added.
        let mut begun = |id: TensorId| mem::replace(&mut written[id.0], true);
        let boards = geometry.boards;
        let area = geometry.width * geometry.height;
        let points = area * boards;
        match *op {
            Op::Conv { from, kernel, weight, bias, add, .. } => {
                let (to, before) = conv_shape(graph, weight);
                let (to_padded, before) = (padded(to), padded(before));
                let dout_points = &dout[..points * to_padded];
                if let Some(bias) = bias {
                    pointwise::add_rows(&mut sums.arrays[bias.0], dout_points, to_padded);
                }
                if let Some(add) = add {
                    put(&mut gradients[add.0], dout, begun(add));
                }
                let du = &mut sums.arrays[weight.0];
                let u = &weights.transposed[weight.0];
                let wanted = !graph.inputs.contains(&from);
                let accumulate = begun(from);
                let dx = wanted.then_some(&mut gradients[from.0][..]);
                let (x, scratch) = (&memory[from.0], (&mut scratch.0[..], &mut scratch.1[..]));
                if kernel == 3 {
                    let job = Job { tiles: &geometry.tiles, boards, from: before, to: to_padded };
                    winograd::add_gradient(job, (x, dout, du), (scratch.0, scratch.1));
                    if let Some(dx) = dx {
                        let job = Job { from: to_padded, to: before, ..job };
                        let finish = Finish { accumulate, ..Finish::default() };
                        winograd::convolve(job, weights.precision, (dout, u, dx), scratch, finish);
                    }
                } else {
                    let shape = geometry.direct(boards, kernel, before, to_padded);
                    direct::add_gradient(shape, (x, dout_points, du));
                    if let Some(dx) = dx {
                        let shape = direct::Shape { from: to_padded, to: before, ..shape };
                        let write = if accumulate { Write::Add } else { Write::Replace };
                        direct::convolve(shape, (dout_points, u, &mut dx[..points * before]), write);
                    }
                }
            }
            Op::Affine { from, scale, bias, .. } => {
                let channels = padded(graph.width(from));
                pointwise::add_rows(&mut sums.arrays[bias.0], &dout[..points * channels], channels);
                let factors = &weights.arrays[scale.0];
                let of_scale = &mut sums.arrays[scale.0];
                let rows =
                    memory[from.0].chunks_exact(channels).zip(dout.chunks_exact(channels)).take(points);
                let dx = cleared(&mut gradients[from.0], begun(from));
                for ((x, d), dx) in rows.zip(dx.chunks_exact_mut(channels)) {
                    for c in 0..channels {
                        dx[c] += d[c] * factors[c];
                    }
                    for (c, sum) in of_scale.iter_mut().enumerate() {
                        *sum += d[c] * x[c];
                    }
                }
            }
            Op::RmsNorm { .. } | Op::Gate { .. } | Op::Attention { .. } => unreachable!("{UNTRAINED}"),
            Op::Pool { from, to, pooling } => {
                let channels = padded(graph.width(from));
                let douts = dout.chunks_exact(graph.width(to));
                let xs = memory[from.0].chunks_exact(area * channels);
                let dxs = cleared(&mut gradients[from.0], begun(from)).chunks_exact_mut(area * channels);
                for ((x, dx), dout) in xs.zip(dxs).zip(douts) {
                    pooling.backward(x, channels, dout, dx);
                }
            }
            Op::Center { from, to, mean } => {
                put(&mut gradients[from.0], dout, begun(from));
                // Not a gradient of the loss: how far the mean is from the mean of the boards.
                subtract_rows(&mut sums.arrays[mean.0], &memory[to.0], boards);
            }
            Op::Linear { from, to, weight, bias, .. } => {
                let (before, after) = (graph.width(from), graph.width(to));
                if let Some(bias) = bias {
                    pointwise::add_rows(&mut sums.arrays[bias.0], dout, after);
                }
                multiply(
                    Size { rows: after, cols: before, depth: boards },
                    &mut sums.arrays[weight.0],
                    Left::Columns(dout, after),
                    Right::Rows(&memory[from.0]),
                    Write::Add,
                );
                multiply(
                    Size { rows: boards, cols: before, depth: after },
                    &mut gradients[from.0],
                    Left::Rows(dout, after),
                    Right::Rows(&weights.arrays[weight.0]),
                    if begun(from) { Write::Add } else { Write::Replace },
                );
            }
            Op::AddVector { from, vector, .. } => {
                let (channels, real) = (padded(graph.width(from)), graph.width(vector));
                put(&mut gradients[from.0], dout, begun(from));
                let dvectors = cleared(&mut gradients[vector.0], begun(vector)).chunks_exact_mut(real);
                for (dout, dvector) in dout.chunks_exact(area * channels).zip(dvectors) {
                    pointwise::add_rows(dvector, dout, channels);
                }
            }
        }
    }
}

/// Subtracts the first `count` rows of a matrix.
fn subtract_rows(sums: &mut [f32], rows: &[f32], count: usize) {
    for row in rows.chunks_exact(sums.len()).take(count) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum -= x);
    }
}

/// A gradient to be added to: zeros, unless it is `begun` already.
fn cleared(gradient: &mut [f32], begun: bool) -> &mut [f32] {
    if !begun {
        gradient.fill(0.0);
    }
    gradient
}

/// Adds to a gradient, or sets it, unless it is `begun` already.
fn put(gradient: &mut [f32], from: &[f32], begun: bool) {
    if begun {
        pointwise::add(gradient, from);
    } else {
        gradient.copy_from_slice(from);
    }
}
