//! A table: one game with its record, its players and whoever looks on.
//!
//! A table is a thread that takes events from a queue: requests of pages, answers of players, and its own clock. Nobody
//! else touches its state, so there are no locks. While no page is there nothing is searched and no clock runs; some
//! time later its thread ends.

mod clocks;
mod counting;
mod editing;
mod moves;
mod record;
mod review;
mod saved;
mod solving;
mod teaching;
mod thinking;
mod view;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use tengen_board::{
    Color, Game, Outcome,
    sgf::{NodeId, Record},
};
use tengen_engine::players::StopSignal;

use review::{ReviewNews, ReviewRun};
pub(crate) use saved::{SavedState, summary};
pub(crate) use solving::SOLVED;
use {clocks::Clocks, counting::Counting, saved::Storing, solving::Solving, thinking::Thinking};

use crate::{
    error::WebError,
    lobby::Lobby,
    outbox::{Outbox, text},
    protocol::{Command, Message, Report},
    settings::{Seats, Settings},
    store,
    thinker::Answer,
};

/// How long a table without a page keeps its players, so that a page can be reloaded.
const GRACE: Duration = Duration::from_secs(10);
/// Nodes of a record.
pub(crate) const MAX_NODES: usize = 20_000;

/// A page at a table: the number of its seat, and the way to it.
pub(crate) type Client = (u64, Outbox);

/// What happens to a table.
pub(crate) enum Event {
    /// A page sits down.
    Join(Client),
    /// A page leaves.
    Leave(u64),
    /// A page asks for something.
    Command(u64, Box<Command>),
    /// A player answers.
    Answer(Answer),
    /// A review goes on.
    Review(u64, ReviewNews),
    /// The server stops, or the game is deleted.
    Stop,
}

/// One game with its record and players.
#[allow(clippy::struct_excessive_bools, reason = "each changes apart from the others")]
pub(crate) struct Table {
    id: String,
    lobby: Arc<Lobby>,
    clients: Vec<Client>,
    events: Sender<Event>,
    queue: Receiver<Event>,
    seats: Seats,
    /// Shared with what a change could be taken back to.
    record: Arc<Record>,
    /// The position shown, and the game up to there.
    node: NodeId,
    game: Game,
    /// The continuation that was looked at last, where there are several.
    followed: BTreeMap<NodeId, NodeId>,
    /// Whether the record comes from a file: then moves are added as variations.
    is_study: bool,
    /// Whether engines and clocks stand still.
    paused: bool,
    /// After how many moves play was resumed although both had passed.
    resumed_at: usize,
    /// How the game ended, and where; from then on moves are only tried.
    ended: Option<(NodeId, Outcome)>,
    /// How the line that was tried last ended, and where.
    tried: Option<(NodeId, Outcome)>,
    counting: Option<Counting>,
    clocks: Clocks,
    thinking: Thinking,
    analysing: bool,
    /// Points that a move of the human's may lose without a warning; none without teaching.
    teach: Option<f32>,
    /// Whether the opponent's level follows the player's results.
    auto: bool,
    /// The problem that is being solved.
    solving: Option<Solving>,
    review: Option<ReviewRun>,
    /// The figures of the last review.
    report: Option<Report>,
    /// Told once, with the next state.
    notice: Option<String>,
    /// Whether nodes have other numbers than pages know.
    is_renumbered: bool,
    /// Nodes that pages have to be told of.
    news: Vec<NodeId>,
    storing: Storing,
    /// Since when nobody is here.
    empty_since: Option<Instant>,
}

impl Table {
    /// A game at its beginning.
    pub(crate) fn begin(lobby: &Arc<Lobby>, id: String, settings: &Settings) -> Result<Table, WebError> {
        let settings = settings.settled(lobby.store())?;
        let game = settings.game(lobby.roster())?;
        let info = record::info_of(&settings.seats, store::today());
        let record = Record::from_game(&game, &info);
        let mut table = Table::at(lobby, id, record, game);
        table.seats = settings.seats.clone();
        (table.teach, table.auto) = (settings.teach, settings.auto);
        table.clocks = Clocks::new(settings.time);
        Ok(table)
    }

