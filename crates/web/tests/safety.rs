//! Who may connect, and what bad messages do.
#![allow(clippy::unwrap_used)]

mod common;

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use common::{Page, Server};
use serde_json::json;
use tengen_web::{Config, app};
use tower::ServiceExt;

async fn status(config: Config, headers: &[(header::HeaderName, &str)], path: &str) -> (StatusCode, String) {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let response = app(config).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let cookie = response.headers().get(header::SET_COOKIE).map(|cookie| cookie.to_str().unwrap().to_owned());
    (response.status(), cookie.unwrap_or_default())
}

#[tokio::test]
async fn only_this_machine_is_served_without_a_token() {
    let ask = async |host| status(Config::default(), &[(header::HOST, host)], "/").await;
    assert_eq!(ask("localhost:8019").await.0, StatusCode::OK);
    assert_eq!(ask("[::1]:8019").await.0, StatusCode::OK);
    assert_eq!(ask("evil.example:8019").await.0, StatusCode::FORBIDDEN);
    let other = [(header::HOST, "localhost:8019"), (header::ORIGIN, "http://evil.example")];
    assert_eq!(status(Config::default(), &other, "/").await.0, StatusCode::FORBIDDEN);
    assert_eq!(
        status(Config::default(), &[(header::HOST, "localhost")], "/no/such").await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(status(Config::default(), &[], "/").await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_token_is_asked_for_once() {
    let config = || Config { token: Some("secret0123".to_owned()), ..Config::default() };
    let host = (header::HOST, "board.example:8019");
    assert_eq!(status(config(), std::slice::from_ref(&host), "/").await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(
        status(config(), std::slice::from_ref(&host), "/?token=wrong").await.0,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(status(config(), std::slice::from_ref(&host), "/ws").await.0, StatusCode::UNAUTHORIZED);
    let (code, cookie) = status(config(), std::slice::from_ref(&host), "/?token=secret0123").await;
    assert_eq!(code, StatusCode::SEE_OTHER);
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let shown = cookie.split(';').next().unwrap();
    let headers = [host, (header::COOKIE, shown)];
    assert_eq!(status(config(), &headers, "/").await.0, StatusCode::OK);
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
