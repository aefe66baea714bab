//! `NetSpec`: what a network looks like. It is stored with the weights.
//!
//! One family serves all: fully convolutional, so that a network works on every board size, with a plain or residual
//! trunk and heads for policy, value, score and ownership.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::NetError,
    exec::kernels::{activation::Activation, pool::Pooling},
    model::{
        graph::{ConvParts, Graph, Shape, TensorId},
        planes::Planes,
    },
};

/// The architecture of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetSpec {
    /// What the network sees.
    pub planes: Planes,
    /// Width of the first kernel: odd.
    pub first_kernel: usize,
    /// The layers that all heads share.
    pub trunk: Trunk,
    /// The head that proposes moves.
    pub policy: PolicySpec,
    /// The head that tells who wins; none if absent.
    #[serde(default)]
    pub value: Option<ValueSpec>,
    /// Whether there is a head that tells whose each point will be; it stands on the value head.
    #[serde(default)]
    pub ownership: bool,
}

/// The layers that all heads share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Trunk {
    /// One convolution after the other.
    Plain {
        /// Layers as the papers count them: the policy's last one is included.
        layers: usize,
        /// Channels of each.
        channels: usize,
    },
    /// Blocks of two convolutions around which the input is carried.
    Residual {
        /// Number of blocks.
        blocks: usize,
        /// Channels.
        channels: usize,
        /// Blocks (from 0) that also see the whole board, by global pooling.
        #[serde(default)]
        pooling: Vec<usize>,
    },
}

/// The policy head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicySpec {
    /// How many moves are predicted: 1, or 3 for Tian and Zhu's lookahead (the move, the reply, the move after).
    pub moves: usize,
    /// Width of the last kernel: odd.
    pub kernel: usize,
    /// Channels of a 1x1 layer before the last; none if 0.
    #[serde(default)]
    pub channels: usize,
    /// Whether passing is a move.
    #[serde(default)]
    pub pass: bool,
}

/// The value head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueSpec {
    /// Channels of its 1x1 layer.
    pub channels: usize,
    /// Width of its hidden layer.
    pub hidden: usize,
    /// Whether it tells the score too.
    #[serde(default)]
    pub score: bool,
}

/// Points that a score output of 1 stands for.
pub const SCORE_UNIT: f32 = 20.0;

/// The largest network that is built or read.
const MAX_WEIGHTS: usize = 1 << 26;

/// The computation of a network.
pub(crate) struct Plan {
    pub(crate) graph: Graph,
    pub(crate) heads: Heads,
}

/// Where the heads' results are. Whoever reads them names all heads, so that the compiler points at every place that a new one
/// concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    pub(crate) input: TensorId,
    /// Logits of each point, a channel for each predicted move.
    pub(crate) policy: TensorId,
    /// Logits of passing, one for each predicted move.
    pub(crate) pass: Option<TensorId>,
    /// Logit of winning, then the score.
    pub(crate) value: Option<TensorId>,
    /// Logit of each point becoming the player's.
    pub(crate) ownership: Option<TensorId>,
}

impl NetSpec {
    /// Names that [`NetSpec::named`] knows.
    pub const NAMES: [&'static str; 9] = [
        "default",
        "small",
        "distilled",
        "prior",
        "prior-small",
        "rollout-a",
        "rollout-b",
        "rollout-a-reduced",
        "rollout-b-reduced",
    ];

