//! Whether a program that speaks GTP can be played against, and if not, at which step it fails.

use std::time::{Duration, Instant};

use tengen_board::{Color, Game, Rules};
use tengen_engine::{
    gtp::{Client, ClientError, Timeouts},
    players::Decision,
};

use super::{Check, Status};

/// Without these commands nobody can play against an engine.
const NECESSARY: [&str; 5] = ["boardsize", "clear_board", "komi", "play", "genmove"];

/// Starts the engine, sets up a small board and asks for a move. `on_failure` says how grave it is if that fails.
pub(super) fn engine(name: &str, command: &str, on_failure: Status) -> Check {
    match play_a_move(command) {
        Ok(detail) => Check::ok(name, format!("{detail} ({command})")),
        Err((detail, remedy)) => Check::bad(name, on_failure, detail, remedy),
    }
}

/// What the engine answered; or what is wrong, and what to do about it.
fn play_a_move(command: &str) -> Result<String, (String, String)> {
    let timeouts = Timeouts { command: Duration::from_secs(20), genmove: Duration::from_mins(1) };
    let mut client = Client::start(command, timeouts).map_err(|error| explain(&error, command))?;
    let mut ask = |request: &str| client.send(request).map_err(|error| explain(&error, command));
    let who = format!("{} {}", ask("name")?, ask("version")?);
    let known = ask("list_commands")?;
    let missing: Vec<_> =
        NECESSARY.into_iter().filter(|name| !known.split_whitespace().any(|known| known == *name)).collect();
    if !missing.is_empty() {
        let detail = format!("{who} does not know {}", missing.join(", "));
        return Err((detail, "it cannot play games through GTP: use another program".to_owned()));
    }
    ask("boardsize 9")?;
    ask("clear_board")?;
    ask("komi 7")?;
    ask("play black E5")?;
    let start = Instant::now();
    let decision = client.genmove(Color::White).map_err(|error| explain(&error, command))?;
    let seconds = start.elapsed().as_secs_f32();
    client.quit();
    let mut game = Game::new(9, 9, Rules::CHINESE).expect("9x9 is a board");
    game.play("E5".parse().expect("E5 is a point"));
    match decision {
        Decision::Play(mv) if game.check(mv).is_err() => {
            let remedy = "this is a bug of that program: try another version of it";
            Err((format!("{who} plays {mv} after E5, which is illegal"), remedy.to_owned()))
        }
        Decision::Play(mv) => Ok(format!("{who} works: it answered E5 with {mv} after {seconds:.1} s")),
        Decision::Resign => Ok(format!("{who} works, but resigned after E5")),
    }
}

/// What a failure means, in words of those who have not read the protocol.
fn explain(error: &ClientError, command: &str) -> (String, String) {
    let by_hand = format!("try it in a terminal: {command}, then type name");
    let remedy = match error {
        ClientError::CommandLine(_) => {
            "write the program and its arguments, with quotes around names that contain spaces".to_owned()
        }
        ClientError::NotFound { .. } => "install it, or write the whole path of the program".to_owned(),
        ClientError::Start { .. } => {
            "see that the file is a program for this machine and may be executed (chmod +x)".to_owned()
        }
        ClientError::Refused { .. } => "it may need other arguments: its manual tells".to_owned(),
        ClientError::TimedOut { .. } => {
            format!("many programs speak GTP only with an option (gnugo --mode gtp); {by_hand}")
        }
        ClientError::Stopped { .. } => "ask again".to_owned(),
        ClientError::Died { .. } => format!("a file or an argument may be missing; {by_hand}"),
        ClientError::Garbage { .. } => format!("it may need an option to speak GTP; {by_hand}"),
    };
    (format!("does not work: {error}"), remedy)
}
