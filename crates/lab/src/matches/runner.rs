//! Plays the games of a match and keeps them.

use std::collections::{BTreeMap, BTreeSet};

use tengen_engine::players::StopSignal;

use super::{config::MatchConfig, error::MatchError, journal::Journal, record::GameRecord, table::Table};
use crate::{
    parallel,
    venue::{MatchOrder, News, Venue},
};

/// Has the games with numbers below `games` played that the journal does not have yet, and returns all of them in order. `on_game`
/// sees each game when it is over, after it has been written. Whatever order they were played in, the journal has them in the
/// order of their numbers when all are there.
///
/// When `stop` is set, games under way are abandoned and what is there is returned.
pub fn run(
    config: &MatchConfig,
    games: usize,
    venue: &dyn Venue,
    journal: &mut Journal,
    stop: &StopSignal,
    mut on_game: impl FnMut(&GameRecord),
) -> Result<Vec<GameRecord>, MatchError> {
    let file = journal.file();
    let mut records: BTreeMap<usize, GameRecord> =
        journal.take_records().into_iter().map(|record| (record.game, record)).collect();
    let there: BTreeSet<usize> = records.keys().copied().collect();
    let order = MatchOrder { config, games, there: &there, file: file.as_deref(), stop };
    venue.play_match(&order, &mut |news| {
        match news {
            News::Over(over) => {
                journal.append(config, &over)?;
                over.iter().for_each(&mut on_game);
                records.extend(over.into_iter().map(|record| (record.game, record)));
            }
            News::Withdrawn(wrong) => {
                records.retain(|game, _| !wrong.contains(game));
                journal.replace(records.values())?;
            }
        }
        Ok(())
    })?;
    if !journal.is_in_order() && !stop.is_stopped() {
        journal.replace(records.values())?;
    }
    Ok(records.into_values().filter(|record| record.game < games).collect())
}

/// Tables on this machine, each in a thread of its own.
pub struct Tables<'a> {
    config: &'a MatchConfig,
    concurrency: usize,
    stop: &'a StopSignal,
}

impl<'a> Tables<'a> {
    /// So many tables for a match. Games under way are abandoned when `stop` is set.
    pub fn new(config: &'a MatchConfig, concurrency: usize, stop: &'a StopSignal) -> Tables<'a> {
        Tables { config, concurrency, stop }
    }

    /// Plays these games; `on_game` sees each when it is over.
    pub fn play(
        &self,
        games: &[usize],
        on_game: impl FnMut(GameRecord) -> Result<(), MatchError>,
    ) -> Result<(), MatchError> {
        let table = || Table::new(self.config, self.concurrency, self.stop);
        parallel::work(games, self.concurrency, self.stop, table, Table::play, on_game)
    }
}
