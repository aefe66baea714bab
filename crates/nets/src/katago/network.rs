//! A KataGo network and its evaluation.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use tengen_board::{Board, Color, KoRule, Scoring, Symmetry, Vertex};
use tengen_engine::search::Uncertainty;

use super::{
    GLOBALS, PLANES,
    build::{self, KataHeads, Model, Multipliers},
    features::{FeatureWriter, point},
};
use crate::{
    error::NetError,
    exec::{
        Prepared, SharedWeights, Workspace,
        kernels::{
            padded,
            winograd::{Precision, TileKind},
        },
    },
    model::{file::read_bytes, history::History},
};

/// A network of KataGo.
#[derive(Clone)]
pub struct KataNetwork {
    model: Arc<Model>,
    prepared: Arc<[OnceLock<SharedWeights>; 2]>,
}

impl std::fmt::Debug for KataNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KataNetwork({})", self.name())
    }
}

/// What a KataGo network says about a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KataOutput {
    /// Logits of the points, in the order of [`tengen_board::Board::points`].
    pub policy: Vec<f32>,
    /// Logit of passing.
    pub pass: f32,
    /// Logits of the points, then of passing, of the optimistic policy, which likes moves that may turn out better than they look; none if
    /// the network has no such policy.
    pub optimistic: Vec<f32>,
    /// Probability that Black wins.
    pub black_win: f32,
    /// Probability that White wins.
    pub white_win: f32,
    /// Probability of no result.
    pub no_result: f32,
    /// Black's lead in points.
    pub lead: f32,
    /// Mean of Black's score in self-play games from here.
    pub score: f32,
    /// Mean of its square.
    pub score_squared: f32,
    /// Each point's owner, from −1 (White) to 1, in the order of [`tengen_board::Board::points`].
    pub ownership: Vec<f32>,
    /// How sure it is, if it tells that.
    pub uncertainty: Option<Uncertainty>,
}

impl KataNetwork {
    /// Reads a network from the bytes of its file, compressed or not; the error tells what is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<KataNetwork, String> {
        let model = build::read(bytes)?;
        Ok(KataNetwork { model: Arc::new(model), prepared: Arc::new([OnceLock::new(), OnceLock::new()]) })
    }

    /// Reads a network from a `.bin.gz` or `.txt.gz` file.
    pub fn load(path: &Path) -> Result<KataNetwork, NetError> {
        let bytes = read_bytes(path)?;
        KataNetwork::from_bytes(&bytes).map_err(|message| NetError::File { path: path.to_owned(), message })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// Its model version.
    pub fn version(&self) -> usize {
        self.model.version
    }

    /// Number of weights.
    pub fn weight_count(&self) -> usize {
        self.model.graph.weight_count()
    }

    /// Multiplications and additions of its layers for a board of this size.
    pub(crate) fn operations(&self, width: usize, height: usize) -> u64 {
        self.model.graph.operations(width, height)
    }

    /// A runner for up to `boards` boards of one size at a time.
    pub fn runner(&self, width: usize, height: usize, boards: usize) -> KataRunner {
        let workspace = Workspace::new(&self.model.graph, (width, height), boards);
        let kind = workspace.tile_kind();
        let prepare =
            || Arc::new(Prepared::new(&self.model.graph, &self.model.weights, kind, Precision::fast()));
        let weights = self.prepared[usize::from(kind == TileKind::Four)].get_or_init(prepare);
        KataRunner {
            weights: Arc::clone(weights),
            model: Arc::clone(&self.model),
            workspace,
            features: FeatureWriter::new(self.model.lives_despite_suicide),
            planes: vec![0.0; width * height * padded(PLANES)],
        }
    }
}

/// Evaluates positions; each thread has its own.
pub struct KataRunner {
    model: Arc<Model>,
    weights: SharedWeights,
    workspace: Workspace,
    features: FeatureWriter,
    planes: Vec<f32>,
}

impl KataRunner {
    /// The most positions at a time.
    pub fn boards(&self) -> usize {
        self.workspace.boards()
    }

    /// The board's width and height.
    pub fn size(&self) -> (usize, usize) {
        self.workspace.size()
    }

