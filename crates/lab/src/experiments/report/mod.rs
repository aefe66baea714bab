//! Reports: one HTML page with plots, a CSV file and a Markdown page for each experiment, and one page about all of them.

mod collection;
mod curves;
mod html;
mod markdown;
mod plot;
mod ratings;
mod story;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use collection::collection;
pub use html::page;
pub(crate) use html::{STYLE, escaped};
pub use markdown::readme;
pub(crate) use plot::COLORS;
pub use plot::plots;
pub use ratings::{ranks, ratings};
pub use story::Story;
pub use tables::{Table, cells, checks, values};

use super::{config::Experiment, error::LabError, results::Results};
use crate::journal::write_whole;

/// The file of the plot.
const PLOT: &str = "plot.svg";

/// The files of a report, by name, with their contents; an empty one is not there.
pub fn files(experiment: &Experiment, results: &Results) -> Result<Vec<(&'static str, String)>, LabError> {
    Ok(vec![
        ("README.md", readme(experiment, results)),
        ("report.html", page(experiment, results)?),
        ("results.csv", values(experiment, results).to_csv()),
        ("ranks.csv", ranks(experiment, results).map_or(String::new(), |table| table.to_csv())),
        (PLOT, plots(experiment, results)?),
    ])
}

/// Writes the report of an experiment into its directory, and says where the page is.
pub fn write(experiment: &Experiment, results: &Results) -> Result<PathBuf, LabError> {
    for (name, text) in files(experiment, results)? {
        let path = experiment.directory.join(name);
        if !text.is_empty() {
            put(&path, &text)?;
        } else if path.exists() {
            fs::remove_file(&path).map_err(|source| LabError::File { path, source })?;
        }
    }
    Ok(experiment.directory.join("report.html"))
}

/// Writes a file of a report.
pub fn put(path: &Path, text: &str) -> Result<(), LabError> {
    write_whole(path, text).map_err(|source| LabError::File { path: path.to_owned(), source })
}
