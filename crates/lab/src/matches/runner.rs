//! Plays the games of a match on several threads.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use tengen_engine::player::StopSignal;

use super::{config::MatchConfig, error::MatchError, journal::Journal, record::GameRecord, table::Table};

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
    let next = AtomicUsize::new(0);
    let (sender, finished) = mpsc::channel();
    let mut failure = None;
    thread::scope(|scope| {
        for _ in 0..concurrency {
            let (sender, next, missing) = (sender.clone(), &next, &missing[..]);
            scope.spawn(move || {
                let mut table = Table::new(config, concurrency, stop);
                while let Some(&game) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.is_stopped() {
                        return;
                    }
                    match table.play(game).transpose() {
                        None => return,
                        Some(result) => {
                            let failed = result.is_err();
                            if sender.send(result).is_err() || failed {
                                return;
                            }
                        }
                    }
                }
            });
        }
        drop(sender);
        for result in finished {
            let kept = result.and_then(|record: GameRecord| {
                journal.append(config, &record)?;
                Ok(record)
            });
            match kept {
                Ok(record) => {
                    on_game(&record);
                    records.insert(record.game, record);
                }
                Err(error) => {
                    failure.get_or_insert(error);
                    stop.stop();
                }
            }
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(records.into_values().filter(|record| record.game < games).collect()),
    }
}
