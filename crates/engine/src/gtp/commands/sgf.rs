//! Game records: read from files, shown, written to files.

use std::{fs, path::Path};

use tengen_board::{
    Game, Rules, bounded,
    sgf::{GameInfo, Record},
};

use super::{
    super::{
        args::{Args, Refusal, Reply},
        server::Server,
    },
    Command,
};
use crate::whole_file::write_whole;

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "loadsgf FILE [MOVE_NUMBER]", run: load },
    Command { usage: "printsgf [FILE]", run: print },
    Command { usage: "savesgf FILE", run: save },
];

/// Larger files are refused: a game takes a few thousand bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The position before the given move, or the last one. File names may contain spaces.
fn load(server: &mut Server, args: Args<'_>) -> Reply {
    if args.text.is_empty() {
        return Err(args.wrong());
    }
    require_files(server)?;
    let (path, before) = match args.text.rsplit_once(' ') {
        Some((path, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) => {
            (path.trim_end(), last.parse::<usize>().ok())
        }
        _ => (args.text, None),
    };
    let mut game = read(path, server.game.rules())
        .map_err(|reason| Refusal::new(format!("cannot load file: {path}: {reason}")))?;
    if let Some(before) = before {
        game.undo_to(before.saturating_sub(1));
    }
    server.start(game)?;
    Ok(String::new())
}

/// Rules and komi that the record does not tell stay as they were.
fn read(path: &str, rules: &Rules) -> Result<Game, String> {
    // Opening what is no file may take for ever.
    if !fs::metadata(path).map_err(|error| error.to_string())?.is_file() {
        return Err("not a game record".to_owned());
    }
    let bytes = bounded::read_file(path, MAX_BYTES).map_err(|error| error.to_string())?;
    let record = Record::parse(&bytes).map_err(|error| error.to_string())?;
    let mut game = record.main_line().map_err(|error| error.to_string())?;
    let info = record.info();
    let told = *game.rules();
    let mut kept = if info.rules.is_some() { told } else { *rules };
    // A suicide in the record shows that it is allowed.
    kept.suicide |= told.suicide;
    kept.komi = if info.komi.is_some() || info.handicap >= 2 { told.komi } else { rules.komi };
    game.set_rules(kept);
    Ok(game)
}

fn print(server: &mut Server, args: Args<'_>) -> Reply {
    if args.text.is_empty() { Ok(record(&server.game)) } else { write(server, args.text) }
}

fn save(server: &mut Server, args: Args<'_>) -> Reply {
    if args.text.is_empty() { Err(args.wrong()) } else { write(server, args.text) }
}

fn write(server: &Server, path: &str) -> Reply {
    require_files(server)?;
    write_whole(Path::new(path), record(&server.game))
        .map_err(|error| Refusal::new(format!("cannot save file: {path}: {error}")))?;
    Ok(String::new())
}

fn require_files(server: &Server) -> Result<(), Refusal> {
    if server.may_use_files {
        return Ok(());
    }
    Err(Refusal::new("files are neither read nor written: tengen gtp was started with --no-files"))
}

fn record(game: &Game) -> String {
    Record::from_game(game, &GameInfo::default()).to_sgf()
}
