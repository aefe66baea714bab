//! A network of either family behind one interface: ours, and KataGo's.

use std::{path::Path, sync::Arc};

use tengen_board::{Color, Game, Symmetry, VertexMap};
use tengen_engine::{
    network::{RawEvaluation, Uncertainty},
    report::value_for,
};

use crate::{
    error::NetError,
    history::{History, is_forbidden_suicide},
    katago::{KataNetwork, KataOutput, KataRunner},
    network::{Network, Output, Runner},
    planes::Position,
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
    /// Reads a network: `.gz`, `.bin` and `.txt` are KataGo's, everything else is ours.
    pub fn load(path: &Path) -> Result<AnyNetwork, NetError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("gz" | "bin" | "txt") => KataNetwork::load(path).map(AnyNetwork::Kata),
            _ => Network::load(path).map(|network| AnyNetwork::Own(Arc::new(network))),
        }
    }

    /// Whether it tells who wins, as a search needs.
    pub fn tells_value(&self) -> bool {
        match self {
            AnyNetwork::Own(network) => network.spec().value.is_some(),
            AnyNetwork::Kata(_) => true,
        }
    }

    /// Multiplications and additions of its layers for a board of this area, convolutions as their definition has them.
    pub fn operations(&self, area: usize) -> u64 {
        match self {
            AnyNetwork::Own(network) => network.graph.operations(area),
            AnyNetwork::Kata(network) => network.operations(area),
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
pub(crate) struct Answer {
    /// Logits of the points in the order of [`tengen_board::Board::points`], then of the pass.
    pub(crate) logits: Vec<f32>,
    /// The same of the optimistic policy, if the network has one.
    pub(crate) optimistic: Vec<f32>,
    /// Black's value, from 0 to 1: a game without result counts half.
    pub(crate) black_win: f32,
    /// Black's lead in points.
    pub(crate) black_lead: f32,
    pub(crate) no_result: f32,
    /// Mean and mean square of Black's score in self-play.
    pub(crate) black_score: (f32, f32),
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
    pub(crate) fn evaluate(&mut self, positions: &[(&History, Symmetry)]) -> Vec<Answer> {
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

fn own_answer(output: &Output, history: &History) -> Answer {
    let me = history.board().to_play();
    let sign = me.sign() as f32;
    let mut logits = output.policy.clone();
    // A network that does not know passing finds it as good as its worst move.
    let worst = logits.iter().copied().fold(f32::INFINITY, f32::min);
    logits.push(output.pass.unwrap_or(worst));
    let lead = sign * output.score.unwrap_or(0.0);
    let shares = || output.ownership.iter().map(|share| sign * share).collect();
    Answer {
        logits,
        optimistic: Vec::new(),
        black_win: value_for(output.win.unwrap_or(0.5), me),
        black_lead: lead,
        no_result: 0.0,
        black_score: (lead, lead * lead),
        ownership: (!output.ownership.is_empty()).then(shares),
        uncertainty: None,
    }
}

fn kata_answer(output: &KataOutput) -> Answer {
    let mut logits = output.policy.clone();
    logits.push(output.pass);
    Answer {
        logits,
        optimistic: output.optimistic.clone(),
        black_win: output.white_loss + output.no_result / 2.0,
        black_lead: -output.white_lead,
        no_result: output.no_result,
        black_score: (-output.white_score, output.white_score_squared),
        ownership: Some(output.white_ownership.iter().map(|share| -share).collect()),
        uncertainty: output.uncertainty,
    }
}

impl Answer {
    /// A move's logit, so far on the way to the optimistic policy.
    pub(crate) fn logit(&self, index: usize, optimism: f32) -> f32 {
        let plain = self.logits[index];
        self.optimistic.get(index).map_or(plain, |optimistic| plain + (optimistic - plain) * optimism)
    }

    /// The answer about the position of `game` in the form of KataGo's `kata-raw-nn`.
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
        let white_ownership = self.ownership.as_ref().map(|shares| {
            let mut owners = VertexMap::filled(0.0);
            board.points().zip(&**shares).for_each(|(v, share)| owners[v] = -share);
            owners
        });
        let white_loss = self.black_win - self.no_result / 2.0;
        RawEvaluation {
            white_win: value_for(self.black_win, Color::White) - self.no_result / 2.0,
            white_loss,
            no_result: self.no_result,
            white_lead: -self.black_lead,
            white_score: -self.black_score.0,
            white_score_squared: self.black_score.1,
            policy,
            pass,
            white_ownership,
            uncertainty: self.uncertainty,
        }
    }
}