    /// A record to study, the game of this number in a file, shown from its beginning.
    pub(crate) fn open(
        lobby: &Arc<Lobby>,
        id: String,
        sgf: &[u8],
        number: usize,
        stop: &StopSignal,
    ) -> Result<Table, WebError> {
        let record = record::read(sgf, number, stop)?;
        let game = record::game_at(&record, record.root())?;
        let mut table = Table::at(lobby, id, record, game);
        (table.is_study, table.paused) = (true, true);
        Ok(table)
    }

    /// The beginning of a record, without players or limits.
    fn at(lobby: &Arc<Lobby>, id: String, record: Record, game: Game) -> Table {
        let (events, queue) = mpsc::channel();
        Table {
            id,
            lobby: Arc::clone(lobby),
            clients: Vec::new(),
            events,
            queue,
            seats: Seats::STUDY,
            node: record.root(),
            record: Arc::new(record),
            game,
            followed: BTreeMap::new(),
            is_study: false,
            paused: false,
            resumed_at: 0,
            ended: None,
            tried: None,
            counting: None,
            clocks: Clocks::default(),
            thinking: Thinking::new(),
            analysing: false,
            teach: None,
            auto: false,
            solving: None,
            review: None,
            report: None,
            notice: None,
            is_renumbered: false,
            news: Vec::new(),
            storing: Storing::default(),
            empty_since: Some(Instant::now()),
        }
    }

    /// The id of the game.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Where events are put in.
    pub(crate) fn events(&self) -> Sender<Event> {
        self.events.clone()
    }

    /// Takes events until nobody has been here for a while, or the server stops.
    pub(crate) fn run(mut self) {
        loop {
            match self.queue.recv_timeout(self.until_next()) {
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.look_at_clock();
            self.end_hold();
            let now = Instant::now();
            if self.storing.due.is_some_and(|due| due <= now) {
                self.store_what_is_due();
            }
            self.look_who_is_here();
            if self.empty_since.is_some_and(|since| now >= since + GRACE) {
                break;
            }
        }
        self.close();
    }

    /// Ends the players, stores the rest, and leaves the lobby, unless a page has come meanwhile.
    fn close(mut self) {
        self.clients.clear();
        self.thinking.forget_players();
        self.review = None;
        // A game that was deleted is not missed.
        if let Err(error @ WebError::Store(_)) = self.store() {
            eprintln!("game {}: {error}", self.id);
        }
        // Whoever wants to sit down holds the lobby's lock while doing so.
        let lobby = Arc::clone(&self.lobby);
        let mut tables = lobby.tables();
        let late = self.queue.try_iter().find(|event| matches!(event, Event::Join(_)));
        let Some(late) = late.filter(|_| !*lobby.stopping().borrow()) else {
            tables.remove(&self.id);
            return;
        };
        drop(tables);
        self.handle(late);
        self.run();
    }

    /// How long nothing is due.
    fn until_next(&self) -> Duration {
        let now = Instant::now();
        let due = [
            self.storing.due,
            self.empty_since.map(|since| since + GRACE),
            self.hold_until(),
            self.is_clock_running().then(|| self.clocks.deadline(self.game.to_play())).flatten(),
        ];
        let next = due.into_iter().flatten().min();
        next.map_or(Duration::from_mins(1), |at| at.saturating_duration_since(now))
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Join(client) => self.join(client),
            Event::Leave(id) => self.leave(id),
            Event::Answer(answer) => self.answered(answer),
            Event::Review(id, news) => self.reviewed(id, news),
            Event::Command(id, command) => {
                // Where one looks can be stored later, what is played cannot.
                let result = if let Command::Goto { node } = *command {
                    self.go_to(node).map(|()| self.store_soon())
                } else {
                    self.attempt(|table| table.command(id, *command))
                };
                match result {
                    Ok(()) => self.changed(),
                    Err(error) => self.refuse(id, &error),
                }
            }
            Event::Stop => {}
        }
    }

