//! What a network is trained to do: losses and their gradients for a chunk of positions.
//!
//! * policy: cross-entropy of the moves' shares (all of it one move's, if it comes from a game record), over all points and the
//!   pass, if the network has one. With three predicted moves, the sum over them (Tian and Zhu 2015).
//! * value: cross-entropy of the result.
//! * score: Huber's loss of the lead in units of [`SCORE_UNIT`] points, where it is known.
//! * ownership: cross-entropy of each point's owner, averaged over points, where it is known.
//!
//! An example's weight multiplies all of them, its advantage only the policy's: what policy gradients need (S5.5). An entropy
//! term, if there is one, keeps the policy from settling too early.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::example::{Example, MoveTarget};
use crate::{
    exec::{Workspace, kernels::padded},
    model::{
        graph::{Graph, TensorId},
        network::{Network, sigmoid},
        spec::{Heads, SCORE_UNIT},
    },
};
use tengen_engine::search::value_for;

/// How much each part of the loss counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// The value's, against 1 for the policy.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub value: f32,
    /// The score's.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub score: f32,
    /// The ownership's.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub ownership: f32,
    /// What the policy's own entropy is worth: more than 0 only for policy gradients.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub entropy: f32,
}

impl Default for LossWeights {
    fn default() -> Self {
        LossWeights { value: 1.0, score: 0.05, ownership: 1.0, entropy: 0.0 }
    }
}

/// Sums over positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Positions whose next move the network can predict.
    pub positions: f64,
    /// Sum of the policy's cross-entropy.
    pub loss: f64,
    /// Sum of the targets' own entropy, which no network can go below: 0 for moves that were played.
    #[serde(default)]
    pub entropy: f64,
    /// Positions where the next move (of several, that with the largest share) was the first choice.
    pub top1: f64,
    /// Positions where it was among the first five.
    pub top5: f64,
    /// Positions with a result.
    pub valued: f64,
    /// Sum of the result's cross-entropy.
    pub value_loss: f64,
    /// Sum of (winning probability − result)².
    pub value_error: f64,
    /// Positions where the winner was predicted.
    pub value_right: f64,
    /// Positions with a score, and the sum of its absolute errors in points.
    #[serde(default)]
    pub scored: f64,
    /// See `scored`.
    #[serde(default)]
    pub score_error: f64,
    /// Positions with ownership, and the sum of the mean absolute errors, from 0 to 2.
    #[serde(default)]
    pub owned: f64,
    /// See `owned`.
    #[serde(default)]
    pub owner_error: f64,
}

impl Tally {
    /// Adds another's sums.
    pub fn add(&mut self, other: &Tally) {
        self.positions += other.positions;
        self.loss += other.loss;
        self.entropy += other.entropy;
        self.top1 += other.top1;
        self.top5 += other.top5;
        self.valued += other.valued;
        self.value_loss += other.value_loss;
        self.value_error += other.value_error;
        self.value_right += other.value_right;
        self.scored += other.scored;
        self.score_error += other.score_error;
        self.owned += other.owned;
        self.owner_error += other.owner_error;
    }

    /// Share of first choices that were right.
    pub fn top1_rate(&self) -> f64 {
        self.top1 / self.positions.max(1.0)
    }

    /// Share of moves among the first five choices.
    pub fn top5_rate(&self) -> f64 {
        self.top5 / self.positions.max(1.0)
    }

    /// Mean cross-entropy of the next move.
    pub fn mean_loss(&self) -> f64 {
        self.loss / self.positions.max(1.0)
    }

    /// Mean divergence (Kullback-Leibler) of the policy from its targets.
    pub fn divergence(&self) -> f64 {
        (self.loss - self.entropy) / self.positions.max(1.0)
    }

    /// Mean absolute error of the score in points.
    pub fn score_error(&self) -> Option<f64> {
        (self.scored > 0.0).then(|| self.score_error / self.scored)
    }

    /// Mean absolute error of ownership, from 0 to 2.
    pub fn owner_error(&self) -> Option<f64> {
        (self.owned > 0.0).then(|| self.owner_error / self.owned)
    }

