//! A page's connection: requests in, messages out, both bounded.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        State,
        ws::{Message as Frame, WebSocket, WebSocketUpgrade},
    },
    http::{StatusCode, Uri},
    response::{IntoResponse, Response},
};
use futures_util::{SinkExt, StreamExt};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::spawn_blocking,
    time::{Instant, sleep, timeout},
};

use crate::{
    access::parameter,
    error::WebError,
    lobby::{Lobby, Place},
    protocol::{Command, Message},
    table::Client,
};

/// Connections at once.
const MAX_CONNECTIONS: usize = 64;
/// The largest record that can be opened.
const MAX_RECORD: usize = 2 << 20;
/// The longest other request.
const MAX_REQUEST: usize = 16 << 10;
/// Messages that may wait for a page.
const QUEUE: usize = 256;
/// Requests a second in the long run.
const RATE: f64 = 20.0;
const BURST: f64 = 60.0;
/// How often a silent connection is tried.
const PING: Duration = Duration::from_secs(20);

/// What connections share.
#[derive(Clone)]
pub(crate) struct Sockets {
    lobby: Arc<Lobby>,
    permits: Arc<Semaphore>,
}

impl Sockets {
    pub(crate) fn new(lobby: Arc<Lobby>) -> Sockets {
        Sockets { lobby, permits: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

/// Opens a connection. The query may name a game to sit down at.
pub(crate) async fn connect(State(sockets): State<Sockets>, uri: Uri, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&sockets.permits).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many pages are open.").into_response();
    };
    let game = uri.query().and_then(|query| parameter(query, "game")).map(str::to_owned);
    upgrade
        .max_message_size(MAX_RECORD)
        .max_frame_size(MAX_RECORD)
        .on_upgrade(move |socket| serve(sockets.lobby, socket, game, permit))
}

async fn serve(lobby: Arc<Lobby>, socket: WebSocket, game: Option<String>, _permit: OwnedSemaphorePermit) {
    let (mut to_page, mut from_page) = socket.split();
    let (sender, mut queue) = mpsc::channel::<Arc<str>>(QUEUE);
    let mut connection = Connection { client: (lobby.next_client(), sender), lobby, place: None };
    connection.sit_down(game).await;
    let mut allowance = Allowance::new();
    loop {
        let frame = tokio::select! {
            text = queue.recv() => {
                let Some(text) = text else { break };
                // A page that does not read for so long is gone.
                match timeout(PING, to_page.send(Frame::Text((&*text).into()))).await {
                    Ok(Ok(())) => continue,
                    _ => break,
                }
            }
            frame = timeout(PING, from_page.next()) => frame,
        };
        match frame {
            Err(_) => {
                if to_page.send(Frame::Ping(Vec::new().into())).await.is_err() {
                    break;
                }
                continue;
            }
            Ok(Some(Ok(Frame::Text(text)))) => connection.text(&text).await,
            Ok(Some(Ok(Frame::Binary(bytes)))) => connection.record(bytes.to_vec()).await,
            Ok(Some(Ok(Frame::Ping(_) | Frame::Pong(_)))) => continue,
            Ok(Some(Ok(Frame::Close(_)) | Err(_)) | None) => break,
        }
        allowance.spend().await;
        if connection.is_dropped() {
            break;
        }
    }
}

/// A page and where it sits.
struct Connection {
    lobby: Arc<Lobby>,
    client: Client,
    place: Option<Place>,
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
            Command::List => {
                let lobby = Arc::clone(&self.lobby);
                let games = spawn_blocking(move || lobby.list()).await.unwrap_or_default();
                self.tell(&Message::Games { games });
                Ok(())
            }
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
        let result = self.at_table(move |lobby, client| lobby.open(&bytes, client)).await;
        self.complain(result);
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
        let place = found.unwrap_or(Err(WebError::NotNow("Something broke down: see the terminal.")))?;
        self.place = Some(place);
        Ok(())
    }

    fn complain(&self, result: Result<(), WebError>) {
        if let Err(error) = result {
            self.tell(&Message::Error { message: error.to_string() });
        }
    }

    fn tell(&self, message: &Message) {
        if let Ok(text) = serde_json::to_string(message) {
            // A full queue means that the page does not read; it will be dropped.
            let _ = self.client.1.try_send(text.into());
        }
    }

    /// Whether the table has given this page up because it does not read.
    fn is_dropped(&self) -> bool {
        self.client.1.capacity() == 0
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
