//! What a network is trained to do: losses and their gradients for a chunk of positions.
//!
//! * policy: cross-entropy of the moves' shares (all of it one move's, if it comes from a game record), over all points and the
//!   pass, if the network has one. With three predicted moves, the sum over them (Tian and Zhu 2015).
//! * value: cross-entropy of the result.
//! * score: Huber's loss of the lead in units of [`SCORE_UNIT`] points, where it is known.
//! * ownership: cross-entropy of each point's owner, averaged over points, where it is known.
//!
//! An example's weight multiplies all of them.

use serde::{Deserialize, Serialize};

use super::example::{Example, MoveTarget};
use crate::{
    graph::Graph,
    kernels::padded,
    network::sigmoid,
    run::Workspace,
    spec::{Heads, SCORE_UNIT},
};
use tengen_engine::report::value_for;

/// How much each part of the loss counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// The value's, against 1 for the policy.
    pub value: f32,
    /// The score's.
    pub score: f32,
    /// The ownership's.
    pub ownership: f32,
}

impl Default for LossWeights {
    fn default() -> Self {
        LossWeights { value: 1.0, score: 0.05, ownership: 1.0 }
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
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    chunk: &[&Example],
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    for (board, example) in chunk.iter().enumerate() {
        policy((graph, heads), workspace, board, example, gradients, tally);
        value((graph, heads), workspace, board, example, gradients, tally);
        ownership((graph, heads), workspace, board, example, gradients, tally);
    }
}

fn policy(
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let area = example.board.area();
    let channels = padded(graph.width(heads.policy));
    let moves = graph.width(heads.policy);
    for (k, target) in example.policy.iter().enumerate().take(moves) {
        let points = &workspace.tensor(heads.policy)[board * area * channels..][..area * channels];
        let pass = heads.pass.map(|pass| workspace.tensor(pass)[board * moves + k]);
        let mut logits: Vec<f32> = points.iter().skip(k).step_by(channels).copied().chain(pass).collect();
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
        let Some(scale) = gradients.map(|gradients| gradients.of(example)) else { continue };
        let mut wanted: Vec<f32> = logits.iter().map(|x| scale * (x - most).exp() / sum).collect();
        for (i, share) in shares {
            wanted[i] -= scale * share;
        }
        for (i, gradient) in wanted.into_iter().enumerate() {
            match heads.pass.filter(|_| i == area) {
                Some(pass) => workspace.gradient_mut(pass)[board * moves + k] = gradient,
                None => workspace.gradient_mut(heads.policy)[(board * area + i) * channels + k] = gradient,
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
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let Some(id) = heads.value else { return };
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
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    board: usize,
    example: &Example,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let (Some(id), Some(owners)) = (heads.ownership, &example.ownership) else { return };
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
    use super::*;

    #[test]
    fn of_equals_the_first_is_first() {
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 1), 0);
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 2), 1);
        assert_eq!(rank(&[1.0, 3.0, 3.0, 2.0], 3), 2);
        assert_eq!(rank(&[0.0; 361], 360), 360);
        assert!(rank(&[f32::NAN; 361], 0) > 5);
    }
}
