//! The blocks of KataGo's trunks: convolutional, nested, and transformers'.

use super::layers::{Builder, Conv, MAX_CHANNELS, Matrix, Width};
use crate::{
    exec::kernels::{activation::Activation, attention, padded, pool::Pooling},
    model::graph::TensorId,
};

/// How deep blocks may be nested.
const MAX_DEPTH: usize = 16;
/// The most blocks of a network, nested ones included.
const MAX_BLOCKS: usize = 2000;
/// The most heads of an attention.
const MAX_HEADS: usize = 256;

/// Where a channel of a head goes.
#[derive(Clone, Copy)]
struct Head {
    /// Channels in the file.
    width: usize,
    /// Channels here: whole vectors.
    padded: usize,
    is_rotated: bool,
}

impl Head {
    fn new(width: usize, is_rotated: bool) -> Head {
        let padded = if is_rotated { 2 * padded(width / 2) } else { padded(width) };
        Head { width, padded, is_rotated }
    }

    /// The place of a channel of all heads. Of a pair that is rotated, the second is half a head behind the first.
    fn place(&self, channel: usize) -> usize {
        let (head, c) = (channel / self.width, channel % self.width);
        let within = if self.is_rotated { c / 2 + c % 2 * (self.padded / 2) } else { c };
        head * self.padded + within
    }

    /// A matrix whose outputs are heads, with the outputs in their places, multiplied by a factor.
    fn arrange_outputs(&self, matrix: &Matrix, factor: f32) -> Matrix {
        let (from, to) = (matrix.from, matrix.to / self.width * self.padded);
        let mut weights = vec![0.0; from * to];
        for (channel, row) in matrix.weights.chunks_exact(from).enumerate() {
            for (to, w) in weights[self.place(channel) * from..][..from].iter_mut().zip(row) {
                *to = w * factor;
            }
        }
        Matrix { from, to, weights }
    }

    /// A matrix whose inputs are heads, with the inputs in their places.
    fn arrange_inputs(&self, matrix: &Matrix) -> Matrix {
        let (from, to) = (matrix.from / self.width * self.padded, matrix.to);
        let mut weights = vec![0.0; from * to];
        for (new, row) in weights.chunks_exact_mut(from).zip(matrix.weights.chunks_exact(matrix.from)) {
            for (channel, w) in row.iter().enumerate() {
                new[self.place(channel)] = *w;
            }
        }
        Matrix { from, to, weights }
    }
}