    /// Share of winners that were predicted, mean squared error and cross-entropy of the value.
    pub fn value(&self) -> Option<(f64, f64, f64)> {
        let n = self.valued;
        (n > 0.0).then(|| (self.value_right / n, self.value_error / n, self.value_loss / n))
    }
}

/// Whether gradients are wanted, and for how many positions they are averaged.
#[derive(Clone, Copy)]
pub(crate) struct GradientScale {
    pub(crate) weights: LossWeights,
    pub(crate) positions: usize,
}

impl GradientScale {
    fn of(&self, example: &Example) -> f32 {
        example.weight / self.positions as f32
    }
}

/// Adds up the losses of a chunk after its forward pass and, if asked for, sets the gradients of the outputs.
pub(crate) fn evaluate(
    network: &Network,
    workspace: &mut Workspace,
    chunk: &[&Example],
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let graph = &network.graph;
    let Heads { input: _, policy: points, pass, value: result, ownership: owners } = network.heads;
    for (board, example) in chunk.iter().enumerate() {
        policy((graph, points, pass), workspace, board, example, gradients, tally);
        if let Some(result) = result {
            value((graph, result), workspace, board, example, gradients, tally);
        }
        if let Some(owners) = owners {
            ownership((graph, owners), workspace, board, example, gradients, tally);
        }
    }
}

fn policy(
    (graph, head, pass): (&Graph, TensorId, Option<TensorId>),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let area = example.board.area();
    let channels = padded(graph.width(head));
    let moves = graph.width(head);
    for (k, target) in example.policy.iter().enumerate().take(moves) {
        let points = &workspace.tensor(head)[board * area * channels..][..area * channels];
        let of_pass = pass.map(|pass| workspace.tensor(pass)[board * moves + k]);
        let mut logits: Vec<f32> = points.iter().skip(k).step_by(channels).copied().chain(of_pass).collect();
        let Some(shares) = shares(target, logits.len()) else { continue };
        if let Some(among) = &target.among {
            let mut closed = vec![true; logits.len()];
            for &i in among {
                closed[i] = false;
            }
            for (x, _) in logits.iter_mut().zip(closed).filter(|(_, closed)| *closed) {
                *x = f32::NEG_INFINITY;
            }
        }
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|x| (x - most).exp()).sum();
        if k == 0 {
            let log = |i: usize| f64::from(logits[i] - most - sum.ln());
            tally.positions += 1.0;
            for &(i, share) in &shares {
                tally.loss -= f64::from(share) * log(i);
                tally.entropy -= f64::from(share * share.ln());
            }
            let better = target.best().filter(|&i| i < logits.len()).map_or(usize::MAX, |i| rank(&logits, i));
            tally.top1 += f64::from(u8::from(better == 0));
            tally.top5 += f64::from(u8::from(better < 5));
        }
        let Some(gradients) = gradients else { continue };
        let scale = gradients.of(example) * example.advantage;
        let mut wanted: Vec<f32> = logits.iter().map(|x| scale * (x - most).exp() / sum).collect();
        for (i, share) in shares {
            wanted[i] -= scale * share;
        }
        let worth = gradients.of(example) * gradients.weights.entropy;
        if worth > 0.0 {
            // The derivative of −H(p) by a logit is p · (ln p + H).
            let log = |x: f32| x - most - sum.ln();
            let open = || logits.iter().enumerate().filter(|(_, x)| x.is_finite());
            let entropy: f32 = -open().map(|(_, &x)| log(x).exp() * log(x)).sum::<f32>();
            for (i, &x) in open() {
                wanted[i] += worth * log(x).exp() * (log(x) + entropy);
            }
        }
        for (i, gradient) in wanted.into_iter().enumerate() {
            match pass.filter(|_| i == area) {
                Some(pass) => workspace.gradient_mut(pass)[board * moves + k] = gradient,
                None => workspace.gradient_mut(head)[(board * area + i) * channels + k] = gradient,
            }
        }
    }
}

