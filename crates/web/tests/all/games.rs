//! Games over a WebSocket, as the page plays them.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::common::{Page, Server};

/// Against an engine that is quick and plays the same each time.
fn against_engine(size: usize, player: &str) -> Value {
    let engine = json!({"kind": "engine", "player": player, "playouts": 60});
    json!({"width": size, "height": size, "rules": "chinese", "seats": {"black": {"kind": "human"}, "white": engine}})
}

#[tokio::test]
async fn the_engine_answers_a_move() {
    let server = Server::start("answers").await;
    let mut page = server.page_at("").await;
    let hello = page.message("hello").await;
    assert!(hello["players"].as_array().unwrap().iter().any(|player| player["name"] == "default"));
    page.message("state").await;
    let state = page.begin_with(against_engine(9, "default")).await;
    assert_eq!((&state["phase"], &state["to_play"]), (&json!("play"), &json!("black")));
    page.send(&json!({"type": "play", "at": "E5"})).await;
    let analysis = page.until(|message| message["type"] == "analysis" && message["done"] == true).await;
    assert_eq!(analysis["by"], "white");
    assert!(!analysis["moves"].as_array().unwrap().is_empty());
    assert_eq!(analysis["ownership"].as_array().unwrap().len(), 9);
    let state = page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    assert_eq!(state["to_play"], "black");
    assert_eq!(state["stones"][4][4], 1);
}

#[tokio::test]
async fn what_the_opponent_thinks_is_no_evaluation_of_the_game() {
    let server = Server::start("evaluators").await;
    let mut page = server.page().await;
    page.begin_with(against_engine(9, "mc")).await;
    page.send(&json!({"type": "analyse", "on": true})).await;
    // The opponent may have taken the second point.
    for (i, points) in [["E5", "E5"], ["A1", "J9"]].into_iter().enumerate() {
        page.until(|message| message["type"] == "analysis" && message["by"] == "analyst").await;
        for at in points {
            page.send(&json!({"type": "play", "at": at})).await;
            let is_played = |message: &Value| message["type"] == "state" && message["number"] == 2 * i + 2;
            let heard = page.until(|message| message["type"] == "error" || is_played(message)).await;
            if heard["type"] == "state" {
                break;
            }
        }
    }
    page.until(|message| message["type"] == "analysis" && message["by"] == "analyst").await;
    page.send(&json!({"type": "save"})).await;
    let sgf = page.message("sgf").await["text"].as_str().unwrap().to_owned();
    let count = |text: &str| sgf.matches(text).count();
    assert_eq!(count("SBKV["), 3, "the positions in which Black was to move: {sgf}");
    assert_eq!(count("BY[distilled]"), 3, "{sgf}");
}

#[tokio::test]
async fn engines_that_are_watched_are_compared_with_themselves_only() {
    let server = Server::start("watched").await;
    let mut page = server.page().await;
    let engine = |player| json!({"kind": "engine", "player": player, "playouts": 20});
    page.begin_with(json!({"width": 9, "height": 9, "rules": "chinese",
        "seats": {"black": engine("mc"), "white": engine("uct")}}))
        .await;
    let told = std::cell::Cell::new(0);
    page.until(|message| {
        if message["type"] == "node" {
            assert!(message["node"]["lost"].is_null(), "{message}");
            told.set(told.get() + usize::from(!message["node"]["value"].is_null()));
        }
        message["type"] == "state" && message["number"] == 4
    })
    .await;
    assert!(told.get() >= 3, "the graph shows what each of them thinks");
}

#[tokio::test]
async fn taking_back_keeps_the_moves_as_variations() {
    let server = Server::start("back").await;
    let mut page = server.page().await;
    page.begin(9).await;
    let state = page.play(&["C3", "G7", "D4"]).await;
    assert_eq!(state["number"], 3);
    let state = page.ask(json!({"type": "undo"})).await;
    assert_eq!((&state["number"], &state["last"]), (&json!(2), &json!("G7")));
    assert_eq!(state["line"].as_array().unwrap().len(), 4, "the move can still be seen");
    page.play(&["E5"]).await;
    page.send(&json!({"type": "save"})).await;
    let sgf = page.message("sgf").await["text"].as_str().unwrap().to_owned();
    assert!(sgf.contains(";W[gc]\n(;B[ee])\n(;B[df])"), "{sgf}");
}

