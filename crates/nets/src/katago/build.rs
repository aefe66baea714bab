//! From a KataGo model file to a graph with its weights.
//!
//! Batch norms are scale and bias for inference. One that follows a convolution directly is folded into it; one that
//! follows the addition of a residual block stays an operation of its own.

use super::{GLOBALS, PLANES, reader::Reader};
use crate::{
    graph::{ConvParts, Graph, Shape, TensorId},
    kernels::pool::Pooling,
};

/// Model versions that are understood.
const VERSIONS: std::ops::RangeInclusive<usize> = 8..=12;
const MAX_CHANNELS: usize = 2048;

/// Where inputs go and results come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KataHeads {
    pub(crate) planes: TensorId,
    pub(crate) globals: TensorId,
    pub(crate) policy: TensorId,
    pub(crate) pass: TensorId,
    pub(crate) value: TensorId,
    pub(crate) score: TensorId,
    pub(crate) ownership: TensorId,
}

/// A network as read.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) version: usize,
    pub(crate) graph: Graph,
    pub(crate) weights: Vec<Vec<f32>>,
    pub(crate) heads: KataHeads,
}

/// A convolution's weights, `to` x `from` x k x k.
struct Conv {
    kernel: usize,
    from: usize,
    to: usize,
    weights: Vec<f32>,
}

impl Conv {
    /// Multiplies each output channel.
    fn scale(&mut self, scale: &[f32]) {
        let len = self.weights.len() / self.to;
        for (filter, scale) in self.weights.chunks_exact_mut(len).zip(scale) {
            for w in filter {
                *w *= scale;
            }
        }
    }
}

/// A batch norm as it is used.
struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

/// A matrix, `to` x `from`.
struct Matrix {
    from: usize,
    to: usize,
    weights: Vec<f32>,
}

struct Builder<'a> {
    input: Reader<'a>,
    version: usize,
    graph: Graph,
    weights: Vec<Vec<f32>>,
}

/// Reads a model from the bytes of its file.
pub(crate) fn read(bytes: &[u8]) -> Result<Model, String> {
    let mut input = Reader::new(bytes);
    let name = input.word("its name")?;
    let version = input.number("the model version", 1, 1000)?;
    if !VERSIONS.contains(&version) {
        return Err(format!(
            "it is a KataGo network of model version {version}; {} to {} are supported, such as g170-b6c96",
            VERSIONS.start(),
            VERSIONS.end()
        ));
    }
    let planes = input.number("the number of input planes", 1, 1000)?;
    let globals = input.number("the number of global inputs", 1, 1000)?;
    if (planes, globals) != (PLANES, GLOBALS) {
        return Err(format!(
            "it has {planes} input planes and {globals} global inputs; only {PLANES} and {GLOBALS} are supported"
        ));
    }
    let mut builder = Builder { input, version, graph: Graph::default(), weights: Vec::new() };
    let heads = builder.network()?;
    let Builder { graph, weights, .. } = builder;
    Ok(Model { name, version, graph, weights, heads })
}

