//! What is in the folder of a run besides its checkpoint: a log of JSON lines, a page, networks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use tengen_board::bounded;

use crate::{
    journal::{self, write_whole},
    selfplay::SelfPlayError,
};

const LOG: &str = "log.jsonl";
/// Larger logs are not read.
const MAX_LOG: u64 = 1 << 30;

/// The log, as far as `belongs` says. A line that was cut off is later than the checkpoint anyway.
pub(super) fn read_log<T: DeserializeOwned>(folder: &Path, belongs: impl Fn(&T) -> bool) -> Vec<T> {
    let bytes = bounded::read_file(folder.join(LOG), MAX_LOG).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().map_while(|line| serde_json::from_str(line).ok());
    lines.take_while(belongs).collect()
}

/// Writes the log.
pub(super) fn write_log<T: Serialize>(folder: &Path, log: &[T]) -> Result<(), SelfPlayError> {
    let line = |line: &T| serde_json::to_string(line).expect("a line is plain data") + "\n";
    let path = folder.join(LOG);
    write_whole(&path, &log.iter().map(line).collect::<String>()).map_err(SelfPlayError::file(&path))
}

/// Writes the page about a run.
pub(super) fn write_report(folder: &Path, page: &str) -> Result<(), SelfPlayError> {
    let path = folder.join("report.html");
    write_whole(&path, page).map_err(SelfPlayError::file(&path))
}

/// Writes the picture of a run, once there is something to see.
pub(super) fn write_progress(folder: &Path, svg: &str) -> Result<(), SelfPlayError> {
    if svg.is_empty() {
        return Ok(());
    }
    let path = folder.join("progress.svg");
    write_whole(&path, svg).map_err(SelfPlayError::file(&path))
}

/// Removes the files of a folder whose names begin with `prefix`, except these.
pub(super) fn keep_only(folder: &Path, prefix: &str, kept: &[PathBuf]) -> Result<(), SelfPlayError> {
    let entries = fs::read_dir(folder).map_err(SelfPlayError::file(folder))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let named =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(prefix));
        if named && !kept.contains(&path) {
            fs::remove_file(&path).map_err(SelfPlayError::file(&path))?;
        }
    }
    Ok(())
}

/// Refuses settings of a run under way that differ from those it may have; `free` names what may differ.
pub(super) fn refuse_difference<T: Serialize>(
    allowed: &T,
    asked: &T,
    free: &str,
) -> Result<(), SelfPlayError> {
    let json = |config: &T| serde_json::to_value(config).expect("settings are plain data");
    match journal::first_difference("", &json(allowed), &json(asked)) {
        None => Ok(()),
        Some(difference) => Err(SelfPlayError::Settings(format!(
            "the run has begun with other settings ({difference}), and only {free} can change: use the same ones, or begin in another \
             folder"
        ))),
    }
}
