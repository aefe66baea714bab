//! What the tests of all crates share: game records of our own, a NATS server, and a word about what they could not check.

use std::{
    env,
    fs::{self, OpenOptions},
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

/// Sees that `tests/all/main.rs` of a crate names every file beside it: a file that it does not name would not be tested.
pub fn tests_are_complete(crate_folder: &str) {
    let folder = Path::new(crate_folder).join("tests/all");
    let main = fs::read_to_string(folder.join("main.rs")).expect("the tests' main file");
    for entry in fs::read_dir(&folder).expect("the tests' folder") {
        let path = entry.expect("a file of the tests").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_named =
            main.lines().any(|line| line == format!("mod {name};") || line == format!("mod r#{name};"));
        assert!(name == "main" || is_named, "tests/all/main.rs lacks `mod {name};`");
    }
}

/// The folder of games between our own presets, which are part of the repository.
pub fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/records")
}
