//! Learning by self-play and its pieces, behind `tengen.train`.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBool, PyBytes},
};
use serde_json::json;
use tengen_board::{Board, Vertex};
use tengen_engine::{players::StopSignal, rng::Rng};
use tengen_lab::{
    learn::zero::{Event, Zero, ZeroConfig},
    selfplay::{Pool, SelfPlayConfig, records},
    with_settings,
};
use tengen_nets::{
    NetSpec,
    planes::{PlaneWriter, Position},
    records::Records,
    train::{Accuracy, Example, MoveTarget, OptimizerConfig, Replay, RunFolder, Source, TrainConfig},
};

use crate::{
    arrays::array,
    errors::value_error,
    game::{Game, read_planes, read_rules},
    network::Network,
    player::interruptible,
    points::{index, number},
};

/// A lock that a panic elsewhere does not close.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `tengen train zero`, with its settings as `--set` has them. `observe` is told what is going on, if it is among the kinds that are
/// `wanted`, and ends the run by returning False. Returns the log as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "tengen.train.zero has names and defaults for them")]
pub(crate) fn train_zero(
    py: Python<'_>,
    folder: PathBuf,
    arch: &str,
    network: Option<&Bound<'_, Network>>,
    sizes: [usize; 2],
    komi: [f32; 2],
    resume: bool,
    settings: Vec<String>,
    wanted: Vec<String>,
    observe: Py<PyAny>,
) -> PyResult<String> {
    let start = network.map(|network| network.get().own().cloned()).transpose()?;
    let run = py.detach(|| -> Result<Zero, String> {
        if resume && RunFolder::has_checkpoint(&folder) {
            let mut run = Zero::resume(&folder).map_err(|error| error.to_string())?;
            let config =
                with_settings(run.config(), &settings, "a run").map_err(|error| error.to_string())?;
            run.change(config).map_err(|error| error.to_string())?;
            return Ok(run);
        }
        let spec = match &start {
            Some(network) if arch.is_empty() => network.spec().with_all_heads(),
            _ => {
                let name = if arch.is_empty() { "small" } else { arch };
                NetSpec::named(name).ok_or_else(|| format!("arch {name:?}: there is no such network"))?
            }
        };
        let config = ZeroConfig::new(spec, sizes[1], komi);
        let config = ZeroConfig { selfplay: SelfPlayConfig { sizes, ..config.selfplay.clone() }, ..config };
        let config = with_settings(&config, &settings, "a run").map_err(|error| error.to_string())?;
        Zero::new(&folder, &config, start.as_deref()).map_err(|error| error.to_string())
    });
    let run = run.map_err(PyValueError::new_err)?;
    let stop = StopSignal::default();
    let failed = Mutex::new(None);
    let tell = |event: &Event<'_>| -> PyResult<()> {
        let (kind, told) = match event {
            Event::Position(game) => ("position", Told::Game(Box::new((*game).clone()))),
            Event::Game(done, of) => ("game", Told::Json(json!([done, of]))),
            Event::Step(done, of) => ("step", Told::Json(json!([done, of]))),
            Event::Anchor(result) => ("trial", Told::Json(json!(result))),
            Event::Generation(line) => ("generation", Told::Json(json!(line))),
        };
        if !wanted.iter().any(|name| name == kind) {
            return Ok(());
        }
        Python::attach(|py| {
            let answer = match told {
                Told::Game(game) => observe.bind(py).call1((kind, Game::from(*game)))?,
                Told::Json(value) => observe.bind(py).call1((kind, value.to_string()))?,
            };
            if answer.is_instance_of::<PyBool>() && !answer.is_truthy()? {
                stop.stop();
            }
            Ok(())
        })
    };
    let log = interruptible(py, &stop, || {
        run.run(&stop, |event| {
            if let Err(error) = tell(&event) {
                lock(&failed).get_or_insert(error);
                stop.stop();
            }
        })
    })?;
    if let Some(error) = lock(&failed).take() {
        return Err(error);
    }
    Ok(json!(log.map_err(value_error)?).to_string())
}

/// What is told about an event.
enum Told {
    Game(Box<tengen_board::Game>),
    Json(serde_json::Value),
}

