//! The tables of a server: beginning games, finding them again, and how many there may be.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::Sender,
    },
    thread,
    time::{Duration, Instant},
};

use tengen_board::{Color, Rules};
use tengen_engine::players::StopSignal;
use tengen_lab::problems;
use tokio::{
    sync::{Semaphore, watch},
    task::spawn_blocking,
    time::timeout,
};

use crate::{
    config::Config,
    error::WebError,
    id::new_id,
    protocol::{Hello, Message, ProblemSet, RuleSet, Search},
    roster::Roster,
    settings::{HUMAN, Settings},
    store::{Store, StoreError},
    table::{Client, Event, Table},
};

/// Games that can be open at once.
const MAX_TABLES: usize = 24;
/// Pages that can be connected at once.
const MAX_PAGES: u32 = 64;
/// Points that a move must have lost to become a problem.
const MISTAKE: f32 = 3.0;
/// Records that are read at once.
const MAX_OPENING: usize = 2;

/// The tables of a server.
pub(crate) struct Lobby {
    config: Config,
    store: Store,
    tables: Mutex<BTreeMap<String, OpenTable>>,
    clients: AtomicU64,
    stopping: watch::Sender<bool>,
    /// Room for pages.
    pub(crate) pages: Arc<Semaphore>,
    /// Room for records that are being read.
    pub(crate) opening: Semaphore,
}

/// A table that runs.
pub(crate) struct OpenTable {
    events: Sender<Event>,
    /// Shared with each [`Place`], which counts them.
    places: Arc<()>,
}

impl OpenTable {
    /// Sits a page down; `None` if the table is there no more.
    fn seat(&self, client: Client) -> Option<Place> {
        let place =
            Place { events: self.events.clone(), client: client.0, _counted: Arc::clone(&self.places) };
        client.1.sit_down(client.0);
        self.events.send(Event::Join(client)).is_ok().then_some(place)
    }

    fn has_pages(&self) -> bool {
        Arc::strong_count(&self.places) > 1
    }
}

impl Lobby {
    pub(crate) fn new(config: Config) -> Result<Arc<Lobby>, WebError> {
        let store = Store::open(&config.folder).map_err(|error| WebError::Folder(error.to_string()))?;
        Ok(Arc::new(Lobby {
            config,
            store,
            tables: Mutex::default(),
            clients: AtomicU64::new(0),
            stopping: watch::Sender::new(false),
            pages: Arc::new(Semaphore::new(MAX_PAGES as usize)),
            opening: Semaphore::new(MAX_OPENING),
        }))
    }

