//! Looking at the game.

use tengen_board::{Color, Move};

use super::{
    super::{
        args::{Args, Refusal, Reply, color, mv},
        server::Server,
    },
    Command,
    play::with_turn,
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "showboard", run: showboard },
    Command { usage: "is_legal COLOR VERTEX", run: is_legal },
    Command { usage: "all_legal COLOR", run: all_legal },
    Command { usage: "list_stones COLOR", run: list_stones },
    Command { usage: "captures COLOR", run: captures },
    Command { usage: "move_history", run: move_history },
    Command { usage: "last_move", run: last_move },
];

fn showboard(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let game = &server.game;
    let (board, rules) = (game.board(), game.rules());
    let last = game.last_move();
    let mut notes =
        vec![String::new(), format!("{} (X) captured {}", "Black", board.prisoners(Color::Black))];
    notes.push(format!("{} (O) captured {}", "White", board.prisoners(Color::White)));
    notes.push(format!("Rules {}, komi {}", rules.name().unwrap_or("custom"), rules.komi));
    if game.handicap() > 0 {
        notes.push(format!("Handicap {}", game.handicap()));
    }
    notes.push(match last {
        Some(played) => format!("Move {}: {} {}", game.moves().len(), played.color, played.mv),
        None => "No move yet".to_owned(),
    });
    notes.push(match game.outcome() {
        // Who has won then depends on which stones are dead; final_score tells.
        _ if game.passes() >= 2 => "Both have passed".to_owned(),
        Some(outcome) => format!("Game over: {outcome}"),
        None if game.to_play() == Color::Black => "Black (X) to play".to_owned(),
        None => "White (O) to play".to_owned(),
    });
    let drawing = board.draw(last.map_or(Move::PASS, |played| played.mv));
    Ok(side_by_side(&drawing, &notes))
}

/// The drawing with a note at the right of each row, and the remaining notes below it.
fn side_by_side(drawing: &str, notes: &[String]) -> String {
    let width = drawing.lines().map(str::len).max().unwrap_or(0);
    let rows = drawing.lines().count();
    let mut text = String::new();
    for (i, row) in drawing.lines().enumerate() {
        let note = notes.get(i).map_or("", String::as_str);
        text.push_str(&format!("\n{row:width$}   {note}"));
    }
    for note in notes.iter().skip(rows) {
        text.push_str(&format!("\n{note}"));
    }
    text
}

fn is_legal(server: &mut Server, args: Args<'_>) -> Reply {
    let [player, point] = args.exactly()?;
    let (player, point) = (color(player)?, mv(point)?);
    let is_legal = with_turn(&server.game, player).check(point).is_ok();
    Ok(u8::from(is_legal).to_string())
}

fn all_legal(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let game = with_turn(&server.game, color(player)?);
    let legal = game.board().points().filter(|&v| game.check(v.into()).is_ok());
    Ok(legal.map(|v| v.to_string()).collect::<Vec<_>>().join(" "))
}

fn list_stones(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let (player, board) = (color(player)?, server.game.board());
    let stones = board.points().filter(|&v| board.is_color(v, player));
    Ok(stones.map(|v| v.to_string()).collect::<Vec<_>>().join(" "))
}

fn captures(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    Ok(server.game.board().prisoners(color(player)?).to_string())
}

/// The last move first, as GNU Go lists them.
fn move_history(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let moves = server.game.moves().iter().rev();
    Ok(moves.map(|played| format!("{} {}", played.color, played.mv)).collect::<Vec<_>>().join("\n"))
}

fn last_move(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let played = server.game.last_move().ok_or_else(|| Refusal::new("no previous move known"))?;
    Ok(format!("{} {}", played.color, played.mv))
}
