//! Stochastic gradient descent with momentum, and an average of the weights.

use serde::{Deserialize, Serialize};

/// How weights follow their gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// The largest step size. S4.3: 2⁻⁶ for the prior, 2⁻⁴ for the rollout networks.
    pub learning_rate: f32,
    /// Momentum. S4.3: none for the prior, 0.1 for the rollout networks.
    pub momentum: f32,
    /// Each step shrinks weights (not biases) by the learning rate times this.
    pub weight_decay: f32,
    /// Gradients longer than this are shortened to it.
    pub max_gradient: f32,
    /// Share of the training over which the learning rate rises from 0.
    pub warm_up: f64,
    /// How the learning rate falls.
    pub schedule: Schedule,
    /// Share of the average that a step keeps; the average is what is saved. 0 saves the weights themselves.
    pub average: f32,
}

/// How the learning rate falls during a training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Not at all (S4.3): with averaged weights, a training that can end at any time.
    Constant,
    /// As half a cosine wave, to a hundredth at the last position.
    #[default]
    Cosine,
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
            average: 0.9995,
        }
    }
}

impl OptimizerConfig {
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

/// Weights, their momentum and their average: one array for each parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) weights: Vec<Vec<f32>>,
    pub(crate) momentum: Vec<Vec<f32>>,
    pub(crate) average: Vec<Vec<f32>>,
}

impl State {
    pub(crate) fn new(weights: Vec<Vec<f32>>) -> State {
        let momentum = weights.iter().map(|array| vec![0.0; array.len()]).collect();
        State { average: weights.clone(), momentum, weights }
    }

    /// One step. `gradients` are used up; `decays` says which arrays shrink; `step` counts from 0.
    pub(crate) fn step(
        &mut self,
        config: &OptimizerConfig,
        rate: f32,
        step: u64,
        gradients: &[Vec<f32>],
        decays: &[bool],
    ) {
        let length = gradients.iter().flatten().map(|g| f64::from(g * g)).sum::<f64>().sqrt() as f32;
        let scale = if length > config.max_gradient { config.max_gradient / length } else { 1.0 };
        // A young average forgets faster.
        let keep = config.average.min((1 + step) as f32 / (10 + step) as f32);
        let arrays = self.weights.iter_mut().zip(&mut self.momentum).zip(&mut self.average);
        for (((weights, momentum), average), (gradients, decays)) in arrays.zip(gradients.iter().zip(decays))
        {
            let decay = if *decays { config.weight_decay } else { 0.0 };
            for (((w, m), a), g) in
                weights.iter_mut().zip(momentum.iter_mut()).zip(average.iter_mut()).zip(gradients)
            {
                *m = config.momentum * *m + (g * scale + decay * *w);
                *w -= rate * *m;
                *a += (1.0 - keep) * (*w - *a);
            }
        }
    }
}

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
            state.step(&config, 0.1, step, &[vec![2.0], vec![2.0]], &[true, false]);
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
            state.step(&config, 0.1, step, &[vec![1.0]], &[false]);
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
        state.step(&config, 1.0, 0, &[vec![30.0, 40.0]], &[true]);
        assert_eq!(state.weights[0], [-3.0, -4.0]);
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let config = OptimizerConfig { learning_rate: 1.0, warm_up: 0.1, ..OptimizerConfig::default() };
        assert!(config.rate(0.05) < 0.51 && config.rate(0.1) > 0.9 && config.rate(1.0) < 0.011);
    }
}
