//! `tengen.Player`, and agents written in Python as players. All calls of players are here.

use std::{
    io::{self, BufRead, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyString},
};
use tengen_board::{Move, splitmix};
use tengen_engine::{
    gtp::Server,
    players::{Decision, Limits, Player as EnginePlayer, PlayerError, Request, Seat, StopSignal},
    search::{RootMove, SearchReport},
};
use tengen_lab::{PRESETS, PlayerSpec, selfplay::Thought};

use crate::{
    arrays::array,
    errors::value_error,
    game::{Game, read_rules, read_size},
    points::{index, number, read_move, shown},
    svg::{self, Overlay},
};

/// A player of this package or any GTP engine.
///
/// `spec` is what the command line takes: the name of a preset, NAME,key=value,…, a TOML file, or gtp:COMMAND LINE. Parameters
/// are keywords; those inside others have two underscores where the command line has a dot.
///
/// >>> import tengen
/// >>> player = tengen.Player("rave", playouts=200, seed=1)
/// >>> player.name
/// 'rave,playouts=200,seed=1'
/// >>> player.decide(tengen.Game(size=5))
/// 'C3'
#[pyclass(module = "tengen", frozen)]
pub(crate) struct Player {
    spec: PlayerSpec,
    seat: Mutex<Seat>,
    /// What it was last asked about.
    asked: Mutex<Option<tengen_board::Game>>,
}

/// What a search found out. Values and scores are Black's, arrays over moves have the pass last.
///
/// >>> import tengen
/// >>> found = tengen.Player("rave", seed=1).analyse(tengen.Game(size=5, komi=0.5), playouts=200)
/// >>> found.best == found.moves[0] == found.pv[0]
/// True
/// >>> found.visits.shape, found.ownership.shape, found.to_play
/// ((26,), (5, 5), 1)
#[pyclass(module = "tengen", frozen, get_all)]
pub(crate) struct Analysis {
    /// Whose turn it was: 1 black, 2 white.
    to_play: u8,
    /// The move that the search prefers.
    best: String,
    /// The searched moves, best first.
    moves: Vec<String>,
    /// The expected line of play.
    pv: Vec<String>,
    /// Visits of each move: int64 (rows * columns + 1).
    visits: Py<PyAny>,
    /// Black's chance to win after each move: float32, nan where it was not tried.
    values: Py<PyAny>,
    /// Probability of each move before the search: float32.
    prior: Py<PyAny>,
    /// Black's lead in points after each move: float32, nan where it was not tried.
    scores: Py<PyAny>,
    /// Black's share of each point, from -1 to 1: float32 (rows, columns).
    ownership: Py<PyAny>,
    /// Black's chance to win.
    value: f32,
    /// Black's lead in points, komi included.
    score: f32,
    /// Playouts of this search.
    playouts: u64,
    /// Time spent.
    seconds: f64,
    /// A picture of the position: whose the points are, and the most visited moves with Black's chance to win in percent. Notebooks
    /// show it.
    svg: String,
}

/// The most moves that a picture shows.
const DRAWN: usize = 8;

/// The position with what a search found out about it.
fn picture(game: &tengen_board::Game, report: &SearchReport) -> String {
    let most = report.moves.iter().map(|found| found.visits).max().unwrap_or(0).max(1);
    let mut moves: Vec<_> = report.moves.iter().filter(|found| found.visits > 0).collect();
    moves.sort_by_key(|found| std::cmp::Reverse(found.visits));
    let mark = |found: &&RootMove| {
        let share = found.visits as f32 / most as f32;
        Some((found.mv.vertex()?, 0.3 + 0.7 * share, format!("{:.0}", 100.0 * found.black_value)))
    };
    let moves = moves.iter().take(DRAWN).filter_map(mark).collect();
    let last = game.last_move().map_or(Move::PASS, |played| played.mv);
    svg::draw(game.board(), last, &Overlay { owners: Some(&report.ownership), moves })
}

#[pymethods]
impl Analysis {
    /// The picture, which notebooks show.
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!(
            "<Analysis best='{}' value={:.3} score={:.1} playouts={}>",
            self.best, self.value, self.score, self.playouts
        )
    }
}

