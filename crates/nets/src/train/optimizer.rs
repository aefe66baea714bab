//! Stochastic gradient descent with momentum, and an average of the weights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::muon::{self, Scratch};
use crate::model::graph::Param;

/// How weights follow their gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// The largest step size. S4.3: 2⁻⁶ for the prior, 2⁻⁴ for the rollout networks.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub learning_rate: f32,
    /// Momentum. S4.3: none for the prior, 0.1 for the rollout networks.
    #[schemars(extend("exclusiveMaximum" = 1.0), range(min = 0.0))]
    pub momentum: f32,
    /// Each step shrinks weights (not biases) by the learning rate times this.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub weight_decay: f32,
    /// Gradients longer than this are shortened to it; with [`Direction::Muon`] their length does not matter.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1_000_000.0))]
    pub max_gradient: f32,
    /// Share of the training over which the learning rate rises from 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub warm_up: f64,
    /// How the learning rate falls.
    pub schedule: Schedule,
    /// The optimizer.
    pub direction: Direction,
    /// Share of the average that a step keeps; the average is what is saved. 0 saves the weights themselves.
    #[schemars(extend("exclusiveMaximum" = 1.0), range(min = 0.0))]
    pub average: f32,
}

/// How the learning rate falls during a training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It does not (S4.3); with averaged weights, such a training can be ended at any time.
    Constant,
    /// Along half a cosine wave, down to a hundredth at the last position.
    #[default]
    Cosine,
}

/// How weights follow their gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Gradient descent with momentum.
    #[default]
    Momentum,
    /// Orthogonalised steps for filters (Jordan et al. 2024, "Muon"), whose weights are also bounded so that no layer
    /// makes its inputs much larger: the mean sum of squares of an output's weights is at most 1. All other weights follow
    /// Adam (Kingma and Ba 2015), at a tenth of the learning rate.
    Muon,
}

/// What an array of weights is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One number for each output: it does not decay.
    Bias,
    /// A matrix.
    Matrix,
    /// Filters wider than a point, for so many outputs.
    Filters(usize),
    /// A running mean, whose "gradient" is its distance from the batch's.
    Mean,
}

impl Kind {
    pub(crate) fn of(param: &Param) -> Kind {
        match *param.shape {
            _ if param.is_mean() => Kind::Mean,
            [_] => Kind::Bias,
            [outputs, _, height, _] if height > 1 && outputs > 1 => Kind::Filters(outputs),
            _ => Kind::Matrix,
        }
    }
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        OptimizerConfig {
            learning_rate: 0.05,
            momentum: 0.9,
            weight_decay: 3e-5,
            max_gradient: 2.0,
            warm_up: 0.002,
            schedule: Schedule::Cosine,
            direction: Direction::Momentum,
            average: 0.9995,
        }
    }
}

impl OptimizerConfig {
    /// The customary settings with [`Direction::Muon`]: steps of 0.01 killed whole blocks of the default network.
    pub fn muon() -> OptimizerConfig {
        OptimizerConfig {
            learning_rate: 0.004,
            momentum: 0.95,
            weight_decay: 0.01,
            direction: Direction::Muon,
            ..OptimizerConfig::default()
        }
    }

    /// The learning rate when a share `done` of the training is done.
    pub fn rate(&self, done: f64) -> f32 {
        let rise = if self.warm_up > 0.0 { (done / self.warm_up).min(1.0) } else { 1.0 };
        let fall = match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                0.01 + 0.99 * 0.5 * (1.0 + (std::f64::consts::PI * done.clamp(0.0, 1.0)).cos())
            }
        };
        // The first step, too, moves something.
        self.learning_rate * (rise.max(1e-3) * fall) as f32
    }
}

/// Weights, and what is remembered of their gradients: one array for each parameter.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) weights: Vec<Vec<f32>>,
    pub(crate) momentum: Vec<Vec<f32>>,
    /// Mean squares of the gradients, for [`Direction::Muon`].
    pub(crate) squares: Vec<Vec<f32>>,
    pub(crate) average: Vec<Vec<f32>>,
    scratch: Scratch,
}

