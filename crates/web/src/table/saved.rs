//! A table as it is stored, so that a game outlives the server.
//!
//! A change is stored before any page is told of it. One that cannot be stored is taken back, so that pages never see what
//! the store does not know; if another server was faster the game is read again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tengen_board::{
    Game, Outcome,
    sgf::{NodeId, Record},
};
use tengen_engine::{players::StopSignal, time::TimeSettings};

use super::{Table, clocks::Clocks, counting::Counting, record};
use crate::{
    error::WebError,
    lobby::Lobby,
    protocol::{Report, StoredGame},
    settings::Seats,
    store::{Change, StoreError, Stored, rows},
};

/// How long the position shown and what engines think wait to be stored.
const STORE_AFTER: Duration = Duration::from_millis(300);
/// How long until it is tried again.
const STORE_AGAIN: Duration = Duration::from_secs(20);
/// The longest name of a player that is stored, in letters.
const MAX_NAME: usize = 100;

/// What is stored of a table besides its record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedState {
    pub(crate) seats: Seats,
    pub(crate) time: TimeSettings,
    pub(crate) is_study: bool,
    pub(crate) paused: bool,
    pub(crate) resumed_at: usize,
    /// The number of the node that is shown.
    pub(crate) node: u32,
    /// The number of the node at which the game has ended; a study has no end of its own.
    pub(crate) end: Option<u32>,
    /// Points that a move may lose without a warning.
    #[serde(default)]
    pub(crate) teach: Option<f32>,
    /// The figures of the last review.
    #[serde(default)]
    pub(crate) report: Option<Report>,
    /// Whether the opponent's level follows the player's results.
    #[serde(default)]
    pub(crate) auto: bool,
}

impl SavedState {
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("it has no keys but texts")
    }
}

/// What the store knows of a table, and what it does not know yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Storing {
    /// The version that is stored; none before the first move.
    version: Option<i64>,
    state: Option<SavedState>,
    /// Nodes that are new or have changed.
    changed: BTreeSet<NodeId>,
    /// When to store what can wait.
    pub(super) due: Option<Instant>,
}

impl Storing {
    /// These nodes have changed.
    pub(super) fn note_all(&mut self, nodes: &[NodeId]) {
        self.changed.extend(nodes);
    }
}

/// What a change can change, as it was before.
pub(super) struct Before {
    seats: Seats,
    record: Arc<Record>,
    node: NodeId,
    game: Game,
    followed: BTreeMap<NodeId, NodeId>,
    paused: bool,
    resumed_at: usize,
    ended: Option<(NodeId, Outcome)>,
    tried: Option<(NodeId, Outcome)>,
    counting: Option<Counting>,
    clocks: Clocks,
    changed: BTreeSet<NodeId>,
}

impl Table {
    /// The record, to change it at a node.
    pub(super) fn change_record(&mut self, node: NodeId) -> &mut Record {
        self.storing.changed.insert(node);
        Arc::make_mut(&mut self.record)
    }

    /// Makes a change and stores it. If either is not possible everything is as it was before.
    pub(super) fn attempt(
        &mut self,
        change: impl FnOnce(&mut Table) -> Result<(), WebError>,
    ) -> Result<(), WebError> {
        let before = self.before();
        let result = change(self).and_then(|()| {
            self.update_counting();
            self.store()
        });
        if result.is_err() {
            self.take_back_to(before);
        }
        if result == Err(WebError::Elsewhere) {
            self.read_again();
        }
        result
    }

    fn before(&self) -> Before {
        Before {
            seats: self.seats.clone(),
            record: Arc::clone(&self.record),
            node: self.node,
            game: self.game.clone(),
            followed: self.followed.clone(),
            paused: self.paused,
            resumed_at: self.resumed_at,
            ended: self.ended,
            tried: self.tried,
            counting: self.counting.clone(),
            clocks: self.clocks.clone(),
            changed: self.storing.changed.clone(),
        }
    }

    fn take_back_to(&mut self, before: Before) {
        Before {
            seats: self.seats,
            record: self.record,
            node: self.node,
            game: self.game,
            followed: self.followed,
            paused: self.paused,
            resumed_at: self.resumed_at,
            ended: self.ended,
            tried: self.tried,
            counting: self.counting,
            clocks: self.clocks,
            changed: self.storing.changed,
        } = before;
        self.news.clear();
    }

    /// Has everything stored before long.
    pub(super) fn store_soon(&mut self) {
        self.storing.due.get_or_insert_with(|| Instant::now() + STORE_AFTER);
    }

