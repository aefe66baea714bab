//! What is allowed, and what counts: the named rule sets and KataGo's rule strings.
//!
//! [`Rules`] parses from a name (`chinese`), from KataGo's JSON object (`{"ko":"SIMPLE","scoring":"AREA",…}`) and from
//! its compact form (`koSIMPLEscoreAREAtaxNONEsui0whbN`); [`Rules::to_json`] answers `kata-get-rules`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

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

    /// The named sets, each with the komi customary on 19x19. Of several names for one set the first is
    /// [`Rules::name`].
    pub const NAMED: [(&'static str, Rules); 13] = [
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

    /// The JSON object that `kata-get-rules` answers, without komi.
    ///
    /// ```
    /// use tengen_board::Rules;
    /// assert_eq!(
    ///     Rules::AGA.to_json(),
    ///     r#"{"friendlyPassOk":true,"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1"}"#
    /// );
    /// ```
    pub fn to_json(&self) -> String {
        format!(
            r#"{{"friendlyPassOk":{},"hasButton":false,"ko":"{}","scoring":"{}","suicide":{},"tax":"{}","whiteHandicapBonus":"{}"}}"#,
            self.friendly_pass,
            self.ko_word(),
            self.scoring_word(),
            self.suicide,
            self.tax_word(),
            self.bonus_word(),
        )
    }

    /// KataGo's compact form, without komi: `koPOSITIONALscoreAREAtaxNONEsui1whb0fpok0`.
    pub fn to_compact(&self) -> String {
        format!(
            "ko{}score{}tax{}sui{}whb{}fpok{}",
            self.ko_word(),
            self.scoring_word(),
            self.tax_word(),
            self.suicide as u8,
            self.bonus_word(),
            self.friendly_pass as u8
        )
    }

    fn ko_word(&self) -> &'static str {
        match self.ko {
            KoRule::Simple => "SIMPLE",
            KoRule::Positional => "POSITIONAL",
            KoRule::Situational => "SITUATIONAL",
        }
    }

    fn scoring_word(&self) -> &'static str {
        match self.scoring {
            Scoring::Area => "AREA",
            Scoring::Territory => "TERRITORY",
        }
    }

    fn tax_word(&self) -> &'static str {
        match self.tax {
            Tax::None => "NONE",
            Tax::Seki => "SEKI",
        }
    }

    fn bonus_word(&self) -> &'static str {
        match self.handicap_bonus {
            HandicapBonus::Zero => "0",
            HandicapBonus::PerStone => "N",
            HandicapBonus::PerStoneButOne => "N-1",
        }
    }

    /// The same rules with one of them changed, as `kata-set-rule` does: a field of the JSON object and its value.
    ///
    /// ```
    /// use tengen_board::{KoRule, Rules};
    /// assert_eq!(Rules::CHINESE.with_rule("ko", "SITUATIONAL").unwrap().ko, KoRule::Situational);
    /// assert!(Rules::CHINESE.with_rule("hasButton", "true").is_err());
    /// ```
    pub fn with_rule(mut self, rule: &str, value: &str) -> Result<Rules, ParseRulesError> {
        let word = value.trim().trim_matches('"').to_ascii_uppercase();
        let wrong = |choices| ParseRulesError::Value { rule: clip(rule), value: clip(value), choices };
        let flag = || match word.as_str() {
            "TRUE" | "1" => Ok(true),
            "FALSE" | "0" => Ok(false),
            _ => Err(wrong("true or false")),
        };
        match rule {
            "ko" => {
                self.ko = match word.as_str() {
                    "SIMPLE" => KoRule::Simple,
                    "POSITIONAL" => KoRule::Positional,
                    "SITUATIONAL" => KoRule::Situational,
                    _ => return Err(wrong("SIMPLE, POSITIONAL or SITUATIONAL")),
                }
            }
            "scoring" | "score" => {
                self.scoring = match word.as_str() {
                    "AREA" => Scoring::Area,
                    "TERRITORY" => Scoring::Territory,
                    _ => return Err(wrong("AREA or TERRITORY")),
                }
            }
            "tax" => {
                self.tax = match word.as_str() {
                    "NONE" => Tax::None,
                    "SEKI" => Tax::Seki,
                    "ALL" => return Err(ParseRulesError::NotSupported("tax ALL (stone scoring)")),
                    _ => return Err(wrong("NONE or SEKI")),
                }
            }
            "suicide" | "multiStoneSuicideLegal" => self.suicide = flag()?,
            "hasButton" => {
                if flag()? {
                    return Err(ParseRulesError::NotSupported("hasButton (button Go)"));
                }
            }
            "whiteHandicapBonus" | "whiteBonusPerHandicapStone" => {
                self.handicap_bonus = match word.as_str() {
                    "0" => HandicapBonus::Zero,
                    "N" | "1" => HandicapBonus::PerStone,
                    "N-1" => HandicapBonus::PerStoneButOne,
                    _ => return Err(wrong("0, N or N-1")),
                }
            }
            "friendlyPassOk" => self.friendly_pass = flag()?,
            "komi" => {
                let komi = word.parse().map_err(|_| wrong("a number from -400 to 400"))?;
                self = self.try_with_komi(komi).map_err(|_| wrong("a number from -400 to 400"))?;
            }
            _ => return Err(ParseRulesError::UnknownRule(clip(rule))),
        }
        Ok(self)
    }

    /// Fills in what a description leaves out, as KataGo does: tax and komi follow the scoring.
    fn complete(mut self, given: &[String]) -> Rules {
        let has = |rule| given.iter().any(|g| g == rule);
        let territory = self.scoring == Scoring::Territory;
        if !has("tax") {
            self.tax = if territory { Tax::Seki } else { Tax::None };
        }
        if !has("komi") && territory {
            self.komi = Rules::JAPANESE.komi;
        }
        self
    }

    fn from_json(text: &str) -> Result<Rules, ParseRulesError> {
        let invalid = |why: String| ParseRulesError::Json(why);
        let object = match serde_json::from_str(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(invalid("not an object".to_owned())),
            Err(error) => return Err(invalid(error.to_string())),
        };
        let mut rules = Rules::TROMP_TAYLOR;
        let mut given = Vec::new();
        for (rule, value) in &object {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            rules = rules.with_rule(rule, &value)?;
            given.push(if rule == "score" { "scoring".to_owned() } else { rule.clone() });
        }
        Ok(rules.complete(&given))
    }

    /// Reads `koSIMPLEscoreAREAtaxNONEsui0button0whbNfpok1komi7.5`, in any order and with parts left out.
    fn from_compact(text: &str) -> Result<Rules, ParseRulesError> {
        const PARTS: [(&str, &str); 9] = [
            ("komi", "komi"),
            ("ko", "ko"),
            ("scoring", "scoring"),
            ("score", "scoring"),
            ("tax", "tax"),
            ("sui", "suicide"),
            ("button", "hasButton"),
            ("whb", "whiteHandicapBonus"),
            ("fpok", "friendlyPassOk"),
        ];
        let mut rules = Rules::TROMP_TAYLOR;
        let mut given = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (rule, after) = PARTS
                .iter()
                .find_map(|(prefix, rule)| rest.strip_prefix(prefix).map(|after| (*rule, after)))
                .ok_or_else(|| ParseRulesError::Unknown(clip(text)))?;
            // A value is upper case, digits and signs; the next part begins with a small letter.
            let end = after.find(|c: char| c.is_ascii_lowercase()).unwrap_or(after.len());
            rules = rules.with_rule(rule, &after[..end])?;
            given.push(rule.to_owned());
            rest = &after[end..];
        }
        Ok(rules.complete(&given))
    }
}

