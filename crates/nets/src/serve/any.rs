//! A network of either family behind one interface: ours, and KataGo's.

use std::{path::Path, sync::Arc};

use tengen_board::{Color, Game, Symmetry, VertexMap};
use tengen_engine::search::{RawEvaluation, Uncertainty, value_for};

use crate::{
    error::NetError,
    katago::{KataNetwork, KataOutput, KataRunner},
    model::{
        found,
        history::{History, is_forbidden_suicide},
        network::{Network, Output, Runner},
        planes::Position,
    },
    serve::shelf::Shelf,
};

/// A network of either family.
#[derive(Clone, Debug)]
pub enum AnyNetwork {
    /// Our own.
    Own(Arc<Network>),
    /// KataGo's.
    Kata(KataNetwork),
}

impl AnyNetwork {
    /// Reads a network: `.gz`, `.bin` and `.txt` are KataGo's, everything else is ours. A word without a dot is a network of ours
    /// that comes with the program, or one of KataGo's on this machine ([`networks_found`](crate::networks_found)).
    pub fn load(path: &Path) -> Result<AnyNetwork, NetError> {
        let path = &*found::resolve(path)?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("gz" | "bin" | "txt") => KataNetwork::load(path).map(AnyNetwork::Kata),
            _ => Network::load(path).map(|network| AnyNetwork::Own(Arc::new(network))),
        }
    }

    /// The same, but a file that was read before is shared, not read again.
    pub fn shared(path: &Path) -> Result<AnyNetwork, NetError> {
        static LOADED: Shelf<AnyNetwork> = Shelf::new();
        LOADED.get(&found::resolve(path)?, AnyNetwork::load)
    }

    /// Whether it tells who wins, as a search needs.
    pub fn tells_value(&self) -> bool {
        match self {
            AnyNetwork::Own(network) => network.spec().value.is_some(),
            AnyNetwork::Kata(_) => true,
        }
    }

    /// Writes the network to an ONNX file, if it is one of ours.
    pub fn save_onnx(&self, path: &Path) -> Result<(), NetError> {
        match self {
            AnyNetwork::Own(network) => network.save_onnx(path),
            AnyNetwork::Kata(_) => {
                let message = "KataGo's networks are not written as ONNX, only tengen's own";
                Err(NetError::Settings(message.to_owned()))
            }
        }
    }

    /// Multiplications and additions of its layers for a board of this size, as the kernels do them: 3x3 convolutions with a
    /// quarter to a third of what their definition asks for (Winograd).
    pub fn operations(&self, width: usize, height: usize) -> u64 {
        match self {
            AnyNetwork::Own(network) => network.graph.operations(width, height),
            AnyNetwork::Kata(network) => network.operations(width, height),
        }
    }

    /// A runner for up to `boards` boards of one size at a time.
    pub(crate) fn runner(&self, (width, height): (usize, usize), boards: usize) -> AnyRunner {
        match self {
            AnyNetwork::Own(network) => {
                AnyRunner::Own(Box::new(network.runner(width, height, boards)), Vec::new())
            }
            AnyNetwork::Kata(network) => {
                AnyRunner::Kata(Box::new(network.runner(width, height, boards)), Vec::new())
            }
        }
    }
}

/// What a network says about a position, of either family.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnyOutput {
    /// Logits of the points in the order of [`tengen_board::Board::points`], then of the pass.
    pub(crate) logits: Vec<f32>,
    /// The same of the optimistic policy, if the network has one.
    pub(crate) optimistic: Vec<f32>,
    /// Black's value, from 0 to 1: a game without result counts half.
    pub(crate) black_value: f32,
    /// Black's lead in points.
    pub(crate) lead: f32,
    pub(crate) no_result: f32,
    /// Mean and mean square of Black's score in self-play.
    pub(crate) score: (f32, f32),
    /// Each point's owner, from −1 (White) to 1, if the network tells it.
    pub(crate) ownership: Option<Arc<[f32]>>,
    /// How sure the network is, if it tells that.
    pub(crate) uncertainty: Option<Uncertainty>,
}

/// Evaluates positions; each thread has its own.
pub(crate) enum AnyRunner {
    Own(Box<Runner>, Vec<Output>),
    Kata(Box<KataRunner>, Vec<KataOutput>),
}

impl AnyRunner {
    /// Whether it takes so many boards of this size.
    pub(crate) fn fits(&self, size: (usize, usize), boards: usize) -> bool {
        let (own_size, own_boards) = match self {
            AnyRunner::Own(runner, _) => (runner.size(), runner.boards()),
            AnyRunner::Kata(runner, _) => (runner.size(), runner.boards()),
        };
        own_size == size && own_boards >= boards
    }

