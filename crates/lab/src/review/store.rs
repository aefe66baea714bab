//! Where reviews are written, and which ones are there already.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tengen_board::{bounded, sgf::Record};

use super::{ReviewError, ReviewSettings, analysis};

/// What the names of a review's files have before their ending: `game-review.sgf`.
pub const STEM_ENDING: &str = "-review";

/// Larger reviews are not read again.
const MAX_BYTES: u64 = 1 << 28;

/// Whether a file is a review's, and no game to be reviewed.
pub fn is_review(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(STEM_ENDING))
}

/// Whether the name of a file is that of a game record, also of a packed one.
fn is_record(path: &Path) -> bool {
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    is(path, "sgf") || (is(path, "gz") && path.file_stem().is_some_and(|stem| is(Path::new(stem), "sgf")))
}

/// The game records of a folder and the folders in it, in order; a file stands for itself.
pub fn find(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let mut records = Vec::new();
    for entry in entries {
        // A link to a folder above would never end.
        if entry.is_dir() && !entry.is_symlink() {
            records.extend(find(&entry)?);
        } else if is_record(&entry) && !is_review(&entry) {
            records.push(entry);
        }
    }
    Ok(records)
}

/// The review of a record that an earlier run has written, if it is of the same moves, by an analyst that behaves as this one
/// does, with the same settings.
pub fn stored(json: &Path, record: &Record, settings: &ReviewSettings) -> Result<Option<Value>, ReviewError> {
    let bytes = fs::File::open(json).and_then(|file| bounded::read(file, MAX_BYTES));
    let Some(review) = bytes.ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else {
        return Ok(None);
    };
    let turns = analysis::turns(record)?;
    let moves = review["moves"].as_array().map_or(&[][..], Vec::as_slice);
    let is_same = review["settings"] == settings.to_text()?
        && moves.len() == turns.len()
        && moves
            .iter()
            .zip(&turns)
            .all(|(m, turn)| m["move"] == turn.played.to_string() && m["color"] == turn.color.to_string());
    Ok(is_same.then_some(review))
}
