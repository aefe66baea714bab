//! Games that earlier versions kept as files, one each: they are taken over once, and their files are left as they are.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::Connection;
use serde::Deserialize;
use tengen_board::{
    bounded,
    sgf::{NodeId, Record},
};
use tengen_engine::time::TimeSettings;

use super::{Change, StoreError, begin, rows, write};
use crate::{protocol::StoredGame, settings::Seats, table::SavedState};

/// The largest file that is looked at.
const MAX_BYTES: u64 = 32 << 20;

/// A game as it was kept.
#[derive(Deserialize)]
struct OldGame {
    game: StoredGame,
    seats: Seats,
    time: TimeSettings,
    is_study: bool,
    paused: bool,
    resumed_at: usize,
    /// The way from the root to the position shown: which continuation each time.
    path: Vec<usize>,
    /// The way to where the game has ended.
    end: Option<Vec<usize>>,
    sgf: String,
}

/// Takes over what has not been taken over yet. Each game and the mark that it is there now are written together.
pub(super) fn import(connection: &mut Connection, folder: &Path) -> Result<(), StoreError> {
    let Ok(files) = fs::read_dir(folder) else { return Ok(()) };
    for file in files.flatten() {
        let path = file.path();
        let name = file.file_name().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let is_known =
            connection.prepare_cached("SELECT 1 FROM imported WHERE file = ?1")?.exists([&name])?;
        if is_known {
            continue;
        }
        // Others may keep files here, too.
        let Some((old, record, time)) = read(&path) else { continue };
        let follow = |path: &[usize]| {
            let step = |node, &continuation| record.children(node).nth(continuation).unwrap_or(node);
            path.iter().fold(record.root(), step).number()
        };
        let state = SavedState {
            report: None,
            auto: false,
            seats: old.seats,
            time: old.time,
            is_study: old.is_study,
            paused: old.paused,
            resumed_at: old.resumed_at,
            node: follow(&old.path),
            end: old.end.as_deref().map(follow),
            teach: None,
        };
        let transaction = begin(connection)?;
        let marked = transaction.execute("INSERT OR IGNORE INTO imported (file) VALUES (?1)", [&name])?;
        let is_there = transaction.prepare("SELECT 1 FROM games WHERE id = ?1")?.exists([&old.game.id])?;
        // Another server may have been faster.
        if marked > 0 && !is_there {
            let nodes = rows(&record, |_: NodeId| true);
            let state = state.to_json();
            write(
                &transaction,
                &Change { game: &old.game, state: &state, from: None, nodes, len: record.len() },
                time,
            )?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// A game of a file, and when it was written.
fn read(path: &Path) -> Option<(OldGame, Record, i64)> {
    let metadata = fs::metadata(path).ok().filter(|metadata| metadata.len() <= MAX_BYTES)?;
    let old: OldGame = serde_json::from_slice(&bounded::read_file(path, MAX_BYTES).ok()?).ok()?;
    let record = Record::parse(old.sgf.as_bytes()).ok()?;
    record.play_all_lines(|| true).ok()?;
    let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH).duration_since(UNIX_EPOCH).ok()?;
    Some((old, record, i64::try_from(time.as_millis()).ok()?))
}
