//! From a KataGo model file to a graph with its weights: the header, the trunk, the heads.

use super::{
    GLOBALS, PLANES,
    layers::{Builder, MAX_CHANNELS, Width},
    reader::Reader,
};
use crate::{
    exec::kernels::{activation::Activation, pool::Pooling},
    model::graph::{Graph, Shape, TensorId},
};

/// Model versions that are understood.
const VERSIONS: std::ops::RangeInclusive<usize> = 8..=17;

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

/// What the numbers of the score head are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multipliers {
    pub(crate) score: f32,
    pub(crate) score_deviation: f32,
    pub(crate) lead: f32,
    pub(crate) variance_time: f32,
    pub(crate) value_error: f32,
    pub(crate) score_error: f32,
}

impl Multipliers {
    /// Those of networks that do not tell theirs.
    const OLD: Multipliers = Multipliers {
        score: 20.0,
        score_deviation: 20.0,
        lead: 20.0,
        variance_time: 40.0,
        value_error: 0.25,
        score_error: 30.0,
    };
}

/// A network as read.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) version: usize,
    pub(crate) multipliers: Multipliers,
    /// Whether it was trained with the test for unconditional life that holds even if suicide is allowed, whatever the rules.
    pub(crate) lives_despite_suicide: bool,
    pub(crate) graph: Graph,
    pub(crate) weights: Vec<Vec<f32>>,
    pub(crate) heads: KataHeads,
}

/// Reads a model from the bytes of its file.
pub(crate) fn read(bytes: &[u8]) -> Result<Model, String> {
    let mut input = Reader::new(bytes);
    let name = input.word("its name")?;
    let version = input.number("the model version", 1, 1000)?;
    if !VERSIONS.contains(&version) {
        return Err(format!(
            "{name} is a KataGo network of model version {version}; {} to {} are supported",
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
    let mut builder = Builder { input, version, graph: Graph::default(), weights: Vec::new(), blocks: 0 };
    let multipliers = if version >= 13 { builder.multipliers()? } else { Multipliers::OLD };
    let lives_despite_suicide = if version >= 15 { builder.options(&name)? } else { false };
    let heads = builder.network()?;
    let Builder { graph, weights, .. } = builder;
    Ok(Model { name, version, multipliers, lives_despite_suicide, graph, weights, heads })
}

impl Builder<'_> {
    fn multipliers(&mut self) -> Result<Multipliers, String> {
        let mut next = |what: &str| {
            let what = format!("the multiplier of {what}");
            let number = self.input.float(&what)?;
            if number > 0.0 { Ok(number) } else { Err(format!("{what} is {number}: it must be more than 0")) }
        };
        // Of an output that only training has.
        next("the score in time")?;
        Ok(Multipliers {
            score: next("the score")?,
            score_deviation: next("the score's deviation")?,
            lead: next("the lead")?,
            variance_time: next("the variance time")?,
            value_error: next("the value's error")?,
            score_error: next("the score's error")?,
        })
    }

    /// The options of the header: [`Model::lives_despite_suicide`].
    fn options(&mut self, name: &str) -> Result<bool, String> {
        if self.input.number("the version of the metadata encoder", 0, 1000)? != 0 {
            return Err(format!(
                "{name} imitates players of a rank that it must be told (a \"human\" network): such networks are not supported"
            ));
        }
        let lives_despite_suicide = self.read_flag("whether life is meant with suicide")?;
        self.read_zeros("the header", 6)?;
        Ok(lives_despite_suicide)
    }

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
        let mut ends_with_rms_norm = false;
        if self.version >= 15 {
            ends_with_rms_norm = self.read_flag("the kind of the trunk's last norm")?;
            self.read_zeros("the trunk", 5)?;
        }
        let conv = self.read_conv("the first layer", PLANES, Width::Exactly(channels))?;
        let x = self.conv(planes, conv, None);
        let matrix = self.read_matrix("the global inputs' weights", GLOBALS, Width::Exactly(channels))?;
        let vector = self.linear(globals, matrix, None, Activation::Identity);
        let x = self.graph.add_vector(x, vector, Activation::Identity);
        let x = self.blocks(blocks, x, 0)?;
        let what = "the trunk's last norm";
        if ends_with_rms_norm { self.read_rms_norm(x, what) } else { self.norm(x, what) }
    }

    /// The policy's channels and those of the pass: the policy, the optimistic one if there is one, and others that are not used.
    fn policy_head(&mut self, trunk: TensorId) -> Result<(TensorId, TensorId), String> {
        let channels = self.graph.width(trunk);
        self.input.word("the policy head's name")?;
        let moves = match self.version {
            ..12 => 1,
            12..16 => 2,
            16 => 4,
            _ => {
                let moves = self.input.number("the policy head's channels", 2, 4)?;
                self.read_zeros("the policy head", 3)?;
                moves
            }
        };
        if moves == 3 {
            return Err("the policy head has 3 channels: 2 and 4 are possible".to_owned());
        }
        let regular = self.read_conv("the policy head's first layer", channels, Width::Any)?;
        let pooled = self.read_conv("the policy head's pooled layer", channels, Width::Any)?;
        let (h, summary) = self.pooled_bias(trunk, regular, pooled, "the policy head")?;
        let hidden = self.graph.width(h);
        let last = self.read_conv("the policy head's last layer", hidden, Width::Exactly(moves))?;
        let policy = self.conv(h, last, None);
        let width = self.graph.width(summary);
        if self.version < 15 {
            let matrix = self.read_matrix("the pass's weights", width, Width::Exactly(moves))?;
            return Ok((policy, self.linear(summary, matrix, None, Activation::Identity)));
        }
        let hidden = self.read_layer("the pass's hidden layer", summary, Width::Exactly(hidden), true)?;
        let matrix =
            self.read_matrix("the pass's weights", self.graph.width(hidden), Width::Exactly(moves))?;
        Ok((policy, self.linear(hidden, matrix, None, Activation::Identity)))
    }

    fn value_head(&mut self, trunk: TensorId) -> Result<(TensorId, TensorId, TensorId), String> {
        let channels = self.graph.width(trunk);
        self.input.word("the value head's name")?;
        if self.version >= 17 {
            self.read_zeros("the value head", 3)?;
        }
        let first = self.read_conv("the value head's first layer", channels, Width::Any)?;
        let norm = self.read_norm("the value head's norm", first.to)?;
        let h = self.normed_conv(trunk, first, norm);
        let summary = self.graph.pool(h, Pooling::MeanScaledSquare);
        let hidden = self.read_layer("the value head's hidden layer", summary, Width::Any, true)?;
        let value = self.read_layer("the value", hidden, Width::Exactly(3), false)?;
        let scores = if self.version == 8 { 4 } else { 6 };
        let score = self.read_layer("the score", hidden, Width::Exactly(scores), false)?;
        let last = self.read_conv("the ownership", self.graph.width(h), Width::Exactly(1))?;
        Ok((value, score, self.conv(h, last, None)))
    }

    /// A matrix, a bias and, if it has one, an activation.
    fn read_layer(
        &mut self,
        what: &str,
        from: TensorId,
        to: Width,
        has_activation: bool,
    ) -> Result<TensorId, String> {
        let matrix = self.read_matrix(what, self.graph.width(from), to)?;
        let bias = self.read_bias(what, matrix.to)?;
        let activation = if has_activation { self.read_activation(what)? } else { Activation::Identity };
        Ok(self.linear(from, matrix, Some(bias), activation))
    }
}
