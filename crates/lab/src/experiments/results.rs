//! What an experiment has found out so far, from its result files.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{
    cells::Cell,
    checks::{self, Checked, Verdict},
    config::Experiment,
    error::LabError,
    kind::Kind,
    runs::RunRecord,
};
use crate::{
    journal::ReadLines,
    matches::{GameRecord, Summary},
    provenance::is_committed,
    stats::{self, Interval, Mean},
};

/// The games or runs of a cell.
pub enum Records {
    /// Games.
    Games(Vec<GameRecord>),
    /// Runs.
    Runs(Vec<RunRecord>),
}

/// Measured data of one quantity, in points: percent of wins or of occasions, points of score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// A share of games.
    Share {
        /// Games won, draws counted one half.
        score: f64,
        /// Games.
        n: usize,
    },
    /// A mean with its standard error.
    Mean(Mean),
}

/// A figure that a statement is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measured {
    /// That of one cell.
    One(Data),
    /// Of the first cell minus that of the second.
    Difference(Data, Data),
}

impl Measured {
    pub(super) fn value(&self) -> f64 {
        match self {
            Measured::One(data) => data.value(),
            Measured::Difference(a, b) => a.value() - b.value(),
        }
    }

    /// Wilson's or Student's interval of one cell; Newcombe's of two shares, else Welch's.
    pub(super) fn interval(&self, confidence: f64) -> Interval {
        match *self {
            Measured::One(data) => data.interval(confidence),
            Measured::Difference(Data::Share { score: a, n }, Data::Share { score: b, n: m }) => {
                stats::newcombe(a, n, b, m, confidence).map(|p| 100.0 * p)
            }
            Measured::Difference(a, b) => a.mean().minus(&b.mean()).interval(confidence),
        }
    }

    /// The two-sided test against a number: the z-test where two shares are to be equal, else the test that the interval inverts.
    fn p_value(&self, null: f64) -> f64 {
        match *self {
            Measured::Difference(Data::Share { score: a, n }, Data::Share { score: b, n: m })
                if null == 0.0 =>
            {
                stats::two_proportions_z(a, n, b, m)
            }
            _ => stats::p_value_at(null, |confidence| self.interval(confidence)),
        }
    }

    /// Whether the figure lies in a region, and the p-value of the test of that: against the end of the region that is harder to
    /// tell from the figure if it lies inside, against the nearer end if outside.
    pub(super) fn against(&self, region: Interval) -> (Verdict, f64) {
        let ends =
            [region.0, region.1].into_iter().filter(|end| end.is_finite()).map(|end| self.p_value(end));
        let p = ends.fold(0.0, f64::max);
        (if region.contains(self.value()) { Verdict::Holds } else { Verdict::Fails }, p)
    }
}

impl Data {
    /// The estimate.
    pub fn value(&self) -> f64 {
        match self {
            Data::Share { score, n } => 100.0 * score / *n as f64,
            Data::Mean(mean) => mean.value,
        }
    }

    /// Its interval: Wilson's, or that of Student's t.
    pub fn interval(&self, confidence: f64) -> Interval {
        match *self {
            Data::Share { score, n } => stats::wilson(score, n, confidence).map(|p| 100.0 * p),
            Data::Mean(mean) => mean.interval(confidence),
        }
    }

    fn mean(&self) -> Mean {
        match *self {
            Data::Share { score, n } => {
                let p = score / n as f64;
                Mean { n, value: 100.0 * p, error: 100.0 * (p * (1.0 - p) / n as f64).sqrt() }
            }
            Data::Mean(mean) => mean,
        }
    }
}

/// One quantity of one cell.
#[derive(Clone, Debug)]
pub struct Value {
    /// The arm.
    pub arm: String,
    /// The value of the sweep.
    pub at: Option<f64>,
    /// What was measured, where there is more than one.
    pub quantity: Option<String>,
    /// Games or runs that it rests on.
    pub n: usize,
    /// What was measured; `None` if nothing was.
    pub data: Option<Data>,
    /// The paper's figure.
    pub paper: Option<f64>,
}

/// A cell with what is known of it as a whole.
#[derive(Clone, Debug)]
pub struct CellResult {
    /// The cell.
    pub cell: Cell,
    /// Games or runs.
    pub n: usize,
    /// For games: everything that a match reports.
    pub summary: Option<Summary>,
    /// CPU seconds of the arm's player for a game or a run, if they are known.
    pub cpu_seconds: Option<f64>,
    /// Seconds of a game, or CPU seconds of a run.
    pub seconds: Option<f64>,
    /// Where the results come from: commit, machine. The first line of the file.
    pub header: Json,
}