#[tokio::test]
async fn take_back_returns_to_the_humans_turn() {
    let server = Server::start("take-back").await;
    let mut page = server.page().await;
    page.begin_with(against_engine(9, "random")).await;
    page.send(&json!({"type": "play", "at": "E5"})).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    let state = page.ask(json!({"type": "take-back"})).await;
    assert_eq!(
        (&state["number"], &state["to_play"], &state["paused"]),
        (&json!(0), &json!("black"), &json!(false))
    );
    page.send(&json!({"type": "take-back"})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("nothing to take back"));
    // One move back is the engine's turn: it waits until it is told to go on.
    page.send(&json!({"type": "play", "at": "E5"})).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    let state = page.ask(json!({"type": "undo"})).await;
    assert_eq!((&state["number"], &state["paused"]), (&json!(1), &json!(true)));
    page.send(&json!({"type": "continue"})).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
}

#[tokio::test]
async fn dead_stones_are_proposed_changed_and_counted() {
    let server = Server::start("count").await;
    let mut page = server.page().await;
    page.begin(5).await;
    // A wall for each, and a white stone that cannot live.
    let wall = ["B1", "D1", "B2", "D2", "B3", "D3", "B4", "D4", "B5", "D5", "C1", "A3", "C5", "E3"];
    page.play(&wall).await;
    let state = page.play(&["pass", "pass"]).await;
    assert_eq!(state["phase"], "count");
    assert_eq!(state["count"]["dead"], json!(["A3"]));
    assert_eq!(state["count"]["stones"], json!([7, 6]));
    assert_eq!(state["count"]["territory"], json!([5, 4]));
    assert_eq!(state["count"]["outcome"], "W+5.5");
    let state = page.ask(json!({"type": "toggle-dead", "at": "A3"})).await;
    assert_eq!(state["count"]["dead"], json!([]));
    assert_eq!(state["count"]["stones"], json!([7, 7]));
    page.send(&json!({"type": "toggle-dead", "at": "A1"})).await;
    page.message("error").await;
    let state = page.ask(json!({"type": "resume"})).await;
    assert_eq!((&state["phase"], &state["count"]), (&json!("play"), &Value::Null));
    let state = page.play(&["A2"]).await;
    assert_eq!(state["phase"], "play");
    page.play(&["pass", "pass"]).await;
    let state = page.ask(json!({"type": "accept"})).await;
    assert_eq!((&state["phase"], &state["result"]), (&json!("over"), &json!("W+5.5")));
    page.send(&json!({"type": "play", "at": "A1"})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("ended"));
}

#[tokio::test]
async fn an_engine_that_disagrees_about_dead_stones_has_to_be_asked_twice() {
    let server = Server::start("dispute").await;
    let mut page = server.page().await;
    page.begin(5).await;
    page.play(&["B1", "D1", "B2", "D2", "B3", "D3", "B4", "D4", "B5", "D5", "C1", "A3", "C5", "E3"]).await;
    page.play(&["pass", "pass"]).await;
    let engine = json!({"kind": "engine", "player": "random"});
    page.ask(json!({"type": "seats", "seats": {"black": {"kind": "human"}, "white": engine}})).await;
    page.ask(json!({"type": "toggle-dead", "at": "D5"})).await;
    let state = page.ask(json!({"type": "accept"})).await;
    assert_eq!(state["phase"], "count");
    let mut disputed: Vec<_> = state["count"]["disputed"].as_array().unwrap().clone();
    disputed.sort_by_key(Value::to_string);
    assert_eq!(disputed, ["D1", "D2", "D3", "D4", "D5", "E3"]);
    let state = page.ask(json!({"type": "accept", "anyway": true})).await;
    assert_eq!(state["phase"], "over");
}