/// The shares of moves that the network knows, adding up to 1; none if there are none.
fn shares(target: &MoveTarget, known: usize) -> Option<Vec<(usize, f32)>> {
    let listed = target.shares.iter().copied().filter(|&(i, share)| i < known && share > 0.0);
    let sum: f32 = listed.clone().map(|(_, share)| share).sum();
    (sum > 0.0).then(|| listed.map(|(i, share)| (i, share / sum)).collect())
}

/// How many stand before `target`: of equals the first is first, so that a network that prefers nothing has no credit; nor has one
/// that says what is no number.
fn rank(logits: &[f32], target: usize) -> usize {
    let aim = logits[target];
    let is_behind = |i: usize, x: f32| x < aim || (x == aim && i >= target);
    logits.iter().enumerate().filter(|(i, x)| !is_behind(*i, **x)).count()
}

fn value(
    (graph, id): (&Graph, TensorId),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let me = example.board.to_play();
    let width = graph.width(id);
    let outputs = &workspace.tensor(id)[board * width..][..width];
    let (mut of_win, mut of_score) = (0.0, 0.0);
    if let Some(value) = example.value {
        let (p, win) = (sigmoid(outputs[0]), value_for(value, me));
        tally.valued += 1.0;
        let log = |p: f32| f64::from(p.max(1e-7).ln());
        tally.value_loss -= f64::from(win) * log(p) + f64::from(1.0 - win) * log(1.0 - p);
        tally.value_error += f64::from((p - win) * (p - win));
        tally.value_right += f64::from(u8::from((p > 0.5) == (win > 0.5)));
        of_win = p - win;
    }
    if let (Some(score), Some(output)) = (example.score, outputs.get(1)) {
        let error = output - me.sign() as f32 * score / SCORE_UNIT;
        tally.scored += 1.0;
        tally.score_error += f64::from(error.abs() * SCORE_UNIT);
        // Huber: quadratic up to one unit.
        of_score = error.clamp(-1.0, 1.0);
    }
    if let Some(gradients) = gradients {
        let (scale, weights) = (gradients.of(example), gradients.weights);
        let to = &mut workspace.gradient_mut(id)[board * width..][..width];
        to[0] = scale * weights.value * of_win;
        if let Some(to) = to.get_mut(1) {
            *to = scale * weights.score * of_score;
        }
    }
}

