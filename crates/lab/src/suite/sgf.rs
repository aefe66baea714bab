//! SGF problems: each game of a collection is one. The root holds the position (`AB`, `AW`, `PL`) and its name (`GN`), the first
//! moves of the variations are candidates.
//!
//! What is right is told as in any file of [`crate::problems`]. If some moves are marked right, the answer is one of these;
//! if some are only marked wrong, it is any other move; if nothing is marked, it is the first move of the main line.

use std::path::Path;

use tengen_board::{
    Move,
    sgf::{Record, read_collection, read_file},
};

use super::{Expected, Problem, Suite, SuiteError};
use crate::{
    notes::move_of,
    problems::{self, Marks},
};

/// Reads a collection.
pub fn read(path: &Path) -> Result<Suite, SuiteError> {
    let content = |place: &str, message: String| SuiteError::Content {
        path: path.to_owned(),
        place: place.to_owned(),
        message,
    };
    let bytes = read_file(path).map_err(|source| SuiteError::File { path: path.to_owned(), source })?;
    let records =
        read_collection(&bytes).map_err(|problem| content("the collection", problem.to_string()))?;
    let mut suite = Suite::default();
    for (number, record) in records.iter().enumerate() {
        let root = record.root();
        let name = record.node(root).simple_text("GN").unwrap_or_else(|| format!("problem {}", number + 1));
        let game = record.game_at(root).map_err(|problem| content(&name, problem.to_string()))?;
        match answer(record.clone()) {
            Some(answer) => suite.problems.push(Problem { name, game, answer }),
            None => suite.skipped += 1,
        }
    }
    Ok(suite)
}

fn answer(record: Record) -> Option<Expected> {
    let problem = problems::Problem::new(record);
    let record = problem.record();
    let moves = |is_right: bool| {
        let of_kind = record.children(record.root()).filter(|&child| problem.is_right(child) == is_right);
        of_kind.filter_map(|child| Some(move_of(record, child)?.1)).collect::<Vec<Move>>()
    };
    let right = moves(true);
    match problem.marks() {
        Marks::Wrong => Some(Expected::NoneOf(moves(false))),
        _ => (!right.is_empty()).then_some(Expected::OneOf(right)),
    }
}
