//! A network as a list of operations on tensors: what the executor runs, forwards and backwards.
//!
//! Our own networks and KataGo's are both turned into this form, so there is one implementation of each operation.

use crate::kernels::pool::Pooling;

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
    /// `to` = relu(`weight` ∗ `from` + `bias` + `add`)
    Conv {
        from: TensorId,
        to: TensorId,
        kernel: usize,
        weight: ParamId,
        bias: Option<ParamId>,
        add: Option<TensorId>,
        relu: bool,
    },
    /// `to` = relu(`from` · `scale` + `bias`), channel by channel
    Affine { from: TensorId, to: TensorId, scale: ParamId, bias: ParamId, relu: bool },
    /// `to` = statistics of each channel
    Pool { from: TensorId, to: TensorId, pooling: Pooling },
    /// `to` = `from` − `mean`, the running mean of what `from` was in training
    Center { from: TensorId, to: TensorId, mean: ParamId },
    /// `to` = relu(`weight` · `from` + `bias`)
    Linear { from: TensorId, to: TensorId, weight: ParamId, bias: Option<ParamId>, relu: bool },
    /// `to` = relu(`from` + `vector`), the same vector at every point
    AddVector { from: TensorId, vector: TensorId, to: TensorId, relu: bool },
}

impl Op {
    pub(crate) fn to(&self) -> TensorId {
        match *self {
            Op::Conv { to, .. }
            | Op::Affine { to, .. }
            | Op::Pool { to, .. }
            | Op::Center { to, .. }
            | Op::Linear { to, .. }
            | Op::AddVector { to, .. } => to,
        }
    }

    /// The tensors that it reads.
    pub(crate) fn reads(&self) -> [Option<TensorId>; 2] {
        match *self {
            Op::Conv { from, add, .. } => [Some(from), add],
            Op::AddVector { from, vector, .. } => [Some(from), Some(vector)],
            Op::Affine { from, .. }
            | Op::Pool { from, .. }
            | Op::Center { from, .. }
            | Op::Linear { from, .. } => [Some(from), None],
        }
    }
}

/// A network without its weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) tensors: Vec<Shape>,
    pub(crate) params: Vec<Param>,
    pub(crate) ops: Vec<Op>,
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
    pub(crate) relu: bool,
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
        let ConvParts { kernel, channels, bias, add, relu } = parts;
        let shape = vec![channels, self.width(from), kernel, kernel];
        let weight = self.param(format!("{name}.weight"), shape);
        let bias = bias.then(|| self.param(format!("{name}.bias"), vec![channels]));
        let to = self.tensor(Shape::Planes(channels));
        self.ops.push(Op::Conv { from, to, kernel, weight, bias, add, relu });
        to
    }

    pub(crate) fn affine(&mut self, name: &str, from: TensorId, relu: bool) -> TensorId {
        let channels = self.width(from);
        let scale = self.param(format!("{name}.scale"), vec![channels]);
        let bias = self.param(format!("{name}.bias"), vec![channels]);
        let to = self.tensor(Shape::Planes(channels));
        self.ops.push(Op::Affine { from, to, scale, bias, relu });
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
        relu: bool,
    ) -> TensorId {
        let weight = self.param(format!("{name}.weight"), vec![width, self.width(from)]);
        let bias = bias.then(|| self.param(format!("{name}.bias"), vec![width]));
        let to = self.tensor(Shape::Vector(width));
        self.ops.push(Op::Linear { from, to, weight, bias, relu });
        to
    }

    pub(crate) fn add_vector(&mut self, from: TensorId, vector: TensorId, relu: bool) -> TensorId {
        let to = self.tensor(self.tensors[from.0]);
        self.ops.push(Op::AddVector { from, vector, to, relu });
        to
    }

    /// Number of weights.
    pub(crate) fn weight_count(&self) -> usize {
        self.params.iter().map(Param::len).sum()
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
