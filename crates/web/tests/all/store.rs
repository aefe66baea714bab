//! What was played is stored, whatever happens: deaths of the server, two servers, full disks, and files of earlier versions.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::Server;

/// The file of a server, opened beside it.
fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("games.sqlite")).unwrap()
}

fn error(message: &Value) -> &str {
    message["message"].as_str().unwrap()
}

#[tokio::test]
async fn a_move_is_stored_when_the_page_is_told_of_it() {
    let server = Server::start("told").await;
    let mut page = server.page().await;
    page.begin(9).await;
    for (at, nodes) in [("C3", 2), ("G7", 3), ("D4", 4)] {
        page.send(&json!({"type": "play", "at": at})).await;
        page.message("node").await;
        let count = "SELECT count(*) FROM nodes";
        let stored: u32 = database(&server.folder).query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(stored, nodes, "{at}");
        page.message("state").await;
    }
}

#[tokio::test]
async fn two_servers_share_a_game_and_lose_no_move() {
    let here = Server::start("shared").await;
    let there = here.another().await;
    let mut a = here.page().await;
    a.begin(9).await;
    let state = a.play(&["C3"]).await;
    let game = state["game"].as_str().unwrap();
    let mut b = there.page_at(game).await;
    b.message("state").await;
    let mut played = vec!["C3".to_owned()];
    // Both want to play each move; who does not know the last one is told how the game stands.
    let points = ["G7", "D4", "E5", "C7", "G3", "F6", "D6", "F4"];
    for (turn, at) in points.into_iter().enumerate() {
        let (first, second) = if turn % 2 == 0 { (&mut b, &mut a) } else { (&mut a, &mut b) };
        assert_eq!(first.play(&[at]).await["number"], played.len() + 1);
        played.push(at.to_owned());
        second.send(&json!({"type": "play", "at": "A1"})).await;
        let tree = second.message("tree").await;
        assert_eq!(tree["nodes"].as_array().unwrap().len(), played.len() + 1);
        assert_eq!(second.message("state").await["last"], at);
        assert!(error(&second.message("error").await).contains("another window"));
    }
    a.send(&json!({"type": "save"})).await;
    let sgf = a.message("sgf").await["text"].as_str().unwrap().to_owned();
    assert_eq!(sgf.matches(";B[").count() + sgf.matches(";W[").count(), played.len(), "{sgf}");
}