#[tokio::test]
async fn two_engines_play_to_the_end_by_themselves() {
    let server = Server::start("watch").await;
    let mut page = server.page().await;
    let engine = |player| json!({"kind": "engine", "player": player, "playouts": 20});
    page.begin_with(json!({"width": 3, "height": 3, "rules": "tromp-taylor",
        "seats": {"black": engine("rave"), "white": engine("random")}}))
        .await;
    let state = page.until(|message| message["type"] == "state" && message["phase"] == "over").await;
    assert!(state["result"].as_str().unwrap().contains('+'), "{state}");
}

#[tokio::test]
async fn records_come_back_as_they_were_with_what_the_engine_thinks() {
    let server = Server::start("records").await;
    let mut page = server.page().await;
    let sgf = "(;FF[4]GM[1]SZ[9]KM[6.5]PB[Anna]PW[Bo]C[hello];B[ee];W[ec](;B[cc];W[gg])(;B[gc]C[other]))";
    page.send_file(sgf.as_bytes()).await;
    let tree = page.message("tree").await;
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 6);
    let state = page.message("state").await;
    assert_eq!((&state["names"], &state["comment"]), (&json!(["Anna", "Bo"]), &json!("hello")));
    assert_eq!(state["line"], json!([0, 1, 2, 3, 4]));
    let state = page.ask(json!({"type": "goto", "node": 5})).await;
    assert_eq!((&state["last"], &state["line"]), (&json!("G7"), &json!([0, 1, 2, 5])));
    page.send(&json!({"type": "review", "playouts": 8})).await;
    let review = page.until(|message| message["type"] == "review" && message["running"] == false).await;
    assert!(review["done"].as_u64() >= Some(4) && review["done"] == review["total"], "{review}");
    let black = &review["report"]["players"]["black"];
    assert!(black["accuracy"].is_number() && black["phases"]["opening"]["moves"] == 2, "{review}");
    assert!(
        black["classes"]["big-mistake"].is_number() && review["report"]["moments"].is_array(),
        "{review}"
    );
    // Another move is judged, and not played.
    page.ask(json!({"type": "goto", "node": 2})).await;
    page.send(&json!({"type": "try", "at": "A1"})).await;
    let tried = page.message("tried").await;
    assert!(tried["at"] == "A1" && tried["lost"].as_f64().unwrap() > 1.5, "{tried}");
    page.send(&json!({"type": "goto", "node": 5})).await;
    page.until(|message| message["type"] == "state" && message["node"] == 5).await;
    page.send(&json!({"type": "save"})).await;
    let text = page.message("sgf").await["text"].as_str().unwrap().to_owned();
    assert_eq!(text.matches("SBKV[").count(), 4, "{text}");
    // The evaluation comes back from the file.
    page.send_file(text.as_bytes()).await;
    let tree = page.message("tree").await;
    let valued = tree["nodes"].as_array().unwrap().iter().filter(|node| node["value"].is_number()).count();
    assert_eq!(valued, 4);
    // Play goes on from anywhere, as a variation.
    page.message("state").await;
    page.ask(json!({"type": "goto", "node": 2})).await;
    let state = page.play(&["A1"]).await;
    assert_eq!(state["line"], json!([0, 1, 2, 6]));
}

#[tokio::test]
async fn an_analysis_streams_until_it_is_switched_off() {
    let server = Server::start("analyse").await;
    let mut page = server.page().await;
    page.begin(9).await;
    page.send(&json!({"type": "analyse", "on": true})).await;
    let first = page.message("analysis").await;
    let second = page.message("analysis").await;
    assert_eq!((&first["by"], &first["done"]), (&json!("analyst"), &json!(false)));
    assert!(second["visits"].as_u64() > first["visits"].as_u64());
    page.ask(json!({"type": "analyse", "on": false})).await;
    let state = page.play(&["E5"]).await;
    assert_eq!(state["analysing"], false);
}

#[tokio::test]
async fn a_flag_falls() {
    let server = Server::start("flag").await;
    let mut page = server.page().await;
    let human = json!({"kind": "human"});
    let state = page
        .begin_with(json!({"width": 9, "height": 9, "rules": "japanese", "time": "absolute 1",
            "seats": {"black": human, "white": human}}))
        .await;
    assert_eq!(state["clocks"][0]["running"], true);
    assert!(state["clocks"][0]["left"].as_f64().unwrap() > 0.5);
    let state = page.until(|message| message["type"] == "state" && message["phase"] == "over").await;
    assert_eq!(state["result"], "W+T");
}

