//! Game records in the Smart Game Format (SGF), versions 3 and 4.
//!
//! A [`Record`] keeps a whole game tree with its variations and every property, known or not; [`Record::main_line`] and
//! [`Record::game_at`] replay it into a [`Game`](crate::Game), [`Record::from_game`] makes one from a game.
//!
//! ```
//! use tengen_board::sgf::Record;
//! let record = Record::parse(b"(;GM[1]FF[4]SZ[9]KM[5.5]PB[Shusaku];B[ee];W[ec](;B[cc])(;B[gc]))").unwrap();
//! let game = record.main_line().unwrap();
//! assert_eq!(game.moves().len(), 3);
//! assert_eq!(record.info().black.as_deref(), Some("Shusaku"));
//! ```
//!
//! # How it works
//! The crate `sgf-parse` knows texts with their escapes. In front of it stands a scanner of our own, because that crate
//! tells no place of an error, needs stack for every move of a game (a long line of moves overflows it), and expands the
//! same list of points again and again. The scanner stores values as they stand in the file, so that nothing is lost when
//! a record is written again.

mod decode;
mod error;
mod file;
mod info;
mod replay;
mod scan;
mod tree;
mod write;

pub use error::{Place, Problem, SgfError};
pub use file::{data_folder, read_file};
pub use info::GameInfo;
pub use scan::{Games, games};
pub use tree::{Node, NodeId, Property, Record};

/// Files larger than this are refused.
pub const MAX_BYTES: usize = 1 << 28;
/// Game trees with more nodes than this are refused.
pub const MAX_NODES: usize = 4_000_000;

/// Reads all games of a file. [`games`] yields them one by one, for large collections.
pub fn read_collection(bytes: &[u8]) -> Result<Vec<Record>, SgfError> {
    let text = decode::decode(bytes)?;
    games(&text).collect()
}

/// The text of a file, whatever its encoding: as its byte order mark or its property `CA` says, else UTF-8 if it is valid, else
/// Latin-1.
pub fn text_of(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, SgfError> {
    decode::decode(bytes)
}
