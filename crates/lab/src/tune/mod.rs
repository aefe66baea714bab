//! Tuning: the parameters of a player by matches against itself.
//!
//! Every iteration is a line of `tuning.jsonl`, so that an interrupted run goes on. At the end the directory is an experiment: the
//! tuned player against the one that it started from, to be run like any other.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen_board::Rules;
use tengen_engine::{players::StopSignal, time::TimeSettings};
use thiserror::Error;

use crate::{
    journal::{Header, JournalError, Lines, config_difference, write_whole},
    matches::{self, Journal, MatchConfig, MatchError, Openings, Referee, derive_seed},
    players::{behaviour::settle, error::SpecError, params::Params, preset::Preset, spec::PlayerSpec},
    venue::Here,
};

mod spsa;

pub use spsa::Spsa;

/// Why a player cannot be tuned.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A parameter cannot be tuned.
    #[error("{0}")]
    Range(String),
    /// The player cannot be made.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// Results cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A parameter and its bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Range {
    /// Its dotted name.
    pub parameter: String,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
    /// Whether only whole numbers are possible.
    pub whole: bool,
}

impl Range {
    /// Reads `NAME=LEAST..MOST`. Both bounds without a decimal point mean whole numbers, if the parameter's own value is one.
    pub fn parse(text: &str) -> Result<Range, TuneError> {
        let wrong = || {
            TuneError::Range(format!(
                "{text:?}: write NAME=LEAST..MOST, as in tree_policy.exploration=0.1..2.0"
            ))
        };
        let (parameter, bounds) = text.split_once('=').ok_or_else(wrong)?;
        let (least, most) = bounds.split_once("..").ok_or_else(wrong)?;
        let whole = [least, most].iter().all(|bound| bound.trim().parse::<i64>().is_ok());
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
        let (least, most) = (number(least)?, number(most)?);
        if least >= most || parameter.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Range { parameter: parameter.trim().to_owned(), least, most, whole })
    }

    /// Bounds that are positive and far apart are divided by logarithms.
    fn is_logarithmic(&self) -> bool {
        self.least > 0.0 && self.most / self.least >= 20.0
    }

    /// The value at a place between 0 and 1.
    pub fn value(&self, x: f64) -> f64 {
        let value = if self.is_logarithmic() {
            self.least * (self.most / self.least).powf(x)
        } else {
            self.least + (self.most - self.least) * x
        };
        if self.whole { value.round() } else { value }
    }

    /// The place of a value.
    pub fn place(&self, value: f64) -> f64 {
        let x = if self.is_logarithmic() {
            (value / self.least).ln() / (self.most / self.least).ln()
        } else {
            (value - self.least) / (self.most - self.least)
        };
        x.clamp(0.0, 1.0)
    }
}

/// What is tuned, and how.
#[derive(Clone, Debug)]
pub struct TuneConfig {
    /// The player to start from.
    pub player: PlayerSpec,
    /// Its parameters.
    pub ranges: Vec<Range>,
    /// How the search moves.
    pub spsa: Spsa,
    /// Games of an iteration; half of them with each colour.
    pub games: usize,
    /// The board is square.
    pub size: usize,
    /// Rules and komi.
    pub rules: Rules,
    /// Where all random numbers start.
    pub seed: u64,
}

/// One iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iteration {
    /// Its number, from 0.
    pub iteration: usize,
    /// What the first setting scored against the second, from −1 to 1.
    pub score: f64,
    /// The places of the parameters afterwards, from 0 to 1 between their bounds.
    pub places: Vec<f64>,
    /// Their values.
    pub values: Vec<f64>,
}

impl TuneConfig {
    /// The file of the iterations.
    pub const FILE: &'static str = "tuning.jsonl";

