//! A network of our own family: description, weights, evaluation.

use std::sync::{Arc, OnceLock};

use rand_distr::{Distribution, StandardNormal};
use tengen_board::{Color, Symmetry, Vertex};
use tengen_engine::{rng::Rng, search::value_for};

use crate::{
    error::NetError,
    exec::{
        Arithmetic, Prepared, SharedWeights, Workspace,
        kernels::{
            padded,
            winograd::{Precision, TileKind},
        },
    },
    model::{
        graph::Graph,
        planes::{PlaneWriter, Planes, Position},
        spec::{Heads, NetSpec, Plan, SCORE_UNIT, Trunk},
    },
};

/// A network: its description and its weights.
#[derive(Clone, Debug)]
pub struct Network {
    spec: NetSpec,
    pub(crate) graph: Arc<Graph>,
    pub(crate) heads: Heads,
    /// One array for each parameter of the graph.
    weights: Vec<Vec<f32>>,
    /// The weights as the kernels want them, for each kind of tiles, made when they are first needed.
    prepared: [OnceLock<SharedWeights>; 2],
}

impl Network {
    /// A network with random weights, as training begins.
    ///
    /// Convolutions are drawn as He et al. (2015) say. A residual block begins as the identity, and its first
    /// convolution is scaled by the number of blocks, so that no normalisation is needed (Zhang et al. 2019, "Fixup").
    pub fn random(spec: &NetSpec, rng: &mut Rng) -> Result<Network, NetError> {
        spec.check()?;
        let plan = spec.plan();
        let blocks = if let Trunk::Residual { blocks, .. } = spec.trunk { blocks } else { 1 };
        let weights = plan
            .graph
            .params
            .iter()
            .map(|param| {
                let name = param.name.as_str();
                let inputs: usize = param.shape.iter().skip(1).product();
                let scale = match name {
                    _ if param.shape.len() == 1 => 0.0,
                    _ if name.starts_with("block.") && name.ends_with(".1.weight") => 0.0,
                    _ if name.contains(".pool.") || name.starts_with("value.2") => 0.0,
                    _ if name.starts_with("block.") => (2.0 / inputs as f32 / (blocks as f32)).sqrt(),
                    "policy.1.weight" | "policy.pass.weight" | "ownership.weight" => {
                        (0.1 / inputs as f32).sqrt()
                    }
                    _ => (2.0 / inputs as f32).sqrt(),
                };
                (0..param.len()).map(|_| scale * normal(rng)).collect()
            })
            .collect();
        Ok(Network::from_plan(spec.clone(), plan, weights))
    }

    /// What a training begins with: a network with random weights, or with those of another that may have fewer blocks and heads.
    pub fn to_train(spec: &NetSpec, start: Option<&Network>, seed: u64) -> Result<Network, NetError> {
        let mut rng = Rng::new(seed);
        match start {
            Some(start) => start.grown(spec, &mut rng),
            None => Network::random(spec, &mut rng),
        }
    }

    /// The same network with more to it: what `spec` has and this one lacks (blocks, pooling, heads) begins as in
    /// [`Network::random`], which changes nothing of what the rest says. What does not fit is refused.
    pub fn grown(&self, spec: &NetSpec, rng: &mut Rng) -> Result<Network, NetError> {
        if self.spec == *spec {
            return Ok(self.clone());
        }
        let mut grown = Network::random(spec, rng)?;
        for (param, weights) in self.graph.params.iter().zip(&self.weights) {
            let at = grown.graph.params.iter().position(|p| p.name == param.name);
            let Some(at) = at.filter(|&at| grown.graph.params[at].shape == param.shape) else {
                let message = format!(
                    "the network to start from has {} of shape {:?}, which --arch does not have: an architecture can be extended, not changed",
                    param.name, param.shape
                );
                return Err(NetError::Settings(message));
            };
            grown.weights[at].clone_from(weights);
        }
        Ok(grown)
    }