/// Everything that is known.
#[derive(Clone, Debug)]
pub struct Results {
    /// By cells.
    pub cells: Vec<CellResult>,
    /// By cells and quantities.
    pub values: Vec<Value>,
    /// The CPU time of arms in games, as a multiple of their opponents'.
    pub times: Vec<Value>,
    /// The statements, checked.
    pub checks: Vec<Checked>,
    /// Why they have to be made again, if they have.
    pub again: Option<String>,
    /// Which earlier version of the players made them, where they stay nevertheless.
    pub earlier: Option<String>,
}

impl Results {
    /// Reads what is on disk. Whether the players still behave as they did is found out by letting them think about a few positions.
    pub fn read(experiment: &Experiment) -> Result<Results, LabError> {
        let mut cells = Vec::new();
        for cell in experiment.cells()? {
            let path = experiment.results().join(format!("{}.jsonl", cell.name()));
            let (header, records) = if !path.exists() {
                (Json::Null, Records::Runs(Vec::new()))
            } else if experiment.config.kind.is_match() {
                let read = ReadLines::<GameRecord>::read(&path)?;
                (read.header, Records::Games(read.records))
            } else {
                let read = ReadLines::<RunRecord>::read(&path)?;
                (read.header, Records::Runs(read.records))
            };
            cells.push((cell, header, records));
        }
        Ok(Results::new(experiment, cells))
    }

    /// From records.
    pub fn new(experiment: &Experiment, cells: Vec<(Cell, Json, Records)>) -> Results {
        let config = &experiment.config;
        let (mut values, mut times, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, header, records) in cells {
            times.extend(time(&cell, &records));
            for (quantity, n, data) in measured(config.kind, &records) {
                let (quantity, mark) = match quantity.as_deref().and_then(|name| name.rsplit_once('@')) {
                    Some((name, mark)) if config.kind == Kind::Learning => {
                        (Some(name.to_owned()), mark.parse().ok())
                    }
                    _ => (quantity, None),
                };
                let quantity = cell.against.as_ref().map(|against| format!("against {against}")).or(quantity);
                let (arm, at) = (cell.arm.clone(), cell.at.or(mark));
                let paper = config
                    .figures
                    .iter()
                    .find(|figure| figure.arm == cell.arm && figure.at == at && figure.quantity == quantity);
                values.push(Value { arm, at, quantity, n, data, paper: paper.map(|figure| figure.value) });
            }
            results.push(summed_up(cell, header, &records));
        }
        let outdated = outdated(experiment, &results);
        let (again, earlier) = if config.milestone { (None, outdated) } else { (outdated, None) };
        let again = again_anyway(experiment, &results).or(again);
        let mut results = Results { cells: results, values, times, checks: Vec::new(), again, earlier };
        results.checks = checks::apply(&config.checks, &results, config.kind, experiment.planned(1.0));
        if results.again.is_some() {
            for check in &mut results.checks {
                (check.verdict, check.p_value) = (Verdict::Again, None);
            }
        }
        results
    }

    /// Games or runs of all cells.
    pub fn n(&self) -> usize {
        self.cells.iter().map(|cell| cell.n).sum()
    }

    /// Games or runs of the cell that has fewest.
    pub fn fewest(&self) -> usize {
        self.cells.iter().map(|cell| cell.n).min().unwrap_or(0)
    }

    /// The statements' verdicts as one: the first of these that one of them has, or that all hold.
    pub fn verdict(&self) -> Verdict {
        use Verdict::{Again, Fails, Inconclusive, NotRun, Running};
        let has = |verdict| self.checks.iter().any(|check| check.verdict == verdict);
        if self.again.is_some() {
            return Again;
        }
        if self.n() == 0 || self.checks.is_empty() {
            return NotRun;
        }
        [NotRun, Running, Fails, Inconclusive]
            .into_iter()
            .find(|&verdict| has(verdict))
            .map_or(Verdict::Holds, |verdict| if verdict == NotRun { Running } else { verdict })
    }

    /// How many statements have each of the three verdicts, if they do not all have the same.
    pub fn split(&self) -> Option<String> {
        let count = |verdict| self.checks.iter().filter(|check| check.verdict == verdict).count();
        let counts = [
            (count(Verdict::Holds), "holds", "hold"),
            (count(Verdict::Fails), "does not", "do not"),
            (count(Verdict::Inconclusive), "is inconclusive", "are inconclusive"),
        ];
        let total: usize = counts.iter().map(|(n, ..)| n).sum();
        let present = counts.iter().filter(|(n, ..)| *n > 0);
        let parts: Vec<_> =
            present.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many })).collect();
        (parts.len() > 1 && total == self.checks.len())
            .then(|| format!("of {total} statements {}", parts.join(", ")))
    }
}

