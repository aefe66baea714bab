//! Where the games of a match are kept: a line of the result file each, and a game record.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tengen_engine::whole_file::remove_unfinished;

use super::{config::MatchConfig, error::MatchError, record::GameRecord, sgf};
use crate::{
    journal::{Header, JournalError, Lines, config_difference, write_whole},
    players::{behaviour::settle, spec::PlayerSpec},
};

/// Keeps the games of a match.
#[derive(Default)]
pub struct Journal {
    lines: Option<Lines<GameRecord>>,
    sgf: Option<PathBuf>,
    without_moves: bool,
    /// The highest number so far, and whether a lower one came after it.
    last: Option<usize>,
    is_out_of_order: bool,
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
        let lines = Lines::create(&directory.join(Self::FILE), &header(config, games)?)?;
        Ok(Journal { lines: Some(lines), ..Journal::default() })
    }

    /// Goes on with the match in a directory, or starts it if there is none.
    pub fn resume(directory: &Path, config: &MatchConfig, games: usize) -> Result<Journal, MatchError> {
        Journal::resume_file(&directory.join(Self::FILE), config, games)
    }

    /// Goes on with the match in a result file, or starts it if there is none.
    pub fn resume_file(path: &Path, config: &MatchConfig, games: usize) -> Result<Journal, MatchError> {
        let lines = Lines::resume(path, &header(config, games)?)?;
        Ok(Journal { lines: Some(lines), ..Journal::default() })
    }

    /// Also writes a game record of every game into this directory. What an earlier run of the match has left half written there is
    /// removed.
    pub fn with_sgf(mut self, directory: &Path) -> Result<Journal, MatchError> {
        if self.lines.is_some() {
            remove_unfinished(directory)
                .map_err(|source| JournalError::File { path: directory.to_owned(), source })?;
        }
        self.sgf = Some(directory.to_owned());
        Ok(self)
    }

    /// Leaves the moves out of the result file, which makes it three times shorter; their fingerprint stays.
    #[must_use]
    pub fn without_moves(mut self) -> Journal {
        self.without_moves = true;
        self
    }

    /// The games that an earlier run has played.
    pub fn records(&self) -> &[GameRecord] {
        self.lines.as_ref().map_or(&[], Lines::records)
    }

    pub(super) fn take_records(&mut self) -> Vec<GameRecord> {
        let records = self.lines.as_mut().map(Lines::take_records).unwrap_or_default();
        for record in &records {
            self.note(record.game);
        }
        records
    }

    /// The result file, if there is one.
    pub(super) fn file(&self) -> Option<PathBuf> {
        self.lines.as_ref().map(|lines| lines.path().to_owned())
    }

    /// Whether the games in the file are in the order of their numbers.
    pub(super) fn is_in_order(&self) -> bool {
        !self.is_out_of_order
    }

    fn note(&mut self, game: usize) {
        self.is_out_of_order |= self.last.is_some_and(|last| game < last);
        self.last = self.last.max(Some(game));
    }

    /// Has these games in the file, and no others.
    pub(super) fn replace<'a>(
        &mut self,
        records: impl Iterator<Item = &'a GameRecord>,
    ) -> Result<(), MatchError> {
        let without_moves = self.without_moves;
        let Some(lines) = &mut self.lines else { return Ok(()) };
        lines.replace(records.map(|record| as_kept(record, without_moves)))?;
        self.is_out_of_order = false;
        Ok(())
    }

    /// Writes games down.
    pub(super) fn append(&mut self, config: &MatchConfig, records: &[GameRecord]) -> Result<(), MatchError> {
        // The lines come last, so that a game in the result file always has its game record.
        if let Some(directory) = &self.sgf {
            for record in records {
                let path = directory.join(format!("game-{:05}.sgf", record.game));
                write_whole(&path, &sgf::of_game(config, record)?)
                    .map_err(|source| JournalError::File { path, source })?;
            }
        }
        for record in records {
            self.note(record.game);
        }
        let without_moves = self.without_moves;
        let Some(lines) = &mut self.lines else { return Ok(()) };
        Ok(lines.append_all(records.iter().map(|record| as_kept(record, without_moves)))?)
    }
}

/// A record as the result file has it.
fn as_kept(record: &GameRecord, without_moves: bool) -> GameRecord {
    let moves = if without_moves { String::new() } else { record.moves.clone() };
    GameRecord { moves, ..record.clone() }
}

fn header(config: &MatchConfig, games: usize) -> Result<Header, MatchError> {
    let behaviour = |spec: &PlayerSpec| {
        let error = |source| MatchError::Player { name: spec.name.clone(), source };
        spec.behaviour(config.width, config.height).map_err(error)
    };
    let behaviour = json!({ "a": behaviour(&config.a)?, "b": behaviour(&config.b)? });
    Ok(Header { kind: "match", config: json!(config), behaviour, planned: games, differs: difference })
}

/// The first setting in which two matches differ.
pub fn difference(there: &Value, here: &Value) -> Option<String> {
    let (mut there, mut here) = (there.clone(), here.clone());
    for player in ["a", "b"] {
        settle(&mut there, &mut here, player);
    }
    config_difference(&there, &here)
}