fn ownership(
    (graph, id): (&Graph, TensorId),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let Some(owners) = &example.ownership else { return };
    let channels = padded(graph.width(id));
    let sign = example.board.to_play().sign() as f32;
    let scale = gradients.map(|g| g.of(example) * g.weights.ownership / owners.len() as f32);
    let mut error = 0.0;
    for (i, owner) in owners.iter().enumerate() {
        let at = (board * owners.len() + i) * channels;
        let difference = sigmoid(workspace.tensor(id)[at]) - (sign * owner).midpoint(1.0);
        error += 2.0 * difference.abs();
        if let Some(scale) = scale {
            workspace.gradient_mut(id)[at] = scale * difference;
        }
    }
    tally.owned += 1.0;
    tally.owner_error += f64::from(error / owners.len() as f32);
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Color};
    use tengen_engine::rng::Rng;

    use super::*;
    use crate::{
        exec::{Prepared, kernels::winograd::TileKind},
        model::{
            planes::Position,
            spec::{NetSpec, Trunk},
        },
        train::{TrainConfig, worker::Worker},
    };

    /// What the examples cost, by the formulas: Σ (−A ln π(a) − β H(π) + w · cross-entropy of the value) / n.
    fn cost(network: &Network, examples: &[Example], weights: LossWeights) -> f64 {
        let mut runner = network.runner(5, 5, 1);
        let mut outputs = Vec::new();
        let mut sum = 0.0;
        for example in examples {
            let position =
                Position { board: &example.board, moves: &example.history, komi: example.komi, rank: None };
            runner.evaluate(&[position], &mut outputs);
            let logits: Vec<f64> =
                outputs[0].policy.iter().chain(&outputs[0].pass).map(|x| f64::from(*x)).collect();
            let target = &example.policy[0];
            let open: Vec<usize> = target.among.clone().unwrap_or_else(|| (0..logits.len()).collect());
            let total = open.iter().map(|&i| logits[i].exp()).sum::<f64>().ln();
            let log = |i: usize| logits[i] - total;
            let entropy = -open.iter().map(|&i| log(i).exp() * log(i)).sum::<f64>();
            let win = f64::from(outputs[0].black_win.unwrap());
            let won = f64::from(example.value.unwrap());
            let of_value = -won * win.ln() - (1.0 - won) * (1.0 - win).ln();
            sum += -f64::from(example.advantage) * log(target.shares[0].0)
                - f64::from(weights.entropy) * entropy
                + f64::from(weights.value) * of_value;
        }
        sum / examples.len() as f64
    }

    #[test]
    fn policy_gradients_are_those_of_the_formulas() {
        let trunk = Trunk::Residual { blocks: 1, channels: 16, pooling: vec![] };
        let spec = NetSpec { trunk, ownership: false, ..NetSpec::named("small").unwrap() };
        let mut rng = Rng::new(3);
        let network = Network::random(&spec, &mut rng).unwrap();
        // Nothing is zero, so that every layer matters.
        let mut weights: Vec<Vec<f32>> = network.weights().to_vec();
        weights.iter_mut().flatten().for_each(|w| *w += 0.2 * (rng.unit() - 0.5));
        let network = Network::new(&spec, weights.clone());
        let loss = LossWeights { value: 0.7, entropy: 0.3, ..LossWeights::default() };
        let config = TrainConfig { loss, ..TrainConfig::new(spec.clone()) };
        let example = |moves: &str, advantage: f32, among: Option<Vec<usize>>| {
            let mut board = Board::new(5, 5);
            let history: Vec<_> = moves.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
            for &mv in &history {
                board.play(mv);
            }
            let value = Some(f32::from(u8::from(board.to_play() == Color::Black)));
            let policy = vec![MoveTarget { shares: vec![(12, 1.0)], among }];
            let (komi, rank, score, ownership, weight) = (0.5, None, None, None, 1.0);
            Example { board, history, komi, rank, policy, value, score, ownership, weight, advantage }
        };
        let examples = vec![
            example("A1", 1.5, None),
            example("B2 D4", -0.8, Some((0..26).filter(|i| i % 3 == 0).collect())),
        ];
        let chunk: Vec<&Example> = examples.iter().collect();
        let kind = TileKind::best(5, 5);
        let prepared = [(kind, Prepared::for_training(&network.graph, network.weights(), kind))];
        let mut worker = Worker::new();
        worker.begin();
        worker.train(&network, &prepared, &chunk, &config, chunk.len());
        let mut gradients: Vec<Vec<f32>> = weights.iter().map(|w| vec![0.0; w.len()]).collect();
        worker.add_to(&network.graph, &mut gradients);
        let largest = gradients.iter().flatten().fold(0.0f32, |a, g| a.max(g.abs()));
        assert!(largest > 0.01);
        for (p, param) in network.graph.params.iter().enumerate().filter(|(_, param)| !param.is_mean()) {
            for _ in 0..6 {
                let i = rng.below(weights[p].len());
                let at = |step: f32| {
                    let mut changed = weights.clone();
                    changed[p][i] += step;
                    cost(&Network::new(&spec, changed), &examples, loss)
                };
                let difference = ((at(1e-3) - at(-1e-3)) / 2e-3) as f32;
                let gradient = gradients[p][i];
                assert!(
                    (difference - gradient).abs() <= 5e-3 * largest + 2e-3,
                    "{} [{i}]: gradient {gradient}, difference {difference}",
                    param.name
                );
            }
        }
    }

    #[test]
    fn of_equals_the_first_is_first() {
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 1), 0);
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 2), 1);
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 3), 2);
        assert_eq!(rank(&[0.0; 361], 360), 360);
        assert!(rank(&[f32::NAN; 361], 0) > 5);
    }
}