/// The start of a text from outside, for a message.
fn clip(text: &str) -> String {
    text.chars().take(80).collect()
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

/// Why a text does not describe rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseRulesError {
    /// Neither a name nor one of KataGo's forms.
    Unknown(String),
    /// Not a field of KataGo's rules.
    UnknownRule(String),
    /// A field with a value that it cannot have.
    Value {
        /// The field.
        rule: String,
        /// Its value.
        value: String,
        /// What it can be.
        choices: &'static str,
    },
    /// A rule that exists elsewhere but not here.
    NotSupported(&'static str),
    /// Broken JSON.
    Json(String),
}

impl fmt::Display for ParseRulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(text) => {
                let names: Vec<_> = Rules::NAMED.iter().map(|(name, _)| *name).collect();
                write!(f, "unknown rules {text:?}: choose one of {}, or give KataGo's JSON", names.join(", "))
            }
            Self::UnknownRule(rule) => write!(
                f,
                "unknown rule {rule:?}: choose one of ko, scoring, tax, suicide, whiteHandicapBonus, friendlyPassOk"
            ),
            Self::Value { rule, value, choices } => {
                write!(f, "invalid value {value:?} of rule {rule}: give {choices}")
            }
            Self::NotSupported(what) => {
                write!(f, "{what} is not supported: choose rules without it, such as chinese")
            }
            Self::Json(why) => write!(f, "the rules are not a JSON object: {why}"),
        }
    }
}

