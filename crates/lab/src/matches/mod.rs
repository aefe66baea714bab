//! Matches between two players, and tournaments of several.
//!
//! A match is a [`MatchConfig`]. [`run`] has its games played at a [`Venue`](crate::venue::Venue), such as the threads of this
//! machine, and returns a [`GameRecord`] for each;
//! [`Summary::new`] turns those into the answer. With a [`Journal`] every game is on disk as soon as it is over, so
//! that a match which was killed goes on where it stopped.
//!
//! The same configuration and the same game number give the same game: the seeds of both players come from the seed of
//! the match and the number of the game. That holds for players with one thread and a fixed number of playouts, and
//! for other programs as far as they heed `set_random_seed` or a `{seed}` in their command line.

mod config;
mod error;
mod journal;
mod openings;
mod place;
mod record;
mod referee;
mod runner;
mod sequential;
mod sgf;
mod summary;
mod table;
mod tournament;

pub use config::{MatchConfig, Side, derive_seed};
pub use error::MatchError;
pub use journal::{Journal, difference};
pub use openings::Openings;
pub use record::{Ending, GameRecord};
pub use referee::{Arbiter, Referee};
pub use runner::{Tables, run};
pub use sequential::{decision, in_order};
pub use summary::Summary;
pub use tournament::{PlayerRating, Schedule, Tournament};