    /// A network by name.
    pub fn named(name: &str) -> Option<NetSpec> {
        let plain = |planes, layers, channels, moves| NetSpec {
            planes,
            first_kernel: 5,
            trunk: Trunk::Plain { layers, channels },
            policy: PolicySpec { moves, kernel: 3, channels: 0, pass: false },
            value: None,
            ownership: false,
        };
        let residual = |blocks, channels, pooling| NetSpec {
            planes: Planes::Tengen,
            first_kernel: 3,
            trunk: Trunk::Residual { blocks, channels, pooling },
            policy: PolicySpec { moves: 1, kernel: 1, channels: channels / 2, pass: true },
            value: Some(ValueSpec { channels: channels / 2, hidden: channels, score: true }),
            ownership: true,
        };
        Some(match name {
            "default" => residual(6, 64, vec![2, 4]),
            "small" => residual(4, 32, vec![1, 3]),
            "distilled" => residual(8, 64, vec![2, 4, 6]),
            "prior" => plain(Planes::Holmes, 12, 384, 3),
            "prior-small" => NetSpec {
                planes: Planes::Holmes,
                first_kernel: 5,
                trunk: Trunk::Residual { blocks: 3, channels: 64, pooling: vec![1] },
                policy: PolicySpec { moves: 3, kernel: 1, channels: 32, pass: true },
                value: None,
                ownership: false,
            },
            "rollout-a" => plain(Planes::Holmes, 2, 16, 1),
            "rollout-b" => plain(Planes::Holmes, 3, 32, 1),
            "rollout-a-reduced" => plain(Planes::Reduced, 2, 16, 1),
            "rollout-b-reduced" => plain(Planes::Reduced, 3, 32, 1),
            _ => return None,
        })
    }

    /// The same with every head that it lacks: passing, value and score, ownership. Learning from games needs them.
    #[must_use]
    pub fn with_all_heads(&self) -> NetSpec {
        let NetSpec { planes, first_kernel, trunk, policy, value, ownership: _ } = self.clone();
        let (Trunk::Plain { channels, .. } | Trunk::Residual { channels, .. }) = trunk;
        let value =
            value.unwrap_or(ValueSpec { channels: (channels / 2).max(1), hidden: channels, score: true });
        let policy = PolicySpec { pass: true, ..policy };
        NetSpec { planes, first_kernel, trunk, policy, value: Some(value), ownership: true }
    }

    /// Refuses what cannot be built.
    pub fn check(&self) -> Result<(), NetError> {
        let fail = |message: String| Err(NetError::Spec(message));
        let kernel = |name: &str, k: usize| {
            if k % 2 == 1 && k <= 19 {
                Ok(())
            } else {
                Err(NetError::Spec(format!("{name} is {k}: it must be odd, and at most 19")))
            }
        };
        let range = |name: &str, n: usize, least: usize, most: usize| {
            if (least..=most).contains(&n) {
                Ok(())
            } else {
                Err(NetError::Spec(format!("{name} is {n}: it must be from {least} to {most}")))
            }
        };
        kernel("first_kernel", self.first_kernel)?;
        kernel("policy.kernel", self.policy.kernel)?;
        match &self.trunk {
            Trunk::Plain { layers, channels } => {
                range("trunk.layers", *layers, 2, 100)?;
                range("trunk.channels", *channels, 1, 1024)?;
            }
            Trunk::Residual { blocks, channels, pooling } => {
                range("trunk.blocks", *blocks, 1, 100)?;
                range("trunk.channels", *channels, 1, 1024)?;
                if let Some(block) = pooling.iter().find(|block| *block >= blocks) {
                    return fail(format!("trunk.pooling names block {block} of {blocks}"));
                }
            }
        }
        if ![1, 3].contains(&self.policy.moves) {
            return fail(format!("policy.moves is {}: it must be 1 or 3", self.policy.moves));
        }
        range("policy.channels", self.policy.channels, 0, 1024)?;
        if let Some(value) = &self.value {
            range("value.channels", value.channels, 1, 1024)?;
            range("value.hidden", value.hidden, 1, 4096)?;
        } else if self.ownership {
            return fail("ownership needs a value head".to_owned());
        }
        let weights = self.weight_count();
        if weights > MAX_WEIGHTS {
            return fail(format!("it has {weights} weights: at most {MAX_WEIGHTS} are allowed"));
        }
        Ok(())
    }