#[tokio::test]
async fn a_game_outlives_the_server() {
    let server = Server::start("restart").await;
    let mut page = server.page().await;
    page.begin(7).await;
    page.play(&["C3", "E5", "D4"]).await;
    let state = page.ask(json!({"type": "undo"})).await;
    let game = state["game"].as_str().unwrap().to_owned();
    let server = server.restart().await;
    let mut page = server.page_at(&game).await;
    assert_eq!(page.message("tree").await["nodes"].as_array().unwrap().len(), 4);
    let state = page.message("state").await;
    assert_eq!((&state["game"], &state["number"], &state["last"]), (&json!(game), &json!(2), &json!("E5")));
    page.send(&json!({"type": "list"})).await;
    let games = page.message("games").await;
    assert_eq!((&games["games"][0]["id"], &games["games"][0]["moves"]), (&json!(game), &json!(3)));
}

#[tokio::test]
async fn who_joins_the_same_game_again_goes_on_with_it() {
    let server = Server::start("again").await;
    let mut page = server.page().await;
    page.begin(7).await;
    let state = page.play(&["C3"]).await;
    page.send(&json!({"type": "join", "game": state["game"]})).await;
    page.message("tree").await;
    page.message("state").await;
    let state = page.play(&["E5", "D4"]).await;
    assert_eq!(state["number"], 3);
}

#[tokio::test]
async fn a_game_that_has_ended_stays_so_whatever_is_looked_at() {
    let server = Server::start("ended").await;
    let mut page = server.page().await;
    page.begin(7).await;
    page.play(&["C3", "E5", "D4"]).await;
    let over = page.ask(json!({"type": "resign"})).await;
    page.ask(json!({"type": "goto", "node": 1})).await;
    // Where one looks is stored a little later.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let server = server.restart().await;
    let mut page = server.page_at(over["game"].as_str().unwrap()).await;
    assert_eq!(page.message("state").await["phase"], "play");
    let state = page.ask(json!({"type": "goto", "node": 3})).await;
    assert_eq!((&state["phase"], &state["result"]), (&json!("over"), &over["result"]));
}

#[tokio::test]
async fn a_record_that_is_studied_keeps_its_result() {
    let server = Server::start("study").await;
    let mut page = server.page().await;
    page.send_file(b"(;GM[1]SZ[9]RE[B+3.5];B[ee];W[cc])").await;
    page.message("tree").await;
    page.message("state").await;
    let over = page.ask(json!({"type": "resign"})).await;
    page.send(&json!({"type": "save"})).await;
    assert!(page.message("sgf").await["text"].as_str().unwrap().contains("RE[B+3.5]"));
    let server = server.restart().await;
    let mut page = server.page_at(over["game"].as_str().unwrap()).await;
    assert_ne!(page.message("state").await["phase"], "over", "a study has no end of its own");
}

#[tokio::test]
async fn what_is_tried_after_the_end_leaves_the_game_alone() {
    let server = Server::start("tried").await;
    let mut page = server.page().await;
    page.begin(7).await;
    page.play(&["C3", "E5", "D4"]).await;
    let over = page.ask(json!({"type": "resign"})).await;
    assert_eq!((&over["phase"], &over["study"]), (&json!("over"), &json!(true)));
    page.ask(json!({"type": "goto", "node": 1})).await;
    let state = page.play(&["B2"]).await;
    assert_eq!((&state["result"], &state["paused"]), (&over["result"], &json!(true)));
    let state = page.ask(json!({"type": "delete-line"})).await;
    assert_eq!(state["number"], 1);
    page.send(&json!({"type": "delete-line"})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("stays"));
    page.play(&["A1"]).await;
    page.send(&json!({"type": "save"})).await;
    let sgf = page.message("sgf").await["text"].as_str().unwrap().to_owned();
    assert!(sgf.contains("RE[") && sgf.contains(";B[ce]\n(;W[ec];B[dd])\n(;W[ag])"), "{sgf}");
    let mut state = page.ask(json!({"type": "goto", "node": 3})).await;
    while state["node"] != 3 {
        // What was sent before.
        state = page.message("state").await;
    }
    assert_eq!((&state["phase"], &state["result"]), (&json!("over"), &over["result"]));
}

