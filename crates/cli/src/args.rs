//! Flags and values that several commands share.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    thread,
};

use anyhow::{Context, Result, ensure};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, de::DeserializeOwned, de::IntoDeserializer};
use tengen_board::{Game, MAX_SIZE, MIN_SIZE, Rules, bounded};
use tengen_cluster::Server;
use tengen_lab::{PlayerSpec, Preset, with_toml, words};

/// How much a command says. For every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct OutputArgs {
    /// Only results: no progress bars, no remarks
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Verbose output
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// Which player, how long it thinks, on what.
#[derive(Args, Clone, Debug)]
pub(crate) struct PlayerArgs {
    /// The player: a preset (`tengen presets` lists them), NAME,key=value,…, a TOML file, or gtp:COMMAND LINE
    #[arg(short, long, value_name = "SPEC", default_value = Preset::DEFAULT)]
    preset: String,
    /// Read the player from a TOML file instead
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    config: Option<PathBuf>,
    #[command(flatten)]
    thinking: ThinkingArgs,
    /// Random seed: with one thread and a number of playouts, the same seed plays the same game
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl PlayerArgs {
    /// What stands for the level that follows the player's results, where a person plays.
    pub(crate) const AUTO: &str = "auto";

    /// Whether the level is to follow the player's results; it is for nothing else that is asked for.
    pub(crate) fn is_auto(&self) -> bool {
        self.preset == Self::AUTO && self.config.is_none() && self.seed.is_none() && self.thinking.is_empty()
    }

    /// The player that the flags describe.
    pub(crate) fn spec(&self) -> Result<PlayerSpec> {
        let mut spec = match &self.config {
            Some(path) => PlayerSpec::from_file(path)?,
            // How it thinks is told: then it is no level.
            None if self.preset == Self::AUTO => Preset::DEFAULT.parse()?,
            None => self.preset.parse()?,
        };
        self.thinking.apply(&mut spec)?;
        set(&mut spec, "seed", self.seed.map(|n| n.to_string()))?;
        Ok(spec)
    }
}

/// How a player thinks, on what.
#[derive(Args, Clone, Debug)]
pub(crate) struct ThinkingArgs {
    /// Change any parameter (`tengen presets NAME` shows them); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads per search [default: 1; in play and gtp all cores, unless --seed is given]
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Playouts per move
    #[arg(long, value_name = "N")]
    playouts: Option<u64>,
    /// Seconds per move
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// The network file
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

impl ThinkingArgs {
    fn is_empty(&self) -> bool {
        let ThinkingArgs { set, threads, playouts, time, net } = self;
        set.is_empty() && threads.is_none() && playouts.is_none() && time.is_none() && net.is_none()
    }

    /// Changes a player as the flags ask for it.
    pub(crate) fn apply(&self, spec: &mut PlayerSpec) -> Result<()> {
        spec.set_all(self.set.iter().map(String::as_str)).context("--set")?;
        set(spec, "threads", self.threads.map(|n| n.to_string()))?;
        set(spec, "playouts", self.playouts.map(|n| n.to_string()))?;
        set(spec, "time", self.time.map(|seconds| seconds.to_string()))?;
        set(spec, "net", self.net.as_ref().map(|path| format!("{:?}", path.display().to_string())))
    }
}

/// Sets a parameter that has a flag of the same name.
fn set(spec: &mut PlayerSpec, key: &str, value: Option<String>) -> Result<()> {
    value.map_or(Ok(()), |value| spec.set(key, &value).with_context(|| format!("--{key}")))
}

/// A run in a folder of its own.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// The folder of the run
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Go on with the run in the folder, with the settings of its first command
    #[arg(long)]
    pub(crate) resume: bool,
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunArgs {
    /// The random seed.
    pub(crate) fn seed(&self) -> u64 {
        self.seed_or(1)
    }

    /// The random seed that was asked for, or else this one.
    pub(crate) fn seed_or(&self, own: u64) -> u64 {
        self.seed.unwrap_or(own)
    }

    /// An error where a run that goes on is given another seed.
    pub(crate) fn refuse_seed(&self) -> Result<()> {
        ensure!(self.seed.is_none(), "--seed: a resumed run keeps its seed; leave the option out");
        Ok(())
    }

    /// The number of threads that was asked for, or else this one.
    pub(crate) fn threads_or(&self, own: usize) -> Result<usize> {
        self.threads.map_or(Ok(own), |asked| threads(Some(asked)))
    }

    /// The number of threads that was asked for.
    pub(crate) fn threads(&self) -> Result<usize> {
        threads(self.threads)
    }
}

/// A configuration with the parameters of a TOML file changed, if there is a file.
pub(crate) fn from_file<T: Serialize + DeserializeOwned + JsonSchema>(
    config: T,
    file: Option<&Path>,
) -> Result<T> {
    let Some(file) = file else { return Ok(config) };
    let text = bounded::read_text(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(with_toml(&config, &text, &file.display().to_string())?)
}

/// The number of threads that was asked for, or one for each core.
pub(crate) fn threads(asked: Option<usize>) -> Result<usize> {
    let threads = asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    ensure!((1..=256).contains(&threads), "--threads {threads}: must be from 1 to 256");
    Ok(threads)
}

/// A NATS server, and who we are there.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServerArgs {
    /// The NATS server through which machines find each other: nats://HOST:PORT or tls://HOST:PORT; several of a cluster with commas
    #[arg(long, value_name = "URL")]
    nats: String,
    #[command(flatten, next_help_heading = "Options for the NATS server")]
    login: LoginArgs,
}

impl ServerArgs {
    /// The server that the flags describe.
    pub(crate) fn server(&self) -> Server {
        self.login.server(&self.nats)
    }
}

/// How we log in. Secrets are read from files: command lines can be read by other users.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoginArgs {
    /// Log in with this name
    #[arg(long, value_name = "NAME", requires = "nats", requires = "nats_password_file")]
    nats_user: Option<String>,
    /// ... and the password in this file
    #[arg(long, value_name = "FILE", requires = "nats_user")]
    nats_password_file: Option<PathBuf>,
    /// Log in with the token in this file
    #[arg(long, value_name = "FILE", requires = "nats", conflicts_with = "nats_user")]
    nats_token_file: Option<PathBuf>,
    /// Log in with the nkey whose seed is in this file
    #[arg(long, value_name = "FILE", requires = "nats", conflicts_with_all = ["nats_user", "nats_token_file"])]
    nats_nkey_file: Option<PathBuf>,
    /// Log in with this credentials file
    #[arg(long, value_name = "FILE", requires = "nats", conflicts_with_all = ["nats_user", "nats_token_file", "nats_nkey_file"])]
    nats_creds: Option<PathBuf>,
    /// Refuse to speak without encryption
    #[arg(long, requires = "nats")]
    tls: bool,
    /// The certificate of who vouches for the server, if that is none of the well-known authorities
    #[arg(long, value_name = "FILE", requires = "nats")]
    tls_ca: Option<PathBuf>,
    /// Our own certificate, for servers that want one
    #[arg(long, value_name = "FILE", requires = "nats", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl LoginArgs {
    /// The server at this address.
    pub(crate) fn server(&self, url: &str) -> Server {
        Server {
            url: url.to_owned(),
            user: self.nats_user.clone(),
            password_file: self.nats_password_file.clone(),
            token_file: self.nats_token_file.clone(),
            nkey_file: self.nats_nkey_file.clone(),
            creds: self.nats_creds.clone(),
            tls: self.tls,
            tls_ca: self.tls_ca.clone(),
            tls_cert: self.tls_cert.clone().zip(self.tls_key.clone()),
        }
    }
}

/// The board and the rules of a game.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArgs {
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, value_name = "SIZE")]
    size: Option<BoardSize>,
    /// Komi [default: the rules']
    #[arg(short, long, value_name = "POINTS", allow_hyphen_values = true)]
    komi: Option<f32>,
    /// Rule set: tromp-taylor, chinese, japanese, korean, aga, new-zealand
    #[arg(short, long, default_value = "chinese", value_name = "NAME")]
    rules: Rules,
}

