//! Memory for running a graph on a chunk of boards, and the pass forwards.

use std::mem;

use super::{
    kernels::{
        attention, direct,
        matmul::{Left, Right, Size, Write, multiply},
        norm::{RmsNorm, Span, normalize},
        padded, plain, pointwise,
        winograd::{self, Finish, Job, TileKind, Tiles},
    },
    numbers::Numbers,
    prepared::{Prepared, conv_shape},
};
use crate::model::graph::{Graph, Op, Shape, TensorId};

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
pub(super) struct Geometry {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) boards: usize,
    pub(super) tiles: Tiles,
    /// The tables of [`Graph::rotations`].
    rotations: Vec<Vec<f32>>,
}

/// Memory for running a graph on up to so many boards of one size.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(super) geometry: Geometry,
    /// The place of each tensor in `memory`.
    places: Vec<usize>,
    pub(super) memory: Vec<Numbers>,
    pub(super) gradients: Vec<Numbers>,
    /// Which gradients have been written to since the pass began; the others still hold those of the last one.
    pub(super) written: Vec<bool>,
    pub(super) scratch: (Numbers, Numbers),
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
        let mut memory = vec![Numbers::default(); count];
        for (shape, &place) in graph.tensors.iter().zip(&places) {
            memory[place].resize(tensor_len(*shape, width * height, boards));
        }
        let mut scratch = (Numbers::default(), Numbers::default());
        let mut rotations = vec![Vec::new(); graph.rotations.len()];
        for op in &graph.ops {
            match *op {
                Op::Conv { kernel: 3, weight, .. } => {
                    let (to, from) = conv_shape(graph, weight);
                    let len = tiles.scratch(boards, padded(to.max(from))).max(scratch.0.len());
                    scratch.0.resize(len);
                    scratch.1.resize(len);
                }
                Op::Attention { shape, rotation, .. } => {
                    scratch.0.resize(shape.scratch(width * height).max(scratch.0.len()));
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
                    let scratch = (&mut scratch.0[..], &mut scratch.1[..]);
                    winograd::convolve(job, weights.precision, (read(from), u, out), scratch, finish);
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
                let mean = &weights.arrays[mean.0][..];
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
                let len = geometry.width * geometry.height * channels;
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
}

impl Geometry {
    pub(super) fn direct(&self, boards: usize, kernel: usize, from: usize, to: usize) -> direct::Shape {
        direct::Shape { width: self.width, height: self.height, boards, kernel, from, to }
    }
}

/// Floats of a tensor; planes have a point of zeros behind the last board.
fn tensor_len(shape: Shape, area: usize, boards: usize) -> usize {
    match shape {
        Shape::Planes(channels) => (area * boards + 1) * padded(channels),
        Shape::Vector(width) => width * boards,
    }
}
