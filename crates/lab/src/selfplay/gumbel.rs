//! **What.** Gumbel search: of the moves that noise and policy propose, sequential halving finds the best with few simulations, and
//! the completed values of all moves are what the policy learns. No Dirichlet noise, no temperature.
//!
//! **Formula.** At the root the k moves with the largest g + l are considered, g from the Gumbel distribution and l the policy's
//! logit. Each has the same number of visits; then the better half of them by g + l + σ(q) goes on, and so forth. σ(q) =
//! (visits + max N) · scale · q, with q the player's mean value from 0 to 1. A move without visits has the node's mixed value
//! (v + ΣN · Σ P q / Σ P) / (1 + ΣN), the sums of P over tried moves. The policy's target is softmax(l + σ(q)) over all moves; below
//! the root the move is chosen that lags behind it most: the largest softmax(l + σ(q)) − N / (1 + ΣN).
//!
//! **Source.** Danihelka, Guez, Schrittwieser and Silver 2022 (*Policy improvement by planning with Gumbel*), sections 3 to 5 and
//! appendix B; DeepMind's mctx, whose schedule this follows move for move: visits = 50, scale = 1, 16 considered moves.
//!
//! **Differences.** Values are not rescaled to what the tree has seen: they are chances to win, from 0 to 1, in any position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::rng::Rng;

/// Parameters of Gumbel search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// Moves considered at the root (Danihelka et al.: 16).
    #[schemars(range(min = 1, max = 1000))]
    pub considered: usize,
    /// What the largest number of visits is raised by in σ (50).
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub visits: f32,
    /// Scale of values in σ (1).
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub scale: f32,
    /// Scale of the noise: 0 in games that count.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub noise: f32,
}

impl Default for GumbelConfig {
    fn default() -> Self {
        GumbelConfig { considered: 16, visits: 50.0, scale: 1.0, noise: 1.0 }
    }
}

/// What is known of a move in a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MoveStats {
    pub(crate) logit: f32,
    /// The policy's share of it.
    pub(crate) prior: f32,
    pub(crate) visits: u32,
    /// Mean value as the player to move sees it, from 0 to 1.
    pub(crate) value: f32,
}

/// For each simulation in turn, how many visits the move must have that gets it.
pub(crate) fn schedule(considered: usize, simulations: u32) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations).collect();
    }
    let rounds = considered.next_power_of_two().trailing_zeros();
    let (mut sequence, mut visits, mut left) = (Vec::new(), vec![0; considered], considered);
    while sequence.len() < simulations as usize {
        let each = (simulations / (rounds * left as u32)).max(1);
        for _ in 0..each {
            sequence.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|n| *n += 1);
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations as usize);
    sequence
}

/// A number from the Gumbel distribution.
pub(crate) fn draw(rng: &mut Rng) -> f32 {
    // From the middles of 2²⁴ equal parts, so that no logarithm is infinite.
    let unit = rng.unit() + 0.5 / (1u64 << 24) as f32;
    -(-unit.ln()).ln()
}

/// A node's value: the network's and that of its tried moves.
fn mixed_value(value: f32, moves: &[MoveStats]) -> f32 {
    let (mut visits, mut shares, mut sum) = (0, 0.0, 0.0);
    for m in moves.iter().filter(|m| m.visits > 0) {
        let prior = m.prior.max(f32::MIN_POSITIVE);
        visits += m.visits;
        shares += prior;
        sum += prior * m.value;
    }
    if visits == 0 {
        return value;
    }
    (value + visits as f32 * sum / shares) / (1.0 + visits as f32)
}

/// l + σ(q) of each move; `value` is the network's for the player to move.
pub(crate) fn scores(config: &GumbelConfig, value: f32, moves: &[MoveStats], out: &mut Vec<f32>) {
    let untried = mixed_value(value, moves);
    let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
    let scale = (config.visits + most as f32) * config.scale;
    out.clear();
    out.extend(moves.iter().map(|m| m.logit + scale * if m.visits > 0 { m.value } else { untried }));
}

/// Shares from logits.
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in logits.iter_mut() {
        *x = (*x - most).exp();
        sum += *x;
    }
    for x in logits {
        *x /= sum;
    }
}

/// The root's move for the next simulation: of those with `visits` visits the one with the largest g + l + σ(q).
pub(crate) fn at_root(noise: &[f32], scores: &[f32], moves: &[MoveStats], visits: u32) -> usize {
    let open = (0..moves.len()).filter(|&i| moves[i].visits == visits);
    open.max_by(|&a, &b| (noise[a] + scores[a]).total_cmp(&(noise[b] + scores[b]))).unwrap_or(0)
}