    /// Stores what could wait until now.
    pub(super) fn store_what_is_due(&mut self) {
        match self.store() {
            Ok(()) => {}
            Err(WebError::Elsewhere) => self.read_again(),
            Err(error) => {
                self.storing.due = Some(Instant::now() + STORE_AGAIN);
                self.notice = Some(error.to_string());
                self.changed();
            }
        }
    }

    /// Stores all that the store does not know; a game begins with its first move. What is tried in problems is not kept.
    pub(super) fn store(&mut self) -> Result<(), WebError> {
        self.storing.due = None;
        let state = self.saved_state();
        let is_stored = self.storing.changed.is_empty() && self.storing.state.as_ref() == Some(&state);
        if self.record.len() < 2 || is_stored || self.solving.is_some() {
            return Ok(());
        }
        let (record, changed) = (&self.record, &self.storing.changed);
        let is_new = self.storing.version.is_none();
        let change = Change {
            game: &self.stored_game(),
            state: &state.to_json(),
            from: self.storing.version,
            nodes: rows(record, |id| is_new || changed.contains(&id)),
            len: record.len(),
        };
        let version = self.lobby.store().save(&change).map_err(|error| match error {
            StoreError::Changed => WebError::Elsewhere,
            StoreError::Gone => WebError::NoGame,
            error => WebError::Store(error.to_string()),
        })?;
        self.storing.version = Some(version);
        self.storing.state = Some(state);
        self.storing.changed.clear();
        Ok(())
    }

    fn saved_state(&self) -> SavedState {
        SavedState {
            seats: self.seats.clone(),
            time: self.clocks.settings(),
            is_study: self.is_study,
            paused: self.paused,
            resumed_at: self.resumed_at,
            node: self.node.number(),
            end: self.ended.map(|(node, _)| node.number()),
            teach: self.teach,
            report: self.report.clone(),
            auto: self.auto,
        }
    }

    fn stored_game(&self) -> StoredGame {
        StoredGame { id: self.id.clone(), ..summary(&self.record) }
    }

    /// The table that was stored.
    pub(crate) fn restore(lobby: &Arc<Lobby>, id: &str, stored: Stored) -> Result<Table, WebError> {
        record::check(&stored.record, &StopSignal::default())?;
        let game = record::game_at(&stored.record, stored.record.root())?;
        let mut table = Table::at(lobby, id.to_owned(), Record::new(), game);
        table.take_over(stored)?;
        Ok(table)
    }

    fn take_over(&mut self, stored: Stored) -> Result<(), WebError> {
        let Stored { version, state, record } = stored;
        let state: SavedState =
            serde_json::from_str(&state).map_err(|error| WebError::Store(error.to_string()))?;
        let find = |number| record.find(number).unwrap_or(record.root());
        let node = find(state.node);
        self.game = record::game_at(&record, node)?;
        self.ended = state.end.map(find).zip(record.info().result);
        self.tried = None;
        self.teach = state.teach;
        self.report.clone_from(&state.report);
        self.auto = state.auto;
        self.record = Arc::new(record);
        self.node = node;
        // A player that is not offered any more leaves its seat to the human.
        if state.seats.check(self.lobby.roster()).is_ok() {
            self.seats = state.seats.clone();
        }
        (self.is_study, self.paused, self.resumed_at) = (state.is_study, state.paused, state.resumed_at);
        self.clocks = Clocks::new(state.time);
        self.clocks.read(&self.record, node);
        self.counting = None;
        self.followed.clear();
        self.storing = Storing { version: Some(version), state: Some(state), ..Storing::default() };
        Ok(())
    }

    /// Another server has gone on with the game: shows how it stands now.
    fn read_again(&mut self) {
        self.thinking.forget_players();
        self.end_review();
        let read = match self.lobby.store().load(&self.id) {
            Ok(Some(stored)) => self.take_over(stored),
            Ok(None) => Err(WebError::NoGame),
            Err(error) => Err(WebError::Store(error.to_string())),
        };
        if let Err(error) = read {
            self.notice = Some(error.to_string());
        }
        self.send_tree();
        self.changed();
    }
}

/// What a list of games says about a record.
pub(crate) fn summary(record: &Record) -> StoredGame {
    let info = record.info();
    let name = |told: Option<String>| match told {
        Some(name) => name.chars().take(MAX_NAME).collect(),
        None => "unknown".to_owned(),
    };
    let (width, height) = record.size().unwrap_or((19, 19));
    StoredGame {
        id: String::new(),
        name: info.name.map(|told| name(Some(told))).unwrap_or_default(),
        names: [name(info.black), name(info.white)],
        size: [width as u32, height as u32],
        moves: record.main_nodes().count() as u32 - 1,
        result: info.result.map(|result| result.to_string()),
        time: 0,
        solved: None,
    }
}
