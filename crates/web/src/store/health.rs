//! Whether a file of games is one, and whether it is in order: for `tengen doctor`.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Transaction};

use super::{APPLICATION, FILE, PATIENCE, Store, StoreError, VERSION};

/// What there is to say about the stored games.
#[derive(Clone, Debug)]
pub struct StoreHealth {
    /// The file.
    pub path: PathBuf,
    /// How many games it holds.
    pub games: u32,
    /// How many positions they have together.
    pub positions: u32,
    /// The version of its tables.
    pub version: i32,
}

impl StoreHealth {
    /// Examines the games in a folder (in the usual one if none is named), every page of the file; nothing if there are none yet.
    pub fn examine(folder: Option<&Path>) -> Result<Option<StoreHealth>, String> {
        let path = folder.map_or_else(Store::default_folder, Path::to_owned).join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        examine(&path).map(Some).map_err(|error| format!("{}: {error}", path.display()))
    }
}

fn examine(path: &Path) -> Result<StoreHealth, String> {
    let words = |error: rusqlite::Error| error.to_string();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(words)?;
    connection.busy_timeout(PATIENCE).map_err(words)?;
    let transaction = connection.transaction().map_err(words)?;
    if let Some(problem) = foreign(&transaction).map_err(|error| error.to_string())? {
        return Err(problem);
    }
    let check = |pragma: &str| -> rusqlite::Result<Vec<String>> {
        let mut check = transaction.prepare(pragma)?;
        check.query_map([], |row| row.get(0))?.collect()
    };
    let found = check("PRAGMA integrity_check(3)").map_err(words)?;
    if found != ["ok"] {
        return Err(found.join("; "));
    }
    let count = |query: &str| transaction.query_row(query, [], |row| row.get(0)).map_err(words);
    Ok(StoreHealth {
        path: path.to_owned(),
        games: count("SELECT count(*) FROM games")?,
        positions: count("SELECT count(*) FROM nodes")?,
        version: version(&transaction).map_err(|error| error.to_string())?,
    })
}

/// The version of the tables; 0 for a file without any.
pub(super) fn version(transaction: &Transaction<'_>) -> Result<i32, StoreError> {
    Ok(transaction.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Why a file is not to be touched, if it is not.
pub(super) fn foreign(transaction: &Transaction<'_>) -> Result<Option<String>, StoreError> {
    let application: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: u32 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let version = version(transaction)?;
    Ok(if application != APPLICATION && tables > 0 {
        Some("this is a file of another program: name another folder with --games".to_owned())
    } else if version > VERSION {
        Some(format!(
            "version {version} of the tables is of a newer tengen: use that, or another folder with --games"
        ))
    } else {
        None
    })
}
