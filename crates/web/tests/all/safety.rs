//! Who may connect, and what bad messages do.
#![allow(clippy::unwrap_used)]

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use serde_json::json;
use tengen_web::{App, Config};
use tower::ServiceExt;

use crate::common::{Page, Server};

async fn status(config: Config, headers: &[(header::HeaderName, &[u8])], path: &str) -> StatusCode {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let app = App::new(config).unwrap();
    app.router().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status()
}

/// A server without a token, with a folder of its own.
fn config(name: &str) -> Config {
    Config { folder: std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), ..Config::default() }
}

#[tokio::test]
async fn only_this_machine_is_served_without_a_token() {
    let ask = async |host: &[u8]| status(config("machine"), &[(header::HOST, host)], "/").await;
    assert_eq!(ask(b"localhost:8019").await, StatusCode::OK);
    assert_eq!(ask(b"[::1]:8019").await, StatusCode::OK);
    assert_eq!(ask(b"evil.example:8019").await, StatusCode::FORBIDDEN);
    assert_eq!(ask(b"[::1].evil.example").await, StatusCode::FORBIDDEN);
    assert_eq!(ask("localhost\u{e9}".as_bytes()).await, StatusCode::BAD_REQUEST);
    let ask = async |headers: &[(header::HeaderName, &[u8])]| status(config("machine"), headers, "/ws").await;
    let host: (_, &[u8]) = (header::HOST, b"localhost:8019");
    let (own, evil): (&[u8], &[u8]) = (b"http://localhost:8019", b"http://evil.example");
    assert_eq!(ask(&[host.clone(), (header::ORIGIN, evil)]).await, StatusCode::FORBIDDEN);
    let twice = [host.clone(), (header::ORIGIN, own), (header::ORIGIN, evil)];
    assert_eq!(ask(&twice).await, StatusCode::BAD_REQUEST);
    let strange = "http://\u{e9}vil.example".as_bytes();
    assert_eq!(ask(&[host.clone(), (header::ORIGIN, strange)]).await, StatusCode::BAD_REQUEST);
    assert_eq!(ask(&[host.clone(), (header::HOST, b"evil.example")]).await, StatusCode::BAD_REQUEST);
    assert_eq!(ask(&[]).await, StatusCode::BAD_REQUEST);
    assert_eq!(status(config("machine"), &[host], "/no/such").await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn games_are_shown_to_those_who_know_the_token() {
    let ask = async |path: &str| {
        let config = Config { token: Some("secret0123456789".into()), ..config("token") };
        status(config, &[(header::HOST, b"board.example:8019")], path).await
    };
    assert_eq!(ask("/").await, StatusCode::OK, "the page itself is no secret");
    for path in ["/ws", "/ws?token=", "/ws?token=wrong", "/games.sgf", "/games.sgf?token=wrong"] {
        assert_eq!(ask(path).await, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(ask("/games.sgf?token=secret0123456789").await, StatusCode::OK);
    // It gets in, though it is no WebSocket.
    assert!(ask("/ws?token=secret0123456789").await.is_client_error());
    assert_ne!(ask("/ws?token=secret0123456789").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn pages_of_other_sites_get_no_connection() {
    let server = Server::start("origins").await;
    let error = Page::connect(&server.url(), &[("origin", "http://evil.example")]).await.err().unwrap();
    assert!(error.contains("403"), "{error}");
    server.page().await;
}

#[tokio::test]
async fn bad_messages_get_an_error_and_harm_nobody() {
    let server = Server::start("bad").await;
    let mut other = server.page().await;
    other.begin(9).await;
    other.play(&["C3"]).await;
    let mut page = server.page().await;
    page.begin(9).await;
    let bad = [
        "",
        "null",
        "{}",
        "[]",
        "{\"type\":\"castle\"}",
        "{\"type\":\"play\"}",
        "{\"type\":\"play\",\"at\":\"Z99\"}",
        "{\"type\":\"play\",\"at\":\"C3\",\"extra\":1}",
        "{\"type\":\"goto\",\"node\":-1}",
        "{\"type\":\"goto\",\"node\":77}",
        "{\"type\":\"join\",\"game\":\"../../etc/passwd\"}",
        "{\"type\":\"toggle-dead\",\"at\":\"C3\"}",
        "{\"type\":\"accept\"}",
        "{\"type\":\"resume\"}",
        "{\"type\":\"review\",\"playouts\":0}",
        "{\"type\":\"play\",\"at\":\"T19\"}",
    ];
    for text in bad {
        page.send_text(text).await;
        let message = page.message("error").await["message"].as_str().unwrap().to_owned();
        assert!(message.len() > 10, "{text}: {message}");
    }
    let human = json!({"kind": "human"});
    let seats = json!({"black": human, "white": human});
    for settings in [
        json!({"width": 1, "height": 9, "rules": "chinese", "seats": seats}),
        json!({"width": 9, "height": 99, "rules": "chinese", "seats": seats}),
        json!({"width": 9, "height": 9, "rules": "monopoly", "seats": seats}),
        json!({"width": 9, "height": 9, "rules": "chinese", "seats": seats, "komi": 1e9}),
        json!({"width": 9, "height": 9, "rules": "chinese", "seats": seats, "handicap": 60}),
        json!({"width": 9, "height": 9, "rules": "chinese", "seats": seats, "time": "soon"}),
        json!({"width": 9, "height": 9, "rules": "chinese",
            "seats": {"black": human, "white": {"kind": "engine", "player": "gtp:sh -c true"}}}),
        json!({"width": 9, "height": 9, "rules": "chinese",
            "seats": {"black": human, "white": {"kind": "engine", "player": "default", "playouts": 100_000_000_000_u64}}}),
    ] {
        page.send(&json!({"type": "new", "settings": settings})).await;
        page.message("error").await;
    }
    let deep = vec![b'('; 100_000];
    for file in [&b"no record"[..], b"(;SZ[9];B[ee];W[ee])", b"(;SZ[52])", b"\xff\xfe\x00", &deep] {
        page.send_file(file).await;
        assert!(page.message("error").await["message"].as_str().unwrap().contains("record"));
    }
    page.send_text(&format!("\"{}\"", "x".repeat(20_000))).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("too long"));
    // A message beyond all bounds ends this connection only.
    page.send_file(&vec![b'x'; 3 << 20]).await;
    while page.next().await.is_some() {}
    let state = other.play(&["G7"]).await;
    assert_eq!(state["number"], 2);
}

#[tokio::test]
async fn two_pages_play_two_games_and_can_share_one() {
    let server = Server::start("two").await;
    let (mut a, mut b) = (server.page().await, server.page().await);
    let first = a.begin(9).await;
    let second = b.begin(9).await;
    assert_ne!(first["game"], second["game"]);
    a.play(&["C3"]).await;
    assert_eq!(b.play(&["G7"]).await["number"], 1);
    let game = first["game"].as_str().unwrap();
    let mut c = server.page_at(game).await;
    assert_eq!(c.message("state").await["number"], 1);
    a.play(&["D4"]).await;
    assert_eq!(c.message("state").await["number"], 2);
    drop(a);
    assert_eq!(c.play(&["E5"]).await["number"], 3);
}

#[tokio::test]
async fn a_flood_slows_down_only_the_one_who_floods() {
    let server = Server::start("flood").await;
    let (mut noisy, mut calm) = (server.page().await, server.page().await);
    calm.begin(9).await;
    noisy.begin(9).await;
    for _ in 0..200 {
        noisy.send_text("{}").await;
    }
    let before = std::time::Instant::now();
    calm.play(&["E5", "C3"]).await;
    assert!(before.elapsed().as_secs() < 4, "the other page waits {:?}", before.elapsed());
}
