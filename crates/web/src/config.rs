//! What a server is started with.

use std::path::PathBuf;

use tengen_engine::time::TimeSettings;
use tengen_lab::Preset;

use crate::{
    access::Token,
    roster::Roster,
    settings::{Seat, Seats, Settings},
    store::Store,
};

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The players to choose from.
    pub roster: Roster,
    /// What the first game is played with.
    pub defaults: Settings,
    /// Where games are stored.
    pub folder: PathBuf,
    /// What a visitor has to show. Necessary unless only this machine can connect.
    pub token: Option<Token>,
    /// A file of problems to solve first, as text.
    pub problems: Option<String>,
}

impl Default for Config {
    /// A game on 9x9 against the default player, for visitors from this machine.
    fn default() -> Config {
        let seats = Seats { black: Seat::Human, white: Seat::engine(Preset::DEFAULT) };
        Config {
            roster: Roster::default(),
            defaults: Settings {
                width: 9,
                height: 9,
                seats,
                rules: "chinese".to_owned(),
                komi: None,
                handicap: 0,
                time: TimeSettings::Unlimited,
                teach: None,
                auto: false,
            },
            folder: Store::default_folder(),
            token: None,
            problems: None,
        }
    }
}