impl Analysis {
    fn new(py: Python<'_>, game: &tengen_board::Game, report: &SearchReport) -> PyResult<Analysis> {
        let board = game.board();
        let length = board.area() + 1;
        let mut visits = vec![0_i64; length];
        let (mut values, mut scores) = (vec![f32::NAN; length], vec![f32::NAN; length]);
        let mut prior = vec![0.0_f32; length];
        for found in &report.moves {
            let at = index(board, found.mv);
            visits[at] = i64::from(found.visits);
            prior[at] = found.prior;
            if found.visits > 0 {
                (values[at], scores[at]) = (found.black_value, found.score);
            }
        }
        let mut owners = vec![0.0_f32; board.area()];
        board.points().for_each(|v| owners[index(board, v.into())] = report.ownership[v]);
        let names = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
        let best = report.moves.first();
        Ok(Analysis {
            to_play: number(report.to_play),
            best: best.map_or(Move::PASS, |best| best.mv).to_string(),
            moves: report.moves.iter().map(|found| found.mv.to_string()).collect(),
            pv: best.map(|best| names(&best.line)).unwrap_or_default(),
            visits: array(py, visits, &[length])?.unbind(),
            values: array(py, values, &[length])?.unbind(),
            prior: array(py, prior, &[length])?.unbind(),
            scores: array(py, scores, &[length])?.unbind(),
            ownership: array(py, owners, &[board.height(), board.width()])?.unbind(),
            value: report.black_value,
            score: report.score,
            playouts: report.playouts,
            seconds: report.elapsed.as_secs_f64(),
            svg: picture(game, report),
        })
    }
}

/// A parameter's value as the command line writes it.
fn written(key: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyBool>() {
        Ok(value.is_truthy()?.to_string())
    } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        Ok(value.str()?.to_string())
    } else if let Ok(text) = value.cast::<PyString>() {
        Ok(format!("{:?}", text.to_str()?))
    } else if let Ok(path) = value.extract::<std::path::PathBuf>() {
        Ok(format!("{:?}", path.display().to_string()))
    } else if let Ok(number) = value.extract::<f64>() {
        Ok(number.to_string())
    } else {
        Err(PyTypeError::new_err(format!("{key}={}: give a number, a text or a truth value", shown(value))))
    }
}

/// A player that failed, as an exception.
pub(crate) fn player_error(error: PlayerError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// How long nobody looks whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);

/// What Python does when a signal has arrived: Ctrl-C raises.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Does `work` on another thread while the interpreter does other things, and stops it when somebody presses Ctrl-C.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &StopSignal,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, done) = mpsc::channel();
            scope.spawn(move || sender.send(catch_unwind(AssertUnwindSafe(work))));
            let mut interrupted = None;
            let result = loop {
                match done.recv_timeout(PATIENCE) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(signals) {
                            stop.stop();
                            interrupted.get_or_insert(error);
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => break None,
                    Ok(result) => break result.ok(),
                }
            };
            let failed = || PyRuntimeError::new_err("the player failed: see standard error");
            interrupted.map_or_else(|| result.ok_or_else(failed), Err)
        })
    })
}

