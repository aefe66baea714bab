//! What is wrong with something that the user names: a player, an engine, a network, a book, a game record.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    time::{Duration, Instant},
};

use tengen_board::{Game, Rules, sgf::Record};
use tengen_engine::player::{Budget, Decision};
use tengen_lab::PlayerSpec;

use super::{Check, Status, engine::engine};

/// Examines one thing.
pub(super) fn examine(thing: &str) -> Check {
    let path = Path::new(thing);
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if let Some(command) = thing.strip_prefix("gtp:") {
        return engine(thing, command.trim(), Status::Failed);
    }
    let is_file = path.exists() || thing.contains(['/', '\\']);
    match extension.as_deref() {
        Some("toml") => player(thing),
        Some("sgf") => file(thing, record),
        Some("safetensors") => file(thing, safetensors),
        Some("gz" | "bin" | "txt") => file(thing, compressed),
        _ if is_file => file(thing, |_, bytes| {
            let advice = format!("is there and can be read: {} bytes", bytes.len());
            Ok(format!("{advice}; if it is an engine, write 'gtp:{thing} ARGUMENTS'"))
        }),
        _ => player(thing),
    }
}

/// What is wrong, and what to do about it.
type Trouble = (String, String);

fn check(thing: &str, result: Result<String, Trouble>) -> Check {
    match result {
        Ok(detail) => Check::ok(thing, detail),
        Err((detail, remedy)) => Check::bad(thing, Status::Failed, detail, remedy),
    }
}

/// Builds a player and lets it play a move.
fn player(thing: &str) -> Check {
    check(thing, try_player(thing))
}

fn try_player(thing: &str) -> Result<String, Trouble> {
    let spec: PlayerSpec =
        thing.parse().map_err(|error| (format!("{error}"), "tengen presets lists the players".to_owned()))?;
    let mut player = spec.build().map_err(|error| {
        (format!("cannot be built: {error}"), "name the files that it needs, such as net=FILE".to_owned())
    })?;
    let mut game = Game::new(9, 9, Rules::CHINESE).expect("9x9 is a board");
    let budget = Budget { playouts: Some(100), time: Some(Duration::from_secs(10)), ..Budget::default() };
    let start = Instant::now();
    let decision = player.decide(&game, &budget);
    let seconds = start.elapsed().as_secs_f32();
    match decision {
        Decision::Play(mv) => match game.try_play(mv) {
            Ok(()) => Ok(format!("plays: {mv} on an empty 9x9 board, after {seconds:.1} s")),
            Err(error) => Err((format!("chose {mv}: {error}"), "this is a bug: please report it".to_owned())),
        },
        Decision::Resign => Ok("plays, though it resigned at once".to_owned()),
    }
}

/// Reads a file and looks into it.
fn file(thing: &str, look: impl Fn(&Path, &[u8]) -> Result<String, Trouble>) -> Check {
    let path = Path::new(thing);
    let result = read(path).and_then(|bytes| match foreign(&bytes) {
        Some(trouble) => Err(trouble),
        None => look(path, &bytes),
    });
    check(thing, result)
}

fn read(path: &Path) -> Result<Vec<u8>, Trouble> {
    if path.is_dir() {
        return Err(("is a folder, not a file".to_owned(), "name the file in it".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(1 << 30).read_to_end(&mut bytes))
        .map_err(|error| (format!("cannot be read: {error}"), where_to_look(path)))?;
    Ok(bytes)
}

/// Files of the same folder with a similar name, or the last folder that exists.
fn where_to_look(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return format!("there is no folder {}", folder.display());
    }
    let wanted = path.extension();
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut similar: Vec<_> = names
        .filter(|other| other.extension() == wanted)
        .filter_map(|other| Some(other.file_name()?.to_string_lossy().into_owned()))
        .collect();
    similar.sort();
    similar.truncate(5);
    if similar.is_empty() {
        return format!("{} has no such file: give its whole path", folder.display());
    }
    format!("{} has {}", folder.display(), similar.join(", "))
}

/// What downloads often turn out to be.
fn foreign(bytes: &[u8]) -> Option<Trouble> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_lowercase();
    let again = "download it again";
    if bytes.is_empty() {
        Some(("is empty".to_owned(), again.to_owned()))
    } else if start.starts_with("version https://git-lfs") {
        Some(("is only a pointer of Git LFS to the real file".to_owned(), "run git lfs pull".to_owned()))
    } else if start.trim_start().starts_with("<!doctype html") || start.trim_start().starts_with("<html") {
        Some(("is a web page".to_owned(), format!("{again}, by the link to the file itself")))
    } else {
        None
    }
}

fn record(_: &Path, bytes: &[u8]) -> Result<String, Trouble> {
    let trouble = |error: String| (error, "open it in another program and save it again".to_owned());
    let record = Record::parse(bytes).map_err(|error| trouble(error.to_string()))?;
    let game = record.main_line().map_err(|error| trouble(error.to_string()))?;
    let (width, height) = (game.board().width(), game.board().height());
    Ok(format!(
        "a game of {} moves on {width}x{height}, rules {}",
        game.moves().len(),
        game.rules().name().unwrap_or("custom")
    ))
}

/// The header tells where each array lies: nothing may lie beyond the end of the file.
fn safetensors(_: &Path, bytes: &[u8]) -> Result<String, Trouble> {
    let broken =
        |what: &str| (format!("is no safetensors file: {what}"), "download or train it again".to_owned());
    let (length, rest) = bytes.split_first_chunk().ok_or_else(|| broken("it is too short"))?;
    let length =
        usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken("its header is too long"))?;
    let header = rest.get(..length).ok_or_else(|| broken("it ends within its header"))?;
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header)
        .map_err(|error| broken(&format!("its header is not JSON ({error})")))?;
    let arrays: Vec<_> = header.iter().filter(|(name, _)| *name != "__metadata__").collect();
    let end = arrays.iter().filter_map(|(_, array)| array["data_offsets"][1].as_u64()).max().unwrap_or(0);
    if end as usize > rest.len() - length {
        return Err(broken("it is cut off; the download may have been interrupted"));
    }
    Ok(format!("a network file with {} arrays, {} bytes", arrays.len(), bytes.len()))
}

fn compressed(path: &Path, bytes: &[u8]) -> Result<String, Trouble> {
    let is_gzip = bytes.starts_with(&[0x1f, 0x8b]);
    if path.extension().is_some_and(|extension| extension == "gz") && !is_gzip {
        return Err((
            "is not compressed, though its name says so".to_owned(),
            "download it again".to_owned(),
        ));
    }
    Ok(format!("can be read: {} bytes", bytes.len()))
}