    fn start(&self) -> Result<Vec<f64>, TuneError> {
        let place = |range: &Range| {
            let value = self.player.get(&range.parameter).and_then(|value| value.parse().ok());
            value.map(|value| range.place(value)).ok_or_else(|| {
                let name = &range.parameter;
                TuneError::Range(format!(
                    "{name}: {} has no number of this name (`tengen presets NAME` lists them)",
                    self.player.name
                ))
            })
        };
        self.ranges.iter().map(place).collect()
    }

    /// The player with its parameters at these places.
    pub fn player_at(&self, places: &[f64], name: &str) -> Result<PlayerSpec, TuneError> {
        let mut player = self.player.clone();
        for (range, &x) in self.ranges.iter().zip(places) {
            let value = range.value(x);
            // Whole numbers without a point, other numbers with one.
            player.set(
                &range.parameter,
                &if range.whole { format!("{value:.0}") } else { format!("{value:?}") },
            )?;
        }
        name.clone_into(&mut player.name);
        Ok(player)
    }

    /// Runs the iterations that `directory` does not have yet, and returns all of them.
    pub fn run(
        &self,
        directory: &Path,
        concurrency: usize,
        stop: &StopSignal,
        mut on_iteration: impl FnMut(&Iteration),
    ) -> Result<Vec<Iteration>, TuneError> {
        let mut x = self.start()?;
        let Spsa { iterations, shake, step } = self.spsa;
        let config = json!({
            "player": { "spec": self.player.name, "parameters": self.player.params().as_table() },
            "ranges": self.ranges, "iterations": iterations, "shake": shake, "step": step, "games": self.games,
            "size": self.size, "rules": self.rules, "seed": self.seed,
        });
        let behaviour = self.player.behaviour(self.size, self.size)?;
        let differs: fn(&Value, &Value) -> Option<String> = |there, here| {
            let (mut there, mut here) = (there.clone(), here.clone());
            settle(&mut there, &mut here, "player");
            config_difference(&there, &here)
        };
        let header = Header { kind: "tuning", config, behaviour, planned: iterations, differs };
        let mut lines: Lines<Iteration> = Lines::resume(&directory.join(Self::FILE), &header)?;
        let mut done = lines.take_records();
        if let Some(last) = done.last() {
            x.clone_from(&last.places);
        }
        for iteration in done.len()..iterations {
            let seed = derive_seed(self.seed, iteration as u64);
            let signs = self.spsa.signs(x.len(), seed);
            let [plus, minus] = self.spsa.perturbed(&x, &signs, iteration);
            let match_ =
                self.match_between(self.player_at(&plus, "plus")?, self.player_at(&minus, "minus")?, seed);
            let records = matches::run(
                &match_,
                self.games,
                &Here(concurrency),
                &mut Journal::in_memory(),
                stop,
                |_| {},
            )?;
            if stop.is_stopped() {
                break;
            }
            let points: f64 = records.iter().map(matches::GameRecord::points_a).sum();
            let score = 2.0 * points / records.len().max(1) as f64 - 1.0;
            self.spsa.update(&mut x, &signs, iteration, score);
            let values = self.ranges.iter().zip(&x).map(|(range, &x)| range.value(x)).collect();
            let record = Iteration { iteration, score, places: x.clone(), values };
            lines.append(&record)?;
            on_iteration(&record);
            done.push(record);
        }
        Ok(done)
    }

    fn match_between(&self, a: PlayerSpec, b: PlayerSpec, seed: u64) -> MatchConfig {
        let any_external = a.is_external() || b.is_external();
        MatchConfig {
            a,
            b,
            width: self.size,
            height: self.size,
            rules: self.rules,
            black: None,
            openings: Openings::None,
            clock_a: TimeSettings::Unlimited,
            clock_b: TimeSettings::Unlimited,
            referee: Referee::choose(&self.rules, any_external),
            seed,
        }
    }