    /// The network with the arrays whose names begin with `prefix` as at the start of a training; how many these are.
    pub fn reset(&self, prefix: &str, rng: &mut Rng) -> Result<(Network, usize), NetError> {
        let fresh = Network::random(&self.spec, rng)?;
        let mut weights = self.weights.clone();
        let named = |i: &usize| self.graph.params[*i].name.starts_with(prefix);
        let chosen: Vec<usize> = (0..weights.len()).filter(named).collect();
        for &i in &chosen {
            weights[i].clone_from(&fresh.weights[i]);
        }
        Ok((Network::new(&self.spec, weights), chosen.len()))
    }

    /// A network with these weights, one array for each parameter.
    pub(crate) fn new(spec: &NetSpec, weights: Vec<Vec<f32>>) -> Network {
        Network::from_plan(spec.clone(), spec.plan(), weights)
    }

    fn from_plan(spec: NetSpec, Plan { graph, heads }: Plan, weights: Vec<Vec<f32>>) -> Network {
        let fits = graph.params.iter().zip(&weights).all(|(param, array)| param.len() == array.len());
        assert!(fits && graph.params.len() == weights.len(), "the weights fit the network");
        Network { spec, graph: Arc::new(graph), heads, weights, prepared: [OnceLock::new(), OnceLock::new()] }
    }

    /// Its description.
    pub fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// The weights, one array for each parameter.
    pub(crate) fn weights(&self) -> &[Vec<f32>] {
        &self.weights
    }

    fn prepared(&self, kind: TileKind) -> SharedWeights {
        let cell = &self.prepared[usize::from(kind == TileKind::Four)];
        Arc::clone(
            cell.get_or_init(|| Arc::new(Prepared::new(&self.graph, &self.weights, kind, Precision::Float))),
        )
    }

    /// A runner for up to `boards` boards of one size at a time.
    pub fn runner(&self, width: usize, height: usize, boards: usize) -> Runner {
        let workspace = Workspace::new(&self.graph, (width, height), boards);
        Runner {
            weights: self.prepared(workspace.tile_kind()),
            network: self.clone(),
            workspace,
            planes: PlaneWriter::new(),
            arithmetic: Arithmetic::Fast,
            scratch: Vec::new(),
        }
    }
}

/// A number from the normal distribution with mean 0 and variance 1.
fn normal(rng: &mut Rng) -> f32 {
    StandardNormal.sample(rng)
}

/// What a network says about a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Logits of the points, in the order of [`tengen_board::Board::points`].
    pub policy: Vec<f32>,
    /// Logit of passing, if the network knows it.
    pub pass: Option<f32>,
    /// Probability that Black wins, if the network tells it.
    pub black_win: Option<f32>,
    /// Black's expected lead in points, if the network tells it.
    pub lead: Option<f32>,
    /// Each point's owner, from −1 (White) to 1; empty if the network does not tell it.
    pub ownership: Vec<f32>,
}

/// Evaluates positions; each thread has its own.
#[derive(Debug)]
pub struct Runner {
    network: Network,
    weights: SharedWeights,
    workspace: Workspace,
    planes: PlaneWriter,
    arithmetic: Arithmetic,
    /// Planes before a symmetry.
    scratch: Vec<f32>,
}

impl Runner {
    /// Chooses how convolutions are computed.
    #[must_use]
    pub fn with_arithmetic(mut self, arithmetic: Arithmetic) -> Runner {
        self.arithmetic = arithmetic;
        self
    }

    /// The most positions at a time.
    pub fn boards(&self) -> usize {
        self.workspace.boards()
    }

    /// The board's width and height.
    pub fn size(&self) -> (usize, usize) {
        self.workspace.size()
    }

