//! What the player has found out about the position, as overlays that GoGui draws on its board, and in words.
//!
//! The position is searched if the player's last search was about another one; `gogui-interrupt` ends it early.

use std::fmt::Write;

use tengen_board::{Board, Color, Move, Vertex};

use super::{
    super::{
        args::{Args, Refusal, Reply, color, vertex},
        server::Server,
    },
    Command,
    params::{parameters, set},
};
use crate::{
    players::ReplyTable,
    search::{RootMove, SearchReport, value_for},
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "gogui-analyze_commands", run: analyze_commands },
    Command { usage: "gogui-title", run: |server, args| args.none().map(|()| title(server)) },
    Command { usage: "gogui-version VERSION", run: |_, args| args.exactly::<1>().map(|_| String::new()) },
    Command { usage: "tengen-win_rates", run: win_rates },
    Command { usage: "tengen-visits", run: visits },
    Command { usage: "tengen-scores", run: scores },
    Command { usage: "tengen-pruned", run: pruned },
    Command { usage: "tengen-ownership", run: ownership },
    Command { usage: "tengen-rave", run: rave },
    Command { usage: "tengen-priors", run: priors },
    Command { usage: "tengen-line", run: line },
    Command { usage: "tengen-replies COLOR", run: replies },
    Command {
        usage: "tengen-replies_to VERTEX COLOR",
        run: |server, args| replies_to(server, args, ReplyTable::Playouts),
    },
    Command {
        usage: "tengen-gcmb VERTEX COLOR",
        run: |server, args| replies_to(server, args, ReplyTable::Gcmb),
    },
    Command { usage: "tengen-param [KEY VALUE]", run: param },
    Command { usage: "gomill-explain_last_move", run: explain },
];

/// What GoGui offers in its Analyze menu: type, label, command.
const ANALYZE_COMMANDS: &str = "\
gfx/Win rates/tengen-win_rates
gfx/Visits/tengen-visits
sboard/Mean scores/tengen-scores
sboard/Playouts until moves were pruned/tengen-pruned
dboard/Ownership/tengen-ownership
sboard/RAVE values/tengen-rave
sboard/Priors/tengen-priors
var/Expected line/tengen-line
sboard/Replies that won last/tengen-replies %c
gfx/Replies to a move in playouts/tengen-replies_to %p %c
gfx/Replies to a move in the tree (GCMB)/tengen-gcmb %p %c
string/Explain the last move/gomill-explain_last_move
param/Parameters/tengen-param
plist/Legal moves/all_legal %c
plist/Dead stones/final_status_list dead
string/Final score/final_score
string/Prisoners/captures %c
hstring/Board/showboard
hstring/Move history/move_history
hstring/Rules/kata-get-rules";

fn analyze_commands(_: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(ANALYZE_COMMANDS.to_owned())
}

fn title(server: &Server) -> String {
    format!("tengen {}", server.seat.name())
}

/// The player's last report if it is about the position on the board, else a new one.
fn report(server: &mut Server) -> Result<&SearchReport, Refusal> {
    let game = &server.game;
    let is_known = server.seat.report().is_some_and(|report| {
        report.position == game.board().hash() && report.to_play == game.to_play() && report.playouts > 0
    });
    let request = server.request();
    let name = server.seat.name().to_owned();
    let report = if is_known { server.seat.report() } else { server.seat.analyse(&server.game, &request)? };
    report.ok_or_else(|| {
        Refusal::new(format!("the player {name} does not search: start tengen gtp with another --preset"))
    })
}

/// The board and the report.
fn overlay<'a>(server: &'a mut Server, args: Args<'_>) -> Result<(Board, &'a SearchReport), Refusal> {
    args.none()?;
    let board = server.game.board().clone();
    Ok((board, report(server)?))
}

