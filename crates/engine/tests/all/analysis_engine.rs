//! The JSON analysis engine: what KaTrain and other tools send, several positions at once, and hostile input.
#![allow(clippy::unwrap_used)]

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use proptest::prelude::*;
use serde_json::{Value, json};
use tengen_board::Game;
use tengen_engine::{
    analysis::{AtEnd, Engine},
    players::{
        Configure, ConfigureError, Decision, Limits, Mcts, Player, PlayerError, RandomPlayer, Request, Seat,
    },
    playout::UniformConfig,
    prior::KnowledgeConfig,
    search::{SearchConfig, SearchReport},
};

fn engine(threads: usize) -> Engine {
    Engine::new(Box::new(Parameters::default()), threads, AtEnd::Finish).with_seed(Some(1))
}

/// What a query can change of the player.
#[derive(Clone, Default)]
struct Parameters {
    expand_visits: Option<u32>,
    kind: Kind,
}

#[derive(Clone, Copy, Default)]
enum Kind {
    #[default]
    Searching,
    Faulty,
    Random,
}

impl Configure for Parameters {
    fn keys(&self) -> Vec<String> {
        vec!["expand_visits".to_owned(), "fault".to_owned()]
    }

    fn get(&self, key: &str) -> Result<String, ConfigureError> {
        Err(ConfigureError::UnknownKey { key: key.to_owned(), valid: self.keys() })
    }

    fn with(&self, settings: &[(String, String)]) -> Result<Box<dyn Configure>, ConfigureError> {
        let mut changed = self.clone();
        for (key, value) in settings {
            match key.as_str() {
                "expand_visits" => {
                    let visits =
                        value.parse().map_err(|_| ConfigureError::Refused("no number".to_owned()))?;
                    changed.expand_visits = Some(visits);
                }
                "fault" => changed.kind = Kind::Faulty,
                _ => return Err(ConfigureError::UnknownKey { key: key.clone(), valid: self.keys() }),
            }
        }
        Ok(Box::new(changed))
    }

    fn build(&self) -> Result<Seat, ConfigureError> {
        let mut search = SearchConfig {
            knowledge: Some(KnowledgeConfig::default()),
            max_tree_mb: 16,
            ..SearchConfig::default()
        };
        search.expand_visits = self.expand_visits.unwrap_or(search.expand_visits);
        let player: Box<dyn Player> = match self.kind {
            Kind::Searching => Box::new(Mcts::new("test", &search.into(), 1, 1)),
            Kind::Faulty => Box::new(Faulty),
            Kind::Random => Box::new(RandomPlayer::new(&UniformConfig::default(), 1)),
        };
        Ok(Seat::new(player).with_limits(Limits::playouts(50)))
    }
}

/// A player with a fault.
struct Faulty;

impl Player for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn decide(&mut self, _game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        Ok(Decision::Resign)
    }
    fn analyse(&mut self, _game: &Game, _request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        panic!("a fault that the test needs");
    }
    fn set_seed(&mut self, _seed: u64) {}
}

/// Every answer to these lines.
fn session(threads: usize, lines: &[Value]) -> Vec<Value> {
    let input = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    answers(threads, input.as_bytes())
}

