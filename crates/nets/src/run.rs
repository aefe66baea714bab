//! Runs a graph on a chunk of boards, forwards and backwards.

use std::{mem, sync::Arc};

use crate::{
    graph::{Graph, Op, ParamId, Shape, TensorId},
    kernels::{
        Direction,
        activation::Activation,
        attention, direct,
        matmul::{Left, Right, Size, Write, multiply, transpose},
        norm::{RmsNorm, Span, normalize},
        padded, plain, pointwise,
        winograd::{self, Finish, Job, TileKind, Tiles},
    },
};

/// Weights arranged for the kernels: one array for each parameter.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    arrays: Vec<Vec<f32>>,
    /// Matrices of `arrays` transposed: what the backward pass, or a linear layer's forward pass, needs.
    transposed: Vec<Vec<f32>>,
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
fn plain_params(graph: &Graph, op: &Op) -> [Option<(ParamId, bool)>; 2] {
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
fn conv_shape(graph: &Graph, weight: ParamId) -> (usize, usize) {
    let shape = &graph.params[weight.0].shape;
    (shape[0], shape[1])
}

/// Why some operations have no backward pass.
const UNTRAINED: &str = "only KataGo's networks have it, which are not trained here";

/// How convolutions are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// As fast as the machine can.
    #[default]
    Fast,
    /// As the definition says: slow, and the measure of the other.
    Plain,
}

/// What a chunk of boards needs besides memory.
#[derive(Debug)]
struct Geometry {
    width: usize,
    height: usize,
    boards: usize,
    tiles: Tiles,
    /// The tables of [`Graph::rotations`].
    rotations: Vec<Vec<f32>>,
}

/// Memory for running a graph on up to so many boards of one size.
#[derive(Debug)]
pub(crate) struct Workspace {
    geometry: Geometry,
    /// The place of each tensor in `memory`.
    places: Vec<usize>,
    memory: Vec<Vec<f32>>,
    gradients: Vec<Vec<f32>>,
    /// Which gradients have been written to since the pass began; the others still hold those of the last one.
    written: Vec<bool>,
    scratch: (Vec<f32>, Vec<f32>),
}

impl Workspace {
    /// For evaluating only: tensors share memory.
    pub(crate) fn new(graph: &Graph, (width, height): (usize, usize), boards: usize) -> Workspace {
        let (places, count) = graph.share_memory();
        Workspace::with_places(graph, (width, height), boards, places, count)
    }

    /// For training: every tensor is kept, and has a gradient.
    pub(crate) fn for_training(graph: &Graph, size: (usize, usize), boards: usize) -> Workspace {
        let count = graph.tensors.len();
        let mut workspace = Workspace::with_places(graph, size, boards, (0..count).collect(), count);
        workspace.gradients = workspace.memory.clone();
        workspace.written = vec![false; count];
        workspace
    }

    fn with_places(
        graph: &Graph,
        (width, height): (usize, usize),
        boards: usize,
        places: Vec<usize>,
        count: usize,
    ) -> Workspace {
        let tiles = Tiles::new(width, height, TileKind::best(width, height));
        let mut memory = vec![Vec::new(); count];
        for (shape, &place) in graph.tensors.iter().zip(&places) {
            memory[place].resize(tensor_len(*shape, width * height, boards), 0.0);
        }
        let mut scratch = (Vec::new(), Vec::new());
        let mut rotations = vec![Vec::new(); graph.rotations.len()];
        for op in &graph.ops {
            match *op {
                Op::Conv { kernel: 3, weight, .. } => {
                    let (to, from) = conv_shape(graph, weight);
                    let len = tiles.scratch(boards, padded(to.max(from))).max(scratch.0.len());
                    scratch.0.resize(len, 0.0);
                    scratch.1.resize(len, 0.0);
                }
                Op::Attention { shape, rotation, .. } => {
                    scratch.0.resize(shape.scratch(width * height).max(scratch.0.len()), 0.0);
                    if let Some(id) = rotation {
                        let (frequencies, heads) = (&graph.rotations[id], shape.key_heads);
                        rotations[id] = attention::rotations(frequencies, heads, (width, height));
                    }
                }
                _ => {}
            }
        }
        let geometry = Geometry { width, height, boards, tiles, rotations };
        Workspace { geometry, places, memory, gradients: Vec::new(), written: Vec::new(), scratch }
    }

