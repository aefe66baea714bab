//! What is remembered from game to game besides the games: short texts by their names.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// Files of earlier versions have no such table, and these do without it.
pub(super) const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

impl Store {
    /// What was remembered under a name.
    pub(crate) fn recall(&self, name: &str) -> Result<Option<String>, StoreError> {
        let connection = self.connection();
        let mut find = connection.prepare_cached("SELECT value FROM memory WHERE name = ?1")?;
        Ok(find.query_row([name], |row| row.get(0)).optional()?)
    }

    /// Remembers something under a name instead of what was there.
    pub(crate) fn remember(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO memory (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
        self.connection().execute(sql, params![name, value])?;
        Ok(())
    }
}
