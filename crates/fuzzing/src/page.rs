//! The page's messages: the whole server, its sockets in memory, answers whatever a page sends.

use std::{env, io, process, sync::OnceLock, time::Duration};

use axum::serve::Listener;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tengen_web::{App, Config, Seat, Seats};
use tokio::{
    io::{DuplexStream, duplex},
    runtime::Runtime,
    sync::mpsc,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

/// Requests of a page in one run: fewer than the server takes at once.
const MAX_REQUESTS: usize = 40;
/// What the server may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends each line as a request, and those that begin with `(` as a record. The server must go on answering.
pub fn page(bytes: &[u8]) {
    // A search that somebody asks for goes on in the background and slows down all that follows.
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    if crate::asks_for_much(bytes) || has(b"review") || has(b"analyse") {
        return;
    }
    let (runtime, connections) = server();
    runtime.block_on(async {
        let (ours, theirs) = duplex(1 << 16);
        connections.send(theirs).await.expect("the server runs");
        let mut request = "ws://localhost/ws".into_client_request().expect("an address");
        request.headers_mut().insert("origin", HeaderValue::from_static("http://localhost"));
        let (mut socket, _) = client_async(request, ours).await.expect("the server accepts");
        for line in bytes.split(|&byte| byte == b'\n').take(MAX_REQUESTS) {
            let message = match std::str::from_utf8(line) {
                Ok(text) if !text.starts_with('(') => Message::Text(text.into()),
                _ => Message::Binary(line.to_vec().into()),
            };
            socket.send(message).await.expect("the server reads");
        }
        // Requests are answered in order, and a list of games is always given.
        socket
            .send(Message::Text(json!({"type": "list"}).to_string().into()))
            .await
            .expect("the server reads");
        await_message(&mut socket, "games").await;
        let _ = socket.close(None).await;
    });
}

async fn await_message(socket: &mut WebSocketStream<DuplexStream>, kind: &str) {
    loop {
        let message = timeout(PATIENCE, socket.next()).await.expect("the server answers in time");
        if let Message::Text(text) =
            message.expect("the connection holds").expect("the server speaks WebSocket")
        {
            let message: Value = serde_json::from_str(&text).expect("messages are JSON");
            assert!(!text.contains("Something went wrong"), "{text}");
            if message["type"] == kind {
                return;
            }
        }
    }
}

/// A server for all runs, with the weakest player in every seat, and what connects to it.
fn server() -> &'static (Runtime, mpsc::Sender<DuplexStream>) {
    static SERVER: OnceLock<(Runtime, mpsc::Sender<DuplexStream>)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let runtime = Runtime::new().expect("threads");
        let folder = env::temp_dir().join(format!("tengen-fuzzed-{}", process::id()));
        let mut config = Config { folder, ..Config::default() };
        (config.defaults.width, config.defaults.height) = (5, 5);
        config.defaults.seats = Seats { black: Seat::Human, white: Seat::engine("random") };
        let (sender, connections) = mpsc::channel(1);
        let app = App::new(config).expect("a store in a temporary folder");
        runtime.spawn(async move { axum::serve(InMemory(connections), app.router()).await });
        (runtime, sender)
    })
}

/// Connections that are no sockets.
struct InMemory(mpsc::Receiver<DuplexStream>);

impl Listener for InMemory {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        let connection = self.0.recv().await;
        (connection.expect("the sender lives as long as the process"), ())
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}