    /// Number of weights.
    pub fn weight_count(&self) -> usize {
        self.plan().graph.weight_count()
    }

    /// The computation.
    pub(crate) fn plan(&self) -> Plan {
        let mut g = Graph::default();
        let input = g.input(Shape::Planes(self.planes.count()));
        let relu = |kernel, channels| ConvParts {
            kernel,
            channels,
            bias: true,
            add: None,
            activation: Activation::Relu,
        };
        let trunk = match &self.trunk {
            Trunk::Plain { layers, channels } => {
                let mut x = g.conv("trunk.0", input, relu(self.first_kernel, *channels));
                for i in 1..layers - 1 {
                    x = g.conv(&format!("trunk.{i}"), x, relu(3, *channels));
                }
                x
            }
            Trunk::Residual { blocks, channels, pooling } => {
                let mut x = g.conv("trunk.0", input, relu(self.first_kernel, *channels));
                for i in 0..*blocks {
                    let name = format!("block.{i}");
                    let mut h = g.conv(&format!("{name}.0"), x, relu(3, *channels));
                    if pooling.contains(&i) {
                        let pooled = g.pool(h, Pooling::MeanScaledMax);
                        let pooled = g.center(&format!("{name}.pool"), pooled);
                        let vector =
                            g.linear(&format!("{name}.pool"), pooled, *channels, false, Activation::Identity);
                        h = g.add_vector(h, vector, Activation::Relu);
                    }
                    let last = ConvParts { add: Some(x), ..relu(3, *channels) };
                    x = g.conv(&format!("{name}.1"), h, last);
                }
                x
            }
        };
        let mut head = trunk;
        if self.policy.channels > 0 {
            head = g.conv("policy.0", trunk, relu(1, self.policy.channels));
        }
        let logits =
            ConvParts { activation: Activation::Identity, ..relu(self.policy.kernel, self.policy.moves) };
        let policy = g.conv("policy.1", head, logits);
        g.output(policy);
        let pass = self.policy.pass.then(|| {
            let pooled = g.pool(head, Pooling::MeanScaledMax);
            let pooled = g.center("policy.pass", pooled);
            let pass = g.linear("policy.pass", pooled, self.policy.moves, true, Activation::Identity);
            g.output(pass)
        });
        let mut heads = Heads { input, policy, pass, value: None, ownership: None };
        if let Some(spec) = &self.value {
            let head = g.conv("value.0", trunk, relu(1, spec.channels));
            let pooled = g.pool(head, Pooling::MeanScaledMax);
            let pooled = g.center("value.1", pooled);
            let hidden = g.linear("value.1", pooled, spec.hidden, true, Activation::Relu);
            let value = g.linear("value.2", hidden, 1 + usize::from(spec.score), true, Activation::Identity);
            heads.value = Some(g.output(value));
            if self.ownership {
                let logits = ConvParts { activation: Activation::Identity, ..relu(1, 1) };
                let ownership = g.conv("ownership", head, logits);
                heads.ownership = Some(g.output(ownership));
            }
        }
        Plan { graph: g, heads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_networks_are_sound_and_survive_a_round_trip() {
        for name in NetSpec::NAMES {
            let spec = NetSpec::named(name).unwrap();
            spec.check().unwrap();
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<NetSpec>(&json).unwrap(), spec);
        }
        assert!(NetSpec::named("nothing").is_none());
    }

    #[test]
    fn nonsense_is_refused() {
        let good = NetSpec::named("default").unwrap();
        let mut specs = vec![good.clone(); 4];
        specs[0].first_kernel = 4;
        specs[1].trunk = Trunk::Residual { blocks: 2, channels: 64, pooling: vec![2] };
        specs[2].policy.moves = 2;
        specs[3].trunk = Trunk::Residual { blocks: 100, channels: 1024, pooling: vec![] };
        for spec in specs {
            assert!(spec.check().is_err(), "{spec:?}");
        }
    }
}