impl Builder<'_> {
    fn network(&mut self) -> Result<KataHeads, String> {
        let planes = self.graph.input(Shape::Planes(PLANES));
        let globals = self.graph.input(Shape::Vector(GLOBALS));
        let trunk = self.trunk(planes, globals)?;
        let (policy, pass) = self.policy_head(trunk)?;
        let (value, score, ownership) = self.value_head(trunk)?;
        for id in [policy, pass, value, score, ownership] {
            self.graph.output(id);
        }
        Ok(KataHeads { planes, globals, policy, pass, value, score, ownership })
    }

    fn trunk(&mut self, planes: TensorId, globals: TensorId) -> Result<TensorId, String> {
        self.input.word("the trunk's name")?;
        let blocks = self.input.number("the number of blocks", 1, 200)?;
        let channels = self.input.number("the trunk's channels", 1, MAX_CHANNELS)?;
        for what in ["middle", "regular", "dilated", "pooling"] {
            self.input.number(&format!("the {what} channels"), 0, MAX_CHANNELS)?;
        }
        let conv = self.read_conv("the first layer", PLANES, Some(channels))?;
        let x = self.conv(planes, conv, None, None, false);
        let matrix = self.read_matrix("the global inputs' weights", GLOBALS, Some(channels))?;
        let vector = self.linear(globals, matrix, None, false);
        let mut x = self.graph.add_vector(x, vector, false);
        for _ in 0..blocks {
            x = self.block(x, 0)?;
        }
        self.norm(x, "the trunk's last norm")
    }

    /// Any kind of block.
    fn block(&mut self, x: TensorId, depth: usize) -> Result<TensorId, String> {
        let kind = self.input.word("a block's kind")?;
        self.input.word("a block's name")?;
        match kind.as_str() {
            "ordinary_block" => self.ordinary_block(x),
            "gpool_block" => self.pooling_block(x),
            "nested_bottleneck_block" if depth == 0 => self.nested_block(x),
            _ => Err(format!("it has a block of the kind {kind:?}, which is not supported")),
        }
    }

    fn ordinary_block(&mut self, x: TensorId) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let h = self.norm(x, "a block's first norm")?;
        let mut first = self.read_conv("a block's first layer", channels, None)?;
        let norm = self.read_norm("a block's second norm", first.to)?;
        first.scale(&norm.scale);
        let h = self.conv(h, first, Some(norm.bias), None, true);
        let last = self.read_conv("a block's last layer", self.graph.width(h), Some(channels))?;
        Ok(self.conv(h, last, None, Some(x), false))
    }

    fn pooling_block(&mut self, x: TensorId) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let h = self.norm(x, "a block's first norm")?;
        let regular = self.read_conv("a block's first layer", channels, None)?;
        let pooled = self.read_conv("a block's pooled layer", channels, None)?;
        let h = self.pooled_bias(h, regular, pooled)?.0;
        let last = self.read_conv("a block's last layer", self.graph.width(h), Some(channels))?;
        Ok(self.conv(h, last, None, Some(x), false))
    }

    fn nested_block(&mut self, x: TensorId) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let blocks = self.input.number("the number of inner blocks", 1, 20)?;
        let h = self.norm(x, "a block's first norm")?;
        let first = self.read_conv("a block's first layer", channels, None)?;
        let mut h = self.conv(h, first, None, None, false);
        for _ in 0..blocks {
            h = self.block(h, 1)?;
        }
        let h = self.norm(h, "a block's last norm")?;
        let last = self.read_conv("a block's last layer", self.graph.width(h), Some(channels))?;
        Ok(self.conv(h, last, None, Some(x), false))
    }

    /// What pooling blocks and the policy head have in common: `regular` with a bias that depends on the whole board
    /// through `pooled`. Returns the result and what was pooled.
    fn pooled_bias(
        &mut self,
        x: TensorId,
        mut regular: Conv,
        mut pooled: Conv,
    ) -> Result<(TensorId, TensorId), String> {
        let norm = self.read_norm("the pooled layer's norm", pooled.to)?;
        pooled.scale(&norm.scale);
        let g = self.conv(x, pooled, Some(norm.bias), None, true);
        let summary = self.graph.pool(g, Pooling::MeanScaledMax);
        let width = self.graph.width(summary);
        let mut matrix = self.read_matrix("the pooled layer's weights", width, Some(regular.to))?;
        // The norm that follows the sum is folded into both parts.
        let norm = self.read_norm("the norm after pooling", regular.to)?;
        regular.scale(&norm.scale);
        for (row, scale) in matrix.weights.chunks_exact_mut(width).zip(&norm.scale) {
            for w in row {
                *w *= scale;
            }
        }
        let h = self.conv(x, regular, None, None, false);
        let vector = self.linear(summary, matrix, Some(norm.bias), false);
        Ok((self.graph.add_vector(h, vector, true), summary))
    }

    fn policy_head(&mut self, trunk: TensorId) -> Result<(TensorId, TensorId), String> {
        let channels = self.graph.width(trunk);
        self.input.word("the policy head's name")?;
        let regular = self.read_conv("the policy head's first layer", channels, None)?;
        let pooled = self.read_conv("the policy head's pooled layer", channels, None)?;
        let (h, summary) = self.pooled_bias(trunk, regular, pooled)?;
        let last = self.read_conv("the policy head's last layer", self.graph.width(h), None)?;
        let policy = self.conv(h, last, None, None, false);
        let matrix = self.read_matrix("the pass's weights", self.graph.width(summary), None)?;
        Ok((policy, self.linear(summary, matrix, None, false)))
    }

    fn value_head(&mut self, trunk: TensorId) -> Result<(TensorId, TensorId, TensorId), String> {
        let channels = self.graph.width(trunk);
        self.input.word("the value head's name")?;
        let mut first = self.read_conv("the value head's first layer", channels, None)?;
        let norm = self.read_norm("the value head's norm", first.to)?;
        first.scale(&norm.scale);
        let h = self.conv(trunk, first, Some(norm.bias), None, true);
        let summary = self.graph.pool(h, Pooling::MeanScaledSquare);
        let hidden = self.read_layer("the value head's hidden layer", summary, None, true)?;
        let value = self.read_layer("the value", hidden, Some(3), false)?;
        let score = self.read_layer("the score", hidden, None, false)?;
        if self.graph.width(score) < 4 {
            return Err("its score head has fewer than 4 outputs: the file is damaged".to_owned());
        }
        let last = self.read_conv("the ownership", self.graph.width(h), Some(1))?;
        Ok((value, score, self.conv(h, last, None, None, false)))
    }

    /// A matrix, a bias and, where `relu`, an activation.
    fn read_layer(
        &mut self,
        what: &str,
        from: TensorId,
        to: Option<usize>,
        relu: bool,
    ) -> Result<TensorId, String> {
        let matrix = self.read_matrix(what, self.graph.width(from), to)?;
        self.input.word(what)?;
        let width = self.input.number(&format!("{what}: channels"), matrix.to, matrix.to)?;
        let bias = self.input.floats(what, width)?;
        if relu {
            self.read_activation(what)?;
        }
        Ok(self.linear(from, matrix, Some(bias), relu))
    }

    fn read_conv(&mut self, what: &str, from: usize, to: Option<usize>) -> Result<Conv, String> {
        self.input.word(what)?;
        let kernel = self.input.number(&format!("{what}: kernel"), 1, 19)?;
        self.input.number(&format!("{what}: kernel"), kernel, kernel)?;
        if kernel % 2 == 0 {
            return Err(format!("{what} has a kernel of width {kernel}: only odd ones are supported"));
        }
        self.input.number(&format!("{what}: channels before"), from, from)?;
        let (least, most) = to.map_or((1, MAX_CHANNELS), |to| (to, to));
        let to = self.input.number(&format!("{what}: channels after"), least, most)?;
        for _ in 0..2 {
            self.input.number(&format!("{what}: dilation (only 1 is supported)"), 1, 1)?;
        }
        let taps = kernel * kernel;
        let floats = self.input.floats(what, taps * from * to)?;
        let mut weights = vec![0.0; floats.len()];
        for (i, w) in floats.into_iter().enumerate() {
            let (o, c, tap) = (i % to, i / to % from, i / to / from);
            weights[(o * from + c) * taps + tap] = w;
        }
        Ok(Conv { kernel, from, to, weights })
    }

    /// A batch norm and the activation that follows it.
    fn read_norm(&mut self, what: &str, channels: usize) -> Result<Norm, String> {
        self.input.word(what)?;
        self.input.number(&format!("{what}: channels"), channels, channels)?;
        let epsilon = self.input.float(&format!("{what}: epsilon"))?;
        let has_scale = self.input.number(&format!("{what}: whether it has a scale"), 0, 1)? == 1;
        let has_bias = self.input.number(&format!("{what}: whether it has a bias"), 0, 1)? == 1;
        let mean = self.input.floats(what, channels)?;
        let variance = self.input.floats(what, channels)?;
        let ones = vec![1.0; channels];
        let scale = if has_scale { self.input.floats(what, channels)? } else { ones };
        let bias = if has_bias { self.input.floats(what, channels)? } else { vec![0.0; channels] };
        let scale: Vec<f32> = scale.iter().zip(&variance).map(|(s, v)| s / (v + epsilon).sqrt()).collect();
        let bias: Vec<f32> = bias.iter().zip(&mean).zip(&scale).map(|((b, m), s)| b - m * s).collect();
        if scale.iter().chain(&bias).any(|x| !x.is_finite()) {
            return Err(format!("{what} is no norm: the file is damaged, get it again"));
        }
        self.read_activation(what)?;
        Ok(Norm { scale, bias })
    }

    fn read_activation(&mut self, what: &str) -> Result<(), String> {
        self.input.word(&format!("the activation after {what}"))?;
        if self.version < 11 {
            return Ok(());
        }
        let kind = self.input.word("the kind of an activation")?;
        if kind != "ACTIVATION_RELU" {
            return Err(format!("it uses {kind}; only networks with ReLU are supported, such as g170-b6c96"));
        }
        Ok(())
    }

    fn read_matrix(&mut self, what: &str, from: usize, to: Option<usize>) -> Result<Matrix, String> {
        self.input.word(what)?;
        self.input.number(&format!("{what}: inputs"), from, from)?;
        let (least, most) = to.map_or((1, MAX_CHANNELS), |to| (to, to));
        let to = self.input.number(&format!("{what}: outputs"), least, most)?;
        let floats = self.input.floats(what, from * to)?;
        let mut weights = vec![0.0; floats.len()];
        for (i, w) in floats.into_iter().enumerate() {
            weights[i % to * from + i / to] = w;
        }
        Ok(Matrix { from, to, weights })
    }

    /// Scale, bias and ReLU as an operation of their own.
    fn norm(&mut self, x: TensorId, what: &str) -> Result<TensorId, String> {
        let norm = self.read_norm(what, self.graph.width(x))?;
        self.weights.extend([norm.scale, norm.bias]);
        Ok(self.graph.affine("norm", x, true))
    }

    fn conv(
        &mut self,
        x: TensorId,
        conv: Conv,
        bias: Option<Vec<f32>>,
        add: Option<TensorId>,
        relu: bool,
    ) -> TensorId {
        debug_assert_eq!(self.graph.width(x), conv.from);
        let parts = ConvParts { kernel: conv.kernel, channels: conv.to, bias: bias.is_some(), add, relu };
        self.weights.push(conv.weights);
        self.weights.extend(bias);
        self.graph.conv("conv", x, parts)
    }

    fn linear(&mut self, x: TensorId, matrix: Matrix, bias: Option<Vec<f32>>, relu: bool) -> TensorId {
        debug_assert_eq!(self.graph.width(x), matrix.from);
        self.weights.push(matrix.weights);
        let has_bias = bias.is_some();
        self.weights.extend(bias);
        self.graph.linear("linear", x, matrix.to, has_bias, relu)
    }
}
