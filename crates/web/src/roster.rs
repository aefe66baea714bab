//! The players that a page can choose from: the presets, and those named on the command line. A page sends a name from
//! this list, and how much that player may think; never a command line, a file or any other parameter.

use std::borrow::Cow;

use serde::Serialize;
use tengen_lab::{
    PRESETS, PlayerConfig, PlayerSpec, Preset,
    levels::{self, LevelRank},
};

use crate::{error::WebError, settings::Seat};

/// Memory cap of each search tree in megabytes: many games can be open at once.
const MAX_TREE_MB: usize = 64;
/// Positions that each search with a network remembers, for the same reason.
const MAX_CACHE: usize = 5_000;
/// Seconds that another program may take for a move.
const MAX_MOVE_SECONDS: f64 = 330.0;

/// A player as the page lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// What the page sends for it.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What it is, in a line.
    pub about: String,
    /// Where the page lists it.
    pub group: Group,
    /// What it is worth in kyu and dan, on the boards on which that was measured.
    pub ranks: Vec<LevelRank>,
}

/// What kind of player it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// tengen at a level, or at its best: to play against.
    Level,
    /// A technique or a paper: to study.
    Technique,
    /// Another program, whose thoughts cannot be seen.
    Program,
}

/// What the beginning of a level's name is; its number follows.
const LEVEL: &str = "level-";

/// What people call a player: the program with its level, and techniques by their names.
pub fn title(player: &str) -> Cow<'_, str> {
    match player.strip_prefix(LEVEL) {
        Some(level) => format!("tengen level {level}").into(),
        None if player == Preset::DEFAULT => "tengen".into(),
        None => player.into(),
    }
}

fn group(player: &PlayerSpec) -> Group {
    if player.is_external() {
        Group::Program
    } else if player.name.starts_with(LEVEL) || player.name == Preset::DEFAULT {
        Group::Level
    } else {
        Group::Technique
    }
}

/// The players to choose from.
#[derive(Clone, Debug)]
pub struct Roster {
    players: Vec<PlayerSpec>,
}

impl Default for Roster {
    /// The presets.
    fn default() -> Roster {
        let read = |preset: &Preset| preset.name.parse().expect("presets are valid");
        Roster { players: PRESETS.iter().map(read).collect() }
    }
}

impl Roster {
    /// Adds a player under its name, or replaces the one that has it.
    pub fn add(&mut self, spec: PlayerSpec) {
        self.players.retain(|player| player.name != spec.name);
        self.players.push(spec);
    }

    /// The player of this name.
    pub fn find(&self, name: &str) -> Result<&PlayerSpec, WebError> {
        self.players.iter().find(|player| player.name == name).ok_or_else(|| WebError::Player {
            name: name.chars().take(60).collect(),
            known: self.players.iter().map(|player| player.name.clone()).collect(),
        })
    }

    /// The list for the page, the strongest of ours first.
    pub fn list(&self) -> Vec<Listed> {
        let listed = |player: &PlayerSpec| Listed {
            name: player.name.clone(),
            title: title(&player.name).into_owned(),
            about: player.about.clone(),
            group: group(player),
            ranks: levels::ranks(&player.name),
        };
        self.players.iter().rev().map(listed).collect()
    }

    /// What is to be built for a seat: the player with the seat's limits, and within this server's. Nothing else makes a
    /// player from what a page has sent.
    pub fn admit(&self, seat: &Seat) -> Result<Option<PlayerSpec>, WebError> {
        let Seat::Engine { player, playouts, seconds } = seat else { return Ok(None) };
        let mut spec = self.find(player)?.clone();
        if playouts.is_some_and(|playouts| !(1..=Seat::MAX_PLAYOUTS).contains(&playouts)) {
            return Err(WebError::Setting(format!("playouts must be from 1 to {}", Seat::MAX_PLAYOUTS)));
        }
        if seconds.is_some_and(|seconds| !(0.01..=Seat::MAX_SECONDS).contains(&seconds)) {
            let most = Seat::MAX_SECONDS;
            return Err(WebError::Setting(format!("seconds a move must be from 0.01 to {most}")));
        }
        if playouts.is_some() || seconds.is_some() {
            (spec.options.playouts, spec.options.time) = (*playouts, *seconds);
        }
        spec.options.use_cores();
        match &mut spec.config {
            PlayerConfig::Mcts(config) => {
                config.search.max_tree_mb = config.search.max_tree_mb.min(MAX_TREE_MB);
                if let Some(network) = &mut config.network {
                    network.cache = network.cache.min(MAX_CACHE);
                }
            }
            PlayerConfig::Gtp(config) => config.move_seconds = config.move_seconds.min(MAX_MOVE_SECONDS),
            PlayerConfig::Random(_) | PlayerConfig::Flat(_) | PlayerConfig::Greedy(_) => {}
        }
        Ok(Some(spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_offered_and_can_be_replaced() {
        let mut roster = Roster::default();
        assert_eq!(roster.list().len(), PRESETS.len());
        let mut other: PlayerSpec = "zero".parse().unwrap();
        other.options.net = Some("other.safetensors".into());
        roster.add(other);
        assert_eq!(roster.list().len(), PRESETS.len());
        let net = roster.find("zero").unwrap().options.net.clone();
        assert_eq!(net.as_deref(), Some(std::path::Path::new("other.safetensors")));
    }

    #[test]
    fn players_have_names_for_people() {
        assert_eq!([title("default"), title("level-3"), title("uct")], ["tengen", "tengen level 3", "uct"]);
        let list = Roster::default().list();
        let group = |name| list.iter().find(|listed| listed.name == name).map(|listed| listed.group);
        assert_eq!([group("default"), group("uct")], [Some(Group::Level), Some(Group::Technique)]);
    }
}