/// Games of a network against itself with these numbers, each as the bytes of a file of records, in the order of their numbers.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "tengen.train.selfplay has names and defaults for them")]
pub(crate) fn play_games<'py>(
    py: Python<'py>,
    network: &Bound<'py, Network>,
    first: u64,
    games: u64,
    sizes: [usize; 2],
    komi: [f32; 2],
    rules: &str,
    seed: u64,
    threads: usize,
    settings: Vec<String>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let network = Arc::clone(network.get().own()?);
    let config = SelfPlayConfig { sizes, komi, rules: read_rules(rules, None)?, ..SelfPlayConfig::default() };
    let config = with_settings(&config, &settings, "self-play").map_err(value_error)?;
    config.check().map_err(value_error)?;
    if !(1..=256).contains(&threads) {
        return Err(PyValueError::new_err(format!("threads={threads}: from 1 to 256")));
    }
    let stop = StopSignal::default();
    let files = interruptible(py, &stop, || {
        let (hash, networks, mut played) = (network.fingerprint(), [network], Vec::new());
        let pool = Pool { config: &config, networks: &networks, seed, threads, stop: &stop };
        pool.play(first..first.saturating_add(games), |_| [0, 0], |game| played.push(game));
        played.sort_by_key(|game| game.number);
        let sets = played.into_iter().flat_map(|game| records(vec![game], &hash));
        sets.map(|set| set.to_bytes()).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(files.map_err(value_error)?.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

/// The bytes of a file of records, read.
fn read_records(bytes: &[u8]) -> PyResult<Records> {
    Records::from_bytes(bytes).map_err(PyValueError::new_err)
}

/// A window over games: what was added first leaves first.
#[pyclass(module = "tengen._tengen", frozen, subclass)]
pub(crate) struct ReplayBuffer(Mutex<Replay>);

#[pymethods]
impl ReplayBuffer {
    #[new]
    fn new() -> ReplayBuffer {
        ReplayBuffer(Mutex::default())
    }

    /// Adds the games of a file of records.
    fn add_bytes(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let records = read_records(bytes)?;
        py.detach(|| lock(&self.0).add([records]));
        Ok(())
    }

    /// Drops what was added first as long as so many positions are left without it.
    fn keep(&self, positions: u64) {
        lock(&self.0).keep(positions);
    }

    /// Positions to learn from.
    fn __len__(&self) -> usize {
        lock(&self.0).positions() as usize
    }

    /// So many positions, drawn by their weights, each in a random symmetry; the same seed draws the same.
    fn draw(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Batch> {
        let examples = py.detach(|| lock(&self.0).draws(Rng::new(seed)).examples(count));
        if examples.len() < count {
            return Err(PyValueError::new_err("the buffer is empty: add games first"));
        }
        Ok(Batch { examples })
    }
}

/// Positions to learn from, as arrays. Values are Black's.
///
/// >>> import tengen
/// >>> network = tengen.Network("default")
/// >>> buffer = tengen.train.ReplayBuffer()
/// >>> for game in tengen.train.selfplay(network, size=5, games=2, simulations=2):
/// ...     buffer.add(game)
/// >>> batch = buffer.sample(8, seed=1)
/// >>> len(batch), batch.boards.shape, batch.policies.shape, batch.planes("tengen").shape
/// (8, (8, 5, 5), (8, 26), (8, 48, 5, 5))
#[pyclass(module = "tengen._tengen", frozen)]
pub(crate) struct Batch {
    examples: Vec<Example>,
}

impl Batch {
    /// Rows and columns of all boards.
    fn shape(&self) -> PyResult<[usize; 2]> {
        let of = |example: &Example| [example.board.height(), example.board.width()];
        let shape = self.examples.first().map_or([0, 0], of);
        if self.examples.iter().any(|example| of(example) != shape) {
            return Err(PyValueError::new_err("the boards have several sizes, which no array can hold"));
        }
        Ok(shape)
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Example) -> Option<f32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.examples.iter().map(|example| of(example).unwrap_or(f32::NAN)).collect();
        array(py, numbers, &[self.examples.len()])
    }
}

/// New numbers for all positions, as many for each as `of_each` says.
fn read_targets(given: Option<&Bound<'_, PyAny>>, name: &str, shape: &[usize]) -> PyResult<Option<Vec<f32>>> {
    let Some(given) = given else { return Ok(None) };
    let wrong = |what: &str| {
        PyValueError::new_err(format!("{name} must be float32 of the shape {shape:?}, not {what}"))
    };
    let numbers: PyReadonlyArrayDyn<'_, f32> =
        given.extract().map_err(|_| wrong(&crate::points::shown(given)))?;
    if numbers.shape() != shape {
        return Err(wrong(&format!("{:?}", numbers.shape())));
    }
    Ok(Some(numbers.as_array().iter().copied().collect()))
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.examples.len()
    }

    /// 0 empty, 1 black, 2 white: uint8 (n, rows, columns).
    #[getter]
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let [rows, columns] = self.shape()?;
        let mut stones = vec![0; self.examples.len() * rows * columns];
        for (example, stones) in self.examples.iter().zip(stones.chunks_exact_mut((rows * columns).max(1))) {
            let board = &example.board;
            board.points().for_each(|v| stones[index(board, v.into())] = board.color_at(v).map_or(0, number));
        }
        array(py, stones, &[self.examples.len(), rows, columns])
    }

    /// Who is to move: 1 Black, 2 White: uint8 (n,).
    #[getter]
    fn to_play<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let colors = self.examples.iter().map(|example| number(example.board.to_play())).collect();
        array(py, colors, &[self.examples.len()])
    }

    /// The planes of `Game.planes`, as the player to move sees them: float32 (n, planes, rows, columns).
    fn planes<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        let (planes, [rows, columns]) = (read_planes(kind)?, self.shape()?);
        let count = planes.count();
        let all = py.detach(|| {
            let mut all = vec![0.0; self.examples.len() * count * rows * columns];
            let mut by_point = vec![0.0; count * rows * columns];
            let mut writer = PlaneWriter::new();
            for (example, out) in
                self.examples.iter().zip(all.chunks_exact_mut((count * rows * columns).max(1)))
            {
                let Example { board, history, komi, rank, .. } = example;
                let position = Position { board, moves: history, komi: *komi, rank: *rank };
                by_point.fill(0.0);
                writer.write(planes, &position, &mut by_point, count);
                for (v, numbers) in board.points().zip(by_point.chunks_exact(count)) {
                    let place = index(board, v.into());
                    numbers
                        .iter()
                        .enumerate()
                        .for_each(|(plane, n)| out[plane * rows * columns + place] = *n);
                }
            }
            all
        });
        array(py, all, &[self.examples.len(), count, rows, columns])
    }

    /// Shares of the moves, the pass last: float32 (n, actions).
    #[getter]
    fn policies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let [rows, columns] = self.shape()?;
        let actions = rows * columns + 1;
        let mut all = vec![0.0; self.examples.len() * actions];
        for (example, out) in self.examples.iter().zip(all.chunks_exact_mut(actions)) {
            for (place, share) in example.policy.first().into_iter().flat_map(|target| &target.shares) {
                out[action(&example.board, *place)] = *share;
            }
        }
        array(py, all, &[self.examples.len(), actions])
    }

    /// Black's chance to win, from 0 to 1, nan where nobody knows: float32 (n,).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, |example| example.value)
    }

    /// Black's points minus White's, nan where nobody knows: float32 (n,).
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, |example| example.score)
    }

    /// How much each position counts: float32 (n,).
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, |example| Some(example.weight))
    }

    /// Whose each point will be, from -1 (White's) to 1 (Black's), nan where nobody knows: float32 (n, rows, columns).
    #[getter]
    fn ownership<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let [rows, columns] = self.shape()?;
        let mut all = vec![f32::NAN; self.examples.len() * rows * columns];
        for (example, out) in self.examples.iter().zip(all.chunks_exact_mut((rows * columns).max(1))) {
            let board = &example.board;
            for (v, owner) in board.points().zip(example.ownership.iter().flatten()) {
                out[index(board, v.into())] = *owner;
            }
        }
        array(py, all, &[self.examples.len(), rows, columns])
    }

    /// The same positions with other targets, float32 in the shapes that they have here.
    ///
    /// >>> import numpy as np, tengen
    /// >>> buffer = tengen.train.ReplayBuffer()
    /// >>> for game in tengen.train.selfplay(tengen.Network("default"), size=5, games=1, simulations=2):
    /// ...     buffer.add(game)
    /// >>> batch = buffer.sample(4, seed=1)
    /// >>> batch.replace(values=np.full(4, 0.5, np.float32)).values.tolist()
    /// [0.5, 0.5, 0.5, 0.5]
    #[pyo3(signature = (*, policies=None, values=None, scores=None, weights=None))]
    fn replace(
        &self,
        policies: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyAny>>,
        scores: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        let count = self.examples.len();
        let mut examples = self.examples.clone();
        if policies.is_some() {
            let [rows, columns] = self.shape()?;
            let actions = rows * columns + 1;
            let shares = read_targets(policies, "policies", &[count, actions])?.unwrap_or_default();
            if shares.iter().any(|share| !(share.is_finite() && *share >= 0.0)) {
                return Err(PyValueError::new_err("policies: shares are at least 0"));
            }
            for (example, shares) in examples.iter_mut().zip(shares.chunks_exact(actions)) {
                let places = 0..actions;
                let target = places.map(|place| (place, shares[action(&example.board, place)]));
                let target =
                    MoveTarget { shares: target.filter(|(_, share)| *share > 0.0).collect(), among: None };
                example.policy = vec![target];
            }
        }
        let known = |number: f32| number.is_finite().then_some(number);
        if let Some(numbers) = read_targets(values, "values", &[count])? {
            if numbers.iter().any(|value| !value.is_nan() && !(0.0..=1.0).contains(value)) {
                return Err(PyValueError::new_err("values are Black's chance to win, from 0 to 1"));
            }
            examples.iter_mut().zip(numbers).for_each(|(example, value)| example.value = known(value));
        }
        if let Some(numbers) = read_targets(scores, "scores", &[count])? {
            examples.iter_mut().zip(numbers).for_each(|(example, score)| example.score = known(score));
        }
        if let Some(numbers) = read_targets(weights, "weights", &[count])? {
            if numbers.iter().any(|weight| !weight.is_finite()) {
                return Err(PyValueError::new_err("weights are finite"));
            }
            examples.iter_mut().zip(numbers).for_each(|(example, weight)| example.weight = weight);
        }
        Ok(Batch { examples })
    }
}