/// One word for each point, row by row from the top; `""` where there is nothing to say.
fn string_board(board: &Board, word: impl Fn(Vertex) -> Option<String>) -> String {
    let mut text = String::new();
    for row in board.rows_from_top() {
        let words = row.into_iter().map(|v| word(v).unwrap_or_else(|| "\"\"".to_owned()));
        let _ = write!(text, "\n{}", words.collect::<Vec<_>>().join(" "));
    }
    text
}

fn percent(share: f32) -> String {
    format!("{:.0}", share * 100.0)
}

/// The word for the move at each point.
fn move_board(board: &Board, moves: &[RootMove], word: impl Fn(&RootMove) -> Option<String>) -> String {
    string_board(board, |v| moves.iter().find(|m| m.mv == v.into()).and_then(&word))
}

/// A line below the board.
fn status(report: &SearchReport) -> String {
    let black = report.black_value * 100.0;
    format!(
        "TEXT Black wins {black:.1}% of {} playouts, {:+.1} points; best {}",
        report.playouts,
        report.score,
        report.best().mv
    )
}

fn tried(report: &SearchReport) -> impl Iterator<Item = (Vertex, &RootMove)> {
    report.moves.iter().filter(|m| m.visits > 0).filter_map(|m| Some((m.mv.vertex()?, m)))
}

/// Labels are the win rates of whoever moves.
fn win_rates(server: &mut Server, args: Args<'_>) -> Reply {
    let (_, report) = overlay(server, args)?;
    let labels = tried(report).map(|(v, m)| format!(" {v} {}", percent(m.value_for(report.to_play))));
    let shades = tried(report).map(|(v, m)| format!(" {v} {:.2}", 2.0 * m.black_value - 1.0));
    Ok(format!(
        "\nINFLUENCE{}\nLABEL{}\n{}",
        shades.collect::<String>(),
        labels.collect::<String>(),
        status(report)
    ))
}

fn visits(server: &mut Server, args: Args<'_>) -> Reply {
    let (_, report) = overlay(server, args)?;
    let most = report.moves.iter().map(|m| m.visits).max().unwrap_or(0).max(1) as f32;
    let sign = report.to_play.sign() as f32;
    let labels = tried(report).map(|(v, m)| format!(" {v} {}", m.visits));
    let shades = tried(report).map(|(v, m)| format!(" {v} {:.2}", sign * m.visits as f32 / most));
    Ok(format!(
        "\nINFLUENCE{}\nLABEL{}\n{}",
        shades.collect::<String>(),
        labels.collect::<String>(),
        status(report)
    ))
}

/// Mean points of whoever moves, komi included.
fn scores(server: &mut Server, args: Args<'_>) -> Reply {
    let (board, report) = overlay(server, args)?;
    let sign = report.to_play.sign() as f32;
    Ok(move_board(&board, &report.moves, |m| (m.visits > 0).then(|| format!("{:.1}", m.score * sign))))
}

/// After how many playouts of the search each move was left out, by players that prune.
fn pruned(server: &mut Server, args: Args<'_>) -> Reply {
    let (board, report) = overlay(server, args)?;
    Ok(move_board(&board, &report.moves, |m| m.pruned_at.map(|playouts| playouts.to_string())))
}

/// 1 where Black owns the point in every playout, −1 where White does.
fn ownership(server: &mut Server, args: Args<'_>) -> Reply {
    let (board, report) = overlay(server, args)?;
    Ok(string_board(&board, |v| Some(format!("{:.2}", report.ownership[v]))))
}

/// All-moves-as-first win rates of whoever moves, in percent.
fn rave(server: &mut Server, args: Args<'_>) -> Reply {
    let (board, report) = overlay(server, args)?;
    if report.moves.iter().all(|m| m.amaf_visits == 0.0) {
        return Err(Refusal::new("the player does not use RAVE: choose a preset such as rave"));
    }
    Ok(move_board(&board, &report.moves, |m| {
        (m.amaf_visits > 0.0).then(|| percent(value_for(m.amaf_black_value, report.to_play)))
    }))
}

