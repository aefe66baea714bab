//! The record with what the review says: marks, values, comments and the better lines as variations.
//!
//! Marks are those of the format: `TE` for a first choice that was hard to find, `DO` for an inaccuracy, `BM` for a mistake (`BM[2]`
//! from six points on), `HO` for key moments. What positions are worth, and the expected lines, are written as `notes.rs` says, so that
//! the page shows them.
//! What the record says already is kept; only marks that contradict are taken away.

use tengen_board::{
    Color,
    sgf::{NodeId, Record},
};

use super::{
    ACCURACY_FORMULA, Class, Review, ReviewedMove, figures::Figures, lead_text, moments::sentence, name_of,
};
use crate::{loss::Evaluation, notes};

/// A first choice was hard to find where a move drawn by the network would have lost so many points.
const HARD: f64 = 1.0;

/// The record with annotations.
pub(super) fn annotated(review: &Review) -> Record {
    let mut record = review.record.clone();
    let root = record.root();
    // The text is written in UTF-8, whatever the record was read from.
    record.set_text(root, "CA", "UTF-8");
    if let Some(first) = review.moves.first() {
        let before = record.parent(review.turns[0].node).unwrap_or(root);
        set_values(&mut record, before, review, first.lead, first.win_rate);
    }
    comment(&mut record, root, &summary(review));
    for (m, turn) in review.moves.iter().zip(&review.turns) {
        set_values(&mut record, turn.node, review, m.lead_after, m.win_rate_after);
        if let Some(before) = record.parent(turn.node) {
            notes::set_expected(&mut record, before, &m.pv);
        }
        mark(&mut record, turn.node, m);
        comment(&mut record, turn.node, &told(m));
        if m.class >= Class::Inaccuracy {
            add_line(&mut record, turn.node, m);
        }
    }
    for moment in &review.key_moments {
        let node = review.turns[moment.number - 1].node;
        record.node_mut(node).set("HO", vec!["1".to_owned()]);
    }
    record
}

fn set_values(record: &mut Record, node: NodeId, review: &Review, lead: f64, win_rate: f64) {
    let evaluation = Evaluation { value: win_rate as f32, score: lead as f32 };
    notes::set_evaluation(record, node, evaluation, &review.evaluator);
}

/// Sets the mark of a move, of which there may be one.
fn mark(record: &mut Record, node: NodeId, m: &ReviewedMove) {
    let node = record.node_mut(node);
    let (identifier, value) = match m.class {
        Class::Excellent if m.is_first_choice() && m.expected_loss >= HARD => ("TE", "1"),
        Class::Excellent | Class::Good => return,
        Class::Inaccuracy => ("DO", ""),
        Class::Mistake => ("BM", "1"),
        Class::BigMistake | Class::Blunder => ("BM", "2"),
    };
    for other in ["TE", "DO", "BM", "IT"] {
        node.remove(other);
    }
    node.set(identifier, vec![value.to_owned()]);
}

/// Adds to a comment.
fn comment(record: &mut Record, node: NodeId, text: &str) {
    let before = record.node(node).text("C").map_or(String::new(), |before| before + "\n\n");
    record.set_text(node, "C", &format!("{before}{text}"));
}

/// The first node of the better line, beside the move that was played.
fn add_line(record: &mut Record, played: NodeId, m: &ReviewedMove) {
    let Some(mut node) = record.parent(played) else { return };
    let mut color = m.color;
    for (i, &mv) in m.pv.iter().enumerate() {
        node = record.add_move(node, color, mv);
        if i == 0 {
            let text = format!("Better by {:.1} points than {} {}.", m.points_lost, m.number, m.played);
            record.set_text(node, "C", &text);
        }
        color = !color;
    }
}

/// What is said about a move.
fn told(m: &ReviewedMove) -> String {
    let after = format!("{}, Black wins {:.0}%", lead_text(m.lead_after), 100.0 * m.win_rate_after);
    if m.class >= Class::Inaccuracy {
        let line: Vec<_> = m.pv.iter().map(ToString::to_string).collect();
        let chances = 100.0 * m.win_rate_lost;
        return format!(
            "{} ({}; {chances:.0}% winning chances)\nBetter: {}\n{after}",
            sentence(m),
            m.class.name(),
            line.join(" ")
        );
    }
    match (m.is_first_choice(), m.class) {
        (true, _) => format!("First choice.\n{after}"),
        (false, class) => {
            let (lost, best) = (m.points_lost, m.best);
            format!("{}: {lost:.1} points lost; first choice {best}.\n{after}", capital(class.name()))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

/// The comment of the root.
fn summary(review: &Review) -> String {
    let figures = |figures: &Figures| {
        let percent =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.0}%", 100.0 * share));
        format!(
            "accuracy {}, {} points lost a move, {} first choices",
            figures.accuracy.map_or("-".to_owned(), |accuracy| format!("{accuracy:.1}")),
            figures.mean_loss.map_or("-".to_owned(), |loss| format!("{loss:.2}")),
            percent(figures.first_choices)
        )
    };
    let mut text = format!("Reviewed by tengen: {}\n", review.analyst);
    for color in Color::ALL {
        text += &format!("{}: {}\n", name_of(color), figures(&review.player(color).all));
    }
    for moment in &review.key_moments {
        text += &format!("{}\n", moment.text);
    }
    text + ACCURACY_FORMULA
}