#[tokio::test]
async fn records_are_written_in() {
    let server = Server::start("writing").await;
    let mut page = server.page().await;
    page.send_file(b"(;GM[1]SZ[9]RE[B+3.5];B[ee](;W[cc])(;W[gg]))").await;
    page.message("tree").await;
    page.message("state").await;
    let state = page.ask(json!({"type": "comment", "text": "a ] b"})).await;
    assert_eq!(state["comment"], "a ] b");
    let state = page.ask(json!({"type": "mark", "at": "D4", "kind": "label", "label": "A"})).await;
    assert_eq!(state["marks"], json!([{"at": "D4", "kind": "label", "label": "A"}]));
    let state = page.ask(json!({"type": "mark", "at": "D4", "kind": "triangle"})).await;
    assert_eq!(state["marks"], json!([{"at": "D4", "kind": "triangle", "label": ""}]));
    let state = page.ask(json!({"type": "mark", "at": "D4", "kind": "triangle"})).await;
    assert_eq!(state["marks"], json!([]));
    let state = page.ask(json!({"type": "info", "info": {"PB": "Ada", "BR": "3 dan"}})).await;
    assert_eq!((&state["names"][0], &state["info"]["BR"]), (&json!("Ada"), &json!("3 dan")));
    page.send(&json!({"type": "info", "info": {"RE": "nobody"}})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("B+3.5"));
    page.ask(json!({"type": "goto", "node": 3})).await;
    page.ask(json!({"type": "promote"})).await;
    page.ask(json!({"type": "add-line", "moves": ["A1", "A2", "A1"]})).await;
    let state = page.ask(json!({"type": "set-up", "at": "J9", "color": "black"})).await;
    assert_eq!(state["stones"][0][8], 1);
    page.send(&json!({"type": "save"})).await;
    let sgf = page.message("sgf").await["text"].as_str().unwrap().to_owned();
    assert!(
        sgf.contains("C[a \\] b]") && sgf.contains("\n(;W[gg]\n(;B[ai];W[ah])\n(;AB[ia]PL[B]))\n(;W[cc])"),
        "{sgf}"
    );
}

#[tokio::test]
async fn a_game_of_a_collection_is_chosen() {
    let server = Server::start("collection").await;
    let mut page = server.page().await;
    let file = b"(;GM[1]SZ[9]PB[Ada];B[ee])(;GM[1]SZ[13]PB[Bo]RE[B+2];B[gg];W[dd])";
    page.send_file(file).await;
    let games = page.message("collection").await["games"].clone();
    assert_eq!(
        (&games[0]["names"][0], &games[1]["result"], &games[1]["moves"]),
        (&json!("Ada"), &json!("B+2"), &json!(2))
    );
    page.send(&json!({"type": "choose", "game": 1})).await;
    page.send_file(file).await;
    page.message("tree").await;
    assert_eq!(page.message("state").await["width"], 13);
}

#[tokio::test]
async fn a_hint_is_given_without_an_analysis() {
    let server = Server::start("hint").await;
    let mut page = server.page().await;
    page.begin(5).await;
    page.send(&json!({"type": "hint"})).await;
    let analysis = page.until(|message| message["type"] == "analysis" && message["done"] == true).await;
    assert_eq!((&analysis["by"], &analysis["moves"][0]["lost"]), (&json!("analyst"), &json!(0.0)));
}

#[tokio::test]
async fn a_move_that_loses_much_waits_for_the_player() {
    let server = Server::start("teach").await;
    let mut page = server.page().await;
    let mut settings = against_engine(5, "random");
    settings["teach"] = json!(3.0);
    page.begin_with(settings).await;
    // On 5x5 the corner gives the board away.
    page.send(&json!({"type": "play", "at": "A1"})).await;
    let warning = page.message("warning").await;
    assert!(warning["at"] == "A1" && warning["lost"].as_f64().unwrap() > 3.0, "{warning}");
    page.send(&json!({"type": "play", "at": "A1", "anyway": true})).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    page.send(&json!({"type": "play", "at": "C3"})).await;
    page.until(|message| {
        message["type"] == "state" && message["number"] == 4 || message["type"] == "warning"
    })
    .await;
}

