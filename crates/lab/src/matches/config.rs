//! What a match is: everything that decides its games.

use serde::{Deserialize, Serialize, Serializer};
use tengen_board::{Game, Rules, splitmix};
use tengen_engine::time::TimeSettings;

use super::{error::MatchError, openings::Openings, referee::Referee};
use crate::players::spec::PlayerSpec;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first, whose point of view results take.
    A,
    /// The second.
    B,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// A match of two players.
#[derive(Clone, Debug, Serialize)]
pub struct MatchConfig {
    /// The first player.
    #[serde(serialize_with = "all_parameters")]
    pub a: PlayerSpec,
    /// The second player.
    #[serde(serialize_with = "all_parameters")]
    pub b: PlayerSpec,
    /// Columns of the board.
    pub width: usize,
    /// Rows of the board.
    pub height: usize,
    /// Rules and komi.
    pub rules: Rules,
    /// Who plays Black in every game; they take it in turn if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<Side>,
    /// How games begin.
    pub openings: Openings,
    /// A's clock.
    #[serde(skip_serializing_if = "is_unlimited")]
    pub clock_a: TimeSettings,
    /// B's clock.
    #[serde(skip_serializing_if = "is_unlimited")]
    pub clock_b: TimeSettings,
    /// Who counts them.
    pub referee: Referee,
    /// Where the random numbers of all games start.
    pub seed: u64,
}

fn is_unlimited(settings: &TimeSettings) -> bool {
    *settings == TimeSettings::Unlimited
}

/// A player with every parameter, so that a result file tells what played even when presets have changed.
fn all_parameters<S: Serializer>(spec: &PlayerSpec, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Full<'a> {
        spec: &'a str,
        parameters: &'a toml::Table,
    }
    Full { spec: &spec.name, parameters: spec.params().as_table() }.serialize(serializer)
}

impl MatchConfig {
    /// Games end after this many moves for each point of the board, and are counted as they stand.
    pub const LENGTH_PER_POINT: usize = 3;

    /// The game at its beginning, before the opening.
    pub fn empty_game(&self) -> Result<Game, MatchError> {
        Ok(Game::new(self.width, self.height, self.rules)?)
    }

    /// The spec of a side.
    pub fn spec(&self, side: Side) -> &PlayerSpec {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// The time control of a side.
    pub fn clock(&self, side: Side) -> TimeSettings {
        match side {
            Side::A => self.clock_a,
            Side::B => self.clock_b,
        }
    }

    /// Who plays Black in a game: who always does, or A in every other one, beginning with the first.
    pub fn black(&self, game: usize) -> Side {
        self.black.unwrap_or(if game.is_multiple_of(2) { Side::A } else { Side::B })
    }

    /// The opening of a game, by number: two in a row share one, so that both players get either colour of it.
    pub(super) fn opening(&self, game: usize) -> usize {
        if self.black.is_some() { game } else { game / 2 }
    }

    /// The seed of a side in a game.
    pub fn player_seed(&self, game: usize, side: Side) -> u64 {
        derive_seed(self.seed, 2 * game as u64 + u64::from(side == Side::B))
    }

    /// The seed of a game's opening.
    pub(super) fn opening_seed(&self, game: usize) -> u64 {
        derive_seed(!self.seed, self.opening(game) as u64)
    }
}

/// The seed at place `index` of those that belong to `seed`: 63 bits, as much as TOML and most other programs can read.
pub fn derive_seed(seed: u64, index: u64) -> u64 {
    splitmix(seed, index) >> 1
}
