//! What is allowed, and what counts: the named rule sets and KataGo's rule strings.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

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

/// How a finished game is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners; nothing in seki.
    Territory,
}

/// What White receives for Black's handicap stones, under area scoring.
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
    /// Compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Points for White; may be negative or whole.
    pub komi: f32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::CHINESE
    }
}

impl Rules {
    /// Tromp-Taylor: positional superko, suicide, area.
    pub const TROMP_TAYLOR: Rules = Rules {
        ko: KoRule::Positional,
        suicide: true,
        scoring: Scoring::Area,
        handicap_bonus: HandicapBonus::Zero,
        komi: 7.5,
    };
    /// Chinese: simple ko, area, a point for each handicap stone.
    pub const CHINESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        scoring: Scoring::Area,
        handicap_bonus: HandicapBonus::PerStone,
        komi: 7.5,
    };
    /// Japanese: simple ko, territory.
    pub const JAPANESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        scoring: Scoring::Territory,
        handicap_bonus: HandicapBonus::Zero,
        komi: 6.5,
    };
    /// Korean: as Japanese.
    pub const KOREAN: Rules = Rules::JAPANESE;
    /// American Go Association: situational superko, area, a point for each handicap stone but the first.
    pub const AGA: Rules = Rules {
        ko: KoRule::Situational,
        suicide: false,
        scoring: Scoring::Area,
        handicap_bonus: HandicapBonus::PerStoneButOne,
        komi: 7.5,
    };
    /// New Zealand: situational superko, suicide, area.
    pub const NEW_ZEALAND: Rules = Rules {
        ko: KoRule::Situational,
        suicide: true,
        scoring: Scoring::Area,
        handicap_bonus: HandicapBonus::Zero,
        komi: 7.5,
    };

    /// The named sets, each with the komi customary on 19x19.
    pub const NAMED: [(&'static str, Rules); 6] = [
        ("tromp-taylor", Rules::TROMP_TAYLOR),
        ("chinese", Rules::CHINESE),
        ("japanese", Rules::JAPANESE),
        ("korean", Rules::KOREAN),
        ("aga", Rules::AGA),
        ("new-zealand", Rules::NEW_ZEALAND),
    ];

    /// The same rules with another komi.
    #[must_use]
    pub fn with_komi(self, komi: f32) -> Rules {
        Rules { komi, ..self }
    }

    /// The name of this set, whatever the komi; `None` for a combination without a name.
    pub fn name(&self) -> Option<&'static str> {
        Rules::NAMED.iter().find(|(_, rules)| rules.with_komi(self.komi) == *self).map(|(name, _)| *name)
    }
}

/// The text is not the name of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRulesError(pub(crate) String);

impl fmt::Display for ParseRulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Rules::NAMED.iter().map(|(name, _)| *name).collect();
        write!(f, "unknown rules {:?}: choose one of {}", self.0, names.join(", "))
    }
}

impl std::error::Error for ParseRulesError {}

impl FromStr for Rules {
    type Err = ParseRulesError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        Rules::NAMED
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, rules)| *rules)
            .ok_or_else(|| ParseRulesError(text.chars().take(80).collect()))
    }
}
