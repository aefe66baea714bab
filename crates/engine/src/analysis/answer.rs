//! Answers of KataGo's analysis protocol: one line of JSON each.

use serde_json::{Map, Value, json};
use tengen_board::Board;

use super::{
    figures::{Figures, Standing},
    query::{Include, Query, QueryError, Side, Warning},
};
use crate::search::{RootMove, SearchReport};

/// Rounded, so that a line is not longer than its figures are good.
pub(crate) fn rounded(value: f32) -> Value {
    json!((f64::from(value) * 1e6).round() / 1e6)
}

fn coarse(values: Vec<f32>) -> Value {
    values.into_iter().map(|value| json!((f64::from(value) * 1e4).round() / 1e4)).collect()
}

/// What was found out about a position.
pub(super) fn analysis(
    query: &Query,
    turn: usize,
    board: &Board,
    report: &SearchReport,
    is_during_search: bool,
) -> Value {
    let side = match query.side {
        Side::Of(color) => color,
        Side::ToMove => report.to_play,
    };
    let figures = Figures::new(report, board, side);
    let moves = figures.moves(0, usize::MAX);
    let infos: Vec<_> = moves
        .iter()
        .enumerate()
        .map(|(order, root_move)| move_info(query, &figures, order, root_move))
        .collect();
    let mut root = standing(&figures.root());
    root.insert("thisHash".to_owned(), figures.hash().into());
    root.insert("symHash".to_owned(), figures.symmetric_hash().into());
    root.insert("currentPlayer".to_owned(), report.to_play.letter().to_string().into());
    // In KataGo's order: analyze-sgf reads the text, and takes what comes last for the turn.
    let mut answer = json!({ "id": query.id, "isDuringSearch": is_during_search, "moveInfos": infos });
    if query.includes(Include::Ownership) {
        answer["ownership"] = coarse(figures.ownership(&report.ownership));
    }
    if query.includes(Include::OwnershipStdev) {
        answer["ownershipStdev"] = coarse(figures.ownership_deviation(&report.ownership));
    }
    if query.includes(Include::Policy) {
        answer["policy"] = figures.policy().into_iter().map(rounded).collect();
    }
    answer["rootInfo"] = root.into();
    answer["turnNumber"] = turn.into();
    answer
}

fn move_info(query: &Query, figures: &Figures<'_>, order: usize, root_move: &RootMove) -> Value {
    let figure = figures.standing(root_move);
    let mut info = Map::new();
    info.insert("move".to_owned(), root_move.mv.to_string().into());
    info.append(&mut standing(&figure));
    info.insert("prior".to_owned(), rounded(figures.prior(root_move)));
    info.insert("utilityLcb".to_owned(), rounded(figure.utility_lcb()));
    info.insert("order".to_owned(), order.into());
    let length = root_move.line.len().min(query.longest_line);
    info.insert("pv".to_owned(), root_move.line[..length].iter().map(ToString::to_string).collect());
    if query.includes(Include::LineVisits) {
        let visits: Value = root_move.line_visits[..length].iter().copied().collect();
        info.insert("pvEdgeVisits".to_owned(), visits.clone());
        info.insert("pvVisits".to_owned(), visits);
    }
    if let Some(ownership) = &root_move.ownership {
        if query.includes(Include::MovesOwnership) {
            info.insert("ownership".to_owned(), coarse(figures.ownership(ownership)));
        }
        if query.includes(Include::MovesOwnershipStdev) {
            info.insert("ownershipStdev".to_owned(), coarse(figures.ownership_deviation(ownership)));
        }
    }
    info.into()
}

/// What moves and positions have in common.
fn standing(standing: &Standing) -> Map<String, Value> {
    let lead = rounded(standing.lead);
    let fields = [
        ("visits", standing.visits.into()),
        ("edgeVisits", standing.visits.into()),
        ("weight", f64::from(standing.visits).into()),
        ("winrate", rounded(standing.win_rate)),
        ("lcb", rounded(standing.lcb)),
        ("utility", rounded(standing.utility())),
        ("scoreLead", lead.clone()),
        ("scoreMean", lead.clone()),
        ("scoreSelfplay", lead),
        ("scoreStdev", rounded(standing.lead_deviation)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// For a position that was given up before anything was found out.
pub(super) fn no_results(query: &Query, turn: usize) -> Value {
    json!({ "id": query.id, "isDuringSearch": false, "noResults": true, "turnNumber": turn })
}

pub(super) fn error(error: &QueryError) -> Value {
    let mut answer = json!({ "error": error.message });
    if let Some(field) = error.field {
        answer["field"] = field.into();
    }
    if let Some(id) = &error.id {
        answer["id"] = id.as_str().into();
    }
    answer
}

pub(super) fn warning(id: &str, warning: &Warning) -> Value {
    json!({ "warning": warning.message, "field": warning.field, "id": id })
}
