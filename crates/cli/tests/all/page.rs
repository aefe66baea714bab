//! `tengen play` as a process: what it prints, who gets in, and what is left of a game when it ends.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket, stream::MaybeTlsStream};

/// The program, with what it remembers in a folder.
struct Server {
    child: Child,
    /// The address that it has printed.
    url: String,
    /// It would end if nobody could read what it prints.
    _output: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["play", "--no-open", "--port", "0"])
            .args(arguments)
            .env("XDG_STATE_HOME", folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("The board is at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { child, url, _output: output }
    }

    /// A page at a game, or at a fresh one.
    fn page(&self, game: &str) -> Page {
        let url = self.url.replace("http://", "ws://").replace("/?", "/ws?");
        Page(tungstenite::connect(format!("{url}&game={game}")).unwrap().0)
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Page(WebSocket<MaybeTlsStream<TcpStream>>);

impl Page {
    fn send(&mut self, command: &Value) {
        self.0.send(Message::Text(command.to_string().into())).unwrap();
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let message = serde_json::from_str(&text).unwrap();
                if wanted(&message) {
                    return message;
                }
            }
        }
    }

    /// A game for two people, with the moves played one after the other. Returns its id when the page knows of the last.
    fn play(&mut self, moves: &[&str]) -> String {
        let human = json!({"kind": "human"});
        let seats = json!({"black": human, "white": human});
        let settings = json!({"width": 9, "height": 9, "rules": "chinese", "seats": seats});
        self.send(&json!({"type": "new", "settings": settings}));
        let mut game = String::new();
        for (number, at) in (1..).zip(moves) {
            self.send(&json!({"type": "play", "at": at}));
            let state = self.until(|message| message["type"] == "state" && message["number"] == number);
            state["game"].as_str().unwrap().clone_into(&mut game);
        }
        game
    }
}

fn games(folder: &Path) -> PathBuf {
    folder.join("tengen").join("games").join("games.sqlite")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn what_the_page_was_told_survives_the_death_of_the_server() {
    let folder = folder("page-death");
    let moves = ["C3", "G7", "D4", "E5"];
    let mut games = Vec::new();
    for round in 0..4 {
        let mut server = Server::start(&folder, &[]);
        let game = server.page("").play(&moves[..=round]);
        server.child.kill().unwrap();
        games.push(game);
    }
    let server = Server::start(&folder, &[]);
    for (round, game) in games.iter().enumerate() {
        let state = server.page(game).until(|message| message["type"] == "state");
        assert_eq!((&state["game"], &state["last"]), (&json!(game), &json!(moves[round])));
    }
}

#[test]
fn it_ends_cleanly_when_it_is_told_to() {
    let folder = folder("page-signals");
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&folder, &[]);
        let mut page = server.page("");
        page.play(&["C3", "D4"]);
        server.signal(signal);
        let farewell = loop {
            match page.0.read() {
                Ok(Message::Close(frame)) => break frame.map(|frame| frame.reason.to_string()),
                Ok(_) => {}
                Err(_) => break None,
            }
        };
        assert_eq!(farewell.as_deref(), Some("The server has ended."), "{signal}");
        assert!(server.child.wait().unwrap().success(), "{signal}");
        assert!(!games(&folder).with_extension("sqlite-wal").exists(), "the file is closed properly");
    }
}

#[test]
fn the_printed_address_lets_in_and_stays_the_same() {
    let folder = folder("page-token");
    let server = Server::start(&folder, &[]);
    let (address, token) = server.url.split_once("?token=").unwrap();
    let kept = folder.join("tengen").join("token");
    assert_eq!(fs::read_to_string(&kept).unwrap(), token);
    for private in [&kept, &games(&folder)] {
        assert_eq!(
            fs::metadata(private).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            private.display()
        );
    }
    server.page("").until(|message| message["token"] == token);
    let without = address.replace("http://", "ws://") + "ws";
    let refused = tungstenite::connect(&without).unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");
    let again = Server::start(&folder, &[]);
    assert!(again.url.ends_with(token), "{}", again.url);
    let shared = Server::start(&folder, &["--no-token"]);
    assert!(!shared.url.contains("token"), "{}", shared.url);
    tungstenite::connect(shared.url.replace("http://", "ws://") + "ws").unwrap();
}

#[test]
fn doctor_examines_the_stored_games() {
    let folder = folder("page-doctor");
    let doctor = || {
        let program = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["doctor", "--json"])
            .env("XDG_STATE_HOME", &folder)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&program.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "games").unwrap().clone()
    };
    let mut server = Server::start(&folder, &[]);
    server.page("").play(&["C3", "D4"]);
    let check = doctor();
    assert_eq!(check["status"], "ok", "{check}");
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.contains("1 in ") && detail.contains("3 positions, version 1"), "{detail}");
    server.signal("TERM");
    server.child.wait().unwrap();
    let mut bytes = fs::read(games(&folder)).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle].fill(7);
    fs::write(games(&folder), bytes).unwrap();
    assert_eq!(doctor()["status"], "failed");
}
