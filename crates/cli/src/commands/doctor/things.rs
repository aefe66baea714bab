//! What is wrong with something that the user names: a player, an engine, a network, a book, a game record.

use std::{
    fmt::Display,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use tengen_board::{Game, Rules, bounded, sgf};
use tengen_engine::players::{Book, Decision, Limits, PlayerError, Request};
use tengen_lab::PlayerSpec;
use tengen_nets::AnyNetwork;

use super::{Check, Status, engine::engine};

/// Examines one thing.
pub(super) fn examine(thing: &str) -> Check {
    if let Some(command) = thing.strip_prefix("gtp:") {
        return engine(thing, command.trim(), Status::Failed);
    }
    if thing.split_once(',').is_some_and(|(_, settings)| settings.contains('=')) {
        return player(thing);
    }
    let name = thing.to_lowercase();
    let ends_with = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends_with(&[".sgf", ".sgf.gz"]) {
        file(thing, record)
    } else if ends_with(&[".safetensors", ".bin.gz", ".txt.gz", ".bin"]) {
        file(thing, network)
    } else if ends_with(&[".book"]) {
        file(thing, book)
    } else if !ends_with(&[".toml"]) && (Path::new(thing).exists() || thing.contains(['/', '\\'])) {
        file(thing, by_content)
    } else {
        player(thing)
    }
}

/// A file whose name tells nothing.
fn by_content(path: &Path, bytes: &[u8]) -> Result<String, Trouble> {
    const GZIP: &[u8] = &[0x1f, 0x8b];
    let begins = |start: &str| bytes.trim_ascii_start().starts_with(start.as_bytes());
    // The length of the header, and the header in JSON.
    let is_safetensors = bytes.len() > 8 && bytes[4..8] == [0; 4] && bytes[8] == b'{';
    if begins("tengen book ") {
        book(path, bytes)
    } else if begins("(;") || begins("( ;") {
        record(path, bytes)
    } else if is_safetensors || path.extension().is_some_and(|extension| extension == "txt") {
        network(path, bytes)
    } else if bytes.starts_with(GZIP) {
        record(path, bytes).or_else(|_| network(path, bytes))
    } else {
        let (length, shown) = (bytes.len(), path.display());
        Ok(format!(
            "is there and can be read: {length} bytes; if it is an engine, write 'gtp:{shown} ARGUMENTS'"
        ))
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
    let mut seat = spec.build(spec.options.seed_or_fresh()).map_err(|error| {
        let named = [&spec.options.net, &spec.options.rollout_net, &spec.options.book];
        let remedy = match named.into_iter().flatten().next() {
            Some(file) => format!("run tengen doctor {} for details about the file", file.display()),
            None => "name the files that it needs, such as net=FILE".to_owned(),
        };
        (format!("cannot be built: {error}"), remedy)
    })?;
    // A book is of use on its own board only.
    let book = spec.options.book.as_deref().and_then(|path| Book::read(path).ok());
    let size = book.map(|book| book.size);
    let side = size.unwrap_or(9);
    let game = Game::new(side, side, Rules::CHINESE).expect("books are for boards");
    let limits = Limits { playouts: Some(100), time: Some(Duration::from_secs(10)), clock: None };
    let start = Instant::now();
    let decision = seat.decide(&game, &Request::from(limits)).map_err(|error| failed_at_once(&error))?;
    let seconds = start.elapsed().as_secs_f32();
    match decision {
        Decision::Play(mv) => {
            let book = size.map_or_else(String::new, |size| format!("; its book is for {size}x{size} only"));
            Ok(format!("plays: {mv} on an empty {side}x{side} board, after {seconds:.1} s{book}"))
        }
        Decision::Resign => Ok("works, but resigned at once".to_owned()),
    }
}

/// What happened when a player was asked for its first move.
fn failed_at_once(error: &PlayerError) -> Trouble {
    let remedy = match error {
        PlayerError::Engine(_) => "run tengen doctor 'gtp:COMMAND LINE' for details about another program",
        PlayerError::Illegal { .. } | PlayerError::Failed { .. } | PlayerError::Fault { .. } => {
            "this is a bug: please report it"
        }
    };
    (format!("starts, but does not make a first move: {error}"), remedy.to_owned())
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
    bounded::read_file(path, 1 << 30)
        .map_err(|error| (format!("cannot be read: {error}"), where_to_look(path)))
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

/// Reads a game record, compressed or not; of a collection the first game is told of, if all can be replayed.
fn record(path: &Path, _: &[u8]) -> Result<String, Trouble> {
    let trouble =
        |error: &dyn Display| (error.to_string(), "open it in another program and save it again".into());
    let bytes = sgf::read_file(path).map_err(|error| trouble(&error))?;
    let records = sgf::read_collection(&bytes).map_err(|error| trouble(&error))?;
    let mut broken = records.iter().zip(1..).filter_map(|(record, n)| Some((n, record.main_line().err()?)));
    if let Some((number, error)) = broken.next() {
        let (all, others) = (records.len(), broken.count());
        let where_ =
            format!("{} of {all} games cannot be replayed, the first of them game {number}: ", others + 1);
        return Err(trouble(&format!("{}{error}", if all == 1 { "" } else { &where_ })));
    }
    let first = records.first().ok_or_else(|| trouble(&"holds no game"))?;
    let game = first.main_line().map_err(|error| trouble(&error))?;
    let (width, height) = (game.board().width(), game.board().height());
    let number =
        if records.len() == 1 { "a".to_owned() } else { format!("{} games, the first a", records.len()) };
    Ok(format!(
        "{number} game of {} moves on {width}x{height}, rules {}",
        game.moves().len(),
        game.rules().name().unwrap_or("custom")
    ))
}

fn network(path: &Path, _: &[u8]) -> Result<String, Trouble> {
    let network = AnyNetwork::load(path).map_err(|error| {
        (error.to_string(), "download or train it again, or choose an older one".to_owned())
    })?;
    Ok(match network {
        AnyNetwork::Own(network) => {
            format!("a network of tengen with {} weights", network.spec().weight_count())
        }
        AnyNetwork::Kata(network) => {
            let (name, version, weights) = (network.name(), network.version(), network.weight_count());
            format!("KataGo's network {name}, version {version}, with {weights} weights")
        }
    })
}

fn book(path: &Path, _: &[u8]) -> Result<String, Trouble> {
    let book = Book::read(path)
        .map_err(|error| (error.to_string(), "build it again with tengen book build".to_owned()))?;
    if book.is_empty() {
        let remedy = "build it again with more records, or with a smaller --min-games".to_owned();
        return Err(("is an opening book without positions".to_owned(), remedy));
    }
    let (size, positions, games) = (book.size, book.len(), book.games);
    Ok(format!("an opening book for {size}x{size} of {positions} positions from {games} games"))
}