/// What was known before the search: each move's share, in percent.
fn priors(server: &mut Server, args: Args<'_>) -> Reply {
    let (board, report) = overlay(server, args)?;
    let sum: f32 = report.moves.iter().map(|m| m.prior).sum();
    if sum <= 0.0 {
        return Err(Refusal::new(
            "the player knows nothing before it searches: choose a preset with knowledge",
        ));
    }
    Ok(move_board(&board, &report.moves, |m| {
        (m.prior > 0.0).then(|| format!("{:.1}", m.prior / sum * 100.0))
    }))
}

/// The expected line as GoGui plays it out: colours and moves.
fn line(server: &mut Server, args: Args<'_>) -> Reply {
    let (_, report) = overlay(server, args)?;
    let colors = [report.to_play, !report.to_play].into_iter().cycle();
    let moves = colors
        .zip(&report.best().line)
        .map(|(color, mv)| format!("{} {mv}", color.letter().to_ascii_lowercase()));
    Ok(moves.collect::<Vec<_>>().join(" "))
}

/// On each point the best reply that was learned to a move there.
fn replies(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let player = color(player)?;
    let board = server.game.board();
    let best = |v: Vertex| {
        server
            .seat
            .player()
            .replies(ReplyTable::Playouts, player, v.into())
            .first()
            .map(|r| r.reply.to_string())
    };
    if board.points().all(|v| best(v).is_none()) {
        return Err(no_replies());
    }
    Ok(string_board(board, best))
}

/// The replies that were learned to one move, with their weights in percent.
fn replies_to(server: &mut Server, args: Args<'_>, table: ReplyTable) -> Reply {
    let [point, player] = args.exactly()?;
    let (point, player) = (vertex(point)?, color(player)?);
    if !server.game.board().contains(point) {
        return Err(Refusal::new(format!("invalid coordinate: {point} is not on the board")));
    }
    let replies = server.seat.player().replies(table, player, Move::from(point));
    if replies.is_empty() {
        return Err(no_replies());
    }
    let labels = replies.iter().map(|r| format!(" {} {}", r.reply, percent(r.weight)));
    let side = if player == Color::Black { "BLACK" } else { "WHITE" };
    Ok(format!(
        "\nCIRCLE {point}\nLABEL{}\nTEXT {side}'s replies to {point}: {}",
        labels.collect::<String>(),
        replies.len()
    ))
}

fn no_replies() -> Refusal {
    Refusal::new("no replies are known: choose a preset with such a table (rave-lgr, gcmb), and search first")
}

/// Without arguments every parameter and its value, as GoGui's dialog shows them.
fn param(server: &mut Server, args: Args<'_>) -> Reply {
    if let Some((key, value)) = args.text.split_once(' ') {
        return set(server, key, value.trim());
    }
    args.none()?;
    let parameters = parameters(server)?;
    let lines = parameters.keys().into_iter().map(|key| {
        let value = parameters.get(&key)?;
        Ok(format!("[string] {key} {value}"))
    });
    Ok(lines.collect::<Result<Vec<_>, Refusal>>()?.join("\n"))
}

/// The last search in a sentence.
fn explain(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let Some(report) = server.seat.report() else { return Ok(String::new()) };
    let best = report.best();
    let line: Vec<_> = best.line.iter().map(ToString::to_string).collect();
    let pruned = match report.moves.iter().filter(|m| m.pruned_at.is_some()).count() {
        0 => String::new(),
        count => format!("; {count} of {} moves pruned", report.moves.len()),
    };
    Ok(format!(
        "{} wins {:.1}% with {} ({} of {} visits); {:+.1} points for Black; expected: {}{pruned}",
        report.to_play,
        best.value_for(report.to_play) * 100.0,
        best.mv,
        best.visits,
        report.visits,
        report.score,
        line.join(" "),
    ))
}
