//! A page's connection: requests in, messages out, both bounded.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        State,
        ws::{CloseFrame, Message as Frame, WebSocket, WebSocketUpgrade, close_code},
    },
    http::{StatusCode, Uri},
    response::{IntoResponse, Response},
};
use futures_util::{SinkExt, StreamExt};
use tengen_engine::players::StopSignal;
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    task::spawn_blocking,
    time::{Instant, interval, sleep, timeout},
};

use crate::{
    access::parameter,
    collection,
    error::WebError,
    lobby::{Lobby, Place},
    outbox::Outbox,
    protocol::{Command, Message},
    table::Client,
};

/// The largest record that can be opened.
const MAX_RECORD: usize = 2 << 20;
/// The longest other request.
const MAX_REQUEST: usize = 16 << 10;
/// Requests a second in the long run.
const RATE: f64 = 20.0;
const BURST: f64 = 60.0;
/// How often a page is asked whether it is there.
const PING: Duration = Duration::from_secs(2);
/// A page from which nothing has come for so long, not even an answer to that, is gone.
const SILENCE: Duration = Duration::from_secs(8);
/// How long a page may take to read a message.
const SEND: Duration = Duration::from_secs(8);

/// Opens a connection. The query may name a game to sit down at.
pub(crate) async fn connect(
    State(lobby): State<Arc<Lobby>>,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(permit) = Arc::clone(&lobby.pages).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many pages are open.").into_response();
    };
    let game = uri.query().and_then(|query| parameter(query, "game")).map(str::to_owned);
    upgrade
        .max_message_size(MAX_RECORD)
        .max_frame_size(MAX_RECORD)
        .on_upgrade(move |socket| serve(lobby, socket, game, permit))
}

async fn serve(lobby: Arc<Lobby>, socket: WebSocket, game: Option<String>, _permit: OwnedSemaphorePermit) {
    let (mut to_page, mut from_page) = socket.split();
    let (outbox, mut parcels) = Outbox::new();
    let (requests, mut to_do) = mpsc::channel(1);
    let mut stopping = lobby.stopping();
    let client = (lobby.next_client(), outbox.clone());
    let mut connection = Connection { client, lobby, place: None, chosen: None };
    let write = async {
        let mut pings = interval(PING);
        loop {
            let frame = tokio::select! {
                parcel = parcels.recv() => match parcel {
                    Some(parcel) => (Frame::Text((&*parcel.text).into()), Some(parcel)),
                    None => break,
                },
                _ = pings.tick() => (Frame::Ping(Vec::new().into()), None),
            };
            if !matches!(timeout(SEND, to_page.send(frame.0)).await, Ok(Ok(()))) {
                break;
            }
        }
    };
    // Apart from the work, so that it is noticed when the page leaves in the middle of it.
    let read = async {
        loop {
            match timeout(SILENCE, from_page.next()).await {
                Ok(Some(Ok(frame @ (Frame::Text(_) | Frame::Binary(_))))) => {
                    if requests.send(frame).await.is_err() {
                        break;
                    }
                }
                Ok(Some(Ok(Frame::Ping(_) | Frame::Pong(_)))) => {}
                _ => break,
            }
        }
    };
    let work = async {
        connection.sit_down(game).await;
        let mut allowance = Allowance::new();
        while let Some(frame) = to_do.recv().await {
            match frame {
                Frame::Text(text) => connection.text(&text).await,
                Frame::Binary(bytes) => connection.record(bytes.into()).await,
                _ => {}
            }
            allowance.spend().await;
        }
    };
    let is_stopping = tokio::select! {
        () = write => false,
        () = read => false,
        () = work => false,
        () = outbox.overflowed() => false,
        stopping = stopping.wait_for(|&stopping| stopping) => stopping.is_ok(),
    };
    drop(connection);
    if is_stopping {
        let farewell = CloseFrame { code: close_code::AWAY, reason: "The server has ended.".into() };
        let _ = timeout(SEND, to_page.send(Frame::Close(Some(farewell)))).await;
    }
}

/// A page and where it sits.
struct Connection {
    lobby: Arc<Lobby>,
    client: Client,
    place: Option<Place>,
    /// The game of the next file that is to be opened, and whether it is to be solved.
    chosen: Option<(usize, bool)>,
}

impl Connection {
    /// At the game it names, else at a fresh one.
    async fn sit_down(&mut self, game: Option<String>) {
        self.tell(&Message::Hello(Box::new(self.lobby.hello())));
        if let Some(id) = game {
            match self.at_table(move |lobby, client| lobby.join(&id, client)).await {
                Ok(()) => return,
                Err(error) => self.tell(&Message::Error { message: error.to_string() }),
            }
        }
        let settings = self.lobby.defaults().clone();
        let begun = self.at_table(move |lobby, client| lobby.begin(&settings, client)).await;
        self.complain(begun);
    }

