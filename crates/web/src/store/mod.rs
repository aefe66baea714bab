//! Stored games: a SQLite file that several servers may share.
//!
//! A game is a row of `games`, and a row of `nodes` for each node of its record, so that a move costs one short row however
//! long the game is. Each change raises the game's version and names the one it was made from; who comes second is told
//! so, and reads the game again. What [`Store::save`] has accepted is on the disk: it survives the end of the process and
//! of the machine.

mod health;
mod import;
mod memory;
mod nodes;
mod search;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tengen_board::sgf::Record;
use thiserror::Error;

pub use health::StoreHealth;
pub(crate) use nodes::{NodeRow, rows};

use crate::{private, protocol::StoredGame};

/// The file in the folder.
const FILE: &str = "games.sqlite";
/// Written into the file, so that another program's is not taken for ours ("TENG").
const APPLICATION: i32 = 0x5445_4e47;
/// The version of the tables.
const VERSION: i32 = 1;
const TABLES: &str = "
    CREATE TABLE games (
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        black TEXT NOT NULL,
        white TEXT NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        moves INTEGER NOT NULL,
        result TEXT,
        changed INTEGER NOT NULL,
        state TEXT NOT NULL
    ) STRICT;
    CREATE INDEX games_by_time ON games (changed DESC, id);
    CREATE TABLE nodes (
        game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        parent INTEGER,
        place INTEGER NOT NULL,
        properties TEXT NOT NULL,
        PRIMARY KEY (game, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE imported (file TEXT PRIMARY KEY) STRICT;";
/// How long another server may take to write.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why something cannot be stored or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another server has changed the game meanwhile.
    #[error("the game has been changed elsewhere")]
    Changed,
    /// The game was deleted.
    #[error("the game has been deleted")]
    Gone,
    /// A file that is none of ours.
    #[error("{}: {problem}", .path.display())]
    File {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// What SQLite says.
    #[error("{0}")]
    Sql(#[from] rusqlite::Error),
}

/// A file of games.
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// A change of a game that is to be stored.
pub(crate) struct Change<'a> {
    pub(crate) game: &'a StoredGame,
    /// What a table knows besides the record, as JSON.
    pub(crate) state: &'a str,
    /// The version it was made from; none for a game that is not stored yet.
    pub(crate) from: Option<i64>,
    /// The nodes that are new or have changed.
    pub(crate) nodes: Vec<NodeRow>,
    /// How many nodes the record has.
    pub(crate) len: usize,
}

/// A game as it is stored.
pub(crate) struct Stored {
    pub(crate) version: i64,
    pub(crate) state: String,
    pub(crate) record: Record,
}

impl Store {
    /// Opens the file in a folder, or makes one; takes over the games that earlier versions kept there.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(FILE);
        let cannot = |error: io::Error| StoreError::File { path: path.clone(), problem: error.to_string() };
        private::create_folder(folder).map_err(cannot)?;
        private::create_file(&path).map_err(cannot)?;
        let mut connection = connect(&path)?;
        set_up(&mut connection, &path)?;
        import::import(&mut connection, folder)?;
        Ok(Store { path, connection: Mutex::new(connection) })
    }

    /// Where games are kept unless told otherwise.
    pub fn default_folder() -> PathBuf {
        private::state_folder().join("games")
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a change, durably. Returns the version that the game has now.
    pub(crate) fn save(&self, change: &Change<'_>) -> Result<i64, StoreError> {
        let mut connection = self.connection();
        let transaction = begin(&mut connection)?;
        let version = write(&transaction, change, now())?;
        transaction.commit()?;
        Ok(version)
    }

    /// Reads a game.
    pub(crate) fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let mut connection = self.connection();
        // Both tables as they were at the same moment.
        let transaction = connection.transaction()?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let game =
            transaction.query_row("SELECT version, state FROM games WHERE id = ?1", [id], row).optional()?;
        let Some((version, state)) = game else { return Ok(None) };
        Ok(Some(Stored { version, state, record: nodes::record(&transaction, id)? }))
    }
}

/// A connection on which whatever is committed is on the disk.
fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Whoever writes locks the file before reading what it writes about.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Makes the tables, unless they are there.
fn set_up(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction = begin(connection)?;
    if let Some(problem) = health::foreign(&transaction)? {
        return Err(StoreError::File { path: path.to_owned(), problem });
    }
    if health::version(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.execute_batch(memory::TABLE)?;
    Ok(transaction.commit()?)
}

/// Writes a change, made at a time in milliseconds since 1970.
fn write(transaction: &Transaction<'_>, change: &Change<'_>, time: i64) -> Result<i64, StoreError> {
    let Change { game, state, from, nodes, len } = change;
    let [black, white] = &game.names;
    let [width, height] = game.size;
    let version = from.unwrap_or(0) + 1;
    if let Some(from) = from {
        let known = transaction.execute(
            "UPDATE games SET version = ?3, black = ?4, white = ?5, moves = ?6, result = ?7, changed = ?8, state = ?9
             WHERE id = ?1 AND version = ?2",
            params![game.id, from, version, black, white, game.moves, game.result, time, state],
        )?;
        if known == 0 {
            let mut find = transaction.prepare_cached("SELECT 1 FROM games WHERE id = ?1")?;
            return Err(if find.exists([&game.id])? { StoreError::Changed } else { StoreError::Gone });
        }
    } else {
        transaction.execute(
            "INSERT INTO games (id, version, name, black, white, width, height, moves, result, changed, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                game.id, version, game.name, black, white, width, height, game.moves, game.result, time, state
            ],
        )?;
    }
    nodes::write(transaction, &game.id, nodes, *len)?;
    Ok(version)
}

/// The day on this machine, as 2026-01-31.
pub fn today() -> Option<String> {
    let connection = Connection::open_in_memory().ok()?;
    connection.query_row("SELECT date('now', 'localtime')", [], |row| row.get(0)).ok()
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tengen_board::Color;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tengen-store-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn game(id: &str) -> StoredGame {
        let names = ["Ann".to_owned(), "Bob".to_owned()];
        StoredGame { id: id.to_owned(), names, size: [9, 9], moves: 1, ..StoredGame::default() }
    }

    #[test]
    fn what_two_write_at_once_is_written_by_one_of_them() {
        let folder = folder("two");
        let (here, there) = (Store::open(&folder).unwrap(), Store::open(&folder).unwrap());
        let mut record = Record::new();
        let first = record.add_move(record.root(), Color::Black, "D4".parse().unwrap());
        let game = game("abcdefgh");
        let all = rows(&record, |_| true);
        let version =
            here.save(&Change { game: &game, state: "{}", from: None, nodes: all, len: 2 }).unwrap();
        record.add_move(first, Color::White, "E5".parse().unwrap());
        let change = || Change {
            game: &game,
            state: "{}",
            from: Some(version),
            nodes: rows(&record, |id| id.number() == 2),
            len: record.len(),
        };
        assert_eq!(there.save(&change()).unwrap(), version + 1);
        assert!(matches!(here.save(&change()), Err(StoreError::Changed)));
        let stored = here.load("abcdefgh").unwrap().unwrap();
        assert_eq!((stored.version, stored.record.to_sgf()), (version + 1, record.to_sgf()));
        assert!(there.delete("abcdefgh").unwrap());
        assert!(matches!(here.save(&change()), Err(StoreError::Gone)));
        assert!(here.load("abcdefgh").unwrap().is_none());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_remembered_outlives_the_server() {
        let folder = folder("memory");
        let store = Store::open(&folder).unwrap();
        assert_eq!(store.recall("level").unwrap(), None);
        store.remember("level", "3").unwrap();
        store.remember("level", "4").unwrap();
        drop(store);
        assert_eq!(Store::open(&folder).unwrap().recall("level").unwrap().as_deref(), Some("4"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn records_come_back_node_by_node() {
        let folder = folder("nodes");
        let store = Store::open(&folder).unwrap();
        let text = "(;SZ[9]C[a \\] b]B[aa]B[bb](;W[cc](;B[dd])(;B[ee]))(;W[ff]))";
        let mut record = Record::parse(text.as_bytes()).unwrap();
        record.promote(record.find(4).unwrap());
        let nodes = rows(&record, |_| true);
        store
            .save(&Change { game: &game("abcdefgh"), state: "", from: None, nodes, len: record.len() })
            .unwrap();
        let read = store.load("abcdefgh").unwrap().unwrap().record;
        assert_eq!(read.to_sgf(), record.to_sgf());
        assert_eq!(read.node(read.find(2).unwrap()).value("B"), Some("dd"), "nodes keep their numbers");
        // What was deleted does not come back.
        let (shorter, _) = record.without(record.find(1).unwrap());
        let nodes = rows(&shorter, |_| true);
        store
            .save(&Change { game: &game("abcdefgh"), state: "", from: Some(1), nodes, len: shorter.len() })
            .unwrap();
        assert_eq!(store.load("abcdefgh").unwrap().unwrap().record.to_sgf(), shorter.to_sgf());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_of_other_programs_and_later_versions_are_left_alone() {
        let folder = folder("foreign");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(FILE), "no database at all, whatever its name may say").unwrap();
        assert!(Store::open(&folder).is_err());
        fs::remove_file(folder.join(FILE)).unwrap();
        let other = Connection::open(folder.join(FILE)).unwrap();
        other.execute_batch("CREATE TABLE bookmarks (a); PRAGMA user_version = 1").unwrap();
        let error = Store::open(&folder).err().unwrap().to_string();
        assert!(error.contains("another program"), "{error}");
        drop(other);
        fs::remove_file(folder.join(FILE)).unwrap();
        drop(Store::open(&folder).unwrap());
        let later = Connection::open(folder.join(FILE)).unwrap();
        later.pragma_update(None, "user_version", VERSION + 1).unwrap();
        let error = Store::open(&folder).err().unwrap().to_string();
        assert!(error.contains("newer tengen"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
