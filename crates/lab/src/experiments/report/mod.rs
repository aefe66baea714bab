//! Reports: one HTML page with plots, a CSV file and a Markdown page for each experiment, and one page about all of them.

mod collection;
mod html;
mod markdown;
mod plot;
mod tables;

use std::path::{Path, PathBuf};

pub use collection::collection;
pub use html::page;
pub use markdown::readme;
pub use plot::plots;
pub use tables::{Table, cells, checks, values};

use super::{config::Experiment, error::LabError, results::Results};
use crate::journal::write_whole;

/// The files of a report, by name, with their contents.
pub fn files(experiment: &Experiment, results: &Results) -> Result<Vec<(&'static str, String)>, LabError> {
    Ok(vec![
        ("README.md", readme(experiment, results)),
        ("report.html", page(experiment, results)?),
        ("results.csv", values(experiment, results).to_csv()),
    ])
}

/// Writes the report of an experiment into its directory, and says where the page is.
pub fn write(experiment: &Experiment, results: &Results) -> Result<PathBuf, LabError> {
    for (name, text) in files(experiment, results)? {
        put(&experiment.directory.join(name), &text)?;
    }
    Ok(experiment.directory.join("report.html"))
}

/// Writes a file of a report.
pub fn put(path: &Path, text: &str) -> Result<(), LabError> {
    write_whole(path, text).map_err(|source| LabError::File { path: path.to_owned(), source })
}