/// The move to play: of those with the most visits the one with the largest g + l + σ(q).
pub(crate) fn final_move(noise: &[f32], scores: &[f32], moves: &[MoveStats]) -> usize {
    let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
    at_root(noise, scores, moves, most)
}

/// Below the root: the move that lags behind the improved policy most, whose l + σ(q) `scores` are.
pub(crate) fn below_root(scores: &mut [f32], moves: &[MoveStats]) -> usize {
    softmax(scores);
    let visits = 1.0 + moves.iter().map(|m| m.visits).sum::<u32>() as f32;
    let lag = |i: usize| scores[i] - moves[i].visits as f32 / visits;
    (0..moves.len()).max_by(|&a, &b| lag(a).total_cmp(&lag(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_halved_as_in_mctx() {
        // What mctx's get_sequence_of_considered_visits returns.
        assert_eq!(schedule(1, 4), [0, 1, 2, 3]);
        assert_eq!(schedule(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(schedule(16, 16), [0; 16]);
        assert_eq!(schedule(16, 32)[..], [[0; 16].as_slice(), &[1; 8], &[2; 4], &[3; 4]].concat());
        assert_eq!(schedule(3, 5), [0, 0, 0, 1, 1]);
        assert_eq!(schedule(16, 2), [0, 0]);
    }

    fn stats(logit: f32, prior: f32, visits: u32, value: f32) -> MoveStats {
        MoveStats { logit, prior, visits, value }
    }

    #[test]
    fn untried_moves_have_the_mixed_value() {
        let moves = [stats(0.0, 0.5, 3, 0.6), stats(-1.0, 0.25, 1, 0.2), stats(-1.0, 0.25, 0, 0.0)];
        // (0.4 + 4 · (0.5 · 0.6 + 0.25 · 0.2) / 0.75) / 5
        let mixed = (0.4 + 4.0 * (0.35 / 0.75)) / 5.0;
        assert!((mixed_value(0.4, &moves) - mixed).abs() < 1e-6);
        assert_eq!(mixed_value(0.4, &moves[2..]), 0.4, "nothing was tried: the network's");
        let mut out = Vec::new();
        scores(&GumbelConfig::default(), 0.4, &moves, &mut out);
        let expected = [53.0 * 0.6, 53.0 * 0.2 - 1.0, 53.0 * mixed - 1.0];
        assert!(out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{out:?} {expected:?}");
        softmax(&mut out);
        assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-6 && out[0] > 0.99, "{out:?}");
    }

    #[test]
    fn noise_policy_and_value_decide_at_the_root_among_equal_visits() {
        let config = GumbelConfig { visits: 10.0, ..GumbelConfig::default() };
        let moves = [stats(0.0, 0.6, 1, 0.5), stats(-1.0, 0.3, 1, 0.7), stats(-2.0, 0.1, 0, 0.0)];
        let mut out = Vec::new();
        scores(&config, 0.5, &moves, &mut out);
        // 0 + 11 · 0.5 = 5.5 against −1 + 11 · 0.7 = 6.7: noise of 1.5 turns it.
        assert_eq!(at_root(&[0.0; 3], &out, &moves, 1), 1);
        assert_eq!(at_root(&[1.5, 0.0, 9.0], &out, &moves, 1), 0);
        assert_eq!(at_root(&[1.5, 0.0, 9.0], &out, &moves, 0), 2, "only moves with so many visits");
        assert_eq!(final_move(&[1.5, 0.0, 9.0], &out, &moves), 0);
    }

    #[test]
    fn below_the_root_visits_follow_the_improved_policy() {
        let config = GumbelConfig { visits: 0.0, scale: 0.0, ..GumbelConfig::default() };
        let mut moves = [stats(0.7f32.ln(), 0.7, 0, 0.5), stats(0.3f32.ln(), 0.3, 0, 0.5)];
        let mut order = Vec::new();
        for _ in 0..10 {
            let mut out = Vec::new();
            scores(&config, 0.5, &moves, &mut out);
            let chosen = below_root(&mut out, &moves);
            moves[chosen].visits += 1;
            order.push(chosen);
        }
        assert_eq!(order, [0, 1, 0, 0, 1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn the_noise_has_the_mean_and_variance_of_the_gumbel_distribution() {
        let mut rng = Rng::new(1);
        let draws: Vec<f64> = (0..100_000).map(|_| f64::from(draw(&mut rng))).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 0.5772).abs() < 0.02 && (variance - 1.6449).abs() < 0.05, "{mean} {variance}");
    }
}
