//! The records that KataGo's model files consist of, and the operations that they become.
//!
//! Batch norms are scale and bias for inference. One that follows a convolution directly is folded into it; one that
//! follows the addition of a residual block stays an operation of its own.

use super::reader::Reader;
use crate::{
    exec::kernels::{activation::Activation, norm::Span},
    model::graph::{ConvParts, Graph, NormParts, TensorId},
};

/// The most channels of a layer: more than any known network has.
pub(super) const MAX_CHANNELS: usize = 4096;

/// A graph with its weights while the file is read.
pub(super) struct Builder<'a> {
    pub(super) input: Reader<'a>,
    pub(super) version: usize,
    pub(super) graph: Graph,
    pub(super) weights: Vec<Vec<f32>>,
    /// Blocks so far.
    pub(super) blocks: usize,
}

/// A convolution's weights, `to` x `from` x k x k.
pub(super) struct Conv {
    kernel: usize,
    from: usize,
    pub(super) to: usize,
    weights: Vec<f32>,
}

impl Conv {
    /// Multiplies each output channel.
    pub(super) fn scale(&mut self, scale: &[f32]) {
        let len = self.weights.len() / self.to;
        for (filter, scale) in self.weights.chunks_exact_mut(len).zip(scale) {
            for w in filter {
                *w *= scale;
            }
        }
    }
}

/// A batch norm as it is used, and what follows it.
pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

/// A matrix, `to` x `from`.
pub(super) struct Matrix {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weights: Vec<f32>,
}

impl Matrix {
    /// As a convolution, which multiplies the channels of every point by it.
    pub(super) fn at_every_point(self) -> Conv {
        Conv { kernel: 1, from: self.from, to: self.to, weights: self.weights }
    }
}

/// What a number of a matrix may be.
#[derive(Clone, Copy)]
pub(super) enum Width {
    Any,
    Exactly(usize),
}

impl Width {
    fn limits(self) -> (usize, usize) {
        match self {
            Width::Any => (1, MAX_CHANNELS),
            Width::Exactly(width) => (width, width),
        }
    }
}