impl Player {
    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what the seat, which is held, was asked about.
    fn note(&self, game: tengen_board::Game) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(game);
    }

    /// What it thought about a position before it moved.
    pub(crate) fn thought(&self, game: &tengen_board::Game, mv: Move) -> Thought {
        Thought::new(self.seat().report(), game, mv)
    }

    /// What it was made of.
    pub(crate) fn spec(&self) -> &PlayerSpec {
        &self.spec
    }

    /// Forgets the last game; with a seed, the random numbers start again from it.
    pub(crate) fn begin(&self, seed: Option<u64>) -> Result<(), PlayerError> {
        let mut seat = self.seat();
        match seed {
            Some(seed) => seat.begin(seed),
            None => seat.new_game(),
        }
    }

    /// The decisions for several games in which it is the player's turn, until one fails or a stop is asked for.
    pub(crate) fn decide_all(
        &self,
        games: &[&tengen_board::Game],
        stop: &StopSignal,
    ) -> Result<Vec<Decision>, PlayerError> {
        let (mut seat, request) = (self.seat(), Request::until(stop));
        let interrupted = || PlayerError::Failed {
            player: self.spec.name.clone(),
            message: "it was interrupted".to_owned(),
        };
        let decide = |game: &&tengen_board::Game| {
            if stop.is_stopped() { Err(interrupted()) } else { seat.decide(game, &request) }
        };
        games.iter().map(decide).collect()
    }
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (spec="default", **parameters))]
    fn new(py: Python<'_>, spec: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Player> {
        let mut parsed: PlayerSpec = spec.parse().map_err(value_error)?;
        let mut settings = Vec::new();
        if let Some(parameters) = parameters {
            for (key, value) in parameters {
                let key = key.extract::<String>()?.replace("__", ".");
                settings.push(format!("{key}={}", written(&key, &value)?));
            }
        }
        parsed.set_all(settings.iter().map(String::as_str)).map_err(value_error)?;
        let plain = settings.iter().map(|setting| setting.replace('"', ""));
        parsed.name = std::iter::once(parsed.name).chain(plain).collect::<Vec<_>>().join(",");
        let seed = parsed.options.seed_or_fresh();
        let seat = py.detach(|| parsed.build(seed)).map_err(value_error)?;
        Ok(Player { spec: parsed, seat: Mutex::new(seat), asked: Mutex::default() })
    }

    /// What was written for it.
    #[getter]
    fn name(&self) -> &str {
        &self.spec.name
    }

    /// What it is, in a line.
    #[getter]
    fn about(&self) -> &str {
        &self.spec.about
    }

    /// Every parameter as a TOML file, with comments.
    #[getter]
    fn parameters(&self) -> String {
        self.spec.to_commented_toml()
    }

    /// Whether it is another program.
    #[getter]
    fn is_external(&self) -> bool {
        self.spec.is_external()
    }

    /// The move for the player whose turn it is: such as "E4", "pass" or "resign".
    ///
    /// >>> import tengen
    /// >>> tengen.Player("random", seed=1).decide(tengen.Game(size=5)) != "resign"
    /// True
    fn decide(&self, py: Python<'_>, game: &Bound<'_, Game>) -> PyResult<String> {
        let game = game.try_borrow()?.inner.clone();
        let stop = StopSignal::default();
        let request = Request::until(&stop);
        let decision = interruptible(py, &stop, || {
            let mut seat = self.seat();
            let decision = seat.decide(&game, &request);
            self.note(game);
            decision
        })?;
        Ok(match decision.map_err(player_error)? {
            Decision::Play(mv) => mv.to_string(),
            Decision::Resign => "resign".to_owned(),
        })
    }

    /// An agent's choice: so a player can stand where an agent can.
    fn choose(
        &self,
        py: Python<'_>,
        _board: &Bound<'_, PyAny>,
        state: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let game = state.getattr("game")?;
        self.decide(py, game.cast::<Game>()?)
    }

    /// What a search finds out about the position; ValueError for players that do not search.
    ///
    /// >>> import tengen
    /// >>> found = tengen.Player("uct", seed=1).analyse(tengen.Game(size=5), playouts=100)
    /// >>> found.best == found.pv[0], int(found.visits.sum()) >= 100
    /// (True, True)
    #[pyo3(signature = (game, playouts=None, time=None))]
    fn analyse(
        &self,
        py: Python<'_>,
        game: &Bound<'_, Game>,
        playouts: Option<u64>,
        time: Option<f64>,
    ) -> PyResult<Analysis> {
        let game = game.try_borrow()?.inner.clone();
        let stop = StopSignal::default();
        let seconds = |time| Duration::try_from_secs_f64(time).map_err(value_error);
        let limits = Limits { playouts, time: time.map(seconds).transpose()?, clock: None };
        let request = Request { limits, ..Request::until(&stop) };
        let report = interruptible(py, &stop, || {
            let mut seat = self.seat();
            let report = seat.analyse(&game, &request).map(Option::<&_>::cloned);
            self.note(game.clone());
            report
        })?
        .map_err(player_error)?;
        let nothing = || PyValueError::new_err(format!("{} does not search", self.spec.name));
        Analysis::new(py, &game, &report.ok_or_else(nothing)?)
    }

    /// What the search behind the last decision has found out; None where there was no search, as in a book or at the end of a game.
    ///
    /// >>> import tengen
    /// >>> player = tengen.Player("rave", playouts=200, seed=1)
    /// >>> player.report is None
    /// True
    /// >>> move = player.decide(tengen.Game(size=5))
    /// >>> player.report.best == move
    /// True
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Option<Analysis>> {
        let last = py.detach(|| {
            let seat = self.seat();
            let game = self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
            let report = seat.report().filter(|report| report.position == game.board().hash())?;
            Some((game, report.clone()))
        });
        last.map(|(game, report)| Analysis::new(py, &game, &report)).transpose()
    }

    /// How it plays on boards of a size, whatever its limits: the signature of its searches in a few positions, and hashes of its networks
    /// and books; of another program its name and version.
    ///
    /// >>> import tengen
    /// >>> uct, other = tengen.Player("uct"), tengen.Player("uct,tree_policy.exploration=3")
    /// >>> uct.behaviour(5) == tengen.Player("uct,playouts=10").behaviour(5) != other.behaviour(5)
    /// True
    #[pyo3(signature = (size=None))]
    fn behaviour<'py>(
        &self,
        py: Python<'py>,
        size: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (height, width) = size.map_or(Ok((9, 9)), read_size)?;
        // What is no board is refused here.
        tengen_board::Board::try_new(width, height).map_err(value_error)?;
        let behaviour = py.detach(|| self.spec.behaviour(width, height)).map_err(value_error)?;
        py.import("json")?.call_method1("loads", (behaviour.to_string(),))
    }

    /// Forgets what belongs to the last game; with a seed, the random numbers start again from it.
    ///
    /// >>> import tengen
    /// >>> player, game = tengen.Player("random"), tengen.Game(size=9)
    /// >>> player.new_game(seed=1)
    /// >>> first = player.decide(game)
    /// >>> player.new_game(seed=1)
    /// >>> player.decide(game) == first
    /// True
    #[pyo3(signature = (seed=None))]
    fn new_game(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        py.detach(|| self.begin(seed)).map_err(player_error)
    }

    fn __repr__(&self) -> String {
        format!("<Player {:?}>", self.spec.name)
    }
}

