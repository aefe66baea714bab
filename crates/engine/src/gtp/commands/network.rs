//! What the player's network says about the position, before any search.

use std::fmt::Write;

use tengen_board::{Board, Vertex};

use super::{
    super::{
        args::{Args, Refusal, Reply},
        server::Server,
    },
    Command,
};
use crate::search::{RawEvaluation, Uncertainty};

pub(super) const COMMANDS: &[Command] = &[Command { usage: "kata-raw-nn SYMMETRY|all", run: raw_network }];

/// Symmetries as KataGo numbers them.
const SYMMETRIES: std::ops::Range<usize> = 0..8;

/// As KataGo answers, but without the empty lines between symmetries, which would end the answer.
fn raw_network(server: &mut Server, args: Args<'_>) -> Reply {
    let [symmetry] = args.exactly()?;
    let symmetries = match symmetry {
        "all" => SYMMETRIES,
        number => match number.parse().ok().filter(|n| SYMMETRIES.contains(n)) {
            Some(n) => n..n + 1,
            None => return Err(Refusal::syntax("the symmetry is a number from 0 to 7, or all")),
        },
    };
    let mut text = Vec::new();
    for number in symmetries {
        let raw = server.seat.raw_evaluation(&server.game, number)?;
        let raw = raw
            .ok_or_else(|| Refusal::new("this player has no network: start with --preset zero --net FILE"))?;
        text.push(format!("symmetry {number}\n{}", show(server.game.board(), &raw)));
    }
    Ok(text.join("\n"))
}

fn show(board: &Board, raw: &RawEvaluation) -> String {
    let mut text = String::new();
    for (name, number) in
        [("whiteWin", raw.white_win), ("whiteLoss", raw.black_win), ("noResult", raw.no_result)]
    {
        let _ = writeln!(text, "{name} {number:.6}");
    }
    let told = |part: fn(&Uncertainty) -> f32| raw.uncertainty.as_ref().map_or(-1.0, part);
    for (name, number) in [
        ("whiteLead", -raw.lead),
        ("whiteScoreSelfplay", -raw.score),
        ("whiteScoreSelfplaySq", raw.score_squared),
        ("varTimeLeft", told(|u| u.variance_time)),
        ("shorttermWinlossError", told(|u| u.value_error)),
        ("shorttermScoreError", told(|u| u.score_error)),
    ] {
        let _ = writeln!(text, "{name} {number:.3}");
    }
    text.push_str("policy\n");
    rows(board, |v| raw.policy[v], 6, &mut text);
    let _ = write!(text, "policyPass {:.6}", raw.pass);
    if let Some(owners) = &raw.ownership {
        text.push_str("\nwhiteOwnership\n");
        rows(board, |v| -owners[v], 7, &mut text);
        text.truncate(text.trim_end().len());
    }
    text
}

/// A number for each point, rows from the top.
fn rows(board: &Board, number: impl Fn(Vertex) -> f32, digits: usize, text: &mut String) {
    for row in board.rows_from_top() {
        for number in row.into_iter().map(&number) {
            let _ = if number.is_nan() {
                write!(text, "{:>1$} ", "NAN", digits + 2)
            } else {
                write!(text, "{number:.digits$} ")
            };
        }
        text.push('\n');
    }
}