    fn join(&mut self, client: Client) {
        self.clients.push(client);
        self.empty_since = None;
        self.update();
        let messages = [self.tree(), self.state(), self.review_message()];
        let id = self.clients.last().map_or(0, |client| client.0);
        for message in messages {
            self.send_to(id, &message);
        }
    }

    fn leave(&mut self, id: u64) {
        self.clients.retain(|client| client.0 != id);
    }

    /// When the last page has left, or does not read, nothing goes on.
    fn look_who_is_here(&mut self) {
        if self.clients.is_empty() && self.empty_since.is_none() {
            self.empty_since = Some(Instant::now());
            self.update();
        }
    }

    fn refuse(&mut self, id: u64, error: &WebError) {
        self.send_to(id, &Message::Error { message: error.to_string() });
    }

    fn command(&mut self, id: u64, command: Command) -> Result<(), WebError> {
        match command {
            Command::Play { at, anyway } => self.human_plays(at, anyway),
            Command::Resign => self.resign(),
            Command::Undo => self.undo(),
            Command::TakeBack => self.take_back(),
            Command::Goto { node } => self.go_to(node),
            Command::Pause => {
                self.paused = true;
                Ok(())
            }
            Command::Continue => self.go_on(),
            Command::Seats { seats } => self.reseat(seats),
            Command::ToggleDead { at } => self.toggle_dead(at),
            Command::Accept { anyway } => self.accept(anyway),
            Command::TakeProposal => self.take_proposal(),
            Command::Resume => self.resume(),
            Command::Analyse { on } => {
                self.analysing = on;
                Ok(())
            }
            Command::Hint => self.hint(),
            Command::Try { at } => self.try_move(at),
            Command::TryAgain => self.try_problem_again(),
            Command::Solution => self.show_solution(),
            Command::Review { playouts } => self.begin_review(playouts),
            Command::StopReview => {
                self.end_review();
                Ok(())
            }
            Command::Comment { text } => self.write_comment(&text),
            Command::Mark { at, kind, label } => self.mark(at, kind, &label),
            Command::Info { info } => self.write_info(&info),
            Command::SetUp { at, color } => self.set_up(at, color),
            Command::ToPlay { color } => self.set_to_play(color),
            Command::AddLine { moves } => self.add_line(&moves),
            Command::Promote => self.promote(),
            Command::DeleteLine => self.delete_line(),
            Command::Save => {
                let message = self.sgf();
                self.send_to(id, &message);
                Ok(())
            }
            // The lobby's.
            Command::New { .. }
            | Command::Join { .. }
            | Command::List { .. }
            | Command::Choose { .. }
            | Command::Problems { .. }
            | Command::Rename { .. }
            | Command::Delete { .. } => Ok(()),
        }
    }

    /// After any change: whoever is to think thinks, and the pages are told.
    fn changed(&mut self) {
        self.update();
        if std::mem::take(&mut self.is_renumbered) {
            self.news.clear();
            self.send_tree();
        }
        for node in std::mem::take(&mut self.news) {
            self.send_node(node);
        }
        let state = self.state();
        self.send(&state);
    }

    /// Brings clocks and searches in line with the state.
    fn update(&mut self) {
        self.update_counting();
        let is_running = self.is_clock_running();
        self.clocks.run(is_running);
        self.update_thinking();
    }

    /// Sends to every page. A page that does not read is dropped: it will come back and ask again.
    fn send(&mut self, message: &Message) {
        let Some(text) = text(message) else { return };
        self.clients.retain(|(seat, outbox)| outbox.send_to_seat(*seat, Arc::clone(&text)));
    }

    fn send_to(&mut self, id: u64, message: &Message) {
        let Some(text) = text(message) else { return };
        self.clients.retain(|(seat, outbox)| *seat != id || outbox.send_to_seat(*seat, Arc::clone(&text)));
    }

    /// The human's colour, if an engine plays the other.
    fn human(&self) -> Option<Color> {
        let human = Color::ALL.into_iter().find(|&color| !self.seats.of(color).is_engine())?;
        (self.seats.engines() == 1).then_some(human)
    }
}