/// The presets: their names, and what they are.
///
/// >>> import tengen
/// >>> "rave" in dict(tengen.presets())
/// True
#[pyfunction]
pub(crate) fn presets() -> Vec<(&'static str, String)> {
    let about = |name: &str| name.parse::<PlayerSpec>().map(|spec| spec.about).unwrap_or_default();
    PRESETS.iter().map(|preset| (preset.name, about(preset.name))).collect()
}

/// An agent written in Python.
struct Agent {
    name: String,
    /// A function of a game that returns a move.
    choose: Py<PyAny>,
    /// A function of a seed that is called before a game.
    begin: Py<PyAny>,
    /// The seed of the next game.
    seed: u64,
    /// Why the game could not begin.
    failure: Option<String>,
    /// What ends the server, whatever it is doing.
    interrupt: Arc<Mutex<Option<PyErr>>>,
}

impl Agent {
    fn ask(&self, py: Python<'_>, game: &tengen_board::Game) -> PyResult<Decision> {
        let answer = self.choose.bind(py).call1((Game::from(game.clone()),))?;
        if answer.extract::<&str>().is_ok_and(|text| text.trim().eq_ignore_ascii_case("resign")) {
            return Ok(Decision::Resign);
        }
        let mv = read_move(game.board(), &answer)?;
        game.check(mv)
            .map_err(|reason| crate::errors::IllegalMoveError::new_err(format!("{mv}: {reason}")))?;
        Ok(Decision::Play(mv))
    }

    fn failed(&self, error: PyErr) -> String {
        let message = error.to_string();
        if Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            *self.interrupt.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        message
    }
}

impl EnginePlayer for Agent {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, game: &tengen_board::Game, _request: &Request) -> Result<Decision, PlayerError> {
        let decided = match &self.failure {
            Some(message) => Err(message.clone()),
            None => Python::attach(|py| self.ask(py, game)).map_err(|error| self.failed(error)),
        };
        decided.map_err(|message| PlayerError::Failed { player: self.name.clone(), message })
    }

    fn new_game(&mut self) {
        let seed = self.seed;
        self.seed = splitmix(seed, 1);
        let begun = Python::attach(|py| self.begin.call1(py, (seed >> 1,)).map(drop));
        self.failure = begun.err().map(|error| self.failed(error));
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        self.new_game();
    }
}

/// Speaks GTP on standard input and output until the other side quits. `choose` is a function of a game, `begin` one of a seed that
/// is called before each game.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn serve_gtp(
    py: Python<'_>,
    choose: Py<PyAny>,
    begin: Py<PyAny>,
    name: String,
    size: &Bound<'_, PyAny>,
    rules: &str,
    komi: Option<f32>,
    seed: u64,
) -> PyResult<()> {
    let (height, width) = read_size(size)?;
    let game = tengen_board::Game::new(width, height, read_rules(rules, komi)?).map_err(value_error)?;
    let interrupt = Arc::new(Mutex::new(None));
    let mut agent = Agent { name, choose, begin, seed, failure: None, interrupt: Arc::clone(&interrupt) };
    agent.new_game();
    let mut server = Server::new(Seat::new(Box::new(agent))).with_game(game);
    let (sender, lines) = mpsc::channel();
    // It is left behind in its read if the server ends before the input.
    thread::spawn(move || io::stdin().lock().split(b'\n').try_for_each(|line| sender.send(line)));
    py.detach(move || {
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let response = server.execute(&String::from_utf8_lossy(&line?));
                    if let Some(error) = interrupt.lock().unwrap_or_else(PoisonError::into_inner).take() {
                        return Err(error);
                    }
                    if let Some(response) = response {
                        let mut output = io::stdout().lock();
                        write!(output, "{response}")?;
                        output.flush()?;
                    }
                    if server.has_quit() {
                        return Ok(());
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => Python::attach(signals)?,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    })
}