/// Why results have to be made again, whoever plays: those that there were are gone, or a build that is in no commit made them.
fn again_anyway(experiment: &Experiment, cells: &[CellResult]) -> Option<String> {
    if cells.iter().all(|cell| cell.n == 0) {
        return experiment.config.again.clone();
    }
    let is_dirty = |cell: &CellResult| {
        cell.header["provenance"]["commit"].as_str().is_some_and(|commit| !is_committed(commit))
    };
    cells.iter().any(is_dirty).then(|| "the program that made these results is in no commit".to_owned())
}

/// Which earlier version of the players made results, and what is known about it. Other programs do not count: which version of them
/// played is part of the results.
fn outdated(experiment: &Experiment, cells: &[CellResult]) -> Option<String> {
    let made = || cells.iter().filter(|cell| cell.n > 0 && !cell.header.is_null());
    let told = made().all(|cell| !cell.header["behaviour"].is_null());
    let is_other = |cell: &CellResult| !experiment.behaves_as(&cell.cell, &cell.header["behaviour"]);
    // Asking players takes time.
    if told && !made().any(is_other) {
        return None;
    }
    let commits: BTreeSet<_> =
        made().filter_map(|cell| cell.header["provenance"]["commit"].as_str()).collect();
    let commits = Vec::from_iter(commits).join(", ");
    let why = if told { "today's play otherwise" } else { "whether today's play the same is not known" };
    Some(format!("made by an earlier version of the players, commit {commits}; {why}"))
}

fn summed_up(cell: Cell, header: Json, records: &Records) -> CellResult {
    match records {
        Records::Games(records) => {
            let opponent = cell.opponent.as_ref().map_or("", |opponent| &opponent.name);
            let mut summary = Summary::new(&cell.player.name, opponent, records);
            if records.iter().any(|record| record.score.is_none()) {
                summary.mean_score = None;
            }
            let cpu_seconds = summary.cpu_seconds_a.map(|seconds| seconds / records.len() as f64);
            let seconds: Vec<f64> = records.iter().map(|record| record.seconds).collect();
            let seconds = stats::mean(&seconds);
            CellResult { cell, n: records.len(), summary: Some(summary), cpu_seconds, seconds, header }
        }
        Records::Runs(records) => {
            let seconds: Vec<f64> = records.iter().map(|record| record.cpu).collect();
            let seconds = stats::mean(&seconds);
            CellResult { cell, n: records.len(), summary: None, cpu_seconds: seconds, seconds, header }
        }
    }
}

/// The CPU time of an arm in its games as a multiple of its opponent's, where both are known.
fn time(cell: &Cell, records: &Records) -> Option<Value> {
    let Records::Games(records) = records else { return None };
    let times: Vec<_> = records.iter().filter_map(|record| record.cpu_a.zip(record.cpu_b)).collect();
    let data = Mean::of_ratio(&times).map(Data::Mean);
    Some(Value { arm: cell.arm.clone(), at: cell.at, quantity: None, n: times.len(), data, paper: None })
}

/// The quantities of a cell, with the number of games or runs behind them.
fn measured(kind: Kind, records: &Records) -> Vec<(Option<String>, usize, Option<Data>)> {
    match records {
        Records::Games(records) if kind == Kind::Score => {
            // Of all games or not at all: those without a score, such as resigned ones, are not like the others.
            let scores: Option<Vec<f64>> = records.iter().map(|record| record.score).collect();
            vec![(None, records.len(), scores.and_then(|scores| Mean::of(&scores)).map(Data::Mean))]
        }
        Records::Games(records) => {
            let (score, n) = (records.iter().map(GameRecord::points_a).sum(), records.len());
            vec![(None, n, (n > 0).then_some(Data::Share { score, n }))]
        }
        Records::Runs(records) => {
            let mut names: Vec<&String> = records.iter().flat_map(|record| record.values.keys()).collect();
            // Of what is learned, the marks in the order of their numbers.
            names.sort_by_key(|name| match name.rsplit_once('@') {
                Some((quantity, mark)) => (quantity, mark.parse().unwrap_or(0u64)),
                None => (name.as_str(), 0),
            });
            names.dedup();
            if names.is_empty() {
                return vec![(None, 0, None)];
            }
            let one = names.len() == 1 && kind != Kind::Learning;
            names
                .into_iter()
                .map(|name| {
                    let pairs: Vec<_> =
                        records.iter().filter_map(|record| record.values.get(name).copied()).collect();
                    let scaled: Vec<_> = pairs.iter().map(|(a, b)| (kind.scale() * a, *b)).collect();
                    ((!one).then(|| name.clone()), records.len(), Mean::of_ratio(&scaled).map(Data::Mean))
                })
                .collect()
        }
    }
}
