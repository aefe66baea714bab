//! What a game is played with: as a page asks for it, checked before anything is built from it.

use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game, MAX_SIZE, MIN_SIZE, Rules};
use tengen_engine::clock::TimeSettings;

use crate::{error::WebError, roster::Roster};

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
    pub fn name(&self) -> &str {
        match self {
            Seat::Human => "human",
            Seat::Engine { player, .. } => player,
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
}

impl Settings {
    /// The empty game with its handicap stones, if everything in the settings makes sense.
    pub fn game(&self, roster: &Roster) -> Result<Game, WebError> {
        self.seats.check(roster)?;
        if !(MIN_SIZE..=MAX_SIZE).contains(&self.width) || !(MIN_SIZE..=MAX_SIZE).contains(&self.height) {
            return Err(WebError::Setting(format!("the board must have {MIN_SIZE} to {MAX_SIZE} lines")));
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
            stones => {
                // Boards without so many customary points get good ones.
                if game.place_fixed_handicap(stones).is_err() {
                    game.place_free_handicap(stones).map_err(|error| WebError::Setting(error.to_string()))?;
                }
            }
        }
        Ok(game)
    }
}
