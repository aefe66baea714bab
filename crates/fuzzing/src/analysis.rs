//! Queries of KataGo's JSON protocol: every line of the answer is JSON with an id or an error.

use std::io::Cursor;

use serde_json::Value;
use tengen_engine::analysis::{AtEnd, Engine};
use tengen_lab::PlayerSpec;

use crate::asks_for_much;

/// Sends the bytes to an analysis engine.
pub fn analysis(bytes: &[u8]) {
    let spec: PlayerSpec = "uct,playouts=3,threads=1,seed=1,max_tree_mb=1".parse().expect("a valid spec");
    let at_end = if asks_for_much(bytes) { AtEnd::GiveUp } else { AtEnd::Finish };
    let mut output = Vec::new();
    let engine = Engine::new(Box::new(spec), 1, at_end).with_seed(Some(1));
    engine.run(Cursor::new(bytes), &mut output).expect("nothing fails in memory");
    for line in String::from_utf8(output).expect("answers are UTF-8").lines() {
        let answer: Value = serde_json::from_str(line).expect("answers are JSON");
        assert!(answer.get("id").is_some() || answer.get("error").is_some(), "{line}");
        assert!(!line.contains("Internal error"), "{line}");
    }
}
