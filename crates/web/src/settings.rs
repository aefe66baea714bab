//! What a game is played with: as a page asks for it, checked before anything is built from it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game, HandicapError, MAX_SIZE, MIN_SIZE, Rules};
use tengen_engine::time::TimeSettings;

use crate::{
    auto_level::AutoLevel,
    error::WebError,
    roster::{Roster, title},
    store::Store,
};

/// Customary handicap points of a board that has them all.
const CUSTOMARY: usize = 9;

/// What records call whoever sits at the page.
pub const HUMAN: &str = "Player";

/// Who plays a colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Seat {
    /// Whoever sits at the page.
    Human,
    /// A player of the [`Roster`].
    Engine {
        /// Its name there.
        player: String,
        /// Playouts a move instead of its own.
        #[serde(default)]
        playouts: Option<u64>,
        /// Seconds a move instead of its own.
        #[serde(default)]
        seconds: Option<f64>,
    },
}

impl Seat {
    /// A player as it is.
    pub fn engine(player: &str) -> Seat {
        Seat::Engine { player: player.to_owned(), playouts: None, seconds: None }
    }

    /// Whether the program plays this colour.
    pub fn is_engine(&self) -> bool {
        matches!(self, Seat::Engine { .. })
    }

    /// What the page and records call who sits here.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Seat::Human => HUMAN.into(),
            Seat::Engine { player, .. } => title(player),
        }
    }

    /// Most playouts a move that a page may ask for.
    pub const MAX_PLAYOUTS: u64 = 1_000_000;
    /// Most seconds a move that a page may ask for.
    pub const MAX_SECONDS: f64 = 300.0;
}

/// Both seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seats {
    /// Who plays Black.
    pub black: Seat,
    /// Who plays White.
    pub white: Seat,
}

impl Seats {
    /// Nobody plays but whoever sits at the page: for studying a record.
    pub const STUDY: Seats = Seats { black: Seat::Human, white: Seat::Human };

    /// Who plays `color`.
    pub fn of(&self, color: Color) -> &Seat {
        if color == Color::Black { &self.black } else { &self.white }
    }

    /// Whether both can be filled.
    pub fn check(&self, roster: &Roster) -> Result<(), WebError> {
        Color::ALL.into_iter().try_for_each(|color| roster.admit(self.of(color)).map(drop))
    }

    /// How many engines play.
    pub fn engines(&self) -> usize {
        Color::ALL.into_iter().filter(|&color| self.of(color).is_engine()).count()
    }
}

/// A game that is to be played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Columns of the board.
    pub width: usize,
    /// Rows of the board.
    pub height: usize,
    /// Who plays.
    pub seats: Seats,
    /// The name of the rules.
    pub rules: String,
    /// Points for White; the customary ones if absent, half a point with handicap.
    #[serde(default)]
    pub komi: Option<f32>,
    /// Black's handicap stones; 0 for none.
    #[serde(default)]
    pub handicap: usize,
    /// The time control.
    #[serde(default)]
    pub time: TimeSettings,
    /// Points that a move of the human's may lose without a warning; no warnings if absent.
    #[serde(default)]
    pub teach: Option<f32>,
    /// Whether the engine plays at the level that suits the player, which goes up after a win and down after a loss.
    #[serde(default)]
    pub auto: bool,
}

impl Settings {
    /// The settings with the level that suits the player, where it is to follow the results.
    pub(crate) fn settled(&self, store: &Store) -> Result<Settings, WebError> {
        let mut settings = self.clone();
        if settings.auto {
            let player = AutoLevel::new(store, settings.width, settings.height).player()?;
            for seat in [&mut settings.seats.black, &mut settings.seats.white] {
                if seat.is_engine() {
                    *seat = Seat::engine(&player);
                }
            }
        }
        Ok(settings)
    }

    /// The empty game with its handicap stones, if everything in the settings makes sense.
    pub fn game(&self, roster: &Roster) -> Result<Game, WebError> {
        self.seats.check(roster)?;
        if !(MIN_SIZE..=MAX_SIZE).contains(&self.width) || !(MIN_SIZE..=MAX_SIZE).contains(&self.height) {
            return Err(WebError::Setting(format!("the board must have {MIN_SIZE} to {MAX_SIZE} lines")));
        }
        if self.teach.is_some_and(|points| !(0.5..=100.0).contains(&points)) {
            return Err(WebError::Setting("the limit for warnings must be from 0.5 to 100 points".into()));
        }
        let rules: Rules = self.rules.parse().map_err(|error| WebError::Setting(format!("{error}")))?;
        let komi = self.komi.unwrap_or(if self.handicap > 0 { 0.5 } else { rules.komi });
        let rules = rules.try_with_komi(komi).map_err(|error| WebError::Setting(error.to_string()))?;
        let mut game = Game::new(self.width, self.height, rules)
            .map_err(|error| WebError::Setting(error.to_string()))?;
        let most = game.board().area() / 4;
        match self.handicap {
            0 => {}
            1 => {
                return Err(WebError::Setting(
                    "a handicap of one stone is no handicap: lower the komi".into(),
                ));
            }
            stones if stones > most => {
                return Err(WebError::Setting(format!("this board takes at most {most} handicap stones")));
            }
            stones => match game.place_fixed_handicap(stones) {
                Ok(_) => {}
                Err(error @ HandicapError::InvalidNumber { most: CUSTOMARY.., .. }) => {
                    return Err(WebError::Setting(error.to_string()));
                }
                // Boards without so many customary points get good ones.
                Err(_) => {
                    game.place_free_handicap(stones).map_err(|error| WebError::Setting(error.to_string()))?;
                }
            },
        }
        Ok(game)
    }
}
