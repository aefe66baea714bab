//! Result files: an error, or records that stay what they are when the run goes on.

use std::{env, fs, process};

use serde_json::Value;
use tengen_lab::{
    journal::{Header, Lines, ReadLines, config_difference},
    matches::GameRecord,
};

/// Takes the bytes for the result file of a match.
pub fn journal(bytes: &[u8]) {
    let path = env::temp_dir().join(format!("tengen-fuzzed-{}.jsonl", process::id()));
    fs::write(&path, bytes).expect("a temporary file");
    if let Ok(read) = ReadLines::<GameRecord>::read(&path) {
        // Only players that behave as before go on with a file: let these be such.
        let config = read.header.get("config").cloned().unwrap_or(Value::Null);
        let behaviour = read.header.get("behaviour").cloned().unwrap_or(Value::Null);
        let header = Header { kind: "match", config, behaviour, planned: 2, differs: config_difference };
        let mut lines = Lines::<GameRecord>::resume(&path, &header).expect("what could be read goes on");
        let text = |records: &[GameRecord]| serde_json::to_string(records).expect("records are plain data");
        assert_eq!(text(lines.records()), text(&read.records));
        if let Some(record) = read.records.first() {
            lines.append(record).expect("a record can be written");
            let after = ReadLines::<GameRecord>::read(&path).expect("what was written can be read");
            assert_eq!(text(&after.records[..read.records.len()]), text(&read.records));
            assert_eq!(text(&after.records[read.records.len()..]), text(&read.records[..1]));
        }
    }
    fs::remove_file(&path).expect("the file is there");
}
