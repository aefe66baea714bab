//! A network as a list of operations on tensors: what the executor runs, forwards and backwards.
//!
//! Our own networks and KataGo's are both turned into this form, so there is one implementation of each operation.

use crate::exec::kernels::{
    activation::Activation, attention, norm::Span, pool::Pooling, winograd::TileKind,
};

/// A tensor of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorId(pub(crate) usize);

/// A weight array of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParamId(pub(crate) usize);

/// What a tensor holds for each board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Channels at every point.
    Planes(usize),
    /// So many numbers.
    Vector(usize),
}

/// An array of weights, without padding.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
}

/// How the name of a running mean ends. Such a parameter follows what it is the mean of, not a gradient of the loss.
const MEAN: &str = ".mean";

impl Param {
    pub(crate) fn is_mean(&self) -> bool {
        self.name.ends_with(MEAN)
    }

    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

/// A step of the computation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// `to` = activation(`weight` ∗ `from` + `bias` + `add`)
    Conv {
        from: TensorId,
        to: TensorId,
        kernel: usize,
        weight: ParamId,
        bias: Option<ParamId>,
        add: Option<TensorId>,
        activation: Activation,
    },
    /// `to` = activation(`from` · `scale` + `bias`), channel by channel
    Affine { from: TensorId, to: TensorId, scale: ParamId, bias: ParamId, activation: Activation },
    /// `to` = activation(`from` / its root mean square · `scale` + `bias`)
    RmsNorm {
        from: TensorId,
        to: TensorId,
        scale: ParamId,
        bias: Option<ParamId>,
        span: Span,
        epsilon: f32,
        activation: Activation,
    },
    /// `to` = silu(`from`) · `gate`
    Gate { from: TensorId, gate: TensorId, to: TensorId },
    /// `to` = what each point gathers from all; with the number of the frequencies in [`Graph::rotations`]
    Attention {
        query: TensorId,
        key: TensorId,
        value: TensorId,
        to: TensorId,
        shape: attention::Shape,
        rotation: Option<usize>,
    },
    /// `to` = statistics of each channel
    Pool { from: TensorId, to: TensorId, pooling: Pooling },
    /// `to` = `from` − `mean`, the running mean of what `from` was in training
    Center { from: TensorId, to: TensorId, mean: ParamId },
    /// `to` = activation(`weight` · `from` + `bias`)
    Linear { from: TensorId, to: TensorId, weight: ParamId, bias: Option<ParamId>, activation: Activation },
    /// `to` = activation(`from` + `vector`), the same vector at every point
    AddVector { from: TensorId, vector: TensorId, to: TensorId, activation: Activation },
}

impl Op {
    pub(crate) fn to(&self) -> TensorId {
        match *self {
            Op::Conv { to, .. }
            | Op::Affine { to, .. }
            | Op::RmsNorm { to, .. }
            | Op::Gate { to, .. }
            | Op::Attention { to, .. }
            | Op::Pool { to, .. }
            | Op::Center { to, .. }
            | Op::Linear { to, .. }
            | Op::AddVector { to, .. } => to,
        }
    }

    /// The tensors that it reads.
    pub(crate) fn reads(&self) -> [Option<TensorId>; 3] {
        match *self {
            Op::Conv { from, add, .. } => [Some(from), add, None],
            Op::AddVector { from, vector, .. } => [Some(from), Some(vector), None],
            Op::Gate { from, gate, .. } => [Some(from), Some(gate), None],
            Op::Attention { query, key, value, .. } => [Some(query), Some(key), Some(value)],
            Op::Affine { from, .. }
            | Op::RmsNorm { from, .. }
            | Op::Pool { from, .. }
            | Op::Center { from, .. }
            | Op::Linear { from, .. } => [Some(from), None, None],
        }
    }
}

