//! Runs the `tengen` binary.
#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test may fail; clippy does not see that this file belongs to one")]

use std::{
    io::Write,
    process::{Command, Stdio},
};

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Run {
    /// The standard output as JSON; the run must have succeeded.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.code, 0, "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

/// Runs `tengen` with these arguments and `input` on its standard input.
pub(crate) fn tengen_with_input(arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(arguments)
        // What is remembered from game to game is this run's alone.
        .env("XDG_STATE_HOME", format!("{}/state-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// Runs `tengen` with these arguments.
pub(crate) fn tengen(arguments: &[&str]) -> Run {
    tengen_with_input(arguments, "")
}
