//! Flags and values that several commands share.

use std::{fmt, path::PathBuf, str::FromStr};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Serialize, Serializer};
use tengen_board::{Game, MAX_SIZE, MIN_SIZE, Rules};
use tengen_lab::{PlayerSpec, Preset};

/// How much a command says. For every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct OutputArgs {
    /// No progress bars and no remarks, only results
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Tell more
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
    /// Change any parameter (`tengen presets NAME` shows them); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads of the search; if absent, all cores where somebody waits for the player (play, gtp) and no seed is given, else one
    #[arg(short, long, value_name = "N")]
    threads: Option<usize>,
    /// Playouts a move
    #[arg(long, value_name = "N")]
    playouts: Option<u64>,
    /// Seconds a move
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Start of the random numbers: with one thread and a number of playouts, the same seed plays the same game
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The network file
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

impl PlayerArgs {
    /// The player that the flags describe.
    pub(crate) fn spec(&self) -> Result<PlayerSpec> {
        let mut spec = match &self.config {
            Some(path) => PlayerSpec::from_file(path)?,
            None => self.preset.parse()?,
        };
        spec.set_all(self.set.iter().map(String::as_str)).context("--set")?;
        let flags = [
            ("threads", self.threads.map(|n| n.to_string())),
            ("playouts", self.playouts.map(|n| n.to_string())),
            ("time", self.time.map(|seconds| seconds.to_string())),
            ("seed", self.seed.map(|n| n.to_string())),
            ("net", self.net.as_ref().map(|path| format!("{:?}", path.display().to_string()))),
        ];
        for (key, value) in flags {
            if let Some(value) = value {
                spec.set(key, &value).with_context(|| format!("--{key}"))?;
            }
        }
        Ok(spec)
    }
}

/// The board and the rules of a game.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArgs {
    /// Board size: 9, 13, 19, or columns x rows such as 7x9
    #[arg(short, long, value_name = "SIZE")]
    size: Option<BoardSize>,
    /// Points for White; that of the rules if absent
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
        anyhow::ensure!(komi.is_finite() && komi.abs() <= 400.0, "--komi {komi}: must be from -400 to 400");
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
}