#[tokio::test]
async fn problems_are_answered_judged_and_remembered() {
    let server = Server::start("problems").await;
    let mut page = server.page().await;
    let sgf =
        "(;SZ[7]AB[cc]AW[dd]PL[B](;B[ee];W[ef];B[fe]C[RIGHT])(;B[gg];W[gf]))(;SZ[7]GN[next]AB[aa];W[cc])";
    let solved = async |page: &mut Page| {
        page.send_file(sgf.as_bytes()).await;
        let games = page.message("collection").await["games"].clone();
        games.as_array().unwrap().iter().map(|game| game["solved"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(solved(&mut page).await, [false, false]);
    page.send(&json!({"type": "choose", "game": 0, "solve": true})).await;
    page.send_file(sgf.as_bytes()).await;
    assert_eq!(page.message("tree").await["nodes"].as_array().unwrap().len(), 1, "the solution is not told");
    let state = page.message("state").await;
    assert_eq!(state["problem"], json!({"state": "open", "to_play": "black"}));
    // Wrong, with the file's answer.
    let state = page.ask(json!({"type": "play", "at": "G1"})).await;
    assert_eq!((&state["problem"]["state"], &state["last"]), (&json!("wrong"), &json!("G2")));
    // Wrong, with the engine's.
    page.ask(json!({"type": "try-again"})).await;
    page.send(&json!({"type": "play", "at": "A1"})).await;
    let state = page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    assert_eq!(state["problem"]["state"], "wrong");
    page.ask(json!({"type": "try-again"})).await;
    let state = page.ask(json!({"type": "play", "at": "E3"})).await;
    assert_eq!((&state["problem"]["state"], &state["last"]), (&json!("open"), &json!("E2")));
    let state = page.ask(json!({"type": "play", "at": "F3"})).await;
    assert_eq!(state["problem"]["state"], "solved");
    assert_eq!(solved(&mut page).await, [true, false]);
    page.send(&json!({"type": "list"})).await;
    assert_eq!(page.message("games").await["total"], 0, "what is tried in problems is not kept");
    page.send(&json!({"type": "problems", "set": "mistakes"})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("review a finished game"));
    page.send(&json!({"type": "problems", "set": "starter"})).await;
    assert!(page.message("problems").await["text"].as_str().unwrap().matches("GN[").count() > 50);
}

#[tokio::test]
async fn a_level_follows_the_results_on_each_size() {
    let server = Server::start("auto").await;
    let mut page = server.page().await;
    let settings = |size| {
        let mut settings = against_engine(size, "default");
        settings["auto"] = json!(true);
        settings
    };
    let opponent = |state: &serde_json::Value| state["seats"]["white"]["player"].clone();
    assert_eq!(opponent(&page.begin_with(settings(9)).await), "level-3");
    page.ask(json!({"type": "resign"})).await;
    assert_eq!(opponent(&page.begin_with(settings(9)).await), "level-2");
    assert_eq!(opponent(&page.begin_with(settings(13)).await), "level-3", "another size has its own");
}

#[tokio::test]
async fn a_position_is_set_up_before_the_first_move() {
    let server = Server::start("set-up").await;
    let mut page = server.page().await;
    page.begin_with(against_engine(5, "random")).await;
    let state = page.ask(json!({"type": "set-up", "at": "C3", "color": "white"})).await;
    assert_eq!((&state["stones"][2][2], &state["to_play"]), (&json!(-1), &json!("black")));
    page.play(&["B2"]).await;
    page.until(|message| message["type"] == "state" && message["number"] == 2).await;
    page.send(&json!({"type": "set-up", "at": "A1", "color": "white"})).await;
    assert!(page.message("error").await["message"].as_str().unwrap().contains("before the first move"));
    // Who is to move is said in a game of two people.
    page.begin(5).await;
    assert_eq!(page.ask(json!({"type": "to-play", "color": "white"})).await["to_play"], "white");
}
