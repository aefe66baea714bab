//! What the engine thinks about the positions of a record, as properties of its nodes: one way of writing it down for the page and
//! for reviews, so that each reads what the other has written.
//!
//! `SBKV` holds Black's winning chances in percent, as Sabaki's graph shows them, `V` (SGF's estimated score) Black's lead in points,
//! and the private properties `BY` and `PV` who says so and the expected line of play.

use tengen_board::{
    Color, Move, Vertex,
    sgf::{NodeId, Record},
};

use crate::loss::Evaluation;

const VALUE: &str = "SBKV";
const SCORE: &str = "V";
const BY: &str = "BY";
const LINE: &str = "PV";

/// Moves of an expected line that are kept.
const MAX_LINE: usize = 12;

/// What the record says a position is worth.
pub fn evaluation(record: &Record, node: NodeId) -> Option<Evaluation> {
    let number = |id| record.node(node).value(id)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    Some(Evaluation { value: (number(VALUE)? / 100.0).clamp(0.0, 1.0), score: number(SCORE)? })
}

/// Who says what a position is worth ([`PlayerSpec::evaluator`](crate::PlayerSpec::evaluator)); other programs do not tell.
pub fn evaluator(record: &Record, node: NodeId) -> Option<&str> {
    record.node(node).value(BY)
}

/// Writes what a position is worth, and who says so.
pub fn set_evaluation(record: &mut Record, node: NodeId, evaluation: Evaluation, by: &str) {
    let node = record.node_mut(node);
    node.set(VALUE, vec![format!("{:.2}", evaluation.value * 100.0)]);
    node.set(SCORE, vec![format!("{:.2}", evaluation.score)]);
    node.set(BY, vec![by.to_owned()]);
}

/// Takes away what is known about a position.
pub fn forget(record: &mut Record, node: NodeId) {
    for identifier in [VALUE, SCORE, BY, LINE] {
        record.node_mut(node).remove(identifier);
    }
}

/// The line of play that was expected at a node.
pub fn expected(record: &Record, node: NodeId) -> Vec<Move> {
    let values = record.node(node).values(LINE).unwrap_or_default();
    values.iter().take(MAX_LINE).map_while(|value| read_move(record, value)).collect()
}

/// Writes the line of play that is expected at a node.
pub fn set_expected(record: &mut Record, node: NodeId, line: &[Move]) {
    let values: Vec<_> = line.iter().take(MAX_LINE).map(|&mv| record.move_value(mv)).collect();
    if !values.is_empty() {
        record.node_mut(node).set(LINE, values);
    }
}

/// The move of a node.
pub fn move_of(record: &Record, node: NodeId) -> Option<(Color, Move)> {
    record.node(node).properties().iter().find_map(|property| {
        let color = match &*property.identifier {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return None,
        };
        Some((color, read_move(record, property.values.first()?)?))
    })
}

/// A move as a property has it; what is no point is a pass, none is a point beside the board.
pub fn read_move(record: &Record, value: &str) -> Option<Move> {
    let (width, height) = record.size().ok()?;
    match *value.trim().as_bytes() {
        [x @ b'a'..=b's', y @ b'a'..=b's'] => {
            let (x, y) = ((x - b'a') as usize, (y - b'a') as usize);
            (x < width && y < height).then(|| Vertex::new(x, height - 1 - y).into())
        }
        _ => Some(Move::PASS),
    }
}

/// Points that the move of a node has lost, if one evaluator tells what the positions before and after it are worth: what two of them
/// say cannot be compared. Nothing for the move that was expected.
pub fn points_lost(record: &Record, node: NodeId) -> Option<f32> {
    let parent = record.parent(node)?;
    let (color, mv) = move_of(record, node)?;
    // The second pass leads to the count, with which no estimate can be compared.
    if mv.is_pass() && move_of(record, parent).is_some_and(|(_, mv)| mv.is_pass()) {
        return None;
    }
    if evaluator(record, parent) != evaluator(record, node) {
        return None;
    }
    let (before, after) = (evaluation(record, parent)?, evaluation(record, node)?);
    let is_expected = expected(record, parent).first() == Some(&mv);
    Some(if is_expected { 0.0 } else { before.lost(after, color).points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut record = Record::parse(b"(;SZ[9];B[ee];W[tt];B[zz])").unwrap();
        let nodes: Vec<_> = record.main_nodes().collect();
        let worth = |value, score| Evaluation { value, score };
        assert_eq!(evaluation(&record, nodes[0]), None);
        set_evaluation(&mut record, nodes[0], worth(0.5, 1.25), "one");
        set_evaluation(&mut record, nodes[1], worth(0.25, -2.0), "one");
        let line = ["C3", "pass", "D4"].map(|mv| mv.parse().unwrap());
        set_expected(&mut record, nodes[0], &line);
        assert_eq!(evaluation(&record, nodes[1]), Some(worth(0.25, -2.0)));
        assert_eq!(expected(&record, nodes[0]), line);
        assert_eq!(move_of(&record, nodes[1]), Some((Color::Black, "E5".parse().unwrap())));
        assert_eq!(points_lost(&record, nodes[1]), Some(3.25));
        assert_eq!(points_lost(&record, nodes[2]), None, "nobody has looked at what came of it");
        set_expected(&mut record, nodes[0], &["E5".parse().unwrap()]);
        assert_eq!(points_lost(&record, nodes[1]), Some(0.0));
        forget(&mut record, nodes[1]);
        assert_eq!((evaluation(&record, nodes[1]), evaluator(&record, nodes[1])), (None, None));
    }

    #[test]
    fn only_what_one_evaluator_says_is_compared() {
        let mut record = Record::parse(b"(;SZ[9]SBKV[50]V[0];B[ee]SBKV[10]V[-9];W[cc];B[gg])").unwrap();
        let nodes: Vec<_> = record.main_nodes().collect();
        assert_eq!(points_lost(&record, nodes[1]), Some(9.0), "another program has told both");
        let worth = |score| Evaluation { value: 0.5, score };
        for (node, score, by) in
            [(nodes[1], 1.0, "one"), (nodes[2], 50.0, "another"), (nodes[3], 2.0, "another")]
        {
            set_evaluation(&mut record, node, worth(score), by);
        }
        assert_eq!(evaluator(&record, nodes[1]), Some("one"));
        assert_eq!([1, 2, 3].map(|i| points_lost(&record, nodes[i])), [None, None, Some(48.0)]);
    }
}
