//! `tengen.Network`.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use numpy::{PyReadonlyArray4, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use tengen_board::Board;
use tengen_engine::search::NetworkConfig;
use tengen_nets::{AnyNetwork, NetEvaluator, NetSpec, Output, Runner, shipped};

use crate::{
    arrays::array,
    errors::value_error,
    game::{Game, planes_name},
    points::{index, shown},
};

/// Positions evaluated together.
const BATCH: usize = 8;

/// A network: one that ships with the package by its name, a file (.safetensors, or KataGo's .bin.gz), or the bytes of a
/// .safetensors file.
#[pyclass(module = "tengen", frozen, subclass)]
pub(crate) struct Network {
    name: String,
    inner: AnyNetwork,
    evaluator: Mutex<NetEvaluator>,
    /// For planes, and for boards of the size that it was last asked about.
    runner: Mutex<Option<Runner>>,
}

impl Network {
    /// The network, if it is one of our own family.
    pub(crate) fn own(&self) -> PyResult<&Arc<tengen_nets::Network>> {
        match &self.inner {
            AnyNetwork::Own(network) => Ok(network),
            AnyNetwork::Kata(_) => Err(PyValueError::new_err(format!(
                "{} is a KataGo network, which has its own input planes and weights: call it with games",
                self.name
            ))),
        }
    }
}

/// Policy, value, score and ownership of positions on boards of one size, as they are collected.
struct Answers {
    count: usize,
    shape: (usize, usize),
    policy: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    owners: Vec<f32>,
}

impl Answers {
    fn new(count: usize, (rows, columns): (usize, usize)) -> Answers {
        let area = rows * columns;
        Answers {
            count,
            shape: (rows, columns),
            policy: vec![0.0; count * (area + 1)],
            values: Vec::with_capacity(count),
            scores: Vec::with_capacity(count),
            owners: vec![0.0; count * area],
        }
    }

    fn arrays(self, py: Python<'_>) -> PyResult<[Bound<'_, PyAny>; 4]> {
        let (count, (rows, columns)) = (self.count, self.shape);
        Ok([
            array(py, self.policy, &[count, rows * columns + 1])?,
            array(py, self.values, &[count])?,
            array(py, self.scores, &[count])?,
            array(py, self.owners, &[count, rows, columns])?,
        ])
    }

