//! The record of a table: reading files, and what the engine thinks about a position as properties of its node.

use tengen_board::{
    Color, Game, Move, Vertex,
    sgf::{self, GameInfo, NodeId, Record},
};
use tengen_engine::player::StopSignal;

use super::MAX_NODES;
use crate::{error::WebError, settings::Seats};

/// Black's winning chances in percent, as Sabaki writes and reads them.
const VALUE: &str = "SBKV";
/// Black's lead in points (SGF's estimated score).
const SCORE: &str = "V";

/// What a position is worth to Black.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evaluation {
    /// Winning chances, 0 to 1.
    pub(super) value: f32,
    /// Lead in points.
    pub(super) score: f32,
}

/// Reads the first game of a file, if all of it can be replayed.
pub(super) fn read(bytes: &[u8], stop: &StopSignal) -> Result<Record, WebError> {
    let text = sgf::text_of(bytes).map_err(|error| WebError::Record(error.to_string()))?;
    let record = match sgf::games(&text).next() {
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
    if stop.is_stopped() { Err(WebError::NotNow("The page has left.")) } else { Ok(()) }
}

/// The game up to a node.
pub(super) fn game_at(record: &Record, node: NodeId) -> Result<Game, WebError> {
    record.game_at(node).map_err(|error| WebError::Record(error.to_string()))
}

/// The players' names.
pub(super) fn info_of(seats: &Seats) -> GameInfo {
    let name = |color| Some(seats.of(color).name().to_owned());
    GameInfo { black: name(Color::Black), white: name(Color::White), ..GameInfo::default() }
}

/// The move of a node.
pub(super) fn move_of(record: &Record, node: NodeId) -> Option<(Color, Move)> {
    let (width, height) = record.size().ok()?;
    record.node(node).properties().iter().find_map(|property| {
        let color = match &*property.identifier {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return None,
        };
        let mv = match *property.values.first()?.trim().as_bytes() {
            [x @ b'a'..=b's', y @ b'a'..=b's'] => {
                let (x, y) = ((x - b'a') as usize, (y - b'a') as usize);
                if x >= width || y >= height {
                    return None;
                }
                Vertex::new(x, height - 1 - y).into()
            }
            _ => Move::PASS,
        };
        Some((color, mv))
    })
}

/// What the record says a position is worth.
pub(super) fn evaluation(record: &Record, node: NodeId) -> Option<Evaluation> {
    let number = |id| record.node(node).value(id)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    Some(Evaluation { value: (number(VALUE)? / 100.0).clamp(0.0, 1.0), score: number(SCORE)? })
}

/// Writes what a position is worth.
pub(super) fn set_evaluation(record: &mut Record, node: NodeId, evaluation: Evaluation) {
    let node = record.node_mut(node);
    node.set(VALUE, vec![format!("{:.2}", evaluation.value * 100.0)]);
    node.set(SCORE, vec![format!("{:.1}", evaluation.score)]);
}
