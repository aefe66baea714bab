//! A table as it is stored, so that a game outlives the server.

use std::{sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use tengen_board::sgf::{NodeId, Record};
use tengen_engine::clock::TimeSettings;

use super::{STORE_AFTER, Table, clocks::Clocks, record};
use crate::{error::WebError, lobby::Lobby, protocol::StoredGame, settings::Seats};

/// What is stored of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) game: StoredGame,
    seats: Seats,
    time: TimeSettings,
    is_study: bool,
    paused: bool,
    resumed_at: usize,
    /// The way from the root to the position shown: which continuation each time.
    path: Vec<usize>,
    /// The way to where the game has ended; a study has no end of its own.
    end: Option<Vec<usize>>,
    sgf: String,
}

impl Table {
    pub(super) fn store_soon(&mut self) {
        self.store_at.get_or_insert_with(|| Instant::now() + STORE_AFTER);
    }

    /// Stores the game, if there is anything to store.
    pub(super) fn store(&mut self) {
        self.store_at = None;
        if self.record.len() < 2 {
            return;
        }
        if let Err(error) = self.lobby.store().save(&self.saved()) {
            self.notice = Some(format!("this game cannot be stored: {error}"));
        }
    }

    fn saved(&self) -> Saved {
        let info = self.record.info();
        let name = |told: Option<String>| told.unwrap_or_else(|| "unknown".to_owned());
        let game = StoredGame {
            id: self.id.clone(),
            names: [name(info.black), name(info.white)],
            size: [self.game.board().width(), self.game.board().height()],
            moves: self.record.main_nodes().count() - 1,
            result: info.result.map(|result| result.to_string()),
            time: 0,
        };
        Saved {
            game,
            seats: self.seats.clone(),
            time: self.clocks.settings(),
            is_study: self.is_study,
            paused: self.paused,
            resumed_at: self.resumed_at,
            path: path(&self.record, self.node),
            end: self.ended.filter(|_| !self.is_study).map(|(node, _)| path(&self.record, node)),
            sgf: self.record.to_sgf(),
        }
    }

    /// The table that was stored.
    pub(crate) fn restore(lobby: &Arc<Lobby>, saved: Saved) -> Result<Table, WebError> {
        let record = record::read(saved.sgf.as_bytes())?;
        let follow = |path: &[usize]| {
            let step = |node, &continuation| record.children(node).nth(continuation).unwrap_or(node);
            path.iter().fold(record.root(), step)
        };
        let node = follow(&saved.path);
        let end = saved.end.as_deref().map(follow);
        let game = record.game_at(node).map_err(|error| WebError::Record(error.to_string()))?;
        let mut table = Table::at(lobby, saved.game.id, record, game);
        table.node = node;
        // A player that is not offered any more leaves its seat to the human.
        if saved.seats.check(lobby.roster()).is_ok() {
            table.seats = saved.seats;
        }
        (table.is_study, table.paused, table.resumed_at) = (saved.is_study, saved.paused, saved.resumed_at);
        table.ended = end.zip(table.record.info().result);
        table.clocks = Clocks::new(saved.time);
        table.clocks.read(&table.record, node);
        Ok(table)
    }
}

/// Which continuation leads from each node to the next.
fn path(record: &Record, node: NodeId) -> Vec<usize> {
    let nodes = record.path(node);
    let step = |pair: &[NodeId]| record.children(pair[0]).position(|child| child == pair[1]).unwrap_or(0);
    nodes.windows(2).map(step).collect()
}
