//! What is allowed, and what counts: the named rule sets.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{color::Color, zobrist};

/// Komi is between minus and plus this many points: more than the largest board has.
pub const MAX_KOMI: f32 = 400.0;

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KoRule {
    /// A single stone that has just captured a single stone cannot be recaptured at once.
    Simple,
    /// No position of the whole board may come back (PSK).
    Positional,
    /// No position of the whole board may come back with the same player to move (SSK).
    Situational,
}

impl KoRule {
    /// What superko compares: the hash of the stones, and under the situational rule whose turn it is.
    #[inline]
    pub fn key(self, hash: u64, to_play: Color) -> u64 {
        match (self, to_play) {
            (KoRule::Situational, Color::White) => hash ^ zobrist::WHITE_TO_PLAY,
            _ => hash,
        }
    }
}

/// How a finished game is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners.
    Territory,
}

/// Which surrounded points count nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tax {
    /// All of them count.
    None,
    /// Those of groups in seki do not (Japanese rules).
    Seki,
    /// Nor do two points of every other group (stone scoring, as in ancient China).
    All,
}

/// What White receives for Black's handicap stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// A point for each handicap stone.
    PerStone,
    /// A point for each handicap stone but the first.
    PerStoneButOne,
}

impl HandicapBonus {
    /// Points for White when Black has placed `stones`.
    pub fn points(self, stones: usize) -> usize {
        match self {
            HandicapBonus::Zero => 0,
            HandicapBonus::PerStone => stones,
            HandicapBonus::PerStoneButOne => stones.saturating_sub(1),
        }
    }
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Which repetitions are forbidden.
    pub ko: KoRule,
    /// Whether a player may take off their own stones.
    pub suicide: bool,
    /// How the game is counted.
    pub scoring: Scoring,
    /// Which surrounded points count nothing.
    #[serde(default = "no_tax")]
    pub tax: Tax,
    /// Compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether the players agree which stones are dead, so that passing before they are captured is safe. If not,
    /// every stone on the board after two passes is alive.
    #[serde(default)]
    pub friendly_pass: bool,
    /// Points for White; may be negative or whole.
    #[serde(deserialize_with = "valid_komi")]
    pub komi: f32,
}

fn no_tax() -> Tax {
    Tax::None
}

fn valid_komi<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let komi = f32::deserialize(deserializer)?;
    Rules::CHINESE.try_with_komi(komi).map(|rules| rules.komi).map_err(serde::de::Error::custom)
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::CHINESE
    }
}

impl Rules {
    /// Whether the players agree after two passes which stones are dead; else every stone on the board is alive.
    pub fn by_agreement(&self) -> bool {
        self.scoring == Scoring::Territory || self.friendly_pass
    }

    /// Tromp-Taylor: positional superko, suicide, area, no agreement about dead stones.
    pub const TROMP_TAYLOR: Rules = Rules {
        ko: KoRule::Positional,
        suicide: true,
        scoring: Scoring::Area,
        tax: Tax::None,
        handicap_bonus: HandicapBonus::Zero,
        friendly_pass: false,
        komi: 7.5,
    };
    /// Chinese: simple ko, area, a point for each handicap stone.
    pub const CHINESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        handicap_bonus: HandicapBonus::PerStone,
        friendly_pass: true,
        ..Rules::TROMP_TAYLOR
    };
    /// Chinese as OGS and KGS play it: with positional superko.
    pub const CHINESE_SUPERKO: Rules = Rules { ko: KoRule::Positional, ..Rules::CHINESE };
    /// Japanese: simple ko, territory, nothing in seki.
    pub const JAPANESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        scoring: Scoring::Territory,
        tax: Tax::Seki,
        komi: 6.5,
        ..Rules::TROMP_TAYLOR
    };
    /// Korean: as Japanese.
    pub const KOREAN: Rules = Rules::JAPANESE;
    /// American Go Association: situational superko, area, a point for each handicap stone but the first.
    pub const AGA: Rules =
        Rules { ko: KoRule::Situational, handicap_bonus: HandicapBonus::PerStoneButOne, ..Rules::CHINESE };
    /// New Zealand: situational superko, suicide, area.
    pub const NEW_ZEALAND: Rules = Rules {
        ko: KoRule::Situational,
        suicide: true,
        handicap_bonus: HandicapBonus::Zero,
        ..Rules::CHINESE
    };
    /// Ing (Goe): suicide, area; its ko rule is taken as positional superko.
    pub const ING: Rules = Rules { friendly_pass: true, ..Rules::TROMP_TAYLOR };

    /// Stone scoring: simple ko, area, the last two points of every group count nothing.
    pub const STONE_SCORING: Rules =
        Rules { tax: Tax::All, handicap_bonus: HandicapBonus::Zero, ..Rules::CHINESE };
    /// Ancient territory scoring: as Japanese, but the last two points of every group count nothing either.
    pub const ANCIENT_TERRITORY: Rules = Rules { tax: Tax::All, ..Rules::JAPANESE };

    /// The named sets, each with the komi customary on 19x19. Of several names for one set the first is
    /// [`Rules::name`].
    pub const NAMED: [(&'static str, Rules); 16] = [
        ("tromp-taylor", Rules::TROMP_TAYLOR),
        ("chinese", Rules::CHINESE),
        ("chinese-ogs", Rules::CHINESE_SUPERKO),
        ("chinese-kgs", Rules::CHINESE_SUPERKO),
        ("japanese", Rules::JAPANESE),
        ("korean", Rules::KOREAN),
        ("aga", Rules::AGA),
        ("bga", Rules::AGA),
        ("french", Rules::AGA),
        ("new-zealand", Rules::NEW_ZEALAND),
        ("nz", Rules::NEW_ZEALAND),
        ("goe", Rules::ING),
        ("ing", Rules::ING),
        ("stone-scoring", Rules::STONE_SCORING),
        ("ancient-area", Rules::STONE_SCORING),
        ("ancient-territory", Rules::ANCIENT_TERRITORY),
    ];

    /// The same rules with another komi, which the caller knows to be a sensible number.
    #[must_use]
    pub fn with_komi(self, komi: f32) -> Rules {
        Rules { komi, ..self }
    }

    /// The same rules with a komi from outside: any finite number from -400 to 400, whole, half or other.
    pub fn try_with_komi(self, komi: f32) -> Result<Rules, InvalidKomi> {
        if komi.abs() <= MAX_KOMI { Ok(self.with_komi(komi + 0.0)) } else { Err(InvalidKomi(komi)) }
    }

    /// The name of this set, whatever the komi; `None` for a combination without a name.
    pub fn name(&self) -> Option<&'static str> {
        Rules::NAMED.iter().find(|(_, rules)| rules.with_komi(self.komi) == *self).map(|(name, _)| *name)
    }
}

/// A komi that is not a number from -400 to 400.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidKomi(f32);

impl fmt::Display for InvalidKomi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid komi {}: give a number from -400 to 400, such as 7.5", self.0)
    }
}

impl std::error::Error for InvalidKomi {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_validated() {
        for komi in [0.0, -7.5, 6.0, 3.75, 361.5] {
            assert_eq!(Rules::CHINESE.try_with_komi(komi).unwrap().komi, komi);
        }
        for komi in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e9, -401.0] {
            assert!(Rules::CHINESE.try_with_komi(komi).is_err(), "{komi}");
        }
        assert!(Rules::CHINESE.try_with_komi(-0.0).unwrap().komi.is_sign_positive());
    }
}
