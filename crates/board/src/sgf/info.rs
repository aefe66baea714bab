//! What a record tells about its game.

use super::{Node, Problem, Record, SgfError};
use crate::{board::Board, outcome::Outcome, rules::Rules};

/// Players, conditions and result, from the root of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameInfo {
    /// Name of the black player (`PB`).
    pub black: Option<String>,
    /// Name of the white player (`PW`).
    pub white: Option<String>,
    /// Rank of the black player (`BR`).
    pub black_rank: Option<String>,
    /// Rank of the white player (`WR`).
    pub white_rank: Option<String>,
    /// Name of the game (`GN`).
    pub name: Option<String>,
    /// Event (`EV`).
    pub event: Option<String>,
    /// Place (`PC`).
    pub place: Option<String>,
    /// Date (`DT`), as 2026-01-31.
    pub date: Option<String>,
    /// Rules (`RU`), if they are known ones.
    pub rules: Option<Rules>,
    /// Komi (`KM`), if it is a sensible number.
    pub komi: Option<f32>,
    /// Handicap stones (`HA`); 0 if there are none.
    pub handicap: usize,
    /// Result (`RE`), if there is one.
    pub result: Option<Outcome>,
}

impl GameInfo {
    /// The fields that are plain texts, with their properties.
    pub(super) fn texts(&self) -> [(&'static str, &Option<String>); 8] {
        [
            ("PB", &self.black),
            ("BR", &self.black_rank),
            ("PW", &self.white),
            ("WR", &self.white_rank),
            ("GN", &self.name),
            ("EV", &self.event),
            ("PC", &self.place),
            ("DT", &self.date),
        ]
    }

    /// The rules to play by: as told, else Chinese; the komi as told, else the customary one, half a point with handicap.
    pub fn rules_and_komi(&self) -> Rules {
        let rules = self.rules.unwrap_or_default();
        rules.with_komi(self.komi.unwrap_or(if self.handicap >= 2 { 0.5 } else { rules.komi }))
    }
}

/// Komi as people write it: `6.5`, `6,5`, and in hundredths `650`, or in hundredths of stones `375`, as some servers do.
fn komi(text: &str) -> Option<f32> {
    let komi: f32 = text.trim().replace(',', ".").parse().ok()?;
    let komi = match komi {
        500.0..=1000.0 => komi / 100.0,
        200.0..500.0 => komi / 50.0,
        _ => komi,
    };
    Rules::default().try_with_komi(komi).ok().map(|rules| rules.komi)
}

impl Record {
    /// What the root tells about the game. What cannot be understood is left out.
    pub fn info(&self) -> GameInfo {
        let root = self.node(self.root());
        let text = |id: &str| {
            root.simple_text(id).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        GameInfo {
            black: text("PB"),
            white: text("PW"),
            black_rank: text("BR"),
            white_rank: text("WR"),
            name: text("GN"),
            event: text("EV"),
            place: text("PC"),
            date: text("DT"),
            rules: text("RU").and_then(|name| name.parse().ok()),
            komi: text("KM").as_deref().and_then(komi),
            handicap: text("HA").and_then(|number| number.parse().ok()).filter(|&n| n <= 361).unwrap_or(0),
            result: text("RE").and_then(|result| result.parse().ok()),
        }
    }

    /// Width and height of the board: 19x19 unless the root tells another size.
    pub fn size(&self) -> Result<(usize, usize), SgfError> {
        let root = self.node(self.root());
        let Some(text) = root.value("SZ") else { return Ok((19, 19)) };
        let error = |problem| SgfError { place: root.place(), problem };
        let (width, height) = text.split_once(':').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse().map_err(|_| error(invalid(root, "SZ")));
        let (width, height) = (number(width)?, number(height)?);
        Board::try_new(width, height).map_err(|why| error(Problem::Size(why)))?;
        Ok((width, height))
    }
}

/// The complaint about the first value of a property.
pub(super) fn invalid(node: &Node, identifier: &str) -> Problem {
    let value = node.value(identifier).unwrap_or_default().chars().take(40).collect();
    Problem::Value(identifier.to_owned(), value)
}
