//! The tables of a review: every move, and both players side by side.

use tengen_board::Color;

use super::{Class, Phase, Review, figures::Figures};
use crate::experiments::report::Table;

/// Every move, a row each.
pub(super) fn moves(review: &Review) -> Table {
    let headings = [
        "number",
        "color",
        "move",
        "lead",
        "win_rate",
        "points_lost",
        "win_rate_lost",
        "class",
        "best",
        "pv",
        "phase",
        "expected_loss",
    ];
    let mut table = Table::new(&headings);
    table.rows.extend(review.moves.iter().map(|m| {
        let line: Vec<_> = m.pv.iter().map(ToString::to_string).collect();
        vec![
            m.number.to_string(),
            m.color.to_string(),
            m.played.to_string(),
            m.lead.to_string(),
            m.win_rate.to_string(),
            m.points_lost.to_string(),
            m.win_rate_lost.to_string(),
            m.class.name().to_owned(),
            m.best.to_string(),
            line.join(" "),
            m.phase.name().to_owned(),
            m.expected_loss.to_string(),
        ]
    }));
    table
}

/// Both players' figures, the whole game first.
pub(super) fn players(review: &Review) -> Table {
    let mut table = Table::new(&[
        "player",
        "part of the game",
        "moves",
        "points lost a move",
        "accuracy",
        "first choices",
        "estimated rank",
    ]);
    for color in Color::ALL {
        let player = review.player(color);
        let name = match &player.name {
            Some(name) => format!("{name} ({color})"),
            None => super::name_of(color).to_owned(),
        };
        table.rows.push(row(&name, "whole game", &player.all, player.rank_in_words()));
        for phase in Phase::ALL {
            table.rows.push(row("", phase.name(), player.phases.of(phase), None));
        }
    }
    table
}

fn row(name: &str, part: &str, figures: &Figures, rank: Option<String>) -> Vec<String> {
    let shown = |value: Option<f64>, text: fn(f64) -> String| value.map_or(String::new(), text);
    vec![
        name.to_owned(),
        part.to_owned(),
        figures.moves.to_string(),
        shown(figures.mean_loss, |loss| format!("{loss:.2}")),
        shown(figures.accuracy, |accuracy| format!("{accuracy:.1}")),
        shown(figures.first_choices, |share| format!("{:.0}%", 100.0 * share)),
        rank.unwrap_or_default(),
    ]
}

/// How many moves of each class.
pub(super) fn classes(review: &Review) -> Table {
    let mut table = Table::new(&["class", "points lost", "Black", "White"]);
    for class in Class::ALL {
        let count = |color| review.player(color).classes.count(class).to_string();
        let row = vec![class.name().to_owned(), class.range(), count(Color::Black), count(Color::White)];
        table.rows.push(row);
    }
    table
}