impl Builder<'_> {
    /// So many numbers that must be 0: options of later versions.
    pub(super) fn read_zeros(&mut self, what: &str, count: usize) -> Result<(), String> {
        for i in 0..count {
            let what = format!("reserved number {} of {what}", i + 1);
            self.input.number(&what, 0, usize::MAX).and_then(|number| match number {
                0 => Ok(()),
                _ => Err(format!("{what} is {number}: the network has a part that is not supported")),
            })?;
        }
        Ok(())
    }

    pub(super) fn read_flag(&mut self, what: &str) -> Result<bool, String> {
        Ok(self.input.number(what, 0, 1)? == 1)
    }

    pub(super) fn read_conv(&mut self, what: &str, from: usize, to: Width) -> Result<Conv, String> {
        self.input.word(what)?;
        let kernel = self.input.number(&format!("{what}: kernel"), 1, 19)?;
        self.input.number(&format!("{what}: kernel"), kernel, kernel)?;
        if kernel % 2 == 0 {
            return Err(format!("{what} has a kernel of width {kernel}: only odd ones are supported"));
        }
        self.input.number(&format!("{what}: channels before"), from, from)?;
        let (least, most) = to.limits();
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
    pub(super) fn read_norm(&mut self, what: &str, channels: usize) -> Result<Norm, String> {
        self.input.word(what)?;
        self.input.number(&format!("{what}: channels"), channels, channels)?;
        let epsilon = self.input.float(&format!("{what}: epsilon"))?;
        let has_scale = self.read_flag(&format!("{what}: whether it has a scale"))?;
        let has_bias = self.read_flag(&format!("{what}: whether it has a bias"))?;
        let mean = self.input.floats(what, channels)?;
        let variance = self.input.floats(what, channels)?;
        let ones = vec![1.0; channels];
        let scale = if has_scale { self.input.floats(what, channels)? } else { ones };
        let bias = if has_bias { self.input.floats(what, channels)? } else { vec![0.0; channels] };
        let scale: Vec<f32> = scale.iter().zip(&variance).map(|(s, v)| s / (v + epsilon).sqrt()).collect();
        let bias: Vec<f32> = bias.iter().zip(&mean).zip(&scale).map(|((b, m), s)| b - m * s).collect();
        if scale.iter().chain(&bias).any(|x| !x.is_finite()) {
            return Err(format!("{what} is not a norm: the file is damaged, get it again"));
        }
        let activation = self.read_activation(what)?;
        Ok(Norm { scale, bias, activation })
    }

    pub(super) fn read_activation(&mut self, what: &str) -> Result<Activation, String> {
        self.input.word(&format!("the activation after {what}"))?;
        if self.version < 11 {
            return Ok(Activation::Relu);
        }
        let kind = self.input.word(&format!("the kind of activation after {what}"))?;
        match kind.as_str() {
            "ACTIVATION_IDENTITY" => Ok(Activation::Identity),
            "ACTIVATION_RELU" => Ok(Activation::Relu),
            "ACTIVATION_MISH" => Ok(Activation::Mish),
            "ACTIVATION_SILU" => Ok(Activation::Silu),
            _ => Err(format!("the activation after {what} is {kind:?}, which is not supported")),
        }
    }

    pub(super) fn read_matrix(&mut self, what: &str, from: usize, to: Width) -> Result<Matrix, String> {
        self.input.word(what)?;
        self.input.number(&format!("{what}: inputs"), from, from)?;
        let (least, most) = to.limits();
        let to = self.input.number(&format!("{what}: outputs"), least, most)?;
        let floats = self.input.floats(what, from * to)?;
        let mut weights = vec![0.0; floats.len()];
        for (i, w) in floats.into_iter().enumerate() {
            weights[i % to * from + i / to] = w;
        }
        Ok(Matrix { from, to, weights })
    }

    pub(super) fn read_bias(&mut self, what: &str, channels: usize) -> Result<Vec<f32>, String> {
        self.input.word(what)?;
        self.input.number(&format!("{what}: channels"), channels, channels)?;
        self.input.floats(what, channels)
    }

    fn read_epsilon(&mut self, what: &str) -> Result<f32, String> {
        let what = format!("{what}: epsilon");
        let epsilon = self.input.float(&what)?;
        if epsilon > 0.0 && epsilon <= 1.0 {
            return Ok(epsilon);
        }
        Err(format!("{what} is {epsilon}: it must be more than 0 and at most 1"))
    }

    /// The norm at the end of a trunk that is no batch norm, and the activation that follows it.
    pub(super) fn read_rms_norm(&mut self, x: TensorId, what: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        self.input.word(what)?;
        self.input.number(&format!("{what}: channels"), channels, channels)?;
        let epsilon = self.read_epsilon(what)?;
        let is_spatial = self.read_flag(&format!("{what}: whether it is spatial"))?;
        self.input.number(&format!("{what}: group size (only 0 is supported)"), 0, 0)?;
        let scale = self.input.floats(what, channels)?;
        let bias = self.input.floats(what, channels)?;
        let activation = self.read_activation(what)?;
        self.weights.extend([scale, bias]);
        let span = if is_spatial { Span::Board } else { Span::Point };
        Ok(self.graph.rms_norm("norm", x, NormParts { bias: true, span, epsilon, activation }))
    }

    /// The norm of a transformer block.
    pub(super) fn read_point_norm(&mut self, x: TensorId, what: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        self.input.word(what)?;
        self.input.number(&format!("{what}: channels"), channels, channels)?;
        let epsilon = self.read_epsilon(what)?;
        let scale = self.input.floats(what, channels)?;
        self.weights.push(scale);
        let parts = NormParts { bias: false, span: Span::Point, epsilon, activation: Activation::Identity };
        Ok(self.graph.rms_norm("norm", x, parts))
    }

    /// Scale, bias and activation as an operation of their own.
    pub(super) fn norm(&mut self, x: TensorId, what: &str) -> Result<TensorId, String> {
        let norm = self.read_norm(what, self.graph.width(x))?;
        self.weights.extend([norm.scale, norm.bias]);
        Ok(self.graph.affine("norm", x, norm.activation))
    }

    /// A convolution, and a residual branch to add.
    pub(super) fn conv(&mut self, x: TensorId, conv: Conv, add: Option<TensorId>) -> TensorId {
        debug_assert_eq!(self.graph.width(x), conv.from);
        let Conv { kernel, to, weights, .. } = conv;
        self.weights.push(weights);
        let parts = ConvParts { kernel, channels: to, bias: false, add, activation: Activation::Identity };
        self.graph.conv("conv", x, parts)
    }

    /// A convolution with the norm and activation that follow it.
    pub(super) fn normed_conv(&mut self, x: TensorId, mut conv: Conv, norm: Norm) -> TensorId {
        debug_assert_eq!(self.graph.width(x), conv.from);
        conv.scale(&norm.scale);
        let Conv { kernel, to, weights, .. } = conv;
        self.weights.extend([weights, norm.bias]);
        let parts = ConvParts { kernel, channels: to, bias: true, add: None, activation: norm.activation };
        self.graph.conv("conv", x, parts)
    }

    pub(super) fn linear(
        &mut self,
        x: TensorId,
        matrix: Matrix,
        bias: Option<Vec<f32>>,
        activation: Activation,
    ) -> TensorId {
        debug_assert_eq!(self.graph.width(x), matrix.from);
        self.weights.push(matrix.weights);
        let has_bias = bias.is_some();
        self.weights.extend(bias);
        self.graph.linear("linear", x, matrix.to, has_bias, activation)
    }
}
