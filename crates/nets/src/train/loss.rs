//! What a network is trained to do: losses and their gradients for a chunk of positions.
//!
//! * policy: cross-entropy of the move that was played, over all points (and the pass, if the network has one). With
//!   three predicted moves, the sum over them (Tian and Zhu 2015).
//! * value: cross-entropy of the result.
//! * score: Huber's loss of the margin in units of [`SCORE_UNIT`] points, for counted games.
//! * ownership: cross-entropy of each point's owner, averaged over points, for counted games.

use serde::{Deserialize, Serialize};

use super::data::Sample;
use crate::{
    graph::Graph,
    kernels::padded,
    network::sigmoid,
    run::Workspace,
    spec::{Heads, SCORE_UNIT},
};

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
    /// Sum of the next move's cross-entropy.
    pub loss: f64,
    /// Positions where the next move was the first choice.
    pub top1: f64,
    /// Positions where it was among the first five.
    pub top5: f64,
    /// Positions with a result.
    pub valued: f64,
    /// Sum of the result's cross-entropy.
    pub value_loss: f64,
    /// Sum of (winning probability − result)².
    pub value_error: f64,
    /// Positions where the winner was told right.
    pub value_right: f64,
}

impl Tally {
    /// Adds another's sums.
    pub fn add(&mut self, other: &Tally) {
        self.positions += other.positions;
        self.loss += other.loss;
        self.top1 += other.top1;
        self.top5 += other.top5;
        self.valued += other.valued;
        self.value_loss += other.value_loss;
        self.value_error += other.value_error;
        self.value_right += other.value_right;
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

    /// Share of winners that were told right, mean squared error and cross-entropy of the value.
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

/// Adds up the losses of a chunk after its forward pass and, if asked for, sets the gradients of the outputs.
pub(crate) fn evaluate(
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    samples: &[Sample],
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    for (board, sample) in samples.iter().enumerate() {
        policy((graph, heads), workspace, board, sample, gradients, tally);
        value((graph, heads), workspace, board, sample, gradients, tally);
        if let Some(scale) = gradients {
            ownership((graph, heads), workspace, board, sample, scale);
        }
    }
}

fn policy(
    (graph, heads): (&Graph, &Heads),
    workspace: &mut Workspace,
    board: usize,
    sample: &Sample,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let area = sample.board.area();
    let width = sample.board.width();
    let channels = padded(graph.width(heads.policy));
    let moves = graph.width(heads.policy);
    for (k, &mv) in sample.next.iter().enumerate().take(moves) {
        let target = match mv.vertex() {
            Some(v) => v.row() * width + v.col(),
            None if heads.pass.is_some() => area,
            None => continue,
        };
        let logits = workspace.tensor(heads.policy)[board * area * channels..][..area * channels]
            .iter()
            .skip(k)
            .step_by(channels)
            .copied();
        let pass = heads.pass.map(|pass| workspace.tensor(pass)[board * moves + k]);
        let mut odds: Vec<f32> = logits.chain(pass).collect();
        let aim = odds[target];
        let better = rank(&odds, target);
        let most = odds.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for x in &mut odds {
            *x = (*x - most).exp();
            sum += *x;
        }
        if k == 0 {
            tally.positions += 1.0;
            tally.loss += f64::from(sum.ln() + most - aim);
            tally.top1 += f64::from(u8::from(better == 0));
            tally.top5 += f64::from(u8::from(better < 5));
        }
        let Some(GradientScale { positions, .. }) = gradients else { continue };
        let scale = 1.0 / positions as f32;
        for (i, odds) in odds.iter().enumerate() {
            let gradient = scale * (odds / sum - f32::from(u8::from(i == target)));
            match heads.pass.filter(|_| i == area) {
                Some(pass) => workspace.gradient_mut(pass)[board * moves + k] = gradient,
                None => workspace.gradient_mut(heads.policy)[(board * area + i) * channels + k] = gradient,
            }
        }
    }
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
    sample: &Sample,
    gradients: Option<GradientScale>,
    tally: &mut Tally,
) {
    let Some(id) = heads.value else { return };
    let width = graph.width(id);
    let (outputs, all_gradients) = if gradients.is_some() {
        let (outputs, gradients) = workspace.both_mut(id);
        (outputs, Some(gradients))
    } else {
        (workspace.tensor(id), None)
    };
    let outputs = &outputs[board * width..][..width];
    let (mut of_win, mut of_score) = (0.0, 0.0);
    if let Some(win) = sample.win {
        let p = sigmoid(outputs[0]);
        tally.valued += 1.0;
        let log = |p: f32| f64::from(p.max(1e-7).ln());
        tally.value_loss -= f64::from(win) * log(p) + f64::from(1.0 - win) * log(1.0 - p);
        tally.value_error += f64::from((p - win) * (p - win));
        tally.value_right += f64::from(u8::from((p > 0.5) == (win > 0.5)));
        of_win = p - win;
    }
    if let (Some(score), Some(output)) = (sample.score, outputs.get(1)) {
        // Huber: quadratic up to one unit.
        of_score = (output - score / SCORE_UNIT).clamp(-1.0, 1.0);
    }
    if let (Some(GradientScale { weights, positions }), Some(all)) = (gradients, all_gradients) {
        let scale = 1.0 / positions as f32;
        let to = &mut all[board * width..][..width];
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
    sample: &Sample,
    scale: GradientScale,
) {
    let (Some(id), Some(owners)) = (heads.ownership, &sample.owners) else { return };
    let channels = padded(graph.width(id));
    let (outputs, gradients) = workspace.both_mut(id);
    let scale = scale.weights.ownership / (scale.positions * owners.len()) as f32;
    for (i, owner) in owners.iter().enumerate() {
        let at = (board * owners.len() + i) * channels;
        gradients[at] = scale * (sigmoid(outputs[at]) - (owner + 1.0) / 2.0);
    }
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
