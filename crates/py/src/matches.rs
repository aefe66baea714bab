//! What games and matches of Python agents share with those of the command line: seeds, counting, the summary, result files and
//! records.

use std::path::PathBuf;

use pyo3::{exceptions::PyValueError, prelude::*};
use serde_json::{Value, json};
use tengen_board::without_chains;
use tengen_engine::reading::status;
use tengen_lab::{
    PlayerSpec,
    journal::{Header, JournalError, Lines},
    matches::{self, Arbiter, GameRecord, Referee, Summary, Tournament},
    selfplay::{self, Thought},
};
use tengen_nets::records::Records;

use crate::{
    errors::value_error,
    game::{Game, read_rules},
    player::Player,
    points::read_move,
};

/// Who sits at a board: a player of ours, or an agent written in Python, of which only the name is known.
#[derive(FromPyObject)]
pub(crate) enum Sitter<'py> {
    Player(Bound<'py, Player>),
    Agent(String),
}

impl Sitter<'_> {
    /// What it is, as the first line of a result file has it.
    fn config(&self) -> Value {
        match self {
            Sitter::Player(player) => {
                let spec = player.get().spec();
                json!({ "spec": spec.name, "parameters": spec.params().as_table() })
            }
            Sitter::Agent(name) => json!({ "agent": name }),
        }
    }

    /// How it behaves on boards of this size.
    fn behaviour(&self, py: Python<'_>, (rows, columns): (usize, usize)) -> PyResult<Value> {
        match self {
            Sitter::Player(player) => {
                let player = player.get();
                py.detach(|| player.spec().behaviour(columns, rows)).map_err(value_error)
            }
            Sitter::Agent(name) => Ok(json!({ "agent": name })),
        }
    }
}

/// The seed at place `index` of those that belong to `seed`.
#[pyfunction]
pub(crate) fn derive_seed(seed: u64, index: u64) -> u64 {
    matches::derive_seed(seed, index)
}

/// A hash of moves that are separated by spaces.
#[pyfunction]
pub(crate) fn fingerprint(moves: &str) -> String {
    GameRecord::fingerprint_of(moves)
}

/// Who counts games: "auto", "board", "playouts" or a GTP program, "auto" being decided.
#[pyfunction]
pub(crate) fn referee_for(referee: &str, rules: &str, any_external: bool) -> PyResult<String> {
    let referee = Referee::parse(referee, &read_rules(rules, None)?, any_external).map_err(value_error)?;
    Ok(referee.name().to_owned())
}

/// Black's points minus White's, and who says so.
#[pyfunction]
pub(crate) fn count_game(py: Python<'_>, game: &Bound<'_, Game>, referee: &str) -> PyResult<(f32, String)> {
    let game = game.try_borrow()?.inner.clone();
    let referee = Referee::parse(referee, game.rules(), false).map_err(value_error)?;
    let counted =
        py.detach(|| Arbiter::new(&referee).score(&game).map(|(score, referee)| (score, referee.to_owned())));
    counted.map_err(value_error)
}

/// What was thought during a game, for its record.
#[pyclass(module = "tengen._tengen")]
#[derive(Default)]
pub(crate) struct Thoughts {
    all: Vec<Option<Thought>>,
}

#[pymethods]
impl Thoughts {
    #[new]
    fn new() -> Thoughts {
        Thoughts::default()
    }

    /// Notes what a player thought before the move that it is about to play, or the move alone if there is no such player.
    fn add(
        &mut self,
        py: Python<'_>,
        game: &Bound<'_, Game>,
        move_: &Bound<'_, PyAny>,
        player: Option<&Bound<'_, Player>>,
    ) -> PyResult<()> {
        let game = game.try_borrow()?;
        let (game, player) = (&game.inner, player.map(Bound::get));
        let mv = read_move(game.board(), move_)?;
        let of_move =
            || player.map_or_else(|| Thought::new(None, game, mv), |player| player.thought(game, mv));
        self.all.push(Some(py.detach(of_move)));
        Ok(())
    }