fn answers(threads: usize, input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    engine(threads).run(input, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A small query; `fields` are added to it or replace its own.
#[allow(clippy::needless_pass_by_value, reason = "the fields are written where they are used")]
fn query(id: &str, fields: Value) -> Value {
    let mut query = json!({
        "id": id, "moves": [["B", "C3"], ["W", "E5"]], "rules": "chinese", "komi": 7, "boardXSize": 7,
        "boardYSize": 7, "maxVisits": 40,
    });
    for (field, value) in fields.as_object().unwrap() {
        query[field] = value.clone();
    }
    query
}

#[test]
fn a_position_is_analysed() {
    let answers = session(1, &[query("foo", json!({}))]);
    assert_eq!(answers.len(), 1);
    let answer = &answers[0];
    assert_eq!((&answer["id"], &answer["turnNumber"]), (&json!("foo"), &json!(2)));
    assert_eq!(answer["isDuringSearch"], false);
    assert_eq!(answer["rootInfo"]["visits"], 40);
    assert_eq!(answer["rootInfo"]["currentPlayer"], "B");
    let moves = answer["moveInfos"].as_array().unwrap();
    assert_eq!(moves.iter().map(|m| m["visits"].as_u64().unwrap()).sum::<u64>(), 40);
    for (order, info) in moves.iter().enumerate() {
        assert_eq!(info["order"], order);
        assert_eq!(info["pv"][0], info["move"]);
        for key in
            ["winrate", "scoreLead", "scoreMean", "scoreStdev", "scoreSelfplay", "prior", "utility", "lcb"]
        {
            assert!(info[key].is_number(), "{key}");
        }
    }
    assert!(answer.get("ownership").is_none() && answer.get("policy").is_none());
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let all = json!({ "includeOwnership": true, "includePolicy": true });
    assert!(keys(&session(1, &[query("foo", all)])[0]).is_sorted(), "analyze-sgf relies on KataGo's order");
}

#[test]
fn what_was_played_is_not_refused_for_rules_that_records_do_not_tell() {
    let suicide = json!([["B", "A3"], ["W", "A2"], ["B", "B2"], ["W", "A1"], ["B", "C1"], ["W", "B1"]]);
    let kos = json!([
        ["B", "D4"],
        ["W", "E4"],
        ["B", "C3"],
        ["W", "F3"],
        ["B", "D2"],
        ["W", "E2"],
        ["B", "E3"],
        ["W", "D3"],
        ["B", "pass"],
        ["W", "pass"],
        ["B", "E3"]
    ]);
    for (rules, moves) in [("chinese", suicide), ("aga", kos)] {
        let answers = session(1, &[query("x", json!({ "rules": rules, "moves": moves }))]);
        assert!(answers[0]["moveInfos"].is_array(), "{}", answers[0]);
    }
}

#[test]
fn a_fault_is_answered_and_others_are_not_harmed() {
    let answers =
        session(1, &[query("bad", json!({ "overrideSettings": { "fault": 1 } })), query("good", json!({}))]);
    let find = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert!(find("bad")["error"].as_str().unwrap().starts_with("internal error"));
    assert_eq!(find("good")["rootInfo"]["visits"], 40);
}

#[test]
fn with_a_seed_the_same_query_has_the_same_answer() {
    let answers =
        session(1, &[query("a", json!({})), query("b", json!({ "komi": 0 })), query("a", json!({}))]);
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn bounds_are_those_of_the_player_to_move() {
    for (color, to_play) in [("B", "W"), ("W", "B")] {
        let moves = json!([[color, "C3"]]);
        let answers = session(1, &[query("foo", json!({ "moves": moves }))]);
        for info in answers[0]["moveInfos"].as_array().unwrap() {
            let (lcb, win_rate) = (info["lcb"].as_f64().unwrap(), info["winrate"].as_f64().unwrap());
            assert!(if to_play == "B" { lcb <= win_rate } else { lcb >= win_rate }, "{info}");
        }
    }
}

/// The fields of a query by KaTrain 1.20 (`engine.py`, `request_analysis`).
#[test]
fn katrain_gets_what_it_asks_for() {
    let answers = session(
        1,
        &[query(
            "QUERY:1",
            json!({
                "rules": "japanese", "priority": 7, "analyzeTurns": [2], "includeOwnership": true,
                "includeMovesOwnership": true, "includePolicy": true, "initialStones": [["B", "B2"]],
                "initialPlayer": "B", "overrideSettings": {
                    "reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0
                },
                "avoidMoves": [{ "moves": ["D4", "pass"], "player": "B", "untilDepth": 1 }],
            }),
        )],
    );
    assert_eq!(answers[0]["field"], "overrideSettings");
    assert!(answers[0]["warning"].as_str().unwrap().contains("wideRootNoise"));
    let answer = &answers[1];
    assert_eq!(answer["ownership"].as_array().unwrap().len(), 49);
    let policy: Vec<f64> = answer["policy"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    assert_eq!(policy.len(), 50);
    assert!((policy.iter().filter(|p| **p > 0.0).sum::<f64>() - 1.0).abs() < 1e-3);
    // C3 is in row 5 from the top, column 3: occupied.
    assert_eq!(policy[4 * 7 + 2], -1.0);
    for info in answer["moveInfos"].as_array().unwrap() {
        assert_ne!(info["move"], "D4");
        assert_eq!(info["ownership"].as_array().unwrap().len(), 49);
    }
}

#[test]
fn several_turns_are_analysed_at_once_and_by_priority() {
    let turns = json!({ "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2] });
    let answers = session(1, &[query("a", turns.clone())]);
    let order: Vec<_> = answers.iter().map(|a| a["turnNumber"].as_u64().unwrap()).collect();
    assert_eq!(order, [1, 2, 0]);
    let players: Vec<_> = answers.iter().map(|a| a["rootInfo"]["currentPlayer"].as_str().unwrap()).collect();
    assert_eq!(players, ["W", "B", "B"]);
    // Two threads give the same results in some order.
    let sorted = |mut answers: Vec<Value>| {
        answers.sort_by_key(|a| (a["id"].to_string(), a["turnNumber"].as_u64()));
        answers
    };
    let lines = [query("a", turns.clone()), query("b", turns)];
    assert_eq!(session(3, &lines).len(), 6);
    let ids = |answers: &[Value]| answers.iter().map(|a| a["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&sorted(session(3, &lines))), ids(&sorted(session(1, &lines))));
}

#[test]
fn values_are_told_from_the_side_that_is_asked_for() {
    let stones = json!([
        ["B", "A4"],
        ["B", "B4"],
        ["B", "C4"],
        ["B", "D4"],
        ["B", "E4"],
        ["B", "A3"],
        ["B", "B3"],
        ["B", "C3"],
        ["B", "D3"],
        ["B", "E3"],
        ["W", "A2"],
        ["W", "B2"],
        ["W", "C2"],
        ["W", "D2"],
        ["W", "E2"]
    ]);
    let rate = |side: &str| {
        let fields = json!({
            "boardXSize": 5, "boardYSize": 5, "komi": 0.5, "initialStones": stones, "moves": [], "initialPlayer": "W",
            "maxVisits": 200, "includeOwnership": true, "overrideSettings": { "reportAnalysisWinratesAs": side },
        });
        let answers = session(1, &[query("x", fields)]);
        let own = answers[0]["ownership"][0].as_f64().unwrap();
        (
            answers[0]["rootInfo"]["winrate"].as_f64().unwrap(),
            answers[0]["rootInfo"]["scoreLead"].as_f64().unwrap(),
            own,
        )
    };
    let (black, white) = (rate("BLACK"), rate("WHITE"));
    assert!(black.0 > 0.6 && black.1 > 0.0 && black.2 > 0.5, "{black:?}");
    assert!((black.0 + white.0 - 1.0).abs() < 1e-4 && (black.1 + white.1).abs() < 1e-4);
    assert_eq!(rate("SIDETOMOVE"), white);
}

#[test]
fn restrictions_lines_and_parameters_are_obeyed() {
    let fields = json!({
        "allowMoves": [{ "player": "B", "moves": ["A1", "(6,0)"], "untilDepth": 1 }], "includePVVisits": true,
        "analysisPVLen": 1, "overrideSettings": { "expand_visits": 1 },
    });
    let answer = &session(1, &[query("x", fields)])[0];
    let mut moves: Vec<_> =
        answer["moveInfos"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
    moves.sort_unstable();
    assert_eq!(moves, ["A1", "G7"]);
    assert_eq!(answer["moveInfos"][0]["pvVisits"], json!([answer["moveInfos"][0]["visits"]]));
}

#[test]
fn actions_are_answered_with_what_was_sent() {
    let lines = [
        json!({ "id": "v", "action": "query_version" }),
        json!({ "id": "m", "action": "query_models" }),
        json!({ "id": "c", "action": "clear_cache", "note": 1 }),
        json!({ "id": "t", "action": "terminate", "terminateId": "none", "turnNumbers": [1] }),
        json!({ "id": "a", "action": "terminate_all" }),
        json!({ "id": "x", "action": "dance" }),
        json!({ "id": "y", "action": "terminate" }),
    ];
    let answers = session(1, &lines);
    assert_eq!(answers[0]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(answers[1]["models"][0]["name"], "test");
    assert_eq!(answers[2..5], lines[2..5]);
    assert_eq!(answers[5]["field"], "action");
    assert_eq!(answers[6]["field"], "terminateId");
}

#[test]
fn faults_are_named_with_their_field() {
    let cases = [
        ("boardXSize", json!({ "boardXSize": 20 })),
        ("boardYSize", json!({ "boardYSize": "nine" })),
        ("rules", json!({ "rules": "poker" })),
        ("komi", json!({ "komi": 1e9 })),
        ("moves", json!({ "moves": [["B", "C3"], ["W", "C3"]] })),
        ("moves", json!({ "moves": [["B", "Q16"]] })),
        ("moves", json!({ "moves": [["X", "C3"]] })),
        ("moves", json!({ "moves": 7 })),
        ("moves", json!({ "moves": null })),
        ("initialStones", json!({ "initialStones": [["B", "pass"]] })),
        ("initialPlayer", json!({ "initialPlayer": "green" })),
        ("analyzeTurns", json!({ "analyzeTurns": [3] })),
        ("analyzeTurns", json!({ "analyzeTurns": [] })),
        ("analyzeTurns", json!({ "analyzeTurns": [-1] })),
        ("maxVisits", json!({ "maxVisits": 0 })),
        ("priority", json!({ "priority": "high" })),
        ("priorities", json!({ "priorities": [1, 2] })),
        ("includePolicy", json!({ "includePolicy": 1 })),
        ("reportDuringSearchEvery", json!({ "reportDuringSearchEvery": -1 })),
        ("avoidMoves", json!({ "avoidMoves": [{ "player": "B" }] })),
        ("allowMoves", json!({ "allowMoves": [{ "player": "B", "moves": [], "untilDepth": 0 }] })),
        ("overrideSettings", json!({ "overrideSettings": { "reportAnalysisWinratesAs": "MINE" } })),
        ("overrideSettings", json!({ "overrideSettings": { "no_such_parameter": 1 } })),
        ("whiteHandicapBonus", json!({ "whiteHandicapBonus": "lots" })),
    ];
    for (field, fields) in cases {
        let answers = session(1, &[query("bad", fields.clone()), query("good", json!({}))]);
        assert_eq!(answers.len(), 2, "{fields}");
        assert_eq!((&answers[0]["id"], &answers[0]["field"]), (&json!("bad"), &json!(field)), "{fields}");
        assert!(answers[0]["error"].is_string());
        assert_eq!(answers[1]["id"], "good");
    }
    let illegal = &session(1, &[query("x", json!({ "moves": [["B", "C3"], ["W", "C3"]] }))])[0];
    assert!(illegal["error"].as_str().unwrap().starts_with("Illegal move 1"), "as KaTrain expects it");
}

#[test]
fn an_unknown_field_is_warned_of_once() {
    let answers = session(1, &[query("a", json!({ "colour": 1 })), query("b", json!({ "colour": 1 }))]);
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["field"], &answers[0]["id"]), (&json!("colour"), &json!("a")));
    assert!(answers[0]["warning"].is_string());
}

/// Cannot be written to.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn everything_is_given_up_when_answers_cannot_be_written() {
    let long = query("long", json!({ "maxVisits": 1_000_000_000_u64 }));
    let lines = format!("{}\n{long}\n{long}\n", query("short", json!({ "maxVisits": 1 })));
    let error = engine(1).run(lines.as_bytes(), Closed).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn a_turn_is_not_named_more_often_than_there_are_turns() {
    let answer = &session(1, &[query("x", json!({ "analyzeTurns": [0, 0, 0, 0] }))])[0];
    assert_eq!(answer["field"], "analyzeTurns", "{answer}");
}

#[test]
fn a_player_that_does_not_search_is_refused() {
    let random = Parameters { kind: Kind::Random, ..Parameters::default() };
    let error = Engine::new(Box::new(random), 1, AtEnd::Finish).run(&b""[..], Vec::new()).unwrap_err();
    assert!(error.to_string().contains("does not search"));
}

/// An engine whose input stays open.
struct Session {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Value>,
    engine: Option<JoinHandle<()>>,
}

struct Pipe(Receiver<Vec<u8>>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.0.recv().unwrap_or_default();
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

struct Lines(Sender<Value>, Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.1.extend(bytes);
        while let Some(end) = self.1.iter().position(|&byte| byte == b'\n') {
            let line: Vec<_> = self.1.drain(..=end).collect();
            let _ = self.0.send(serde_json::from_slice(&line).unwrap());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Session {
    fn new(threads: usize) -> Session {
        let (input, read) = channel();
        let (written, output) = channel();
        let engine = thread::spawn(move || {
            engine(threads).run(BufReader::new(Pipe(read)), Lines(written, Vec::new())).unwrap();
        });
        Session { input: Some(input), output, engine: Some(engine) }
    }

    fn send(&self, line: &Value) {
        self.input.as_ref().unwrap().send(format!("{line}\n").into_bytes()).unwrap();
    }

    fn next(&self) -> Value {
        self.output.recv_timeout(Duration::from_mins(1)).unwrap()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        self.engine.take().unwrap().join().unwrap();
    }
}

#[test]
fn partial_results_come_until_the_query_is_terminated() {
    let session = Session::new(1);
    let fields =
        json!({ "maxVisits": 10_000_000, "reportDuringSearchEvery": 0.03, "analyzeTurns": [2, 0, 1] });
    session.send(&query("ponder", fields));
    let mut visits = 0;
    for _ in 0..3 {
        let answer = session.next();
        assert_eq!((&answer["isDuringSearch"], &answer["turnNumber"]), (&json!(true), &json!(2)));
        let now = answer["rootInfo"]["visits"].as_u64().unwrap();
        assert!(now > visits);
        visits = now;
    }
    // Turn 0 has not begun: it has no results. Turn 2 reports what it has.
    let stop = |turns: Value| json!({ "id": "s", "action": "terminate", "terminateId": "ponder", "turnNumbers": turns });
    session.send(&stop(json!([0, 2])));
    let mut last = Vec::new();
    while last.len() < 3 {
        let answer = session.next();
        if answer["isDuringSearch"] != true {
            last.push(answer);
        }
    }
    assert!(last.contains(&stop(json!([0, 2]))));
    assert!(
        last.contains(
            &json!({ "id": "ponder", "isDuringSearch": false, "noResults": true, "turnNumber": 0 })
        )
    );
    let ended = last.iter().find(|answer| answer["turnNumber"] == 2).unwrap();
    assert!(ended["rootInfo"]["visits"].as_u64().unwrap() >= visits);
    session.send(&json!({ "id": "all", "action": "terminate_all" }));
    let ended = std::iter::repeat_with(|| session.next())
        .find(|a| a["turnNumber"] == 1 && a["isDuringSearch"] == false);
    assert!(ended.is_some());
}

#[test]
fn urgent_queries_are_answered_first() {
    let session = Session::new(1);
    session.send(&query("long", json!({ "maxVisits": 10_000_000 })));
    thread::sleep(Duration::from_millis(50));
    session.send(&query("low", json!({ "priority": -1 })));
    session.send(&query("normal", json!({})));
    session.send(&query("high", json!({ "priority": 5 })));
    session.send(&json!({ "id": "s", "action": "terminate", "terminateId": "long" }));
    let ids: Vec<_> = (0..5).map(|_| session.next()["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["s", "long", "high", "normal", "low"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut input = bytes;
        input.push(b'\n');
        input.extend(json!({ "id": "v", "action": "query_version" }).to_string().into_bytes());
        let answers = answers(1, &input);
        prop_assert_eq!(&answers.last().unwrap()["id"], &json!("v"));
    }

    #[test]
    fn any_values_are_survived(field in proptest::sample::select(fields()), value in value()) {
        let id = if field == "id" { value.clone() } else { json!("x") };
        let answers = session(1, &[query("x", json!({ field: value, "maxVisits": 2 }))]);
        prop_assert!(!answers.is_empty());
        for answer in answers {
            prop_assert!(answer["id"] == id || answer["error"].is_string(), "{}", answer);
        }
    }
}

fn fields() -> Vec<String> {
    let names = "id moves initialStones initialPlayer rules komi whiteHandicapBonus boardXSize boardYSize analyzeTurns \
                 analysisPVLen includeOwnership avoidMoves allowMoves overrideSettings reportDuringSearchEvery \
                 firstReportDuringSearchAfter priority priorities action";
    names.split_whitespace().map(str::to_owned).collect()
}

/// Values that fields take, and others.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..30).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(vec![
            "B", "w", "C3", "pass", "(1,2)", "(9,9)", "(,", "", "japanese", "BLACK", "N-1"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = proptest::sample::select(vec!["player", "moves", "untilDepth", "maxTime", "ko", "x"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..4).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}