    pub(crate) fn roster(&self) -> &Roster {
        &self.config.roster
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn defaults(&self) -> &Settings {
        &self.config.defaults
    }

    /// The open tables, locked.
    pub(crate) fn tables(&self) -> MutexGuard<'_, BTreeMap<String, OpenTable>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a page's seat at a table.
    pub(crate) fn next_client(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// Becomes true when the server stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Sends the pages away, and waits until every game is stored and every player has ended, though not for ever.
    pub(crate) async fn stop(self: Arc<Self>, patience: Duration) {
        self.stopping.send_replace(true);
        let lobby = Arc::clone(&self);
        // Only when all have left there is room for as many as there can be.
        let pages = timeout(patience, self.pages.acquire_many(MAX_PAGES));
        let _ = tokio::join!(pages, spawn_blocking(move || lobby.stop_tables(patience)));
    }

    fn stop_tables(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            let tables = self.tables();
            if tables.is_empty() {
                return;
            }
            for table in tables.values() {
                let _ = table.events.send(Event::Stop);
            }
            drop(tables);
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn hello(&self) -> Hello {
        let mut rules: Vec<RuleSet> = Vec::new();
        for (name, set) in Rules::NAMED {
            // Of several names for the same rules the page shows the first.
            if set.name() == Some(name) {
                rules.push(RuleSet { name, komi: set.komi });
            }
        }
        Hello {
            version: env!("CARGO_PKG_VERSION"),
            players: self.roster().list(),
            rules,
            defaults: self.defaults().clone(),
            has_problems: self.config.problems.is_some(),
            token: self.config.token.as_ref().map(|token| token.secret().to_owned()),
        }
    }

    pub(crate) fn list(&self, search: &Search, from: u32) -> Result<Message, WebError> {
        let (games, total) = self.store.list(search, from).map_err(|error| unreadable(&error))?;
        Ok(Message::Games { games, from, total })
    }

    pub(crate) fn rename(&self, id: &str, name: &str) -> Result<(), WebError> {
        self.store.rename(id, name).map_err(|error| unstorable(&error))?.then_some(()).ok_or(WebError::NoGame)
    }

    /// Deletes a game at which nobody sits.
    pub(crate) fn delete(&self, id: &str) -> Result<(), WebError> {
        let tables = self.tables();
        if let Some(table) = tables.get(id) {
            if table.has_pages() {
                return Err(WebError::NotNow(
                    "This game is open: begin or open another one before you delete it.",
                ));
            }
            let _ = table.events.send(Event::Stop);
        }
        // Under the lock, so that nobody sits down meanwhile.
        self.store.delete(id).map_err(|error| unstorable(&error))?.then_some(()).ok_or(WebError::NoGame)
    }

    /// Begins a game and sits the page down there.
    pub(crate) fn begin(self: &Arc<Self>, settings: &Settings, client: Client) -> Result<Place, WebError> {
        self.open_table(Table::begin(self, new_id(), settings)?, client)
    }

    /// Opens the record of this number in a file and sits the page down there, unless it has left.
    pub(crate) fn open(
        self: &Arc<Self>,
        sgf: &[u8],
        number: usize,
        client: Client,
        stop: &StopSignal,
    ) -> Result<Place, WebError> {
        self.open_table(Table::open(self, new_id(), sgf, number, stop)?, client)
    }

    /// Opens the problem of this number in a file and sits the page down there, unless it has left.
    pub(crate) fn solve(
        self: &Arc<Self>,
        sgf: &[u8],
        number: usize,
        client: Client,
        stop: &StopSignal,
    ) -> Result<Place, WebError> {
        self.open_table(Table::solve(self, new_id(), sgf, number, stop)?, client)
    }

    /// A set of problems.
    pub(crate) fn problems(&self, set: ProblemSet) -> Result<Message, WebError> {
        let text = match set {
            ProblemSet::Starter => problems::starter(),
            ProblemSet::Mistakes => mistakes(&self.store)?,
            ProblemSet::Given => self.config.problems.clone().unwrap_or_default(),
        };
        if text.is_empty() {
            return Err(WebError::NotNow(
                "There are no such problems yet: review a finished game, and its mistakes are here.",
            ));
        }
        Ok(Message::Problems { text })
    }

    /// Sits the page down at a game that is open or stored.
    pub(crate) fn join(self: &Arc<Self>, id: &str, client: Client) -> Result<Place, WebError> {
        {
            let mut tables = self.tables();
            if let Some(table) = tables.get(id) {
                // A table removes itself, under this lock, before its thread ends; one that broke down did not.
                if let Some(place) = table.seat(client.clone()) {
                    return Ok(place);
                }
                tables.remove(id);
            }
        }
        let stored = self.store.load(id).map_err(|error| unreadable(&error))?.ok_or(WebError::NoGame)?;
        self.open_table(Table::restore(self, id, stored)?, client)
    }

    /// Starts the table's thread, unless another page was faster, and sits the page down.
    fn open_table(&self, table: Table, client: Client) -> Result<Place, WebError> {
        let mut tables = self.tables();
        if *self.stopping.borrow() {
            return Err(WebError::NotNow("The server is shutting down."));
        }
        if !tables.contains_key(table.id()) && tables.len() >= MAX_TABLES {
            // Those that wait for their pages to come back wait in vain.
            let (open, left): (Vec<_>, Vec<_>) = tables.values().partition(|table| table.has_pages());
            if open.len() >= MAX_TABLES {
                return Err(WebError::Limit(
                    "Too many games are open: close some pages and try again shortly.",
                ));
            }
            for table in left {
                let _ = table.events.send(Event::Stop);
            }
        }
        let open = tables.entry(table.id().to_owned()).or_insert_with(|| {
            let events = table.events();
            thread::spawn(|| table.run());
            OpenTable { events, places: Arc::default() }
        });
        open.seat(client).ok_or(WebError::NotNow("Something went wrong: see the terminal."))
    }
}

/// The mistakes in the latest games that were reviewed: the human's own, or both players' in a record.
fn mistakes(store: &Store) -> Result<String, WebError> {
    let (games, _) = store.list(&Search::default(), 0).map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    for game in games {
        let Some(stored) = store.load(&game.id).map_err(|error| unreadable(&error))? else { continue };
        let is_human = |color: &Color| game.names[color.index()] == HUMAN;
        let mut colors: Vec<Color> = Color::ALL.into_iter().filter(is_human).collect();
        if colors.is_empty() {
            colors.extend(Color::ALL);
        }
        for problem in problems::mistakes(&stored.record, &colors, MISTAKE) {
            text += &problem.to_sgf();
        }
    }
    Ok(text)
}

fn unreadable(error: &StoreError) -> WebError {
    WebError::Folder(error.to_string())
}

fn unstorable(error: &StoreError) -> WebError {
    WebError::Store(error.to_string())
}

/// Where a page sits. Dropping it leaves the table.
pub(crate) struct Place {
    events: Sender<Event>,
    client: u64,
    _counted: Arc<()>,
}

impl Place {
    /// Passes a request on to the table; whether it is there.
    pub(crate) fn send(&self, command: crate::protocol::Command) -> bool {
        self.events.send(Event::Command(self.client, Box::new(command))).is_ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Leave(self.client));
    }
}
