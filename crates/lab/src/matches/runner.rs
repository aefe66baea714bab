//! Plays the games of a match on several threads.

use std::collections::BTreeMap;

use tengen_engine::players::StopSignal;

use super::{config::MatchConfig, error::MatchError, journal::Journal, record::GameRecord, table::Table};
use crate::parallel;

/// Plays the games with numbers below `games` that the journal does not have yet, `concurrency` at a time, and returns all
/// of them in order. `on_game` sees each game when it is over, after it has been written.
///
/// When `stop` is set, games under way are abandoned and what is there is returned.
pub fn run(
    config: &MatchConfig,
    games: usize,
    concurrency: usize,
    journal: &mut Journal,
    stop: &StopSignal,
    mut on_game: impl FnMut(&GameRecord),
) -> Result<Vec<GameRecord>, MatchError> {
    let mut records: BTreeMap<usize, GameRecord> =
        journal.take_records().into_iter().map(|record| (record.game, record)).collect();
    let missing: Vec<usize> = (0..games).filter(|game| !records.contains_key(game)).collect();
    let concurrency = concurrency.clamp(1, missing.len().max(1));
    parallel::work(
        &missing,
        concurrency,
        stop,
        || Table::new(config, concurrency, stop),
        Table::play,
        |record: GameRecord| {
            journal.append(config, &record)?;
            on_game(&record);
            records.insert(record.game, record);
            Ok(())
        },
    )?;
    Ok(records.into_values().filter(|record| record.game < games).collect())
}