impl std::error::Error for ParseRulesError {}

impl FromStr for Rules {
    type Err = ParseRulesError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.starts_with('{') {
            return Rules::from_json(text);
        }
        let name = text.to_ascii_lowercase().replace([' ', '_'], "-").replace("tromptaylor", "tromp-taylor");
        if let Some((_, rules)) = Rules::NAMED.iter().find(|(known, _)| *known == name) {
            return Ok(*rules);
        }
        match name.as_str() {
            "aga-button" => Err(ParseRulesError::NotSupported("aga-button (button Go)")),
            "stone-scoring" | "ancient-area" | "ancient-territory" => {
                Err(ParseRulesError::NotSupported("stone scoring (group tax)"))
            }
            _ if ["ko", "score", "tax", "sui"].iter().any(|part| text.starts_with(part)) => {
                Rules::from_compact(text)
            }
            _ => Err(ParseRulesError::Unknown(clip(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_set_survives_each_form() {
        for (name, rules) in Rules::NAMED {
            assert_eq!(name.parse(), Ok(rules), "{name}");
            assert_eq!(name.to_uppercase().parse(), Ok(rules), "{name}");
            assert_eq!(rules.to_json().parse(), Ok(rules), "{name}");
            assert_eq!(rules.to_compact().parse(), Ok(rules), "{name}");
            assert!(rules.name().is_some());
        }
    }

    #[test]
    fn katago_forms() {
        let json = r#"{"ko":"SITUATIONAL","scoring":"TERRITORY","tax":"NONE","suicide":true,"hasButton":false,"whiteHandicapBonus":"N","friendlyPassOk":true}"#;
        let rules: Rules = json.parse().unwrap();
        assert_eq!(
            (rules.ko, rules.scoring, rules.tax),
            (KoRule::Situational, Scoring::Territory, Tax::None)
        );
        assert_eq!((rules.suicide, rules.handicap_bonus), (true, HandicapBonus::PerStone));
        let compact: Rules = "koSIMPLEscoreAREAtaxNONEsui0whbN".parse().unwrap();
        assert_eq!(compact, Rules { friendly_pass: false, ..Rules::CHINESE });
        assert_eq!("koSIMPLEscoreTERRITORYsui0".parse::<Rules>().unwrap(), Rules::JAPANESE);
        assert_eq!("koSIMPLEscoreAREAwhbN-1komi-3".parse::<Rules>().unwrap().komi, -3.0);
        assert_eq!(r#"{"scoring":"TERRITORY","komi":5}"#.parse::<Rules>().unwrap().komi, 5.0);
    }

    #[test]
    fn errors_name_the_remedy() {
        for (text, says) in [
            ("tibetan", "choose one of tromp-taylor"),
            ("", "choose one of"),
            ("aga-button", "not supported"),
            ("stone-scoring", "not supported"),
            (r#"{"hasButton":true}"#, "not supported"),
            (r#"{"tax":"ALL"}"#, "not supported"),
            (r#"{"ko":"NONE"}"#, "give SIMPLE"),
            (r#"{"kow":"SIMPLE"}"#, "choose one of ko"),
            (r#"{"suicide":3}"#, "true or false"),
            ("{", "not a JSON object"),
            ("koSIMPLEscoreMOON", "give AREA"),
            ("koSIMPLEx", "unknown rules"),
            ("komiNAN", "a number"),
        ] {
            let error = text.parse::<Rules>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

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