/// A network without its weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) tensors: Vec<Shape>,
    pub(crate) params: Vec<Param>,
    pub(crate) ops: Vec<Op>,
    /// For attention: how much each pair of channels turns with a column and with a row. Nothing trains them, so they are no parameters.
    pub(crate) rotations: Vec<Vec<[f32; 2]>>,
    /// Tensors that are filled from outside.
    pub(crate) inputs: Vec<TensorId>,
    /// Tensors that are read in the end.
    pub(crate) outputs: Vec<TensorId>,
}

/// A convolution to be added to a graph.
#[derive(Clone, Copy)]
pub(crate) struct ConvParts {
    pub(crate) kernel: usize,
    pub(crate) channels: usize,
    pub(crate) bias: bool,
    pub(crate) add: Option<TensorId>,
    pub(crate) activation: Activation,
}

/// A norm by the root mean square to be added to a graph.
#[derive(Clone, Copy)]
pub(crate) struct NormParts {
    pub(crate) bias: bool,
    pub(crate) span: Span,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
}

impl Graph {
    pub(crate) fn tensor(&mut self, shape: Shape) -> TensorId {
        self.tensors.push(shape);
        TensorId(self.tensors.len() - 1)
    }

    pub(crate) fn input(&mut self, shape: Shape) -> TensorId {
        let id = self.tensor(shape);
        self.inputs.push(id);
        id
    }

    pub(crate) fn output(&mut self, id: TensorId) -> TensorId {
        self.outputs.push(id);
        id
    }

    fn param(&mut self, name: String, shape: Vec<usize>) -> ParamId {
        self.params.push(Param { name, shape });
        ParamId(self.params.len() - 1)
    }

    /// Channels at each point, or numbers of a vector.
    pub(crate) fn width(&self, id: TensorId) -> usize {
        match self.tensors[id.0] {
            Shape::Planes(n) | Shape::Vector(n) => n,
        }
    }

    pub(crate) fn conv(&mut self, name: &str, from: TensorId, parts: ConvParts) -> TensorId {
        let ConvParts { kernel, channels, bias, add, activation } = parts;
        let shape = vec![channels, self.width(from), kernel, kernel];
        let weight = self.param(format!("{name}.weight"), shape);
        let bias = bias.then(|| self.param(format!("{name}.bias"), vec![channels]));
        let to = self.tensor(Shape::Planes(channels));
        self.ops.push(Op::Conv { from, to, kernel, weight, bias, add, activation });
        to
    }

    pub(crate) fn affine(&mut self, name: &str, from: TensorId, activation: Activation) -> TensorId {
        let channels = self.width(from);
        let scale = self.param(format!("{name}.scale"), vec![channels]);
        let bias = self.param(format!("{name}.bias"), vec![channels]);
        let to = self.tensor(Shape::Planes(channels));
        self.ops.push(Op::Affine { from, to, scale, bias, activation });
        to
    }

    pub(crate) fn rms_norm(&mut self, name: &str, from: TensorId, parts: NormParts) -> TensorId {
        let NormParts { bias, span, epsilon, activation } = parts;
        let channels = self.width(from);
        let scale = self.param(format!("{name}.scale"), vec![channels]);
        let bias = bias.then(|| self.param(format!("{name}.bias"), vec![channels]));
        let to = self.tensor(Shape::Planes(channels));
        self.ops.push(Op::RmsNorm { from, to, scale, bias, span, epsilon, activation });
        to
    }

    pub(crate) fn gate(&mut self, from: TensorId, gate: TensorId) -> TensorId {
        let to = self.tensor(self.tensors[from.0]);
        self.ops.push(Op::Gate { from, gate, to });
        to
    }

    pub(crate) fn attention(
        &mut self,
        [query, key, value]: [TensorId; 3],
        shape: attention::Shape,
        rotation: Option<Vec<[f32; 2]>>,
    ) -> TensorId {
        let to = self.tensor(Shape::Planes(shape.heads * shape.value_width));
        let rotation = rotation.map(|frequencies| {
            self.rotations.push(frequencies);
            self.rotations.len() - 1
        });
        self.ops.push(Op::Attention { query, key, value, to, shape, rotation });
        to
    }

