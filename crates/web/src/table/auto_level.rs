//! The level that follows the player's results: one up after a win, one down after a loss, on each size of board by itself.

use tengen_board::Outcome;

use super::Table;
use crate::{
    error::WebError,
    settings::{Seat, Settings},
    store::Store,
};

/// Where it begins.
const FIRST: u32 = 3;
/// The highest level.
const LAST: u32 = 10;

/// Boards that are about as large share their level.
fn name(width: usize, height: usize) -> String {
    let size = match width * height {
        0..=121 => 9,
        122..=256 => 13,
        _ => 19,
    };
    format!("auto-level-{size}")
}

/// The level that suits the player on a board of this size.
fn current(store: &Store, width: usize, height: usize) -> Result<u32, WebError> {
    let told = store.recall(&name(width, height)).map_err(|error| WebError::Store(error.to_string()))?;
    Ok(told.and_then(|level| level.parse().ok()).map_or(FIRST, |level: u32| level.clamp(1, LAST)))
}

/// The settings with the level that suits the player, where it is to follow the results.
pub(super) fn settled(store: &Store, settings: &Settings) -> Result<Settings, WebError> {
    let mut settings = settings.clone();
    if settings.auto {
        let level = format!("level-{}", current(store, settings.width, settings.height)?);
        for seat in [&mut settings.seats.black, &mut settings.seats.white] {
            if seat.is_engine() {
                *seat = Seat::engine(&level);
            }
        }
    }
    Ok(settings)
}

impl Table {
    /// Takes the result of a game into account, if the level is to follow it.
    pub(super) fn note_result(&mut self, outcome: Outcome) {
        let (Some(human), Some(winner)) = (self.human().filter(|_| self.auto), outcome.winner()) else {
            return;
        };
        let board = self.game.board();
        let (width, height) = (board.width(), board.height());
        let store = self.lobby.store();
        let noted = current(store, width, height).and_then(|level| {
            let level = next(level, winner == human);
            store
                .remember(&name(width, height), &level.to_string())
                .map_err(|error| WebError::Store(error.to_string()))
        });
        if let Err(error) = noted {
            self.notice = Some(error.to_string());
        }
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
        assert_eq!(
            [name(9, 9), name(13, 13), name(19, 19)].map(|name| name[11..].to_owned()),
            ["9", "13", "19"]
        );
    }
}
