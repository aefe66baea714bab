//! The games of a file that has several, as a list to choose from; problems with what is known of the solver's progress.

use tengen_board::sgf::{self, Record};
use tengen_engine::players::StopSignal;
use tengen_lab::problems::Problem;

use crate::{
    protocol::StoredGame,
    store::Store,
    table::{SOLVED, summary},
};

/// Games of a file that are listed.
const MAX_GAMES: usize = 2000;

/// The games of a file as far as they can be read, until nobody waits for them any more.
pub(crate) fn games(store: &Store, bytes: &[u8], stop: &StopSignal) -> Vec<StoredGame> {
    let Ok(text) = sgf::text_of(bytes) else { return Vec::new() };
    let records = sgf::games(&text).map_while(Result::ok).take_while(|_| !stop.is_stopped());
    let listed = records.take(MAX_GAMES).enumerate();
    listed
        .map(|(number, record)| StoredGame {
            id: number.to_string(),
            solved: Problem::is_one(&record).then(|| is_solved(store, &record)),
            ..summary(&record)
        })
        .collect()
}

fn is_solved(store: &Store, record: &Record) -> bool {
    let key = Problem::new(record.clone()).key();
    key.is_ok_and(|key| store.recall(&key).ok().flatten().as_deref() == Some(SOLVED))
}
