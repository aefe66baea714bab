//! Who the engine is, what it can do, and what does not concern the game.

use std::time::Duration;

use cpu_time::ProcessTime;

use super::{
    super::{
        args::{Args, Refusal, Reply, number},
        server::Server,
    },
    Command, all, find,
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "protocol_version", run: |_, args| args.none().map(|()| "2".to_owned()) },
    Command { usage: "name", run: |_, args| args.none().map(|()| "tengen".to_owned()) },
    Command { usage: "version", run: version },
    Command { usage: "known_command NAME", run: known_command },
    Command { usage: "list_commands", run: list_commands },
    Command { usage: "quit", run: quit },
    Command { usage: "stop", run: nothing },
    Command { usage: "gogui-interrupt", run: nothing },
    Command { usage: "clear_cache", run: clear_cache },
    Command { usage: "cputime", run: cpu_time },
    Command { usage: "gomill-cpu_time", run: cpu_time },
    Command { usage: "get_random_seed", run: get_random_seed },
    Command { usage: "set_random_seed SEED", run: set_random_seed },
    Command { usage: "kgs-chat game|private NAME MESSAGE", run: chat },
    Command { usage: "kgs-game_over", run: nothing },
    Command { usage: "cgos-gameover RESULT", run: accept },
    Command { usage: "cgos-opponent_name NAME", run: accept },
    Command { usage: "cgos-opponent_rating RATING", run: accept },
];

fn nothing(_: &mut Server, args: Args<'_>) -> Reply {
    args.none().map(|()| String::new())
}

/// For what servers tell and nobody needs.
#[expect(clippy::unnecessary_wraps, reason = "commands share one signature")]
fn accept(_: &mut Server, _: Args<'_>) -> Reply {
    Ok(String::new())
}

fn version(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let own = || format!("{} {}", env!("CARGO_PKG_VERSION"), server.seat.name());
    Ok(server.version.clone().unwrap_or_else(own))
}

fn known_command(_: &mut Server, args: Args<'_>) -> Reply {
    let [name] = args.exactly()?;
    Ok(find(name).is_some().to_string())
}

fn list_commands(_: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(all().map(Command::name).collect::<Vec<_>>().join("\n"))
}

/// Whatever follows: the thread that reads has stopped already.
#[expect(clippy::unnecessary_wraps, reason = "commands share one signature")]
fn quit(server: &mut Server, _: Args<'_>) -> Reply {
    server.has_quit = true;
    Ok(String::new())
}

fn clear_cache(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    server.seat.forget()?;
    Ok(String::new())
}

fn cpu_time(_: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let used: Duration =
        ProcessTime::try_now().map_err(|error| Refusal::new(format!("no CPU time: {error}")))?.as_duration();
    Ok(format!("{:.3}", used.as_secs_f64()))
}

fn get_random_seed(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let seed = server.seed.ok_or_else(|| Refusal::new("no seed is known: set one with set_random_seed"))?;
    Ok(seed.to_string())
}

fn set_random_seed(server: &mut Server, args: Args<'_>) -> Reply {
    let [seed] = args.exactly()?;
    let seed = number(seed, "the seed")?;
    server.seat.set_seed(seed)?;
    server.seed = Some(seed);
    Ok(String::new())
}

fn chat(server: &mut Server, args: Args<'_>) -> Reply {
    match args.words()[..] {
        ["game" | "private", _, ..] => {
            Ok(format!("I am tengen {} ({}), a program.", env!("CARGO_PKG_VERSION"), server.seat.name()))
        }
        _ => Err(args.wrong()),
    }
}