    /// Evaluates positions, each as the network sees it after a symmetry; one that exchanges rows and columns needs a
    /// runner for boards of that size.
    ///
    /// # Panics
    /// If there are more positions than the runner was made for, or one is on a board of another size.
    pub fn evaluate(&mut self, positions: &[(&History, Symmetry)], outputs: &mut Vec<KataOutput>) {
        assert!(positions.len() <= self.boards(), "a runner for {} boards", self.boards());
        let KataHeads { planes, globals, .. } = self.model.heads;
        let (width, height) = self.size();
        let (area, stride) = (width * height, padded(PLANES));
        for (i, (history, symmetry)) in positions.iter().enumerate() {
            let board = history.board();
            let size = (board.width(), board.height());
            let after = if symmetry.transposes() { (size.1, size.0) } else { size };
            assert_eq!(after, (width, height), "the runner's board size");
            let vector = &mut self.workspace.tensor_mut(globals)[i * GLOBALS..][..GLOBALS];
            self.features.write(history, &mut self.planes, stride, vector);
            let to = &mut self.workspace.tensor_mut(planes)[i * area * stride..][..area * stride];
            for v in board.points() {
                let image = image_point(*symmetry, board, v);
                let from = &self.planes[point(board, v) * stride..][..stride];
                to[image * stride..][..stride].copy_from_slice(from);
            }
        }
        self.workspace.forward(&self.model.graph, &self.weights, positions.len());
        outputs.resize_with(positions.len(), KataOutput::default);
        for (i, ((history, symmetry), output)) in positions.iter().zip(outputs).enumerate() {
            self.read(i, history, *symmetry, output);
        }
    }

    fn read(&self, i: usize, history: &History, symmetry: Symmetry, output: &mut KataOutput) {
        let board = history.board();
        let area = board.area();
        let graph = &self.model.graph;
        let KataHeads { policy, pass, value, score, ownership, .. } = self.model.heads;
        let vector = |id| &self.workspace.tensor(id)[i * graph.width(id)..][..graph.width(id)];
        let at = |id, channel: usize, v: Vertex| {
            let image = image_point(symmetry, board, v);
            self.workspace.tensor(id)[(i * area + image) * padded(graph.width(id)) + channel]
        };
        // Heads tell everything as the player to move sees it.
        let sign = board.to_play().sign() as f32;
        output.policy.clear();
        output.policy.extend(board.points().map(|v| at(policy, 0, v)));
        output.pass = vector(pass)[0];
        output.optimistic.clear();
        if let Some(&pass) = vector(pass).get(1) {
            output.optimistic.extend(board.points().map(|v| at(policy, 1, v)).chain([pass]));
        }
        output.ownership.clear();
        output.ownership.extend(board.points().map(|v| sign * at(ownership, 0, v).tanh()));
        let mut logits = [0.0; 3];
        logits.copy_from_slice(vector(value));
        if history.rules().ko != KoRule::Simple && history.rules().scoring == Scoring::Area {
            // Superko leaves no game without a result.
            logits[2] = f32::NEG_INFINITY;
        }
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let odds: Vec<f32> = logits.iter().map(|x| (x - most).exp()).collect();
        let sum: f32 = odds.iter().sum();
        let (win, loss) = (odds[0] / sum, odds[1] / sum);
        (output.black_win, output.white_win) =
            if board.to_play() == Color::Black { (win, loss) } else { (loss, win) };
        output.no_result = odds[2] / sum;
        let score = vector(score);
        // Without a result there is no score.
        let weight = 1.0 - output.no_result;
        let Multipliers { score: unit, score_deviation, lead, .. } = self.model.multipliers;
        let mean = score[0] * unit;
        let deviation = softplus(score[1]) * score_deviation;
        output.score = sign * mean * weight;
        output.score_squared = (mean * mean + deviation * deviation) * weight;
        output.lead = sign * score[2] * lead * weight;
        output.uncertainty = self.uncertainty(score);
    }

    /// The score head's numbers behind the first three; versions differ in what they mean.
    fn uncertainty(&self, score: &[f32]) -> Option<Uncertainty> {
        let &[_, _, _, time, value, score] = score else { return None };
        let Multipliers { variance_time, value_error, score_error, .. } = self.model.multipliers;
        let root = |x: f32, unit: f32| (softplus(x) * unit).sqrt();
        let square_root = |x: f32, unit: f32| softplus(x / 2.0) * unit.sqrt();
        let (value_error, score_error) = match self.model.version {
            ..10 => (softplus(value), softplus(score) * 10.0),
            10..14 => (root(value, value_error), root(score, score_error)),
            _ => (square_root(value, value_error), square_root(score, score_error)),
        };
        Some(Uncertainty { variance_time: softplus(time) * variance_time, value_error, score_error })
    }
}

/// The index of a point's image, counted in rows from the top.
fn image_point(symmetry: Symmetry, board: &Board, v: Vertex) -> usize {
    let (width, height) = (board.width(), board.height());
    let image = symmetry.vertex(v, width, height);
    let (width, height) = if symmetry.transposes() { (height, width) } else { (width, height) };
    image.place_from_top(width, height)
}

/// ln(1 + exp(x))
fn softplus(x: f32) -> f32 {
    if x > 20.0 { x } else { x.exp().ln_1p() }
}
