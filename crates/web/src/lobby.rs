//! The tables of a server: beginning games, finding them again, and how many there may be.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::Sender,
    },
    thread,
};

use tengen_board::Rules;

use crate::{
    config::Config,
    error::WebError,
    id::new_id,
    protocol::{Hello, RuleSet, StoredGame},
    roster::Roster,
    settings::Settings,
    store::Store,
    table::{Client, Event, Table},
};

/// Games that can be open at once.
const MAX_TABLES: usize = 24;

/// The tables of a server.
pub(crate) struct Lobby {
    config: Config,
    store: Store,
    tables: Mutex<BTreeMap<String, Sender<Event>>>,
    clients: AtomicU64,
}

impl Lobby {
    pub(crate) fn new(config: Config) -> Arc<Lobby> {
        let store = Store::new(&config.folder);
        Arc::new(Lobby { config, store, tables: Mutex::default(), clients: AtomicU64::new(0) })
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
    pub(crate) fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Sender<Event>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a page's seat at a table.
    pub(crate) fn next_client(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed)
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
        }
    }

    pub(crate) fn list(&self) -> Vec<StoredGame> {
        self.store.list()
    }

    /// Begins a game and sits the page down there.
    pub(crate) fn begin(self: &Arc<Self>, settings: &Settings, client: Client) -> Result<Place, WebError> {
        self.open_table(Table::begin(self, new_id(), settings)?, client)
    }

    /// Opens a record and sits the page down there.
    pub(crate) fn open(self: &Arc<Self>, sgf: &[u8], client: Client) -> Result<Place, WebError> {
        self.open_table(Table::open(self, new_id(), sgf)?, client)
    }

    /// Sits the page down at a game that is open or stored.
    pub(crate) fn join(self: &Arc<Self>, id: &str, client: Client) -> Result<Place, WebError> {
        {
            let mut tables = self.tables();
            if let Some(events) = tables.get(id).cloned() {
                let place = Place { events: events.clone(), client: client.0 };
                // A table removes itself, under this lock, before its thread ends; one that broke down did not.
                if events.send(Event::Join(client.clone())).is_ok() {
                    return Ok(place);
                }
                tables.remove(id);
            }
        }
        let saved = self.store.load(id).ok_or(WebError::NoGame)?;
        self.open_table(Table::restore(self, saved)?, client)
    }

    /// Starts the table's thread, unless another page was faster, and sits the page down.
    fn open_table(&self, table: Table, client: Client) -> Result<Place, WebError> {
        let mut tables = self.tables();
        if !tables.contains_key(table.id()) && tables.len() >= MAX_TABLES {
            return Err(WebError::Limit("Too many games are open: close some pages and try again shortly."));
        }
        let events = tables.entry(table.id().to_owned()).or_insert_with(|| {
            let events = table.events();
            thread::spawn(|| table.run());
            events
        });
        let place = Place { events: events.clone(), client: client.0 };
        let _ = events.send(Event::Join(client));
        Ok(place)
    }
}

/// Where a page sits. Dropping it leaves the table.
pub(crate) struct Place {
    events: Sender<Event>,
    client: u64,
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
