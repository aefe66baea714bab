//! How noisy the gradients are: the variance that a baseline is to reduce (S5.5).
//!
//! The gradient of a game is Σ A ∇ log π over the learner's moves. Its noise is the trace of its covariance over games, estimated from
//! the means of small groups of games; divided by the squared length of the mean gradient it is the number of games at which a step is
//! as much signal as noise (McCandlish et al. 2018, "the simple noise scale").

use tengen_engine::players::StopSignal;
use tengen_nets::train::{Example, Learner, LossWeights};

use super::{Algorithm, GradientConfig, PolicyGradient, lessons};
use crate::{
    matches::derive_seed,
    selfplay::{Played, Pool, SelfPlayError},
};

/// Games whose gradients are added up before they are compared.
const GROUP: u64 = 4;

/// What the gradients of games are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The trace of the covariance of one game's gradient.
    pub variance: f64,
    /// The squared length of the mean gradient, without bias, so that it may be below 0 where there is hardly any.
    pub signal: f64,
}

impl Noise {
    /// Of the means of several groups of games, each a vector.
    fn of(groups: impl Iterator<Item = Vec<f32>>) -> Noise {
        let (mut count, mut squares, mut sum) = (0.0, 0.0, Vec::<f64>::new());
        for group in groups {
            sum.resize(group.len(), 0.0);
            for (sum, &g) in sum.iter_mut().zip(&group) {
                *sum += f64::from(g);
                squares += f64::from(g).powi(2);
            }
            count += 1.0;
        }
        let of_mean = sum.iter().map(|sum| (sum / count).powi(2)).sum::<f64>();
        let variance = (squares - count * of_mean) / (count - 1.0f64).max(1.0);
        Noise { variance: GROUP as f64 * variance, signal: of_mean - variance / count }
    }
}

impl PolicyGradient {
    /// The noise of the gradients in so many groups of games of the network against itself; for actor-critic, also what it would be on
    /// the same games if their results alone were followed, as REINFORCE does.
    pub fn noise(&self, groups: u64, stop: &StopSignal) -> Result<(Noise, Option<Noise>), SelfPlayError> {
        let config = &self.state.gradient;
        let networks = [std::sync::Arc::new(self.learner.latest())];
        let seed = derive_seed(!config.seed, u64::MAX - self.state.iteration);
        let pool =
            Pool { config: &config.selfplay, networks: &networks, seed, threads: config.threads, stop };
        let mut played = Vec::new();
        pool.play(0..groups * GROUP, |_| [0, 0], |game| played.push(game));
        played.sort_by_key(|played| played.number);
        // The policy's gradient alone.
        let loss = LossWeights { value: 0.0, score: 0.0, ownership: 0.0, entropy: 0.0 };
        let mut train = config.learner();
        train.loss = loss;
        let mut learner = Learner::new(&train, &networks[0])?;
        let own = noise_of(&mut learner, &GradientConfig { normalise: false, ..config.clone() }, &played);
        let plain = (config.algorithm == Algorithm::ActorCritic).then(|| {
            let config = GradientConfig {
                algorithm: Algorithm::Reinforce,
                lambda: 1.0,
                normalise: false,
                ..config.clone()
            };
            noise_of(&mut learner, &config, &played)
        });
        Ok((own, plain))
    }
}

fn noise_of(learner: &mut Learner, config: &GradientConfig, played: &[Played]) -> Noise {
    Noise::of(played.chunks(GROUP as usize).map(|games| {
        let (examples, _): (Vec<Example>, f64) = lessons(config, games);
        let per_game = examples.len() as f32 / games.len() as f32;
        learner.gradient(&examples).into_iter().map(|g| g * per_game).collect()
    }))
}

#[cfg(test)]
mod tests {
    use tengen_engine::rng::Rng;

    use super::*;

    #[test]
    fn variance_and_signal_are_those_that_were_put_in() {
        // Means of four games with variance 1 in each of 50 directions, around (0.5, 0, 0, …).
        let mut rng = Rng::new(1);
        let uniform = |rng: &mut Rng| (rng.unit() - 0.5) * 12f32.sqrt();
        let groups: Vec<Vec<f32>> = (0..400)
            .map(|_| {
                let mean = |i: usize, rng: &mut Rng| {
                    (0..GROUP).map(|_| uniform(rng)).sum::<f32>() / GROUP as f32
                        + if i == 0 { 0.5 } else { 0.0 }
                };
                (0..50).map(|i| mean(i, &mut rng)).collect()
            })
            .collect();
        let noise = Noise::of(groups.into_iter());
        assert!((noise.variance - 50.0).abs() < 2.5 && (noise.signal - 0.25).abs() < 0.08, "{noise:?}");
    }
}
