//! The record of a table: reading files.

use tengen_board::{
    Color, Game, Move, Vertex,
    sgf::{self, GameInfo, NodeId, Record},
};
use tengen_engine::players::StopSignal;
use tengen_lab::notes;

use super::MAX_NODES;
use crate::{error::WebError, settings::Seats};

/// Reads a game of a file, counted from 0, if all of it can be replayed.
pub(super) fn read(bytes: &[u8], game: usize, stop: &StopSignal) -> Result<Record, WebError> {
    let text = sgf::text_of(bytes).map_err(|error| WebError::Record(error.to_string()))?;
    let record = match sgf::games(&text).nth(game) {
        Some(record) => record.map_err(|error| WebError::Record(error.to_string()))?,
        None => return Err(WebError::Record("no game found in it".to_owned())),
    };
    if record.len() > MAX_NODES {
        return Err(WebError::Record(format!("it has more than {MAX_NODES} positions")));
    }
    check(&record, stop)?;
    Ok(record)
}

/// Plays every line once, so that no position can fail later; until nobody waits for it any more.
pub(super) fn check(record: &Record, stop: &StopSignal) -> Result<(), WebError> {
    record.play_all_lines(|| !stop.is_stopped()).map_err(|error| WebError::Record(error.to_string()))?;
    if stop.is_stopped() { Err(WebError::NotNow("The page was closed.")) } else { Ok(()) }
}

/// The game up to a node.
pub(super) fn game_at(record: &Record, node: NodeId) -> Result<Game, WebError> {
    record.game_at(node).map_err(|error| WebError::Record(error.to_string()))
}

/// The players' names and the day.
pub(super) fn info_of(seats: &Seats, date: Option<String>) -> GameInfo {
    let name = |color| Some(seats.of(color).name().into_owned());
    GameInfo { black: name(Color::Black), white: name(Color::White), date, ..GameInfo::default() }
}

/// The points of a value: one, or a rectangle of them.
pub(super) fn points(record: &Record, value: &str) -> Vec<Vertex> {
    let point = |text| notes::read_move(record, text).and_then(Move::vertex);
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let (Some(first), Some(last)) = (point(first), point(last)) else { return Vec::new() };
    let columns = first.col().min(last.col())..=first.col().max(last.col());
    let rows = first.row().min(last.row())..=first.row().max(last.row());
    columns.flat_map(|col| rows.clone().map(move |row| Vertex::new(col, row))).collect()
}