    /// Evaluates positions, at most as many as the runner was made for, into `outputs`.
    ///
    /// # Panics
    /// If there are more, or one is on a board of another size.
    pub fn evaluate(&mut self, positions: &[Position<'_>], outputs: &mut Vec<Output>) {
        let seen: Vec<_> = positions.iter().map(|position| (*position, Symmetry::IDENTITY)).collect();
        self.evaluate_images(&seen, outputs);
    }

    /// The same, each position as the network sees it after a symmetry that keeps the board's width and height. What is
    /// said about points is said about those of the position.
    ///
    /// # Panics
    /// As [`Runner::evaluate`].
    pub fn evaluate_images(&mut self, positions: &[(Position<'_>, Symmetry)], outputs: &mut Vec<Output>) {
        assert!(positions.len() <= self.boards(), "a runner for {} boards", self.boards());
        let heads = self.network.heads;
        let planes = self.network.spec.planes;
        let stride = padded(planes.count());
        let (width, height) = self.size();
        let area = width * height;
        for ((position, symmetry), out) in
            positions.iter().zip(self.workspace.tensor_mut(heads.input).chunks_exact_mut(area * stride))
        {
            if *symmetry == Symmetry::IDENTITY {
                self.planes.write(planes, position, out, stride);
                continue;
            }
            self.scratch.resize(area * stride, 0.0);
            self.planes.write(planes, position, &mut self.scratch, stride);
            for (point, image) in images(*symmetry, width, height).enumerate() {
                out[image * stride..][..stride].copy_from_slice(&self.scratch[point * stride..][..stride]);
            }
        }
        self.forward(positions.len(), outputs);
        for (output, (position, symmetry)) in outputs.iter_mut().zip(positions) {
            if position.board.to_play() == Color::White {
                output.turn();
            }
            if *symmetry != Symmetry::IDENTITY {
                for plane in [&mut output.policy, &mut output.ownership] {
                    if !plane.is_empty() {
                        *plane = images(*symmetry, width, height).map(|image| plane[image]).collect();
                    }
                }
            }
        }
    }

    /// What its network sees.
    pub fn planes(&self) -> Planes {
        self.network.spec.planes
    }

    /// The planes of all boards, point by point.
    pub(crate) fn input_mut(&mut self) -> &mut [f32] {
        self.workspace.tensor_mut(self.network.heads.input)
    }

    /// Evaluates the first `positions` of the input; what is said is what the player to move expects.
    pub(crate) fn forward(&mut self, positions: usize, outputs: &mut Vec<Output>) {
        match self.arithmetic {
            Arithmetic::Fast => self.workspace.forward(&self.network.graph, &self.weights, positions),
            Arithmetic::Plain => {
                let Network { graph, weights, .. } = &self.network;
                self.workspace.forward_plain(graph, weights, &self.weights, positions);
            }
        }
        outputs.resize_with(positions, Output::default);
        for (i, output) in outputs.iter_mut().enumerate() {
            read_output(&self.network, &self.workspace, i, output);
        }
    }
}

impl Output {
    /// The same as the other player sees it.
    fn turn(&mut self) {
        self.black_win = self.black_win.map(|win| value_for(win, Color::White));
        self.lead = self.lead.map(|lead| -lead);
        self.ownership.iter_mut().for_each(|share| *share = -*share);
    }
}

/// The index of each point's image, in the order of [`tengen_board::Board::points`].
fn images(symmetry: Symmetry, width: usize, height: usize) -> impl Iterator<Item = usize> {
    (0..width * height).map(move |point| {
        symmetry.vertex(Vertex::new(point % width, point / width), width, height).place(width)
    })
}

/// Collects the heads' results for the board at place `at`. Heads tell everything as the player to move sees it, here Black.
fn read_output(network: &Network, workspace: &Workspace, at: usize, output: &mut Output) {
    let (width, height) = workspace.size();
    let area = width * height;
    let Heads { input: _, policy, pass, value, ownership } = network.heads;
    let graph = &network.graph;
    let plane = |id, to: &mut Vec<f32>| {
        let channels = padded(graph.width(id));
        let points = &workspace.tensor(id)[at * area * channels..][..area * channels];
        to.clear();
        to.extend(points.iter().step_by(channels));
    };
    plane(policy, &mut output.policy);
    let vector = |id| &workspace.tensor(id)[at * graph.width(id)..][..graph.width(id)];
    output.pass = pass.map(|id| vector(id)[0]);
    output.black_win = value.map(|id| sigmoid(vector(id)[0]));
    output.lead = value.and_then(|id| vector(id).get(1)).map(|score| score * SCORE_UNIT);
    output.ownership.clear();
    if let Some(id) = ownership {
        plane(id, &mut output.ownership);
        output.ownership.iter_mut().for_each(|logit| *logit = 2.0 * sigmoid(*logit) - 1.0);
    }
}

/// 1 / (1 + exp(−x))
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
pub(crate) mod tests {
    use tengen_board::{Board, Move};

    use super::*;
    use crate::model::{
        planes::Planes,
        spec::{PolicySpec, ValueSpec},
    };

    /// A network with every kind of layer, all weights random.
    pub(crate) fn motley(rng: &mut Rng) -> Network {
        let spec = NetSpec {
            planes: Planes::Tengen,
            first_kernel: 5,
            trunk: Trunk::Residual { blocks: 2, channels: 20, pooling: vec![1] },
            policy: PolicySpec { moves: 3, kernel: 3, channels: 12, pass: true },
            value: Some(ValueSpec { channels: 9, hidden: 7, score: true }),
            ownership: true,
        };
        let mut network = Network::random(&spec, rng).unwrap();
        for array in &mut network.weights {
            for w in array {
                *w += 0.1 * normal(rng);
            }
        }
        network
    }

    #[test]
    fn a_symmetry_of_the_position_gives_the_symmetric_answer() {
        let mut rng = Rng::new(6);
        let network = motley(&mut rng);
        for (size, symmetries) in [((5, 5), 8), ((6, 4), 4)] {
            let mut board = Board::new(size.0, size.1);
            let moves = ["B2", "C3", "D1"].map(|m| m.parse().unwrap());
            for mv in moves {
                board.play(mv);
            }
            let mut runner = network.runner(size.0, size.1, 1);
            let mut answer = |board: &Board, moves: &[Move], symmetry| {
                let mut outputs = Vec::new();
                let position = Position { board, moves, komi: 7.5, rank: None };
                runner.evaluate_images(&[(position, symmetry)], &mut outputs);
                outputs.remove(0)
            };
            for &symmetry in &Symmetry::ALL[..symmetries] {
                let mut image = Board::new(size.0, size.1);
                let images = moves.map(|mv| symmetry.apply(mv, size.0, size.1));
                for mv in images {
                    image.play(mv);
                }
                let seen = answer(&board, &moves, symmetry);
                let there = answer(&image, &images, Symmetry::IDENTITY);
                assert_eq!((seen.black_win, seen.lead, seen.pass), (there.black_win, there.lead, there.pass));
                for v in board.points() {
                    let at = |v: Vertex| v.row() * size.0 + v.col();
                    let to = at(symmetry.vertex(v, size.0, size.1));
                    assert_eq!(seen.policy[at(v)], there.policy[to]);
                    assert_eq!(seen.ownership[at(v)], there.ownership[to]);
                }
            }
        }
    }

    #[test]
    fn fast_and_plain_arithmetic_agree_on_every_size() {
        let mut rng = Rng::new(5);
        let network = motley(&mut rng);
        for (width, height) in [(19, 19), (9, 9), (13, 13), (2, 2), (3, 7), (19, 5), (10, 11)] {
            let mut boards = vec![Board::new(width, height); 3];
            for (i, board) in boards.iter_mut().enumerate() {
                for _ in 0..i * 10 {
                    let mv = board.draw_empty(|| rng.bits(), Board::is_legal);
                    board.play_unchecked(mv);
                }
            }
            let positions: Vec<_> =
                boards.iter().map(|board| Position { board, moves: &[], komi: 7.5, rank: None }).collect();
            let (mut fast, mut plain) = (Vec::new(), Vec::new());
            let mut runner = network.runner(width, height, 4);
            runner.evaluate(&positions, &mut fast);
            runner.with_arithmetic(Arithmetic::Plain).evaluate(&positions, &mut plain);
            for (fast, plain) in fast.iter().zip(&plain) {
                let numbers = |o: &Output| {
                    let mut all = o.policy.clone();
                    all.extend(&o.ownership);
                    all.extend([o.pass.unwrap(), o.black_win.unwrap(), o.lead.unwrap()]);
                    all
                };
                for (a, b) in numbers(fast).into_iter().zip(numbers(plain)) {
                    assert!((a - b).abs() <= 2e-4 * (1.0 + b.abs()), "{width}x{height}: {a} {b}");
                }
            }
        }
    }
}