/// A move as arrays have it, from its place in the order of the board's points; the area stands for the pass.
fn action(board: &Board, place: usize) -> usize {
    if place >= board.area() {
        return board.area();
    }
    index(board, Vertex::new(place % board.width(), place / board.width()).into())
}

/// A network that is being trained: `step` is the training step of `tengen train`.
#[pyclass(module = "tengen._tengen", frozen, subclass)]
pub(crate) struct Learner(Mutex<tengen_nets::train::Learner>);

#[pymethods]
impl Learner {
    #[new]
    fn new(network: &Bound<'_, Network>, threads: usize, settings: Vec<String>) -> PyResult<Learner> {
        let network = network.get().own()?;
        // What is customary for learning by self-play, whatever the board.
        let usual = ZeroConfig::new(network.spec().clone(), 9, [7.5; 2]);
        let config = TrainConfig {
            // A share of an unknown number of steps is none.
            optimizer: OptimizerConfig { warm_up: 0.0, ..usual.optimizer },
            loss: usual.loss,
            threads,
            ..TrainConfig::new(network.spec().clone())
        };
        let config = with_settings(&config, &settings, "a learner").map_err(value_error)?;
        let learner = tengen_nets::train::Learner::new(&config, network).map_err(value_error)?;
        Ok(Learner(Mutex::new(learner)))
    }

    /// Steps so far.
    #[getter]
    fn steps(&self) -> u64 {
        lock(&self.0).steps()
    }

    /// One step of all positions together, when a share `done` of the training is done; what the losses were before it, as JSON.
    fn step_json(&self, py: Python<'_>, batch: &Bound<'_, Batch>, done: f64) -> PyResult<String> {
        let examples = &batch.get().examples;
        if examples.is_empty() {
            return Err(PyValueError::new_err("the batch is empty"));
        }
        let (report, is_finite) = py.detach(|| {
            let mut learner = lock(&self.0);
            (learner.step_at(done, examples), learner.is_finite())
        });
        if !is_finite {
            return Err(PyValueError::new_err(
                "the training has diverged: its weights became NaN; begin anew with a smaller optimizer__learning_rate",
            ));
        }
        let accuracy = Accuracy::from(&report.tally);
        let mut told = json!(accuracy);
        told["steps"] = report.steps.into();
        told["rate"] = report.rate.into();
        Ok(told.to_string())
    }

    /// The bytes of the file of the network so far, its weights averaged over the last steps.
    fn network_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| lock(&self.0).network().to_bytes(&[]));
        PyBytes::new(py, &bytes)
    }
}