    /// The next answer about planes: there is no game to say which moves are legal.
    fn add(&mut self, board: &Board, output: &Output) {
        let (area, at) = (board.area(), self.values.len());
        let shares = &mut self.policy[at * (area + 1)..][..=area];
        let most = output.policy.iter().chain(&output.pass).copied().fold(f32::NEG_INFINITY, f32::max);
        // A network that does not know passing finds it as good as its worst move.
        let worst = || output.policy.iter().copied().fold(f32::INFINITY, f32::min);
        board
            .points()
            .zip(&output.policy)
            .for_each(|(v, logit)| shares[index(board, v.into())] = (logit - most).exp());
        shares[area] = (output.pass.unwrap_or_else(worst) - most).exp();
        let sum: f32 = shares.iter().sum();
        for share in shares.iter_mut() {
            *share /= sum;
        }
        let owners = &mut self.owners[at * area..][..area];
        board.points().zip(&output.ownership).for_each(|(v, share)| owners[index(board, v.into())] = *share);
        self.values.push(output.black_win.unwrap_or(0.5));
        self.scores.push(output.lead.unwrap_or(0.0));
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (net=None))]
    fn new(py: Python<'_>, net: Option<&Bound<'_, PyAny>>) -> PyResult<Network> {
        let (name, inner) = if let Some(bytes) = net.and_then(|net| net.cast::<PyBytes>().ok()) {
            let bytes = bytes.as_bytes();
            let read = py.detach(|| tengen_nets::Network::from_bytes(bytes)).map_err(value_error)?;
            (format!("{} bytes", bytes.len()), AnyNetwork::Own(Arc::new(read)))
        } else {
            let path: PathBuf = net.map_or_else(|| Ok("default".into()), PyAnyMethods::extract)?;
            let read = py.detach(|| AnyNetwork::load(&path)).map_err(value_error)?;
            (path.display().to_string(), read)
        };
        let config = NetworkConfig { root_policy_optimism: 0.0, cache: 0, ..NetworkConfig::default() };
        let evaluator = Mutex::new(NetEvaluator::new(inner.clone(), &config, BATCH));
        Ok(Network { name, inner, evaluator, runner: Mutex::new(None) })
    }

    /// The name or the file.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Whether it tells who wins; otherwise its values are 0.5.
    #[getter]
    fn tells_value(&self) -> bool {
        self.inner.tells_value()
    }

    /// Policy, Black's value, Black's score and ownership of games on boards of one size.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        games: Vec<Bound<'py, Game>>,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let games: Vec<_> =
            games.iter().map(|game| Ok(game.try_borrow()?.inner.clone())).collect::<PyResult<_>>()?;
        let Some(first) = games.first().map(tengen_board::Game::board) else {
            return Err(PyValueError::new_err("there are no games to evaluate"));
        };
        let (rows, columns, area) = (first.height(), first.width(), first.area());
        if games.iter().any(|game| (game.board().height(), game.board().width()) != (rows, columns)) {
            return Err(PyValueError::new_err("the boards have several sizes: evaluate one size at a time"));
        }
        let answers = py.detach(|| {
            let games: Vec<_> = games.iter().collect();
            self.evaluator.lock().unwrap_or_else(PoisonError::into_inner).raw_all(&games, 0)
        });
        let mut told = Answers::new(games.len(), (rows, columns));
        for (i, (game, answer)) in games.iter().zip(&answers).enumerate() {
            let board = game.board();
            let shares = &mut told.policy[i * (area + 1)..][..=area];
            for v in board.points().filter(|&v| !answer.policy[v].is_nan()) {
                shares[index(board, v.into())] = answer.policy[v];
            }
            shares[area] = answer.pass;
            told.values.push(answer.black_win + answer.no_result / 2.0);
            told.scores.push(answer.lead);
            if let Some(shares) = &answer.ownership {
                board.points().for_each(|v| told.owners[i * area + index(board, v.into())] = shares[v]);
            }
        }
        told.arrays(py)
    }

    /// The same of planes, (n, planes, rows, columns) as `Game.planes` gives them, for the player to move.
    fn evaluate_planes<'py>(
        &self,
        py: Python<'py>,
        planes: PyReadonlyArray4<'py, f32>,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let network = self.own()?;
        let kind = network.spec().planes;
        let &[count, found, rows, columns] = planes.shape() else { unreachable!("it has four dimensions") };
        if found != kind.count() || count == 0 {
            return Err(PyValueError::new_err(format!(
                "planes of shape {:?}: {} sees (n, {}, rows, columns), the planes {:?} of Game.planes",
                planes.shape(),
                self.name,
                kind.count(),
                planes_name(kind),
            )));
        }
        let board = Board::try_new(columns, rows).map_err(value_error)?;
        let numbers: Vec<f32> = planes.as_array().iter().copied().collect();
        if let Some(n) = numbers.iter().find(|n| !n.is_finite()) {
            return Err(PyValueError::new_err(format!("the planes contain {n}")));
        }
        let told = py.detach(|| {
            let mut told = Answers::new(count, (rows, columns));
            let mut kept = self.runner.lock().unwrap_or_else(PoisonError::into_inner);
            let runner = match &mut *kept {
                Some(runner) if runner.size() == (columns, rows) => runner,
                other => other.insert(network.runner(columns, rows, BATCH)),
            };
            let mut outputs = Vec::new();
            for batch in numbers.chunks(BATCH * found * rows * columns) {
                runner.evaluate_planes(batch, &mut outputs);
                for output in &outputs {
                    told.add(&board, output);
                }
            }
            told
        });
        told.arrays(py)
    }

    /// Which planes of `Game.planes` it sees, if it is one of tengen's own family.
    ///
    /// >>> import tengen
    /// >>> tengen.Network("default").planes
    /// 'tengen'
    #[getter]
    fn planes(&self) -> PyResult<&'static str> {
        Ok(planes_name(self.own()?.spec().planes))
    }

    /// What it looks like, as JSON.
    #[getter]
    fn _spec(&self) -> PyResult<String> {
        serde_json::to_string(self.own()?.spec()).map_err(value_error)
    }

    /// The weights as float32 arrays by their names. Convolutions are (outputs, inputs, rows, columns), row 0 being the top one.
    ///
    /// >>> import tengen
    /// >>> weights = tengen.Network("rollout-a").state_dict()
    /// >>> [(name, array.shape) for name, array in weights.items()][0]
    /// ('trunk.0.weight', (16, 44, 5, 5))
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, shape, numbers) in self.own()?.arrays() {
            dict.set_item(name, array(py, numbers, &shape)?)?;
        }
        Ok(dict)
    }

    /// Writes the network to a `.safetensors` file, if it is one of tengen's own family.
    ///
    /// >>> import tempfile, tengen
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     tengen.Network("rollout-a").save(f"{folder}/mine.safetensors")
    /// ...     player = tengen.Player("policy", net=f"{folder}/mine.safetensors", seed=1)
    /// >>> player.decide(tengen.Game(size=9)) != "pass"
    /// True
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let network = self.own()?;
        py.detach(|| network.save(&path, &[])).map_err(value_error)
    }

    /// Writes the network as an ONNX file, if it is one of tengen's own family. It takes `planes`, float32 (n, planes, rows,
    /// columns) as `Game.planes` gives them, and tells what the player to move expects: `policy` (logits, the pass last), `value`,
    /// `score` and `ownership`.
    ///
    /// >>> import pathlib, tempfile, tengen
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = pathlib.Path(folder) / "net.onnx"
    /// ...     tengen.Network("rollout-a").save_onnx(path)
    /// ...     path.stat().st_size > 10_000
    /// True
    fn save_onnx(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save_onnx(&path)).map_err(value_error)
    }

    fn __repr__(&self) -> String {
        format!("<Network {:?}>", self.name)
    }
}

