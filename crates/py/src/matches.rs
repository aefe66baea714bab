//! What matches of Python agents share with those of the command line: seeds, counting, the summary.

use pyo3::{exceptions::PyValueError, prelude::*};
use tengen_lab::matches::{self, Arbiter, GameRecord, Referee, Summary, Tournament};

use crate::{
    errors::value_error,
    game::{Game, read_rules},
};

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