impl Builder<'_> {
    /// So many blocks of any kind.
    pub(super) fn blocks(&mut self, count: usize, mut x: TensorId, depth: usize) -> Result<TensorId, String> {
        for _ in 0..count {
            x = self.block(x, depth)?;
        }
        Ok(x)
    }

    fn block(&mut self, x: TensorId, depth: usize) -> Result<TensorId, String> {
        self.blocks += 1;
        if self.blocks > MAX_BLOCKS {
            return Err(format!("it has more than {MAX_BLOCKS} blocks, more than in any known network"));
        }
        let kind = self.input.word("a block's kind")?;
        let name = self.input.word("a block's name")?;
        match kind.as_str() {
            "ordinary_block" => self.ordinary_block(x, &name),
            "gpool_block" => self.pooling_block(x, &name),
            "nested_bottleneck_block" if depth == MAX_DEPTH => {
                Err(format!("block {name} is nested {depth} deep, deeper than in any known network"))
            }
            "nested_bottleneck_block" => self.nested_block(x, &name, depth),
            "transformer_attention_block" => self.attention_block(x, &name),
            "transformer_ffn_block" => self.feed_forward_block(x, &name),
            _ => Err(format!("block {name} is of the kind {kind:?}, which is not supported")),
        }
    }

    fn ordinary_block(&mut self, x: TensorId, name: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let h = self.norm(x, &format!("{name}: the first norm"))?;
        let first = self.read_conv(&format!("{name}: the first layer"), channels, Width::Any)?;
        let norm = self.read_norm(&format!("{name}: the second norm"), first.to)?;
        let h = self.normed_conv(h, first, norm);
        self.last_conv(h, x, name)
    }

    fn pooling_block(&mut self, x: TensorId, name: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let h = self.norm(x, &format!("{name}: the first norm"))?;
        let regular = self.read_conv(&format!("{name}: the first layer"), channels, Width::Any)?;
        let pooled = self.read_conv(&format!("{name}: the pooled layer"), channels, Width::Any)?;
        let h = self.pooled_bias(h, regular, pooled, name)?.0;
        self.last_conv(h, x, name)
    }

    fn nested_block(&mut self, x: TensorId, name: &str, depth: usize) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let blocks = self.input.number(&format!("{name}: the number of inner blocks"), 1, MAX_BLOCKS)?;
        let h = self.norm(x, &format!("{name}: the first norm"))?;
        let first = self.read_conv(&format!("{name}: the first layer"), channels, Width::Any)?;
        let h = self.conv(h, first, None);
        let h = self.blocks(blocks, h, depth + 1)?;
        let h = self.norm(h, &format!("{name}: the last norm"))?;
        self.last_conv(h, x, name)
    }

    /// The layer at the end of a block, whose result is added to `x`.
    fn last_conv(&mut self, h: TensorId, x: TensorId, name: &str) -> Result<TensorId, String> {
        let (from, to) = (self.graph.width(h), self.graph.width(x));
        let last = self.read_conv(&format!("{name}: the last layer"), from, Width::Exactly(to))?;
        Ok(self.conv(h, last, Some(x)))
    }

    /// What pooling blocks and the policy head have in common: `regular` with a bias that depends on the whole board
    /// through `pooled`. Returns the result and what was pooled.
    pub(super) fn pooled_bias(
        &mut self,
        x: TensorId,
        mut regular: Conv,
        pooled: Conv,
        name: &str,
    ) -> Result<(TensorId, TensorId), String> {
        let norm = self.read_norm(&format!("{name}: the pooled layer's norm"), pooled.to)?;
        let g = self.normed_conv(x, pooled, norm);
        let summary = self.graph.pool(g, Pooling::MeanScaledMax);
        let width = self.graph.width(summary);
        let what = format!("{name}: the pooled layer's weights");
        let mut matrix = self.read_matrix(&what, width, Width::Exactly(regular.to))?;
        // The norm that follows the sum is folded into both parts.
        let norm = self.read_norm(&format!("{name}: the norm after pooling"), regular.to)?;
        regular.scale(&norm.scale);
        for (row, scale) in matrix.weights.chunks_exact_mut(width).zip(&norm.scale) {
            for w in row {
                *w *= scale;
            }
        }
        let h = self.conv(x, regular, None);
        let vector = self.linear(summary, matrix, Some(norm.bias), Activation::Identity);
        Ok((self.graph.add_vector(h, vector, norm.activation), summary))
    }

    fn attention_block(&mut self, x: TensorId, name: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        let heads = self.input.number(&format!("{name}: heads"), 1, MAX_HEADS)?;
        let key_heads = self.input.number(&format!("{name}: heads of keys"), 1, heads)?;
        let key_width = self.input.number(&format!("{name}: channels of a key"), 1, MAX_CHANNELS)?;
        let value_width = self.input.number(&format!("{name}: channels of a value"), 1, MAX_CHANNELS)?;
        let is_rotated = self.read_flag(&format!("{name}: whether keys are rotated"))?;
        let is_learned = self.read_flag(&format!("{name}: whether rotations are learned"))?;
        let (key, value) = (Head::new(key_width, is_rotated), Head::new(value_width, false));
        if !heads.is_multiple_of(key_heads) {
            return Err(format!("{name}: {key_heads} heads of keys do not divide {heads} heads"));
        }
        if is_rotated && key_width % 2 == 1 {
            return Err(format!(
                "{name}: keys of {key_width} channels cannot be rotated, only of an even number"
            ));
        }
        if heads * key.padded.max(value.padded) > MAX_CHANNELS {
            return Err(format!(
                "{name}: {heads} heads of {key_width} and {value_width} channels are more than any network has that is known"
            ));
        }
        let h = self.read_point_norm(x, &format!("{name}: the norm"))?;
        let mut projection = |what: &str, heads: usize, head: Head, factor: f32| {
            let what = format!("{name}: the {what}");
            let matrix = self.read_matrix(&what, channels, Width::Exactly(heads * head.width))?;
            Ok::<_, String>(self.conv(h, head.arrange_outputs(&matrix, factor).at_every_point(), None))
        };
        // Products of queries and keys are divided by this root: the queries already are.
        let query = projection("queries", heads, key, 1.0 / (key_width as f32).sqrt())?;
        let keys = projection("keys", key_heads, key, 1.0)?;
        let values = projection("values", key_heads, value, 1.0)?;
        let last = self.read_matrix(
            &format!("{name}: the last layer"),
            heads * value_width,
            Width::Exactly(channels),
        )?;
        let rotation = match (is_rotated, is_learned) {
            (false, _) => None,
            (true, true) => Some(self.read_learned_rotation(name, key_heads, key)?),
            (true, false) => Some(self.read_fixed_rotation(name, key_heads, key)?),
        };
        let shape = attention::Shape { heads, key_heads, key_width: key.padded, value_width: value.padded };
        let h = self.graph.attention([query, keys, values], shape, rotation);
        Ok(self.conv(h, value.arrange_inputs(&last).at_every_point(), Some(x)))
    }

    /// How much each pair of channels of each head turns with a column and with a row.
    fn read_learned_rotation(
        &mut self,
        name: &str,
        heads: usize,
        key: Head,
    ) -> Result<Vec<[f32; 2]>, String> {
        let what = format!("{name}: the rotations");
        let pairs = key.width / 2;
        self.input.word(&what)?;
        for (part, count) in [("heads", heads), ("pairs", pairs), ("directions", 2)] {
            self.input.number(&format!("{what}: {part}"), count, count)?;
        }
        let floats = self.input.floats(&what, heads * pairs * 2)?;
        let mut frequencies = vec![[0.0; 2]; heads * key.padded / 2];
        for (i, pair) in floats.as_chunks::<2>().0.iter().enumerate() {
            frequencies[i / pairs * (key.padded / 2) + i % pairs] = *pair;
        }
        Ok(frequencies)
    }

    /// Half of the pairs turn with the row, half with the column, each more slowly than the one before.
    fn read_fixed_rotation(&mut self, name: &str, heads: usize, key: Head) -> Result<Vec<[f32; 2]>, String> {
        let what = format!("{name}: the rotations");
        self.input.word(&what)?;
        let theta = self.input.float(&format!("{what}: theta"))?;
        if theta <= 0.0 {
            return Err(format!("{what}: theta is {theta}: it must be more than 0"));
        }
        let pairs = key.width / 2;
        let half = pairs / 2;
        let frequency = |i: usize| theta.powf(-2.0 * i as f32 / pairs as f32);
        let mut head = vec![[0.0; 2]; key.padded / 2];
        for (p, pair) in head.iter_mut().enumerate().take(pairs) {
            *pair = if p < half { [0.0, frequency(p)] } else { [frequency(p - half), 0.0] };
        }
        Ok(head.repeat(heads))
    }

    fn feed_forward_block(&mut self, x: TensorId, name: &str) -> Result<TensorId, String> {
        let channels = self.graph.width(x);
        self.input.number(&format!("{name}: channels"), channels, channels)?;
        let inner = self.input.number(&format!("{name}: inner channels"), 1, MAX_CHANNELS)?;
        if !self.read_flag(&format!("{name}: whether it has a gate"))? {
            return Err(format!("{name} has no gate (SwiGLU): KataGo cannot run such a network either"));
        }
        let h = self.read_point_norm(x, &format!("{name}: the norm"))?;
        let mut layer = |what: &str| {
            let matrix = self.read_matrix(&format!("{name}: the {what}"), channels, Width::Exactly(inner))?;
            Ok::<_, String>(self.conv(h, matrix.at_every_point(), None))
        };
        let (first, gate) = (layer("first layer")?, layer("gate")?);
        let last = self.read_matrix(&format!("{name}: the last layer"), inner, Width::Exactly(channels))?;
        let h = self.graph.gate(first, gate);
        Ok(self.conv(h, last.at_every_point(), Some(x)))
    }
}