impl GameArgs {
    /// Columns and rows; `default` each if no size is asked for.
    pub(crate) fn size(&self, default: usize) -> (usize, usize) {
        self.size.map_or((default, default), |BoardSize { width, height }| (width, height))
    }

    /// The rules in a form that reads back.
    pub(crate) fn rules_name(&self) -> String {
        self.rules.name().map_or_else(|| self.rules.to_compact(), str::to_owned)
    }

    /// The komi, if one is asked for.
    pub(crate) fn komi(&self) -> Option<f32> {
        self.komi
    }

    /// A game at its beginning; the board is square and of size `default` if no other is asked for.
    pub(crate) fn game(&self, default: usize) -> Result<Game> {
        let (width, height) = self.size(default);
        let komi = self.komi.unwrap_or(self.rules.komi);
        ensure!(komi.is_finite() && komi.abs() <= 400.0, "--komi {komi}: must be from -400 to 400");
        Ok(Game::new(width, height, self.rules.with_komi(komi))?)
    }
}

/// Columns and rows, written `9` or `7x9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardSize {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl FromStr for BoardSize {
    type Err = String;

    fn from_str(text: &str) -> Result<BoardSize, String> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let number = |text: &str| text.parse().ok().filter(|n| (MIN_SIZE..=MAX_SIZE).contains(n));
        match (number(width), number(height)) {
            (Some(width), Some(height)) => Ok(BoardSize { width, height }),
            _ => Err(format!("write {MIN_SIZE} to {MAX_SIZE}, or columns x rows such as 7x9")),
        }
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl Serialize for BoardSize {
    /// A number for a square board, else text such as `7x9`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.width == self.height {
            serializer.serialize_u64(self.width as u64)
        } else {
            serializer.collect_str(self)
        }
    }
}

/// Reads one of the words of a type; help and errors list them.
pub(crate) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = words::<T>().into_iter().map(|(word, meaning)| match meaning {
        Some(meaning) => PossibleValue::new(word).help(meaning),
        None => PossibleValue::new(word),
    });
    PossibleValuesParser::new(values)
        .try_map(|word| T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(word)))
}

/// A number, or the least and the largest of several: `7`, or `7:9`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span<T>(pub(crate) [T; 2]);

impl<T: FromStr + Copy + PartialOrd> FromStr for Span<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Span<T>, String> {
        let (least, most) = text.split_once(':').unwrap_or((text, text));
        match (least.parse::<T>(), most.parse::<T>()) {
            (Ok(least), Ok(most)) if least <= most => Ok(Span([least, most])),
            _ => Err("write a number, or the least and the largest as LEAST:LARGEST".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_one_number_or_two() {
        assert_eq!("9".parse(), Ok(BoardSize { width: 9, height: 9 }));
        assert_eq!("7x13".parse(), Ok(BoardSize { width: 7, height: 13 }));
        for text in ["", "1", "20", "9x", "x9", "9x20", "nine", "-9"] {
            assert!(text.parse::<BoardSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_span_is_one_number_or_two() {
        assert_eq!("7".parse(), Ok(Span([7, 7])));
        assert_eq!("-0.5:9.5".parse(), Ok(Span([-0.5, 9.5])));
        for text in ["", "7:", ":7", "9:7", "7:8:9", "nan"] {
            assert!(text.parse::<Span<f32>>().is_err(), "{text}");
        }
    }
}
