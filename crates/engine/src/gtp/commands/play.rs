//! Moves: played, asked for, taken back.

use tengen_board::{Color, Game, Outcome, Reason};

use super::{
    super::{
        args::{Args, Refusal, Reply, color, mv, number},
        server::Server,
    },
    Command,
};
use crate::players::{Decision, PlayerError, Request};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "play COLOR VERTEX", run: play },
    Command { usage: "genmove COLOR", run: genmove },
    Command { usage: "reg_genmove COLOR", run: reg_genmove },
    Command { usage: "kgs-genmove_cleanup COLOR", run: genmove_cleanup },
    Command { usage: "undo", run: undo },
    Command { usage: "gg-undo [MOVES]", run: undo_many },
    Command { usage: "gogui-play_sequence COLOR VERTEX ...", run: play_sequence },
];

fn play(server: &mut Server, args: Args<'_>) -> Reply {
    let [player, point] = args.exactly()?;
    let (player, point) = (color(player)?, mv(point)?);
    server.game.try_play_as(player, point)?;
    server.game.set_outcome(None);
    Ok(String::new())
}

fn genmove(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let request = server.request();
    generate(server, color(player)?, &request)
}

/// As `genmove`, but dead stones of the opponent are captured before passing.
fn genmove_cleanup(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let mut request = server.request();
    request.query.cleanup = true;
    generate(server, color(player)?, &request)
}

/// Lets the player choose a move and plays it.
pub(super) fn generate(server: &mut Server, player: Color, request: &Request) -> Reply {
    server.game.set_to_play(player);
    server.game.set_outcome(None);
    match server.decide(request)? {
        Decision::Play(mv) => {
            server.game.play_unchecked(mv);
            server.has_replied();
            Ok(mv.to_string())
        }
        Decision::Resign => {
            server.game.set_outcome(Some(Outcome::Win { winner: !player, by: Reason::Resignation }));
            Ok("resign".to_owned())
        }
    }
}

fn reg_genmove(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    let request = server.request();
    consider(server, color(player)?, &request)
}

/// Lets the player choose a move without playing it.
pub(super) fn consider(server: &mut Server, player: Color, request: &Request) -> Reply {
    let position = with_turn(&server.game, player);
    match server.seat.decide(&position, request)? {
        Decision::Play(mv) => Ok(mv.to_string()),
        Decision::Resign => Ok("resign".to_owned()),
    }
}

/// A failure of the player, which the front end must not mistake for a move.
impl From<PlayerError> for Refusal {
    fn from(error: PlayerError) -> Refusal {
        Refusal::new(error.to_string())
    }
}

/// The game with the turn given to `color`.
pub(super) fn with_turn(game: &Game, color: Color) -> Game {
    let mut game = game.clone();
    game.set_to_play(color);
    game
}

fn undo(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    take_back(server, 1)
}

fn undo_many(server: &mut Server, args: Args<'_>) -> Reply {
    let count = args.optional()?.map_or(Ok(1), |text| number(text, "the number of moves"))?;
    take_back(server, count)
}

fn take_back(server: &mut Server, count: usize) -> Reply {
    let played = server.game.moves().len();
    match played.checked_sub(count) {
        Some(left) => {
            server.game.undo_to(left);
            Ok(String::new())
        }
        None if played == 0 => Err(Refusal::new("cannot undo: no move has been played")),
        None => Err(Refusal::new(format!("cannot undo: only {played} moves have been played"))),
    }
}

/// All of the moves, or none.
fn play_sequence(server: &mut Server, args: Args<'_>) -> Reply {
    let before = server.game.moves().len();
    let to_play = server.game.to_play();
    for (player, point) in args.stones(mv)? {
        if let Err(error) = server.game.try_play_as(player, point) {
            server.game.undo_to(before);
            server.game.set_to_play(to_play);
            return Err(Refusal::new(format!("illegal move: {player} {point}: {error}")));
        }
    }
    Ok(String::new())
}
