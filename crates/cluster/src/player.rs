//! A player on its way to another machine: its parameters as TOML, its files by their SHA-256, another program by its name.
//!
//! What arrives is not trusted: parameters are read with the ranges that hold everywhere, a path in them is refused, and a program is
//! started only if whoever runs the worker has said by which command line.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen_lab::{PlayerConfig, PlayerSpec};
use tengen_nets::FileContents;

use crate::{
    error::ClusterError,
    link::Link,
    store::{self, Cache},
};

/// The options that name files.
const FILES: [&str; 3] = ["net", "rollout_net", "book"];

/// The command lines of the programs that may be started here, by name.
pub(crate) type Engines = BTreeMap<String, String>;

/// A player in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayerText {
    /// What it is called.
    name: String,
    /// Its parameters as TOML, without files and command lines.
    toml: String,
    /// The name of another program, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    engine: Option<String>,
    /// The files that it plays with, by the options.
    files: BTreeMap<String, FileText>,
}

/// A file in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FileText {
    /// A network that comes with the program, by name.
    Shipped(String),
    /// A file in the object store.
    Stored { sha256: String, suffix: String },
}

impl FileText {
    /// Puts a file into the store, unless every tengen has it.
    pub(crate) async fn put(path: &Path, is_network: bool, link: &Link) -> Result<FileText, ClusterError> {
        let contents = FileContents::read(path)?;
        Ok(match &contents.file {
            None => FileText::Shipped(path.display().to_string()),
            Some(file) => FileText::Stored {
                sha256: store::put(&link.objects, &contents.bytes).await?,
                suffix: store::suffix(file, is_network).to_owned(),
            },
        })
    }

    /// Whether it must be fetched.
    pub(crate) fn is_missing(&self, cache: &Cache) -> bool {
        matches!(self, FileText::Stored { sha256, suffix } if !cache.has(sha256, suffix))
    }

    /// Where it is on this machine.
    pub(crate) async fn fetch(&self, link: &Link, cache: &Cache) -> Result<PathBuf, ClusterError> {
        match self {
            FileText::Shipped(name) if tengen_nets::shipped().any(|known| known == name) => Ok(name.into()),
            FileText::Shipped(_) => Err(ClusterError::Message(
                "an order names a network that does not come with tengen".to_owned(),
            )),
            FileText::Stored { sha256, suffix } => cache.fetch(&link.objects, sha256, suffix).await,
        }
    }
}

/// What the queue calls a program: the name of the file that the command line starts.
pub(crate) fn engine_name(command: &str) -> String {
    let program = command.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
    Path::new(program).file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The command line by which a program is started here.
pub(crate) fn allowed(engines: &Engines, name: &str) -> Result<String, ClusterError> {
    engines.get(name).cloned().ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        ClusterError::Message(format!(
            "the program {shown:?} may not be started here: allow it with tengen work --allow-engine {shown}=COMMAND"
        ))
    })
}

impl PlayerText {
    /// Of a player here, whose files are put into the store.
    pub(crate) async fn of(spec: &PlayerSpec, link: &Link) -> Result<PlayerText, ClusterError> {
        let mut plain = spec.clone();
        let mut files = BTreeMap::new();
        let options = &mut plain.options;
        let places = [options.net.take(), options.rollout_net.take(), options.book.take()];
        for (name, path) in FILES.into_iter().zip(places) {
            if let Some(path) = path {
                files.insert(name.to_owned(), FileText::put(&path, name != "book", link).await?);
            }
        }
        let mut engine = None;
        if let PlayerConfig::Gtp(config) = &mut plain.config {
            engine = Some(engine_name(&config.command));
            config.command.clear();
        }
        Ok(PlayerText { name: spec.name.clone(), toml: plain.to_toml(), engine, files })
    }

    /// The files that it needs.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileText> {
        self.files.values()
    }

    /// The player on this machine.
    pub(crate) async fn build(
        &self,
        link: &Link,
        cache: &Cache,
        engines: &Engines,
    ) -> Result<PlayerSpec, ClusterError> {
        let mut spec = self.plain()?;
        if let (PlayerConfig::Gtp(config), Some(name)) = (&mut spec.config, &self.engine) {
            config.command = allowed(engines, name)?;
        }
        for (name, file) in &self.files {
            let path = Some(file.fetch(link, cache).await?);
            match name.as_str() {
                "net" => spec.options.net = path,
                "rollout_net" => spec.options.rollout_net = path,
                "book" => spec.options.book = path,
                _ => {
                    return Err(ClusterError::Message(format!(
                        "an order has a file {name:?} that no player knows"
                    )));
                }
            }
        }
        Ok(spec)
    }

    /// The player without files and command line; an error if there are some where they must not be.
    fn plain(&self) -> Result<PlayerSpec, ClusterError> {
        let spec = PlayerSpec::from_toml(&self.toml, &self.name)?;
        let refused =
            |what: &str| Err(ClusterError::Message(format!("an order names {what}: it is not opened")));
        let options = &spec.options;
        if options.net.is_some() || options.rollout_net.is_some() || options.book.is_some() {
            return refused("a path");
        }
        match &spec.config {
            PlayerConfig::Gtp(config) if !config.command.is_empty() => refused("a command line"),
            PlayerConfig::Gtp(_) if self.engine.is_none() => refused("a program without its name"),
            _ => Ok(spec),
        }
    }
}

/// How a player behaves, in words that are the same on all machines: of another program the name, the version and the arguments, as
/// its path may differ.
pub(crate) fn behaviour(spec: &PlayerSpec, width: usize, height: usize) -> Result<Value, ClusterError> {
    let mut behaviour = spec.behaviour(width, height)?;
    if let Some(Value::String(command)) = behaviour.get("command") {
        let arguments = command.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        behaviour["command"] = json!(arguments);
    }
    Ok(behaviour)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(toml: &str, engine: Option<&str>) -> PlayerText {
        let engine = engine.map(str::to_owned);
        PlayerText { name: "x".to_owned(), toml: toml.to_owned(), engine, files: BTreeMap::new() }
    }

    #[test]
    fn an_order_opens_no_path_and_starts_no_command() {
        assert!(text("kind = \"random\"\n", None).plain().is_ok());
        assert!(text("kind = \"gtp\"\n", Some("gnugo")).plain().is_ok());
        for (toml, word) in [
            ("kind = \"random\"\nbook = \"/etc/passwd\"\n", "a path"),
            ("kind = \"greedy\"\nnet = \"/etc/passwd\"\n", "a path"),
            ("kind = \"gtp\"\ncommand = \"touch /tmp/x\"\n", "a command line"),
            ("kind = \"gtp\"\n", "without its name"),
        ] {
            let error = text(toml, None).plain().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(
            text("kind = \"random\"\nthreads = 1000000\n", None).plain().is_err(),
            "ranges hold here, too"
        );
        let error = allowed(&Engines::new(), "gnugo").unwrap_err().to_string();
        assert!(error.contains("--allow-engine gnugo=COMMAND"), "{error}");
    }

    #[test]
    fn programs_have_short_names() {
        assert_eq!(engine_name("/usr/games/gnugo --mode gtp"), "gnugo");
        assert_eq!(engine_name("katago gtp"), "katago");
    }
}
