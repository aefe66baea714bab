//! What the tests of all crates share: game records of our own, a NATS server, and a word about what they could not check.

use std::{
    env,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

mod nats;

pub use nats::NatsServer;

/// Tells that something could not be checked here, and for want of what. It is printed, and appended to the file that
/// `$TENGEN_SKIPPED` names: `make test` ends with its lines, as the output of a test that passes is not shown.
pub fn skipped(unchecked: &str, want: &str) {
    eprintln!("SKIPPED: {unchecked}: {want}");
    if let Some(path) = env::var_os("TENGEN_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        // One write, so that the lines of tests that run at the same time do not mix.
        let noted = file.and_then(|mut file| file.write_all(format!("- {unchecked}: {want}\n").as_bytes()));
        noted.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// The folder of games between our own presets, which are part of the repository.
pub fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/records")
}
