//! Rules as text: names, and KataGo's two forms.
//!
//! [`Rules`] parses from a name (`chinese`), from KataGo's JSON object (`{"ko":"SIMPLE","scoring":"AREA",…}`) and from
//! its compact form (`koSIMPLEscoreAREAtaxNONEsui0whbN`); [`Rules::to_json`] answers `kata-get-rules`.

use std::{fmt, str::FromStr};

use serde_json::Value;

use crate::rules::{HandicapBonus, KoRule, Rules, Scoring, Tax};

impl Rules {
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
            Tax::All => "ALL",
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
                    "ALL" => Tax::All,
                    _ => return Err(wrong("NONE, SEKI or ALL")),
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
            (r#"{"hasButton":true}"#, "not supported"),
            (r#"{"tax":"SOME"}"#, "NONE, SEKI or ALL"),
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
}
