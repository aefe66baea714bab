//! What an experiment has found out so far, from its result files.

use serde_json::Value as Json;

use super::{
    cells::Cell,
    checks::{Checked, Verdict},
    config::Experiment,
    error::LabError,
    kind::Kind,
    runs::RunRecord,
};
use crate::{
    journal::ReadLines,
    matches::{GameRecord, Summary},
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

/// A difference with its interval and test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) value: f64,
    pub(super) interval: Interval,
    pub(super) p_value: f64,
}

impl Data {
    /// The estimate.
    pub fn value(&self) -> f64 {
        match self {
            Data::Share { score, n } => 100.0 * score / *n as f64,
            Data::Mean(mean) => mean.value,
        }
    }

    /// Its interval at 95%: Wilson's, or that of Student's t.
    pub fn interval(&self) -> Interval {
        match *self {
            Data::Share { score, n } => stats::wilson(score, n, 0.95).map(|p| 100.0 * p),
            Data::Mean(mean) => mean.interval(0.95),
        }
    }

    /// Compared with other data: z-test and Newcombe's interval for shares, else Welch's.
    pub(super) fn minus(&self, other: &Data) -> Difference {
        if let (Data::Share { score: a, n }, Data::Share { score: b, n: m }) = (self, other) {
            return Difference {
                value: self.value() - other.value(),
                interval: stats::newcombe(*a, *n, *b, *m, 0.95).map(|p| 100.0 * p),
                p_value: stats::two_proportions_z(*a, *n, *b, *m),
            };
        }
        let difference = self.mean().minus(&other.mean());
        Difference {
            value: difference.value,
            interval: difference.interval(0.95),
            p_value: difference.p_value(),
        }
    }

    /// Compared with a number.
    pub(super) fn minus_constant(&self, null: f64) -> Difference {
        let p_value = match *self {
            Data::Share { score, n } => stats::one_proportion_z(score, n, null / 100.0),
            Data::Mean(mean) => mean.t_test(null),
        };
        Difference {
            value: self.value() - null,
            interval: self.interval().map(|value| value - null),
            p_value,
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

impl Value {
    /// Whether the interval is too wide to decide anything but a mark.
    pub fn is_wide(&self) -> bool {
        self.data.is_none_or(|data| {
            let width = data.interval().half_width();
            width.is_nan() || width > super::checks::WIDEST
        })
    }
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
    /// The statements, checked.
    pub checks: Vec<Checked>,
    /// What an arm is as good as its opponent at.
    pub even: f64,
}

impl Results {
    /// Reads what is on disk.
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
        let (mut values, mut results) = (Vec::new(), Vec::new());
        for (cell, header, records) in cells {
            for (quantity, n, data) in measured(config.kind, &records) {
                let paper = config.figures.iter().find(|figure| {
                    figure.arm == cell.arm && figure.at == cell.at && figure.quantity == quantity
                });
                let (arm, at) = (cell.arm.clone(), cell.at);
                values.push(Value { arm, at, quantity, n, data, paper: paper.map(|figure| figure.value) });
            }
            results.push(summed_up(cell, header, &records));
        }
        let mut results = Results { cells: results, values, checks: Vec::new(), even: config.kind.even() };
        results.checks =
            config.checks.iter().flat_map(|check| check.apply(&results, experiment.planned(1.0))).collect();
        results
    }

    /// Games or runs of all cells.
    pub fn n(&self) -> usize {
        self.cells.iter().map(|cell| cell.n).sum()
    }

    /// The statements' verdicts as one: not run if nothing was, failed if one fails, held if all hold.
    pub fn verdict(&self) -> Verdict {
        let all = |verdict| self.checks.iter().all(|check| check.verdict == verdict);
        if self.n() == 0 || all(Verdict::NotRun) {
            Verdict::NotRun
        } else if self.checks.iter().any(|check| check.verdict == Verdict::Fails) {
            Verdict::Fails
        } else if all(Verdict::Holds) {
            Verdict::Holds
        } else {
            Verdict::Inconclusive
        }
    }
}

fn summed_up(cell: Cell, header: Json, records: &Records) -> CellResult {
    match records {
        Records::Games(records) => {
            let opponent = cell.opponent.as_ref().map_or("", |opponent| &opponent.name);
            let summary = Summary::new(&cell.player.name, opponent, records);
            let cpu_seconds = summary.cpu_seconds_a.map(|seconds| seconds / records.len() as f64);
            CellResult { cell, n: records.len(), summary: Some(summary), cpu_seconds, header }
        }
        Records::Runs(records) => {
            let seconds: Vec<f64> = records.iter().map(|record| record.cpu).collect();
            CellResult { cell, n: records.len(), summary: None, cpu_seconds: stats::mean(&seconds), header }
        }
    }
}

/// The quantities of a cell, with the number of games or runs behind them.
fn measured(kind: Kind, records: &Records) -> Vec<(Option<String>, usize, Option<Data>)> {
    match records {
        Records::Games(records) if kind == Kind::Score => {
            let scores: Vec<f64> = records.iter().filter_map(|record| record.score).collect();
            vec![(None, scores.len(), Mean::of(&scores).map(Data::Mean))]
        }
        Records::Games(records) => {
            let (score, n) = (records.iter().map(GameRecord::points_a).sum(), records.len());
            vec![(None, n, (n > 0).then_some(Data::Share { score, n }))]
        }
        Records::Runs(records) => {
            let mut names: Vec<&String> = records.iter().flat_map(|record| record.values.keys()).collect();
            names.sort();
            names.dedup();
            if names.is_empty() {
                return vec![(None, 0, None)];
            }
            let one = names.len() == 1;
            names
                .into_iter()
                .map(|name| {
                    let pairs: Vec<_> =
                        records.iter().filter_map(|record| record.values.get(name).copied()).collect();
                    let scaled: Vec<_> = pairs.iter().map(|(a, b)| (100.0 * a, *b)).collect();
                    ((!one).then(|| name.clone()), pairs.len(), Mean::of_ratio(&scaled).map(Data::Mean))
                })
                .collect()
        }
    }
}