impl State {
    pub(crate) fn new(weights: Vec<Vec<f32>>) -> State {
        let zeros: Vec<Vec<f32>> = weights.iter().map(|array| vec![0.0; array.len()]).collect();
        State::with_parts([weights.clone(), zeros.clone(), zeros, weights])
    }

    /// Weights, momentum, squares and average.
    pub(crate) fn with_parts([weights, momentum, squares, average]: [Vec<Vec<f32>>; 4]) -> State {
        State { weights, momentum, squares, average, scratch: Scratch::default() }
    }

    /// One step; `step` counts from 0.
    pub(crate) fn step(
        &mut self,
        config: &OptimizerConfig,
        rate: f32,
        step: u64,
        gradients: &[Vec<f32>],
        kinds: &[Kind],
    ) {
        let learned = gradients.iter().zip(kinds).filter(|(_, kind)| **kind != Kind::Mean).map(|(g, _)| g);
        let length = learned.flatten().map(|g| f64::from(g * g)).sum::<f64>().sqrt() as f32;
        let scale = if length > config.max_gradient { config.max_gradient / length } else { 1.0 };
        // A young average forgets faster.
        let keep = config.average.min((1 + step) as f32 / (10 + step) as f32);
        let arrays = self.weights.iter_mut().zip(&mut self.momentum).zip(&mut self.squares);
        let arrays = arrays.zip(&mut self.average).zip(gradients.iter().zip(kinds));
        for ((((weights, momentum), squares), average), (gradients, &kind)) in arrays {
            let decay = if kind == Kind::Bias { 0.0 } else { config.weight_decay };
            match (config.direction, kind) {
                (_, Kind::Mean) => {
                    for (w, g) in weights.iter_mut().zip(gradients) {
                        *w -= MEAN_RATE * g;
                    }
                }
                (Direction::Momentum, _) => {
                    for ((w, m), g) in weights.iter_mut().zip(momentum.iter_mut()).zip(gradients) {
                        *m = config.momentum * *m + (g * scale + decay * *w);
                        *w -= rate * *m;
                    }
                }
                (Direction::Muon, Kind::Filters(rows)) => {
                    for (m, g) in momentum.iter_mut().zip(gradients) {
                        *m = config.momentum * *m + g;
                    }
                    // A step ahead (Nesterov), as Muon's authors advise.
                    let ahead = momentum.iter().zip(gradients).map(|(m, g)| config.momentum * m + g);
                    let direction = muon::orthogonal(ahead, rows, &mut self.scratch);
                    for (w, d) in weights.iter_mut().zip(direction) {
                        *w -= rate * (d + decay * *w);
                    }
                    // Steps of equal length would make weights, and what comes of them, larger and larger.
                    let most = (rows as f32).sqrt();
                    let norm = weights.iter().map(|w| w * w).sum::<f32>().sqrt();
                    if norm > most {
                        for w in weights.iter_mut() {
                            *w *= most / norm;
                        }
                    }
                }
                (Direction::Muon, _) => {
                    let young = |keep: f32| 1.0 - keep.powi(i32::try_from(step + 1).unwrap_or(i32::MAX));
                    let (of_mean, of_square) = (young(config.momentum), young(ADAM_SQUARES));
                    let moments = momentum.iter_mut().zip(squares);
                    for ((w, (m, s)), g) in weights.iter_mut().zip(moments).zip(gradients) {
                        *m += (1.0 - config.momentum) * (g - *m);
                        *s += (1.0 - ADAM_SQUARES) * (g * g - *s);
                        let direction = (*m / of_mean) / ((*s / of_square).sqrt() + 1e-8);
                        *w -= ADAM_RATE * rate * (direction + decay * *w);
                    }
                }
            }
            for (a, w) in average.iter_mut().zip(weights.iter()) {
                *a += (1.0 - keep) * (*w - *a);
            }
        }
    }
}

/// How fast running means follow.
const MEAN_RATE: f32 = 0.02;

/// Share of the mean square of gradients that a step keeps.
const ADAM_SQUARES: f32 = 0.99;

