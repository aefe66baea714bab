//! SGF problems: each game of a collection is one. The root holds the position (`AB`, `AW`, `PL`) and its name (`GN`), the first
//! moves of the variations are candidates.
//!
//! A variation is right if a comment in it contains `RIGHT` or `CORRECT`, and wrong if one contains `WRONG`. If some are right, the
//! answer is one of these; if some are only wrong, it is any other move; if nothing is marked, it is the first move of the main
//! line.

use std::path::Path;

use tengen_board::{
    Move,
    sgf::{NodeId, Record, read_collection, read_file},
};

use super::{Answer, Problem, Suite, SuiteError};

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
        match answer(record) {
            Some(answer) => suite.problems.push(Problem { name, game, answer }),
            None => suite.skipped += 1,
        }
    }
    Ok(suite)
}

fn answer(record: &Record) -> Option<Answer> {
    let (mut right, mut wrong, mut first) = (Vec::new(), Vec::new(), None);
    for child in record.children(record.root()) {
        // The move is what the game at this node has more than at the root.
        let mv = record.game_at(child).ok()?.moves().last()?.mv;
        first.get_or_insert(mv);
        if marked(record, child, &["RIGHT", "CORRECT"]) {
            right.push(mv);
        } else if marked(record, child, &["WRONG"]) {
            wrong.push(mv);
        }
    }
    match (right.is_empty(), wrong.is_empty()) {
        (false, _) => Some(Answer::OneOf(right)),
        (true, false) => Some(Answer::NoneOf(wrong)),
        (true, true) => first.map(|mv: Move| Answer::OneOf(vec![mv])),
    }
}

/// Whether a comment from a node on contains one of these words.
fn marked(record: &Record, id: NodeId, words: &[&str]) -> bool {
    let comment = record.node(id).text("C").unwrap_or_default();
    words.iter().any(|word| comment.contains(word))
        || record.children(id).any(|child| marked(record, child, words))
}