/// A network's file from what it looks like, as JSON, and its weights, float32 arrays by their names.
#[pyfunction]
pub(crate) fn pack_network<'py>(
    py: Python<'py>,
    spec: &str,
    weights: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    let spec: NetSpec = serde_json::from_str(spec)
        .map_err(|error| PyValueError::new_err(format!("the network's description is unknown: {error}")))?;
    let mut used = 0;
    let network = tengen_nets::Network::from_arrays(&spec, |name, shape| {
        let found = weights.get_item(name).ok().flatten();
        let found = found.ok_or_else(|| format!("there are no weights {name:?}"))?;
        let numbers: PyReadonlyArrayDyn<'_, f32> =
            found.extract().map_err(|_| format!("{name:?} is not an array of float32: {}", shown(&found)))?;
        if numbers.shape() != shape {
            return Err(format!("{name:?} has the shape {:?}, not {shape:?}", numbers.shape()));
        }
        used += 1;
        Ok(numbers.as_array().iter().copied().collect())
    })
    .map_err(value_error)?;
    if used != weights.len() {
        let known: Vec<String> = network.arrays().into_iter().map(|(name, ..)| name).collect();
        let mut others = weights
            .keys()
            .iter()
            .map(|key| key.extract::<String>())
            .collect::<PyResult<Vec<_>>>()
            .map_err(|_| PyTypeError::new_err("the names of weights are texts"))?;
        others.retain(|name| !known.contains(name));
        return Err(PyValueError::new_err(format!("the network has no weights {}", others.join(", "))));
    }
    Ok(PyBytes::new(py, &network.to_bytes(&[])))
}

/// The names of the networks that ship with the package.
///
/// >>> import tengen
/// >>> "default" in tengen.networks()
/// True
#[pyfunction]
pub(crate) fn networks() -> Vec<&'static str> {
    shipped().collect()
}
