//! Tells the crate which commit it is built from, for result files.

use std::process::Command;

/// What decides how players play: this crate, those below it, and the networks.
const SOURCES: [&str; 6] =
    ["../board/src", "../engine/src", "../nets/src", "../../networks", "src", "presets"];

fn main() {
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = match git(&["rev-parse", "--short=12", "HEAD"]) {
        Some(commit) => {
            let arguments = [&["status", "--porcelain", "--"][..], &SOURCES].concat();
            let is_dirty = git(&arguments).is_none_or(|changes| !changes.is_empty());
            if is_dirty { commit + "-dirty" } else { commit }
        }
        None => "unknown".to_owned(),
    };
    println!("cargo:rustc-env=TENGEN_COMMIT={commit}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
