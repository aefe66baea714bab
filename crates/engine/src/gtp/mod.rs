//! The Go Text Protocol: the server that graphical boards and servers talk to, and the client that drives other engines.
//!
//! [`protocol`] knows the text, [`Server`] a game and a player, [`Client`] another program. The commands are in one
//! file a group below `commands/`.

mod analyze;
mod args;
mod client;
mod client_commands;
mod client_error;
mod commands;
mod executable;
mod external;
mod interrupts;
mod live;
pub mod protocol;
mod server;

pub use client::{Client, Killer, Timeouts};
pub use client_error::{ClientError, LastWords};
pub use executable::find_executable;
pub use external::ExternalPlayer;
pub use protocol::Response;
pub use server::Server;
