//! Where results come from: program, commit, machine.

use std::{env::consts, fs, thread};

use serde::Serialize;

/// What a result file tells about its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The version of the program.
    pub version: &'static str,
    /// The commit that it was built from; `-dirty` if files had been changed; `unknown` outside a repository.
    pub commit: &'static str,
    /// The processor.
    pub cpu: String,
    /// Its cores.
    pub cores: usize,
    /// The operating system and the instruction set.
    pub system: String,
}

impl Provenance {
    /// Of this program on this machine.
    pub fn current() -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("TENGEN_COMMIT"),
            cpu: cpu_name().unwrap_or_else(|| "unknown".to_owned()),
            cores: thread::available_parallelism().map_or(1, Into::into),
            system: format!("{} {}", consts::OS, consts::ARCH),
        }
    }
}

/// Whether what was built from this commit can be built again.
pub fn is_committed(commit: &str) -> bool {
    !commit.ends_with("-dirty")
}

/// As Linux tells it.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