    /// Makes the directory an experiment that tells whether the tuned player is stronger, and writes the player itself.
    pub fn write_experiment(
        &self,
        directory: &Path,
        done: &[Iteration],
        games: usize,
    ) -> Result<(), TuneError> {
        let places = match done.last() {
            Some(last) => last.places.clone(),
            None => self.start()?,
        };
        let tuned = self.player_at(&places, "tuned")?;
        let put = |name: &str, text: &str| {
            let path = directory.join(name);
            write_whole(&path, text).map_err(|source| JournalError::File { path, source })
        };
        put("tuned.toml", &tuned.to_toml())?;
        let change = |(range, &x): (&Range, &f64)| {
            let before = self.player.get(&range.parameter).unwrap_or_default();
            format!("{} from {before} to {:.4}", range.parameter, range.value(x))
        };
        let changes: Vec<_> = self.ranges.iter().zip(&places).map(change).collect();
        let mut experiment = toml::toml! {
            source = "tuning"
            paper = "none: our own"
            conditions = "own"
            kind = "win-rate"
            opponent = "before"
        };
        experiment.insert(
            "claim".into(),
            format!("Tuning makes {} stronger: {}", self.player.name, changes.join(", ")).into(),
        );
        let reported = format!("{} iterations of SPSA with {} games each", done.len(), self.games);
        experiment.insert("reported".into(), reported.into());
        experiment.insert("seed".into(), (derive_seed(self.seed, u64::MAX) as i64).into());
        experiment.insert("games".into(), (games as i64).into());
        let mut board = toml::Table::new();
        board.insert("size".into(), (self.size as i64).into());
        let rules = self.rules.name().map_or_else(|| self.rules.to_compact(), str::to_owned);
        board.insert("rules".into(), rules.into());
        board.insert("komi".into(), f64::from(self.rules.komi).into());
        experiment.insert("board".into(), board.into());
        let mut changed = Params::of(&toml::Table::new());
        for range in &self.ranges {
            if let Some(value) = tuned.params().get(&range.parameter) {
                changed.insert(&range.parameter, value.clone());
            }
        }
        let mut arms = toml::Table::new();
        arms.insert("before".into(), toml::Table::new().into());
        arms.insert("tuned".into(), changed.as_table().clone().into());
        experiment.insert("base".into(), as_preset(&self.player).into());
        experiment.insert("arms".into(), arms.into());
        let check = toml::toml! {
            claim = "the tuned player wins most games against the one it started from"
            arm = "tuned"
            expect = "more"
        };
        experiment.insert("checks".into(), vec![toml::Value::Table(check)].into());
        let text = toml::to_string(&experiment).expect("an experiment is plain data");
        put(crate::experiments::Experiment::FILE, &text)?;
        Ok(())
    }
}

/// A player as a preset and what differs from it; with all its parameters where its name begins with no preset.
fn as_preset(player: &PlayerSpec) -> toml::Table {
    let name = player.name.split(',').next().unwrap_or_default();
    let preset = Preset::find(name).ok().and_then(|preset| preset.name.parse::<PlayerSpec>().ok());
    let (mut table, usual) = (Params::of(&toml::Table::new()), preset.as_ref().map(PlayerSpec::params));
    if preset.is_some() {
        table.insert("preset", name.into());
    }
    for (key, value) in player.params().list() {
        let is_usual = usual.as_ref().is_some_and(|usual| usual.get(&key) == Some(&value));
        if !is_usual && !value.as_str().is_some_and(str::is_empty) {
            table.insert(&key, value);
        }
    }
    table.as_table().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_scaled() {
        let range = Range::parse("a.b = 0.5..1.5").unwrap();
        assert_eq!((range.parameter.as_str(), range.value(0.25), range.place(1.0)), ("a.b", 0.75, 0.5));
        let range = Range::parse("expand_visits=1..10").unwrap();
        assert!(range.whole);
        assert_eq!(range.value(0.5), 6.0);
        let range = Range::parse("bias=0.0001..0.01").unwrap();
        assert!((range.value(0.5) - 0.001).abs() < 1e-12 && (range.place(0.001) - 0.5).abs() < 1e-12);
        for text in ["a", "a=1", "a=2..1", "=1..2", "a=x..y"] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }
}