    pub(crate) fn pool(&mut self, from: TensorId, pooling: Pooling) -> TensorId {
        let to = self.tensor(Shape::Vector(self.width(from) * Pooling::PARTS));
        self.ops.push(Op::Pool { from, to, pooling });
        to
    }

    /// A vector less its mean over the positions of the training. What all positions have in common would drown what
    /// tells them apart: the layer above learns many times faster without it.
    pub(crate) fn center(&mut self, name: &str, from: TensorId) -> TensorId {
        let width = self.width(from);
        let mean = self.param(format!("{name}{MEAN}"), vec![width]);
        let to = self.tensor(Shape::Vector(width));
        self.ops.push(Op::Center { from, to, mean });
        to
    }

    pub(crate) fn linear(
        &mut self,
        name: &str,
        from: TensorId,
        width: usize,
        bias: bool,
        activation: Activation,
    ) -> TensorId {
        let weight = self.param(format!("{name}.weight"), vec![width, self.width(from)]);
        let bias = bias.then(|| self.param(format!("{name}.bias"), vec![width]));
        let to = self.tensor(Shape::Vector(width));
        self.ops.push(Op::Linear { from, to, weight, bias, activation });
        to
    }

    pub(crate) fn add_vector(
        &mut self,
        from: TensorId,
        vector: TensorId,
        activation: Activation,
    ) -> TensorId {
        let to = self.tensor(self.tensors[from.0]);
        self.ops.push(Op::AddVector { from, vector, to, activation });
        to
    }

    /// Number of weights.
    pub(crate) fn weight_count(&self) -> usize {
        self.params.iter().map(Param::len).sum()
    }

    /// Multiplications and additions of the layers for a board of this size, as the kernels do them.
    pub(crate) fn operations(&self, width: usize, height: usize) -> u64 {
        let area = width * height;
        let products = TileKind::best(width, height).products_on(width, height);
        let of = |op: &Op| match *op {
            // Every product of a tile multiplies one ninth of the weights.
            Op::Conv { weight, kernel: 3, .. } => 2 * products * self.params[weight.0].len() / 9,
            Op::Conv { weight, .. } => 2 * area * self.params[weight.0].len(),
            Op::Linear { weight, .. } => 2 * self.params[weight.0].len(),
            Op::Attention { shape, .. } => {
                2 * area * area * shape.heads * (shape.key_width + shape.value_width)
            }
            _ => 0,
        };
        self.ops.iter().map(|op| of(op) as u64).sum()
    }

    /// A place in memory for each tensor, such that tensors that are needed at the same time do not share one; and the
    /// number of places.
    pub(crate) fn share_memory(&self) -> (Vec<usize>, usize) {
        let mut last_use = vec![0; self.tensors.len()];
        for (i, op) in self.ops.iter().enumerate() {
            op.reads().into_iter().flatten().for_each(|id| last_use[id.0] = i);
        }
        self.outputs.iter().chain(&self.inputs).for_each(|id| last_use[id.0] = usize::MAX);
        let mut places = vec![usize::MAX; self.tensors.len()];
        let mut count = 0;
        let mut free: Vec<(Shape, usize)> = Vec::new();
        let mut place = |shape: Shape, free: &mut Vec<(Shape, usize)>| {
            if let Some(i) = free.iter().position(|(s, _)| *s == shape) {
                return free.swap_remove(i).1;
            }
            count += 1;
            count - 1
        };
        for id in &self.inputs {
            places[id.0] = place(self.tensors[id.0], &mut free);
        }
        for (i, op) in self.ops.iter().enumerate() {
            let to = op.to();
            places[to.0] = place(self.tensors[to.0], &mut free);
            for id in op.reads().into_iter().flatten().chain([to]) {
                if last_use[id.0] <= i && !free.iter().any(|f| f.1 == places[id.0]) {
                    free.push((self.tensors[id.0], places[id.0]));
                }
            }
        }
        (places, count)
    }
}