    async fn text(&mut self, text: &str) {
        if text.len() > MAX_REQUEST {
            return self.complain(Err(WebError::Message("it is too long".to_owned())));
        }
        let command = match serde_json::from_str(text) {
            Ok(command) => command,
            Err(error) => return self.complain(Err(WebError::Message(error.to_string()))),
        };
        let result = match command {
            Command::New { settings } => {
                self.at_table(move |lobby, client| lobby.begin(&settings, client)).await
            }
            Command::Join { game } => self.at_table(move |lobby, client| lobby.join(&game, client)).await,
            Command::List { search, from } => {
                self.in_library(move |lobby| lobby.list(&search, from)).await.map(|games| self.tell(&games))
            }
            Command::Choose { game, solve } => {
                self.chosen = Some((game, solve));
                Ok(())
            }
            Command::Problems { set } => {
                self.in_library(move |lobby| lobby.problems(set)).await.map(|problems| self.tell(&problems))
            }
            Command::Rename { game, name } => self.in_library(move |lobby| lobby.rename(&game, &name)).await,
            Command::Delete { game } => self.in_library(move |lobby| lobby.delete(&game)).await,
            command => {
                let is_taken = self.place.as_ref().is_some_and(|place| place.send(command));
                let closed =
                    WebError::NotNow("No game is open here: begin one, or choose one from the list.");
                if is_taken { Ok(()) } else { Err(closed) }
            }
        };
        self.complain(result);
    }

    async fn record(&mut self, bytes: Vec<u8>) {
        let lobby = Arc::clone(&self.lobby);
        let Ok(_turn) = lobby.opening.acquire().await else { return };
        let leaving = Leaving::default();
        let stop = leaving.0.clone();
        let bytes = Arc::new(bytes);
        let chosen = self.chosen.take();
        if chosen.is_none() {
            let (bytes, stop) = (Arc::clone(&bytes), stop.clone());
            let games =
                self.in_library(move |lobby| Ok(collection::games(lobby.store(), &bytes, &stop))).await;
            match games {
                Ok(games) if games.len() > 1 || games.iter().any(|game| game.solved.is_some()) => {
                    return self.tell(&Message::Collection { games });
                }
                Ok(_) => {}
                Err(error) => return self.complain(Err(error)),
            }
        }
        let (number, solve) = chosen.unwrap_or_default();
        let result = if solve {
            self.at_table(move |lobby, client| lobby.solve(&bytes, number, client, &stop)).await
        } else {
            self.at_table(move |lobby, client| lobby.open(&bytes, number, client, &stop)).await
        };
        self.complain(result);
    }

    /// Looks something up, or changes something, in the store.
    async fn in_library<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lobby) -> Result<T, WebError> + Send + 'static,
    ) -> Result<T, WebError> {
        let lobby = Arc::clone(&self.lobby);
        spawn_blocking(move || work(&lobby)).await.unwrap_or(Err(BROKEN))
    }

    /// Changes tables. The old one is left only if there is a new one.
    async fn at_table(
        &mut self,
        find: impl FnOnce(&Arc<Lobby>, Client) -> Result<Place, WebError> + Send + 'static,
    ) -> Result<(), WebError> {
        // A number for each seat: who sits down at the same table again leaves the old seat, not the new one.
        self.client.0 = self.lobby.next_client();
        let (lobby, client) = (Arc::clone(&self.lobby), self.client.clone());
        let found = spawn_blocking(move || find(&lobby, client)).await;
        let place = found.unwrap_or(Err(BROKEN))?;
        self.place = Some(place);
        Ok(())
    }

    fn complain(&self, result: Result<(), WebError>) {
        if let Err(error) = result {
            self.tell(&Message::Error { message: error.to_string() });
        }
    }

    fn tell(&self, message: &Message) {
        // A page that does not read is sent away by `serve`.
        let _ = self.client.1.tell(message);
    }
}

const BROKEN: WebError = WebError::NotNow("Something went wrong: see the terminal.");

/// Stops what was begun for a page when it leaves.
#[derive(Default)]
struct Leaving(StopSignal);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// How many requests are left. Who has none left waits, so that a page that floods slows down only itself.
struct Allowance {
    left: f64,
    at: Instant,
}

impl Allowance {
    fn new() -> Allowance {
        Allowance { left: BURST, at: Instant::now() }
    }

    async fn spend(&mut self) {
        let now = Instant::now();
        self.left = (self.left + now.duration_since(self.at).as_secs_f64() * RATE).min(BURST) - 1.0;
        self.at = now;
        if self.left < 0.0 {
            sleep(Duration::from_secs_f64(-self.left / RATE)).await;
        }
    }
}