    /// Evaluates positions, each seen after a symmetry.
    pub(crate) fn evaluate(&mut self, positions: &[(&History, Symmetry)]) -> Vec<AnyOutput> {
        match self {
            AnyRunner::Own(runner, outputs) => {
                let moves: Vec<Vec<_>> = positions
                    .iter()
                    .map(|(history, _)| history.moves().iter().map(|m| m.mv).collect())
                    .collect();
                let seen: Vec<_> = positions
                    .iter()
                    .zip(&moves)
                    .map(|((history, symmetry), moves)| {
                        let (board, komi) = (history.board(), history.white_bonus());
                        (Position { board, moves, komi, rank: None }, *symmetry)
                    })
                    .collect();
                runner.evaluate_images(&seen, outputs);
                outputs.iter().zip(positions).map(|(o, (history, _))| own_answer(o, history)).collect()
            }
            AnyRunner::Kata(runner, outputs) => {
                runner.evaluate(positions, outputs);
                outputs.iter().map(kata_answer).collect()
            }
        }
    }
}

fn own_answer(output: &Output, history: &History) -> AnyOutput {
    let mut logits = output.policy.clone();
    // A network that does not know passing finds it as good as its worst move.
    let worst = logits.iter().copied().fold(f32::INFINITY, f32::min);
    logits.push(output.pass.unwrap_or(worst));
    let lead = lead(output.lead, &output.ownership, history.white_bonus_so_far());
    AnyOutput {
        logits,
        optimistic: Vec::new(),
        black_value: output.black_win.unwrap_or(0.5),
        lead,
        no_result: 0.0,
        score: (lead, lead * lead),
        ownership: (!output.ownership.is_empty()).then(|| output.ownership.as_slice().into()),
        uncertainty: None,
    }
}

/// Black's lead from what a network says about score and ownership, which do not agree quite.
///
/// The more the board is decided, the more ownership counts. With `distilled`, on finished games of dan players on 9x9 (60 games) the
/// sum of ownership is within 1.5 points of the result in 95%, the score alone in 63%; in the opening on 19x19 the score is 1.8 points off its
/// teacher's, the sum 3.5. The exponent was chosen on these games, with an earlier state of the
/// network; nothing was held out. `lab/tests/all/lead.rs` prints what it gives now.
fn lead(score: Option<f32>, ownership: &[f32], white_bonus: f32) -> f32 {
    let area = ownership.iter().sum::<f32>() - white_bonus;
    match score {
        Some(score) if ownership.is_empty() => score,
        Some(score) => {
            let decided = ownership.iter().map(|share| share.abs()).sum::<f32>() / ownership.len() as f32;
            score + decided.powi(8) * (area - score)
        }
        None if ownership.is_empty() => 0.0,
        None => area,
    }
}

fn kata_answer(output: &KataOutput) -> AnyOutput {
    let mut logits = output.policy.clone();
    logits.push(output.pass);
    AnyOutput {
        logits,
        optimistic: output.optimistic.clone(),
        black_value: output.black_win + output.no_result / 2.0,
        lead: output.lead,
        no_result: output.no_result,
        score: (output.score, output.score_squared),
        ownership: Some(output.ownership.as_slice().into()),
        uncertainty: output.uncertainty,
    }
}

impl AnyOutput {
    /// A move's logit, so far on the way to the optimistic policy.
    pub(crate) fn logit(&self, index: usize, optimism: f32) -> f32 {
        let plain = self.logits[index];
        self.optimistic.get(index).map_or(plain, |optimistic| plain + (optimistic - plain) * optimism)
    }

    /// The answer about the position of `game` with all that KataGo's `kata-raw-nn` shows.
    pub(crate) fn to_raw(&self, game: &Game, optimism: f32) -> RawEvaluation {
        let board = game.board();
        let mut policy = VertexMap::filled(f32::NAN);
        let logits: Vec<f32> = (0..self.logits.len()).map(|i| self.logit(i, optimism)).collect();
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let (points, pass) = logits.split_at(board.area());
        let mut pass: f32 = pass.iter().map(|logit| (logit - most).exp()).sum();
        let mut sum = pass;
        for (v, logit) in board.points().zip(points) {
            if game.check(v.into()).is_ok() && !is_forbidden_suicide(board, v, game.rules().suicide) {
                policy[v] = (logit - most).exp();
                sum += policy[v];
            }
        }
        pass /= sum;
        board.points().for_each(|v| policy[v] /= sum);
        let ownership = self.ownership.as_ref().map(|shares| {
            let mut owners = VertexMap::filled(0.0);
            board.points().zip(&**shares).for_each(|(v, share)| owners[v] = *share);
            owners
        });
        RawEvaluation {
            black_win: self.black_value - self.no_result / 2.0,
            white_win: value_for(self.black_value, Color::White) - self.no_result / 2.0,
            no_result: self.no_result,
            lead: self.lead,
            score: self.score.0,
            score_squared: self.score.1,
            policy,
            pass,
            ownership,
            uncertainty: self.uncertainty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_is_counted_where_the_board_is_decided() {
        assert_eq!(lead(None, &[], 7.5), 0.0);
        assert_eq!(lead(Some(3.0), &[], 7.5), 3.0);
        assert_eq!(lead(None, &[1.0, 0.5, -1.0], 7.5), -7.0);
        assert_eq!(lead(Some(3.0), &[1.0, 1.0, -1.0], 0.5), 0.5);
        // Half decided: 1/256 of the way.
        assert!((lead(Some(3.0), &[0.5, 0.5], 0.5) - (3.0 - 2.5 / 256.0)).abs() < 1e-6);
    }
}
