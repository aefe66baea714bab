//! The library: finding, renaming, deleting and exporting games.

use rusqlite::{OptionalExtension, Params, Row};

use super::{Store, StoreError, connect, nodes};
use crate::protocol::{Ended, Search, StoredGame};

/// Games on a page of the list.
pub(crate) const PAGE: usize = 20;
/// The longest name of a game, and the longest text that is searched for, in letters.
const MAX_NAME: usize = 100;

/// What is searched for. Times are in milliseconds.
const FOUND: &str = "FROM games WHERE
    (?1 = '%%' OR black LIKE ?1 ESCAPE '\\' OR white LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\')
    AND (?2 IS NULL OR (width = ?2 AND height = ?2))
    AND (?3 IS NULL OR changed >= ?3 * 1000)
    AND (?4 IS NULL OR changed < ?4 * 1000)
    AND CASE ?5
        WHEN 'black' THEN result LIKE 'B+%'
        WHEN 'white' THEN result LIKE 'W+%'
        WHEN 'draw' THEN result = '0'
        WHEN 'none' THEN result IS NULL
        ELSE 1 END";

impl Store {
    /// A page of the games that a search finds, the latest first, and how many there are in all.
    pub(crate) fn list(&self, search: &Search, from: u32) -> Result<(Vec<StoredGame>, u32), StoreError> {
        let connection = self.connection();
        let count = format!("SELECT count(*) {FOUND}");
        let total = connection.query_row(&count, values(search), |row| row.get(0))?;
        let page = format!(
            "SELECT id, name, black, white, width, height, moves, result, changed / 1000 {FOUND}
             ORDER BY changed DESC, id LIMIT {PAGE} OFFSET {from}"
        );
        let mut page = connection.prepare_cached(&page)?;
        let games = page.query_map(values(search), game)?.collect::<Result<_, _>>()?;
        Ok((games, total))
    }

    /// Gives a game another name; whether it is there.
    pub(crate) fn rename(&self, id: &str, name: &str) -> Result<bool, StoreError> {
        let name: String = name.trim().chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        Ok(self.connection().execute("UPDATE games SET name = ?2 WHERE id = ?1", [id, &name])? > 0)
    }

    /// Deletes a game for good; whether it was there.
    pub(crate) fn delete(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.connection().execute("DELETE FROM games WHERE id = ?1", [id])? > 0)
    }

    /// Passes the records that a search finds to `take`, the latest first, until it wants no more. They are read by a
    /// connection of its own, one at a time, so that nobody has to wait.
    pub(crate) fn export(
        &self,
        search: &Search,
        mut take: impl FnMut(String) -> bool,
    ) -> Result<(), StoreError> {
        let mut connection = connect(&self.path)?;
        let ids: Vec<String> = {
            let mut find = connection.prepare(&format!("SELECT id {FOUND} ORDER BY changed DESC, id"))?;
            find.query_map(values(search), |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        for id in ids {
            let transaction = connection.transaction()?;
            let name: Option<String> = transaction
                .query_row("SELECT name FROM games WHERE id = ?1", [&id], |row| row.get(0))
                .optional()?;
            // One that was deleted meanwhile is not exported.
            let Some(name) = name else { continue };
            let mut record = nodes::record(&transaction, &id)?;
            if !name.is_empty() {
                record.set_text(record.root(), "GN", &name);
            }
            if !take(record.to_sgf() + "\n") {
                break;
            }
        }
        Ok(())
    }
}

/// The values of [`FOUND`].
fn values(search: &Search) -> impl Params {
    let text: String = search.text.chars().take(MAX_NAME).collect();
    let text = text.trim().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let result = search.result.map(|result| match result {
        Ended::Black => "black",
        Ended::White => "white",
        Ended::Draw => "draw",
        Ended::None => "none",
    });
    (format!("%{text}%"), search.size, search.since, search.until, result)
}

fn game(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
    Ok(StoredGame {
        id: row.get(0)?,
        name: row.get(1)?,
        names: [row.get(2)?, row.get(3)?],
        size: [row.get(4)?, row.get(5)?],
        moves: row.get(6)?,
        result: row.get(7)?,
        time: row.get(8)?,
        solved: None,
    })
}
