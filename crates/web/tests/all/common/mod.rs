//! A server and pages that speak to it.
#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test may fail; clippy does not see that this file belongs to one")]

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tengen_web::{App, Config};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

/// A server on a free port with a folder of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    task: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Server {
    pub(crate) async fn start(name: &str) -> Server {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        Server::start_with(Config { folder, ..Config::default() }).await
    }

    pub(crate) async fn start_with(config: Config) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let folder = config.folder.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let app = App::new(config).unwrap();
        let task = tokio::spawn(app.serve(listener, async {
            // A test that ends drops the sender.
            let _ = stopped.await;
        }));
        Server { address, folder, task, stop }
    }

    /// Stops it as Ctrl-C does; returns when everything has ended.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }

    /// Another server for the same folder.
    pub(crate) async fn another(&self) -> Server {
        Server::start_with(Config { folder: self.folder.clone(), ..Config::default() }).await
    }

    /// The same folder, served anew; the old server gets no chance to store anything.
    pub(crate) async fn restart(self) -> Server {
        self.task.abort();
        std::mem::forget(self.stop);
        Server::start_with(Config { folder: self.folder.clone(), ..Config::default() }).await
    }

    /// A page that has been greeted and sits at a fresh game.
    pub(crate) async fn page(&self) -> Page {
        let mut page = self.page_at("").await;
        page.message("state").await;
        page
    }

    /// A page that sits down at a game.
    pub(crate) async fn page_at(&self, game: &str) -> Page {
        let query = if game.is_empty() { String::new() } else { format!("?game={game}") };
        let origin = format!("http://{}", self.address);
        Page::connect(&format!("ws://{}/ws{query}", self.address), &[("origin", &origin)]).await.unwrap()
    }

    /// The text at a path.
    pub(crate) async fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    pub(crate) fn url(&self) -> String {
        format!("ws://{}/ws", self.address)
    }
}

/// A page: sends requests and waits for messages.
pub(crate) struct Page(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Page {
    pub(crate) async fn connect(url: &str, headers: &[(&'static str, &str)]) -> Result<Page, String> {
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        connect_async(request).await.map(|(socket, _)| Page(socket)).map_err(|error| error.to_string())
    }

    pub(crate) async fn send(&mut self, command: &Value) {
        self.send_text(&command.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.0.send(Message::Text(text.into())).await.unwrap();
    }

    pub(crate) async fn send_file(&mut self, bytes: &[u8]) {
        self.0.send(Message::Binary(bytes.to_vec().into())).await.unwrap();
    }

    /// The next message; none if the connection has ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let next = async {
            loop {
                match self.0.next().await? {
                    Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                    Ok(_) => {}
                    Err(_) => return None,
                }
            }
        };
        timeout(Duration::from_mins(1), next).await.expect("the server is silent")
    }

    /// What the server says when it closes the connection.
    pub(crate) async fn farewell(&mut self) -> String {
        while let Some(Ok(message)) = self.0.next().await {
            if let Message::Close(frame) = message {
                return frame.map(|frame| frame.reason.to_string()).unwrap_or_default();
            }
        }
        String::new()
    }

    /// The next message of which something holds.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().await.expect("the connection has ended");
            if wanted(&message) {
                return message;
            }
        }
    }

    /// The next message of a type.
    pub(crate) async fn message(&mut self, kind: &str) -> Value {
        self.until(|message| message["type"] == kind).await
    }

    /// Sends a command and waits for the state after it.
    pub(crate) async fn ask(&mut self, command: Value) -> Value {
        self.send(&command).await;
        self.message("state").await
    }

    /// A study board on which the test plays both colours.
    pub(crate) async fn begin(&mut self, size: usize) -> Value {
        self.begin_with(json!({"width": size, "height": size, "rules": "chinese",
            "seats": {"black": {"kind": "human"}, "white": {"kind": "human"}}}))
            .await
    }

    pub(crate) async fn begin_with(&mut self, settings: Value) -> Value {
        self.send(&json!({"type": "new", "settings": settings})).await;
        let tree = self.message("tree").await;
        assert_eq!(tree["nodes"].as_array().unwrap().len(), 1);
        self.message("state").await
    }

    pub(crate) async fn play(&mut self, moves: &[&str]) -> Value {
        let mut state = Value::Null;
        for at in moves {
            state = self.ask(json!({"type": "play", "at": at})).await;
        }
        state
    }
}
