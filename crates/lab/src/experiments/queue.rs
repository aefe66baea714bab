//! A list of experiments in order of value, run one after the other without anybody looking on.

use std::path::Path;

use serde::Deserialize;
use tengen_board::bounded;

use super::{
    config::Experiment,
    error::LabError,
    results::{CellResult, Results},
    run::RunOptions,
};
use crate::provenance::{Provenance, is_committed};

/// `queue.toml`: what is run, the most valuable first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// The entries. An experiment may come again later with more games.
    #[serde(rename = "run")]
    pub entries: Vec<Entry>,
}

/// A part of an experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub experiment: String,
    /// The share of its games that are played.
    #[serde(default = "all_games")]
    pub scale: f64,
    /// The values of the sweep that are played; all if absent.
    #[serde(default)]
    pub at: Option<Vec<f64>>,
}

fn all_games() -> f64 {
    1.0
}

impl Queue {
    /// The file beside the experiments.
    pub const FILE: &'static str = "queue.toml";

    /// Reads a queue.
    pub fn read(path: &Path) -> Result<Queue, LabError> {
        let text =
            bounded::read_text(path).map_err(|source| LabError::File { path: path.to_owned(), source })?;
        let queue: Queue = toml::from_str(&text).map_err(|problem| LabError::Queue {
            path: path.to_owned(),
            message: problem.to_string().trim_end().to_owned(),
        })?;
        match queue.entries.iter().find(|entry| !(entry.scale > 0.0 && entry.scale <= 1.0)) {
            Some(entry) => Err(LabError::Queue {
                path: path.to_owned(),
                message: format!("{}: scale must be more than 0 and at most 1", entry.experiment),
            }),
            None => Ok(queue),
        }
    }
}

/// How far an entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Games or runs that are there.
    pub done: usize,
    /// Those that are wanted.
    pub planned: usize,
    /// How long the missing ones take, one after the other, going by those that are there; `None` if there are none to go by.
    pub seconds_left: Option<f64>,
}

impl Progress {
    /// Whether nothing is missing.
    pub fn is_done(&self) -> bool {
        self.done == self.planned
    }
}

impl Entry {
    /// How it is run: anew where the results that are there cannot be relied on, and those of this program could be.
    pub fn options(&self, concurrency: Option<usize>, results: &Results) -> RunOptions {
        let fresh = results.again.is_some() && is_committed(Provenance::current().commit);
        RunOptions {
            scale: self.scale,
            concurrency,
            keep: true,
            fresh,
            sgf: None,
            at: self.at.clone(),
            venue: None,
        }
    }

    /// How far it is.
    pub fn progress(&self, experiment: &Experiment, results: &Results) -> Progress {
        let planned = experiment.planned(self.scale);
        let options = self.options(None, results);
        let is_meant = |cell: &&CellResult| options.includes(&cell.cell);
        let cells: Vec<_> = results.cells.iter().filter(is_meant).collect();
        let known: Vec<f64> = cells.iter().filter_map(|cell| cell.seconds).collect();
        let usual = crate::stats::mean(&known);
        let there = |cell: &&CellResult| if options.fresh { 0 } else { cell.n.min(planned) };
        let left = |cell: &&CellResult| Some((planned - there(cell)) as f64 * cell.seconds.or(usual)?);
        let left = cells.iter().map(left).sum::<Option<f64>>();
        let done = cells.iter().map(there).sum();
        Progress { done, planned: planned * cells.len(), seconds_left: left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_and_checked() {
        let path = std::env::temp_dir().join(format!("tengen-queue-{}.toml", std::process::id()));
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Queue::read(&path)
        };
        let queue =
            read("[[run]]\nexperiment = \"a\"\n[[run]]\nexperiment = \"b\"\nscale = 0.4\nat = [100, 200]")
                .unwrap();
        assert_eq!((queue.entries[0].scale, queue.entries[0].at.as_ref()), (1.0, None));
        assert_eq!(queue.entries[1].at, Some(vec![100.0, 200.0]));
        for (text, message) in [
            ("[[run]]\nexperiment = \"a\"\nscale = 0", "more than 0"),
            ("[[run]]\nexperiment = \"a\"\ngames = 4", "unknown field"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
