//! Everything that goes over the wire, as JSON. Whoever changes it raises [`PROTOCOL`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tengen_lab::matches::GameRecord;

/// Machines with another number do not understand each other.
pub const PROTOCOL: u32 = 1;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A run: games that one coordinator wants. Its name is a hash of everything that decides the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Announcement {
    pub(crate) protocol: u32,
    pub(crate) version: String,
    /// For people.
    pub(crate) title: String,
    /// The SHA-256 of the order in the object store.
    pub(crate) order: String,
    /// Games in a job.
    pub(crate) unit: u64,
    /// After so many milliseconds without a word from its worker a job is given to another one.
    pub(crate) ack_wait: u64,
    /// Workers fetch files at a random moment within so many milliseconds, so that they do not all come at once.
    pub(crate) spread: u64,
}

/// How far a run is; the coordinator tells it every second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Who hands it out.
    pub(crate) coordinator: String,
    pub(crate) title: String,
    pub(crate) planned: u64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    pub(crate) unit: u64,
    pub(crate) per_minute: f64,
    /// Seconds since 1970 of the last word.
    pub(crate) told: u64,
}

/// What a worker shows before it is taken on for a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) protocol: u32,
    pub(crate) version: String,
    pub(crate) worker: String,
    /// How the players behave on its machine.
    #[serde(default)]
    pub(crate) behaviour: Value,
}

/// The answer: why not, if it is not taken on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    pub(crate) refused: Option<String>,
}

/// Some games of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Its number in the run.
    pub(crate) number: u64,
    /// The numbers of the games.
    pub(crate) games: Vec<u64>,
    /// For games that are replayed: who has played them, and must not check itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<String>,
}

/// What a worker says about a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) job: u64,
    pub(crate) worker: String,
    /// The hash of the behaviour that the worker has shown.
    pub(crate) proof: String,
    /// Whether the games were replayed to check another worker.
    pub(crate) is_check: bool,
    pub(crate) outcome: Outcome,
}

/// How a job went.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The games of a match.
    Games(Vec<GameRecord>),
    /// Games of self-play; their records follow the JSON, or are in the object store under this SHA-256.
    SelfPlay {
        games: Vec<SelfPlayGame>,
        #[serde(default)]
        object: Option<String>,
    },
    /// They could not be played.
    Failed {
        reason: String,
        /// Where the job is in the stream.
        sequence: u64,
        /// Whether another attempt is useless.
        is_final: bool,
    },
}

/// What a record does not say about a game of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SelfPlayGame {
    pub(crate) number: u64,
    pub(crate) players: [usize; 2],
    pub(crate) score: Option<f32>,
    /// As in SGF; nothing for a game that became too long.
    pub(crate) outcome: Option<String>,
    pub(crate) evaluations: u64,
    pub(crate) wrong_resignation: Option<bool>,
}

/// A worker that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Beat {
    pub(crate) name: String,
    pub(crate) cores: usize,
    /// Games played since it was started.
    pub(crate) games: u64,
    /// Jobs under way.
    pub(crate) running: u64,
    pub(crate) state: String,
}

/// Why a worker is set aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Aside {
    pub(crate) reason: String,
    /// Whether what it has reported counts no more.
    pub(crate) purge: bool,
}

/// A message as JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("messages are plain data")
}

/// Names of workers and runs become parts of subjects.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The subject of a job; those that check others have their own.
pub(crate) fn job_subject(run: &str, job: u64, is_check: bool) -> String {
    format!("tengen.jobs.{run}.{}{job}", if is_check { "check-" } else { "" })
}

/// The name of a run's consumer on both streams.
pub(crate) fn consumer_name(run: &str) -> String {
    format!("run-{run}")
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_subjects() {
        assert!(is_name("host-1_a") && !is_name("a.b") && !is_name("") && !is_name("a b") && !is_name("*"));
        assert_eq!(job_subject("ab", 3, false), "tengen.jobs.ab.3");
        assert_ne!(job_subject("ab", 3, true), job_subject("ab", 3, false));
    }
}