/// The learning rate of what Muon does not move, as a share of Muon's.
const ADAM_RATE: f32 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn momentum_and_decay_as_the_formula_says() {
        let config = OptimizerConfig {
            momentum: 0.5,
            weight_decay: 0.1,
            max_gradient: 10.0,
            ..OptimizerConfig::default()
        };
        let mut state = State::new(vec![vec![1.0], vec![1.0]]);
        for step in 0..2 {
            state.step(&config, 0.1, step, &[vec![2.0], vec![2.0]], &[Kind::Matrix, Kind::Bias]);
        }
        // m = 2.1, w = 0.79; m = 1.05 + 2.079 = 3.129, w = 0.4771. Without decay: m = 2, w = 0.8; m = 3, w = 0.5.
        assert!((state.weights[0][0] - 0.4771).abs() < 1e-6);
        assert!((state.weights[1][0] - 0.5).abs() < 1e-6);
    }

    #[test]
    fn the_average_follows_the_weights_closely_at_first() {
        let config =
            OptimizerConfig { momentum: 0.0, weight_decay: 0.0, average: 0.9, ..OptimizerConfig::default() };
        let mut state = State::new(vec![vec![1.0]]);
        // Kept: 1/10, then 2/11; from the 81st step on 9/10.
        for (step, weight, average) in [(0, 0.9, 0.91), (1, 0.8, 0.82), (90, 0.7, 0.808)] {
            state.step(&config, 0.1, step, &[vec![1.0]], &[Kind::Bias]);
            assert!((state.weights[0][0] - weight).abs() < 1e-6, "{state:?}");
            assert!((state.average[0][0] - average).abs() < 1e-6, "{state:?}");
        }
    }

    #[test]
    fn long_gradients_are_shortened() {
        let config = OptimizerConfig {
            max_gradient: 5.0,
            momentum: 0.0,
            weight_decay: 0.0,
            ..OptimizerConfig::default()
        };
        let mut state = State::new(vec![vec![0.0, 0.0]]);
        state.step(&config, 1.0, 0, &[vec![30.0, 40.0]], &[Kind::Matrix]);
        assert_eq!(state.weights[0], [-3.0, -4.0]);
    }

    #[test]
    fn muon_moves_filters_as_far_whatever_their_gradient() {
        let config =
            OptimizerConfig { direction: Direction::Muon, weight_decay: 0.0, ..OptimizerConfig::default() };
        let kind = |shape: &[usize]| Kind::of(&Param { name: "a".to_owned(), shape: shape.to_vec() });
        let kinds = [kind(&[2, 1, 3, 1]), kind(&[2])];
        assert_eq!(kinds, [Kind::Filters(2), Kind::Bias]);
        let moved = |size: f32| {
            let mut state = State::new(vec![vec![0.0; 6], vec![0.0; 2]]);
            let filters = [3.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(|g| g * size).to_vec();
            state.step(&config, 0.1, 0, &[filters, vec![size, -size]], &kinds);
            state.weights
        };
        let (small, large) = (moved(0.01), moved(100.0));
        // Both rows move by about the rate, and biases by a tenth of it.
        assert!((-0.13..-0.06).contains(&small[0][0]) && (-0.13..-0.06).contains(&small[0][4]), "{small:?}");
        assert!((small[1][0] + 0.01).abs() < 1e-5 && (small[1][1] - 0.01).abs() < 1e-5, "{small:?}");
        for (a, b) in small.iter().flatten().zip(large.iter().flatten()) {
            assert!((a - b).abs() < 1e-4, "{small:?} {large:?}");
        }
        let mut state = State::new(vec![vec![5.0; 6], vec![0.0; 2]]);
        state.step(&config, 0.1, 0, &[vec![-1.0; 6], vec![0.0; 2]], &kinds);
        let squares: f32 = state.weights[0].iter().map(|w| w * w).sum();
        assert!((squares - 2.0).abs() < 1e-4, "as many as outputs: {squares}");
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let config = OptimizerConfig { learning_rate: 1.0, warm_up: 0.1, ..OptimizerConfig::default() };
        assert!(config.rate(0.05) < 0.51 && config.rate(0.1) > 0.9 && config.rate(1.0) < 0.011);
    }
}