    /// The kind of weights that it needs.
    pub(crate) fn tile_kind(&self) -> TileKind {
        self.geometry.tiles.kind
    }

    /// The most boards at a time.
    pub(crate) fn boards(&self) -> usize {
        self.geometry.boards
    }

    /// The board's width and height.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.geometry.width, self.geometry.height)
    }

    /// A tensor: padded channels of all points of all boards, or a vector for each board.
    pub(crate) fn tensor(&self, id: TensorId) -> &[f32] {
        &self.memory[self.places[id.0]]
    }

    pub(crate) fn tensor_mut(&mut self, id: TensorId) -> &mut [f32] {
        &mut self.memory[self.places[id.0]]
    }

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

    /// Computes every tensor from the inputs, for the first `boards` boards.
    pub(crate) fn forward(&mut self, graph: &Graph, weights: &Prepared, boards: usize) {
        for op in &graph.ops {
            let place = self.places[op.to().0];
            let mut out = mem::take(&mut self.memory[place]);
            self.run(graph, weights, op, &mut out, boards);
            self.memory[place] = out;
        }
    }

    fn run(&mut self, graph: &Graph, weights: &Prepared, op: &Op, out: &mut [f32], boards: usize) {
        let Workspace { geometry, places, memory, scratch, .. } = self;
        let points = geometry.width * geometry.height * boards;
        let read = |id: TensorId| &memory[places[id.0]][..];
        match *op {
            Op::Conv { from, kernel, weight, bias, add, activation, .. } => {
                let (to, before) = conv_shape(graph, weight);
                let (to, before) = (padded(to), padded(before));
                let finish = Finish {
                    bias: bias.map(|id| &weights.arrays[id.0][..]),
                    add: add.map(read),
                    activation,
                    ..Finish::default()
                };
                let u = &weights.arrays[weight.0];
                if kernel == 3 {
                    let job = Job { tiles: &geometry.tiles, boards, from: before, to };
                    winograd::convolve(job, (read(from), u, out), (&mut scratch.0, &mut scratch.1), finish);
                } else {
                    let shape = geometry.direct(boards, kernel, before, to);
                    let out = &mut out[..points * to];
                    direct::convolve(shape, (read(from), u, out), Write::Replace);
                    pointwise::finish(out, to, finish);
                }
            }
            Op::Affine { from, scale, bias, activation, .. } => {
                let parts = (&weights.arrays[scale.0][..], &weights.arrays[bias.0][..]);
                let len = points * parts.0.len();
                pointwise::affine(&read(from)[..len], &mut out[..len], parts, activation);
            }
            Op::RmsNorm { from, scale, bias, span, epsilon, activation, .. } => {
                let scale = &weights.arrays[scale.0][..];
                let bias = bias.map(|id| &weights.arrays[id.0][..]);
                let norm = RmsNorm { scale, bias, channels: graph.width(from), epsilon, activation };
                let len = points * scale.len();
                let mean_points = match span {
                    Span::Point => 1,
                    Span::Board => points / boards,
                };
                normalize(norm, &read(from)[..len], &mut out[..len], mean_points);
            }
            Op::Gate { from, gate, .. } => {
                let len = points * padded(graph.width(from));
                pointwise::gate(&read(from)[..len], &read(gate)[..len], &mut out[..len]);
            }
            Op::Attention { query, key, value, to, shape, rotation } => {
                let [query, key, value] = [query, key, value].map(read);
                let rotations = rotation.map(|id| &geometry.rotations[id][..]);
                let inputs = attention::Inputs { query, key, value, rotations };
                let out = &mut out[..points * padded(graph.width(to))];
                attention::attend(shape, points / boards, inputs, out, &mut scratch.0);
            }
            Op::Pool { from, pooling, to } => {
                let channels = padded(graph.width(from));
                let area = geometry.width * geometry.height;
                let results = out.chunks_exact_mut(graph.width(to)).take(boards);
                for (board, result) in read(from).chunks_exact(area * channels).zip(results) {
                    pooling.forward(board, channels, result);
                }
            }
            Op::Center { from, mean, .. } => {
                let mean = &weights.arrays[mean.0];
                let rows = read(from).chunks_exact(mean.len()).zip(out.chunks_exact_mut(mean.len()));
                for (from, to) in rows.take(boards) {
                    for ((to, x), mean) in to.iter_mut().zip(from).zip(mean) {
                        *to = x - mean;
                    }
                }
            }
            Op::Linear { from, to, weight, bias, activation } => {
                let (before, after) = (graph.width(from), graph.width(to));
                multiply(
                    Size { rows: boards, cols: after, depth: before },
                    out,
                    Left::Rows(read(from), before),
                    Right::Rows(&weights.transposed[weight.0]),
                    Write::Replace,
                );
                for row in out.chunks_exact_mut(after).take(boards) {
                    for (i, value) in row.iter_mut().enumerate() {
                        *value += bias.map_or(0.0, |bias| weights.arrays[bias.0][i]);
                        *value = activation.of(*value);
                    }
                }
            }
            Op::AddVector { from, vector, activation, .. } => {
                let (channels, real) = (padded(graph.width(from)), graph.width(vector));
                let area = geometry.width * geometry.height;
                let len = area * channels;
                let vectors = read(vector).chunks_exact(real).take(boards);
                for (board, vector) in vectors.enumerate() {
                    let from = &read(from)[board * len..][..len];
                    let to = &mut out[board * len..][..len];
                    to.copy_from_slice(from);
                    let mut bias = vec![0.0; channels];
                    bias[..real].copy_from_slice(vector);
                    let finish = Finish { bias: Some(&bias), activation, ..Finish::default() };
                    pointwise::finish(to, channels, finish);
                }
            }
        }
    }

    /// [`Workspace::forward`] with convolutions by their definition.
    pub(crate) fn forward_plain(
        &mut self,
        graph: &Graph,
        weights: &[Vec<f32>],
        prepared: &Prepared,
        boards: usize,
    ) {
        for op in &graph.ops {
            let place = self.places[op.to().0];
            let mut out = mem::take(&mut self.memory[place]);
            if let Op::Conv { from, to, kernel, weight, bias, add, activation } = *op {
                let (width, height) = self.size();
                let (before, after) = (graph.width(from), graph.width(to));
                let area = width * height;
                for board in 0..boards {
                    let x = &self.tensor(from)[board * area * padded(before)..][..area * padded(before)];
                    let y = &mut out[board * area * padded(after)..][..area * padded(after)];
                    plain::convolve(
                        (x, padded(before)),
                        (width, height),
                        (&weights[weight.0], kernel),
                        (y, padded(after)),
                        (before, after),
                    );
                }
                let bias = bias.map(|id| &prepared.arrays[id.0][..]);
                let add = add.map(|id| self.tensor(id));
                let len = area * boards * padded(after);
                pointwise::finish(
                    &mut out[..len],
                    padded(after),
                    Finish { bias, add, activation, ..Finish::default() },
                );
            } else {
                self.run(graph, prepared, op, &mut out, boards);
            }
            self.memory[place] = out;
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
                        winograd::convolve(job, (dout, u, dx), scratch, finish);
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

impl Geometry {
    fn direct(&self, boards: usize, kernel: usize, from: usize, to: usize) -> direct::Shape {
        direct::Shape { width: self.width, height: self.height, boards, kernel, from, to }
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

/// Floats of a tensor; planes have a point of zeros behind the last board.
fn tensor_len(shape: Shape, area: usize, boards: usize) -> usize {
    match shape {
        Shape::Planes(channels) => (area * boards + 1) * padded(channels),
        Shape::Vector(width) => width * boards,
    }
}

/// Sums of gradients, arranged as the kernels have the weights.
#[derive(Clone, Debug)]
pub(crate) struct Gradients {
    kind: TileKind,
    arrays: Vec<Vec<f32>>,
}

impl Gradients {
    /// Zeros for weights of this kind.
    pub(crate) fn new(graph: &Graph, kind: TileKind) -> Gradients {
        let mut arrays: Vec<Vec<f32>> = graph.params.iter().map(|p| vec![0.0; p.len()]).collect();
        for op in &graph.ops {
            if let Op::Conv { kernel, weight, .. } = *op {
                let (to, from) = conv_shape(graph, weight);
                let products = if kernel == 3 { kind.products() } else { kernel * kernel };
                arrays[weight.0].resize(products * padded(to) * padded(from), 0.0);
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

/// Shared prepared weights.
pub(crate) type SharedWeights = Arc<Prepared>;