    /// Writes the game as records, completely or not at all. Its score, if it has one, was counted by a referee.
    fn save(
        &mut self,
        py: Python<'_>,
        path: PathBuf,
        game: &Bound<'_, Game>,
        reward: i8,
        counted: Option<(f32, String)>,
        players: (Sitter<'_>, Sitter<'_>),
    ) -> PyResult<()> {
        let game = game.try_borrow()?.inner.clone();
        let (width, height) = (game.board().width(), game.board().height());
        let behaviours =
            [players.0.behaviour(py, (height, width))?, players.1.behaviour(py, (height, width))?];
        let thoughts = std::mem::take(&mut self.all);
        let saved = py.detach(|| {
            let counted = counted.map(|(score, referee)| {
                let dead = if referee == "board" { Vec::new() } else { status::dead_stones(&game) };
                (score, selfplay::owners(&without_chains(game.board(), &dead).0))
            });
            let mut record = selfplay::record(&game, thoughts, reward, counted);
            record.behaviour = both(behaviours.each_ref().map(behaviour_name));
            record.net_hash =
                both(behaviours.each_ref().map(|b| b["net"].as_str().unwrap_or_default().to_owned()));
            Records { width, height, games: vec![record] }.save(&path)
        });
        saved.map_err(value_error)
    }
}

/// A behaviour in a few letters. An agent has its name, or a hash of it.
fn behaviour_name(behaviour: &Value) -> String {
    const LONGEST: usize = 30;
    match &behaviour["agent"] {
        Value::String(name) if name.is_ascii() && name.len() <= LONGEST => name.clone(),
        _ => PlayerSpec::behaviour_hash(behaviour),
    }
}

/// What is to be said of Black and White, once if it is the same or there is nothing to say of one of them.
fn both([black, white]: [String; 2]) -> String {
    if black == white || white.is_empty() {
        black
    } else if black.is_empty() {
        white
    } else {
        format!("{black} - {white}")
    }
}

/// The result file of a match, as `tengen match` writes it.
#[pyclass(module = "tengen._tengen")]
pub(crate) struct ResultFile {
    lines: Lines<GameRecord>,
}

#[pymethods]
impl ResultFile {
    /// Starts a file, or goes on with it. The players A and B, and as JSON what else decides the games.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        players: (Sitter<'_>, Sitter<'_>),
        shape: (usize, usize),
        settings: &str,
        games: usize,
        resume: bool,
    ) -> PyResult<ResultFile> {
        let (a, b) = players;
        let mut config: Value = serde_json::from_str(settings).map_err(value_error)?;
        config["a"] = a.config();
        config["b"] = b.config();
        let behaviour = json!({ "a": a.behaviour(py, shape)?, "b": b.behaviour(py, shape)? });
        let header =
            Header { kind: "match", config, behaviour, planned: games, differs: matches::difference };
        let open = if resume { Lines::resume } else { Lines::create };
        let lines = py.detach(|| open(&path, &header)).map_err(|error| match error {
            JournalError::Exists(_) => value_error(format!(
                "{} holds games already: go on with resume=True, or choose another file",
                path.display()
            )),
            error => value_error(error),
        })?;
        Ok(ResultFile { lines })
    }

    /// The games that are there already, as JSON.
    fn records(&self) -> PyResult<String> {
        serde_json::to_string(self.lines.records()).map_err(value_error)
    }

    /// Writes a game down, given as JSON.
    fn append(&mut self, py: Python<'_>, record: &str) -> PyResult<()> {
        let record = serde_json::from_str(record).map_err(value_error)?;
        py.detach(|| self.lines.append(&record)).map_err(value_error)
    }
}

/// The answer of a match, from and as JSON.
#[pyfunction]
pub(crate) fn summary(a: &str, b: &str, records: &str) -> PyResult<String> {
    let records: Vec<GameRecord> = serde_json::from_str(records).map_err(value_error)?;
    serde_json::to_string(&Summary::new(a, b, &records)).map_err(value_error)
}

/// Ratings of players from the games of their pairs, as JSON.
#[pyfunction]
pub(crate) fn tournament(
    players: Vec<String>,
    pairs: Vec<(usize, usize)>,
    records: Vec<String>,
) -> PyResult<String> {
    let mut summaries = Vec::new();
    for (&(a, b), records) in pairs.iter().zip(&records) {
        let (Some(a), Some(b)) = (players.get(a), players.get(b)) else {
            return Err(PyValueError::new_err("a pair names a player who is not there"));
        };
        let records: Vec<GameRecord> = serde_json::from_str(records).map_err(value_error)?;
        summaries.push(Summary::new(a, b, &records));
    }
    serde_json::to_string(&Tournament::new(&players, &pairs, summaries)).map_err(value_error)
}
