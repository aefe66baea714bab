//! Matches, experiments and self-play on many machines, over NATS JetStream.
//!
//! [`Workers`] is a [`Venue`](tengen_lab::venue::Venue): whatever has games played on this machine can have them played there.
//! [`work`] is the other side. Between them are pairs of games as jobs on a queue that the server keeps on its disk. A job may be
//! played more than once; its games count once, as every game has a number in a run whose name is the hash of everything that
//! decides it. `docs/cluster.md` tells how it is run.

mod admission;
mod attribution;
mod bucket;
mod checks;
mod course;
mod error;
mod link;
mod message;
mod order;
mod outgoing;
mod page;
mod player;
#[cfg(test)]
mod simulation;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod worker;
mod workers;

pub use error::ClusterError;
pub use link::Server;
pub use message::PROTOCOL;
pub use page::show;
pub use status::{Observer, RunStatus, Status, WorkerStatus};
pub use worker::{WorkOptions, work};
pub use workers::{HandOut, Remark, Workers};

/// A name for this process on this machine, for subjects and lists.
pub fn own_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname")
        .or_else(|_| std::env::var("HOSTNAME").map_err(std::io::Error::other));
    let host = host.unwrap_or_else(|_| "machine".to_owned());
    let plain: String =
        host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    format!("{}-{}", if plain.is_empty() { "machine" } else { &plain }, std::process::id())
}
