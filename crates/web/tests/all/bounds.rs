//! What others can cost a server: connections that say nothing, and records of nasty shapes.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::common::Server;

#[tokio::test]
async fn half_requests_hold_nobody_up_and_have_a_deadline() {
    let server = Server::start("half").await;
    let mut half = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: loc").await.unwrap();
        half.push(stream);
    }
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(b"GET /no HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let before = Instant::now();
    let mut page = server.page().await;
    page.begin(9).await;
    page.play(&["C3"]).await;
    assert!(before.elapsed() < Duration::from_secs(3), "a page had to wait for {:?}", before.elapsed());
    let mut answer = Vec::new();
    for stream in half.iter_mut().chain([&mut idle]) {
        timeout(Duration::from_secs(15), stream.read_to_end(&mut answer))
            .await
            .expect("it is closed")
            .unwrap();
    }
}

#[tokio::test]
async fn a_record_with_thousands_of_lines_opens_at_once() {
    let server = Server::start("bushy").await;
    let mut page = server.page().await;
    let trunk: String = ";B[];W[]".repeat(4500);
    let file = format!("(;SZ[19]C[{}]{trunk}{})", "x".repeat(1 << 20), "(;B[aa];W[bb])".repeat(5000));
    // Of the whole process: with the page that reads the tree, and what tests in other threads do meanwhile.
    let before = ProcessTime::now();
    page.send_file(file.as_bytes()).await;
    assert_eq!(page.message("tree").await["nodes"].as_array().unwrap().len(), 19_001);
    let took = before.elapsed();
    assert!(took < Duration::from_secs(2), "it took {took:?} of CPU time");
    let state = page.message("state").await;
    assert_eq!(state["comment"].as_str().unwrap().len(), 20_000, "long comments are cut");
    let state = page.ask(json!({"type": "goto", "node": 19_000})).await;
    assert_eq!(state["number"], 9002);
}

#[tokio::test]
async fn a_record_goes_to_the_page_that_asked_for_it() {
    let server = Server::start("asked").await;
    let mut a = server.page().await;
    a.begin(9).await;
    let state = a.play(&["C3"]).await;
    let mut b = server.page_at(state["game"].as_str().unwrap()).await;
    b.message("state").await;
    a.send(&json!({"type": "save"})).await;
    a.message("sgf").await;
    a.play(&["D4"]).await;
    let next = b.until(|message| message["type"] == "sgf" || message["number"] == 2).await;
    assert_eq!(next["type"], "state");
}

#[tokio::test]
async fn games_that_were_left_are_in_nobodys_way() {
    let server = Server::start("left").await;
    let mut page = server.page().await;
    for _ in 0..40 {
        page.begin(9).await;
    }
}
