//! The level that follows the player's results: one up after a win, one down after a loss, on each size of board by itself. It is
//! kept where games are stored, so that the page and the terminal share it.

use crate::{error::WebError, store::Store};

/// Where it begins.
const FIRST: u32 = 3;
/// The highest level.
const LAST: u32 = 10;

/// The level that suits the player on boards of one size.
pub struct AutoLevel<'a> {
    store: &'a Store,
    /// What it is remembered by.
    name: String,
}

impl AutoLevel<'_> {
    /// The level on a board of this size; boards that are about as large share theirs.
    pub fn new(store: &Store, width: usize, height: usize) -> AutoLevel<'_> {
        let size = match width * height {
            0..=121 => 9,
            122..=256 => 13,
            _ => 19,
        };
        AutoLevel { store, name: format!("auto-level-{size}") }
    }

    /// The player to play against.
    pub fn player(&self) -> Result<String, WebError> {
        Ok(format!("level-{}", self.level()?))
    }

    /// Takes the result of a game into account.
    pub fn note(&self, has_won: bool) -> Result<(), WebError> {
        let level = next(self.level()?, has_won);
        self.store
            .remember(&self.name, &level.to_string())
            .map_err(|error| WebError::Store(error.to_string()))
    }

    fn level(&self) -> Result<u32, WebError> {
        let told = self.store.recall(&self.name).map_err(|error| WebError::Store(error.to_string()))?;
        Ok(told.and_then(|level| level.parse().ok()).map_or(FIRST, |level: u32| level.clamp(1, LAST)))
    }
}

fn next(level: u32, has_won: bool) -> u32 {
    if has_won { (level + 1).min(LAST) } else { (level - 1).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_stays_among_the_levels() {
        assert_eq!([next(3, true), next(3, false), next(10, true), next(1, false)], [4, 2, 10, 1]);
    }

    #[test]
    fn each_size_of_board_has_a_level_of_its_own() {
        let folder = std::env::temp_dir().join(format!("tengen-auto-level-{}", std::process::id()));
        let store = Store::open(&folder).unwrap();
        AutoLevel::new(&store, 9, 9).note(true).unwrap();
        AutoLevel::new(&store, 7, 9).note(true).unwrap();
        AutoLevel::new(&store, 13, 13).note(false).unwrap();
        let players = [9, 13, 19].map(|size| AutoLevel::new(&store, size, size).player().unwrap());
        assert_eq!(players, ["level-5", "level-2", "level-3"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