#[tokio::test]
async fn a_move_that_cannot_be_stored_is_refused() {
    let server = Server::start("full").await;
    let mut page = server.page().await;
    page.begin(9).await;
    let fill = "CREATE TRIGGER full BEFORE INSERT ON nodes BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END";
    database(&server.folder).execute_batch(fill).unwrap();
    page.send(&json!({"type": "play", "at": "C3"})).await;
    assert!(error(&page.message("error").await).contains("disk is full"));
    let state = page.ask(json!({"type": "pause"})).await;
    assert_eq!((&state["number"], &state["to_play"]), (&json!(0), &json!("black")));
    database(&server.folder).execute_batch("DROP TRIGGER full").unwrap();
    page.play(&["G7", "C3"]).await;
    database(&server.folder).execute_batch(fill).unwrap();
    page.send(&json!({"type": "play", "at": "D4"})).await;
    assert!(error(&page.message("error").await).contains("disk is full"));
    let game = page.ask(json!({"type": "pause"})).await["game"].as_str().unwrap().to_owned();
    database(&server.folder).execute_batch("DROP TRIGGER full").unwrap();
    let state = page.play(&["E5"]).await;
    assert_eq!((&state["number"], &state["last"]), (&json!(3), &json!("E5")));
    let server = server.restart().await;
    let mut page = server.page_at(&game).await;
    assert_eq!(page.message("tree").await["nodes"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn an_engine_whose_move_cannot_be_stored_waits() {
    let server = Server::start("engine-full").await;
    let mut page = server.page().await;
    let engine = json!({"kind": "engine", "player": "random"});
    page.begin_with(json!({"width": 9, "height": 9, "rules": "chinese",
        "seats": {"black": {"kind": "human"}, "white": engine}}))
        .await;
    database(&server.folder)
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON nodes WHEN new.number > 1 BEGIN SELECT RAISE(FAIL, 'full'); END",
        )
        .unwrap();
    page.send(&json!({"type": "play", "at": "C3"})).await;
    let state = page.until(|message| message["type"] == "state" && message["notice"].is_string()).await;
    assert_eq!((&state["number"], &state["paused"]), (&json!(1), &json!(true)));
    database(&server.folder).execute_batch("DROP TRIGGER full").unwrap();
    page.send(&json!({"type": "continue"})).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
}

#[tokio::test]
async fn a_server_that_stops_tells_its_pages_and_stores_everything() {
    let server = Server::start("stop").await;
    let folder = server.folder.clone();
    let mut page = server.page().await;
    page.begin_with(json!({"width": 19, "height": 19, "rules": "chinese",
        "seats": {"black": {"kind": "human"}, "white": {"kind": "engine", "player": "default", "seconds": 300}}}))
        .await;
    page.play(&["D4"]).await;
    page.message("analysis").await;
    page.ask(json!({"type": "goto", "node": 0})).await;
    let began = std::time::Instant::now();
    server.stop().await;
    assert!(began.elapsed().as_secs() < 3, "it took {:?}", began.elapsed());
    assert_eq!(page.farewell().await, "The server has ended.");
    let state = "SELECT state FROM games";
    let state: String = database(&folder).query_row(state, [], |row| row.get(0)).unwrap();
    assert!(state.contains("\"node\":0"), "what was still to be stored is stored: {state}");
    assert!(!folder.join("games.sqlite-wal").exists(), "the file is closed properly");
}

#[tokio::test]
async fn games_are_never_removed_and_can_be_found_named_deleted_and_exported() {
    let server = Server::start("library").await;
    let mut page = server.page().await;
    page.begin(9).await;
    page.play(&["C3"]).await;
    page.send_file(b"(;SZ[13]PB[Ann 100%]PW[Bob]RE[W+2.5]GN[final];B[aa];W[bb])").await;
    page.message("state").await;
    // A change, so that it is stored.
    page.ask(json!({"type": "goto", "node": 2})).await;
    let copies = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO games SELECT 'copy' || i, 1, '', 'x', 'y', 19, 19, 0, NULL, i, '' FROM n";
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    database(&server.folder).execute_batch(copies).unwrap();
    let mut list = async |search: Value, from: u32| {
        page.send(&json!({"type": "list", "search": search, "from": from})).await;
        page.message("games").await
    };
    let all = list(json!({}), 0).await;
    assert_eq!((&all["total"], all["games"].as_array().unwrap().len()), (&json!(302), 20));
    assert_eq!(list(json!({}), 300).await["games"].as_array().unwrap().len(), 2);
    for (search, total) in [
        (json!({"text": "ann"}), 1),
        (json!({"text": "0%"}), 1),
        (json!({"text": "%"}), 1),
        (json!({"text": "_"}), 0),
        (json!({"text": "FINAL"}), 1),
        (json!({"size": 13}), 1),
        (json!({"size": 19}), 300),
        (json!({"result": "white"}), 1),
        (json!({"result": "black"}), 0),
        (json!({"result": "none"}), 301),
        (json!({"since": 1_000_000}), 2),
        (json!({"until": 1_000_000, "text": "x"}), 300),
    ] {
        assert_eq!(list(search.clone(), 0).await["total"], total, "{search}");
    }
    let found = list(json!({"text": "Ann"}), 0).await["games"][0].clone();
    assert_eq!((&found["name"], &found["moves"]), (&json!("final"), &json!(2)));
    let id = found["id"].clone();
    page.send(&json!({"type": "rename", "game": id, "name": " semi]final "})).await;
    page.send(&json!({"type": "list", "search": {"text": "semi"}})).await;
    assert_eq!(page.message("games").await["games"][0]["name"], "semi]final");
    let sgf = server.get("/games.sgf?search=%7B%22text%22%3A%22semi%22%7D").await;
    assert!(sgf.contains("GN[semi\\]final]") && sgf.matches("(;").count() == 1, "{sgf}");
    page.send(&json!({"type": "delete", "game": id})).await;
    assert!(error(&page.message("error").await).contains("open"), "one does not saw off one's own branch");
    page.begin(9).await;
    page.send(&json!({"type": "delete", "game": id})).await;
    page.send(&json!({"type": "list"})).await;
    assert_eq!(page.message("games").await["total"], 301);
    page.send(&json!({"type": "delete", "game": id})).await;
    assert!(error(&page.message("error").await).contains("no longer stored"));
    page.send(&json!({"type": "join", "game": id})).await;
    assert!(error(&page.message("error").await).contains("no longer stored"));
}

#[tokio::test]
async fn games_of_earlier_versions_are_taken_over_once() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("old");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let human = json!({"kind": "human"});
    let old = json!({
        "game": {"id": "0123456789abcdef", "names": ["human", "rave"], "size": [9, 9], "moves": 3, "result": "B+R", "time": 0},
        "seats": {"black": human, "white": human}, "time": "none", "is_study": false, "paused": true, "resumed_at": 0,
        "path": [0, 1], "end": [0, 0, 0], "sgf": "(;SZ[9]RE[B+R];B[ee](;W[cc];B[dd])(;W[gg]))",
    });
    fs::write(folder.join("0123456789abcdef.json"), old.to_string()).unwrap();
    fs::write(folder.join("somebody-else.json"), "{}").unwrap();
    let config = tengen_web::Config { folder: folder.clone(), ..tengen_web::Config::default() };
    let server = Server::start_with(config).await;
    let mut page = server.page_at("0123456789abcdef").await;
    let state = page.message("state").await;
    assert_eq!((&state["number"], &state["last"]), (&json!(2), &json!("G3")));
    let state = page.ask(json!({"type": "goto", "node": 3})).await;
    assert_eq!((&state["phase"], &state["result"]), (&json!("over"), &json!("B+R")));
    page.begin(9).await;
    page.send(&json!({"type": "delete", "game": "0123456789abcdef"})).await;
    page.send(&json!({"type": "list"})).await;
    assert_eq!(page.message("games").await["total"], 0);
    let server = server.restart().await;
    let mut page = server.page().await;
    page.send(&json!({"type": "list"})).await;
    assert_eq!(page.message("games").await["total"], 0, "a game that was deleted does not come back");
    assert!(folder.join("0123456789abcdef.json").exists(), "the file is left as it is");
}
