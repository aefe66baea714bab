//! The result file of a match: JSON lines, the first tells everything about the match, the others a game each.
//!
//! A line is written as soon as its game is over. What a killed run left unfinished in the last line is cut off when
//! the match goes on; the game is then played again from the same seeds.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{config::MatchConfig, error::MatchError, record::GameRecord, sgf};
use crate::provenance::Provenance;

/// Where games are kept.
#[derive(Default)]
pub struct Journal {
    file: Option<(PathBuf, File)>,
    sgf: Option<PathBuf>,
    records: Vec<GameRecord>,
}

impl Journal {
    /// The result file in the directory of a match.
    pub const FILE: &'static str = "results.jsonl";

    /// Keeps nothing on disk.
    pub fn in_memory() -> Journal {
        Journal::default()
    }

    /// Starts the results of a match in a directory that holds none yet.
    pub fn create(directory: &Path, config: &MatchConfig, games: usize) -> Result<Journal, MatchError> {
        let path = directory.join(Self::FILE);
        if path.exists() {
            return Err(MatchError::Exists(directory.to_owned()));
        }
        let error = |source| MatchError::File { path: path.clone(), source };
        let header = json!({
            "kind": "match",
            "config": config,
            "games": games,
            "provenance": Provenance::current(),
        });
        write_whole(&path, &format!("{header}\n")).map_err(error)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        Ok(Journal { file: Some((path, file)), ..Journal::default() })
    }

    /// Goes on with the match in a directory, or starts it if there is none.
    pub fn resume(directory: &Path, config: &MatchConfig, games: usize) -> Result<Journal, MatchError> {
        let path = directory.join(Self::FILE);
        let error = |source| MatchError::File { path: path.clone(), source };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                return Journal::create(directory, config, games);
            }
            Err(other) => return Err(error(other)),
        };
        // A line is complete when it ends.
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&bytes[..complete]);
        let corrupt = |line: usize, message: String| MatchError::Corrupt {
            path: path.clone(),
            line: line + 1,
            message,
        };
        let mut lines = text.lines().enumerate();
        let header: Value = match lines.next() {
            Some((line, text)) => serde_json::from_str(text)
                .map_err(|problem| corrupt(line, format!("not the first line of a match: {problem}")))?,
            None => return Err(corrupt(0, "the first line of a match is missing".to_owned())),
        };
        let here = json!({ "config": config, "commit": Provenance::current().commit });
        let there = json!({ "config": header["config"], "commit": header["provenance"]["commit"] });
        if let Some(difference) = first_difference("", &there, &here) {
            return Err(MatchError::OtherMatch { path, difference });
        }
        let records = lines
            .map(|(line, text)| {
                serde_json::from_str(text).map_err(|problem| corrupt(line, problem.to_string()))
            })
            .collect::<Result<Vec<GameRecord>, _>>()?;
        let file = OpenOptions::new().append(true).open(&path).map_err(error)?;
        file.set_len(complete as u64).map_err(error)?;
        Ok(Journal { file: Some((path, file)), sgf: None, records })
    }

    /// Also writes a game record of every game into this directory.
    #[must_use]
    pub fn with_sgf(mut self, directory: &Path) -> Journal {
        self.sgf = Some(directory.to_owned());
        self
    }

    /// The games that an earlier run has played.
    pub fn records(&self) -> &[GameRecord] {
        &self.records
    }

    pub(super) fn take_records(&mut self) -> Vec<GameRecord> {
        std::mem::take(&mut self.records)
    }

    /// Writes a game down.
    pub(super) fn append(&mut self, config: &MatchConfig, record: &GameRecord) -> Result<(), MatchError> {
        // The line comes last, so that a game in the result file always has its game record.
        if let Some(directory) = &self.sgf {
            let path = directory.join(format!("game-{:05}.sgf", record.game));
            write_whole(&path, &sgf::of_game(config, record)?)
                .map_err(|source| MatchError::File { path, source })?;
        }
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let line = serde_json::to_string(record).expect("a record is plain data") + "\n";
        file.write_all(line.as_bytes())
            .and_then(|()| file.flush())
            .map_err(|source| MatchError::File { path: path.clone(), source })
    }
}

/// Writes a file that is there completely or not at all, and its directory if that is missing.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, text)?;
    fs::rename(&unfinished, path)
}

/// The first value that differs, with its dotted name.
fn first_difference(name: &str, there: &Value, here: &Value) -> Option<String> {
    if let (Value::Object(old), Value::Object(new)) = (there, here) {
        let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        return keys.into_iter().find_map(|key| {
            let inner =
                if name.is_empty() || name == "config" { key.clone() } else { format!("{name}.{key}") };
            let absent = &Value::Null;
            first_difference(&inner, old.get(key).unwrap_or(absent), new.get(key).unwrap_or(absent))
        });
    }
    let show = |value: &Value| if value.is_null() { "absent".to_owned() } else { value.to_string() };
    (there != here).then(|| format!("its {name} is {}, not {}", show(there), show(here)))
}
