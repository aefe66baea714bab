//! Who has played which games, beside the results: so that those of a worker that turns out to be wrong can be taken back.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use tengen_board::bounded;

use crate::error::ClusterError;

/// A line for each game: its number and the worker. The last line of a game counts.
pub(crate) struct Attribution {
    file: Option<(PathBuf, File)>,
    workers: BTreeMap<u64, String>,
}

impl Attribution {
    pub(crate) fn in_memory() -> Attribution {
        Attribution { file: None, workers: BTreeMap::new() }
    }

    /// The one that belongs to a result file: beside it, with the ending `workers`.
    pub(crate) fn open(results: Option<&Path>) -> Result<Attribution, ClusterError> {
        let Some(path) = results.map(|path| path.with_extension("workers")) else {
            return Ok(Attribution::in_memory());
        };
        let error = |source| ClusterError::File { path: path.clone(), source };
        let text = if path.exists() { bounded::read_text(&path).map_err(error)? } else { String::new() };
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        let line = |line: &str| {
            let (game, worker) = line.split_once(' ')?;
            Some((game.parse().ok()?, worker.to_owned()))
        };
        let workers = text[..complete].lines().filter_map(line).collect();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(error)?;
        }
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(error)?;
        file.set_len(complete as u64).map_err(error)?;
        Ok(Attribution { file: Some((path, file)), workers })
    }

    /// Writes down who has played games. It comes before the results, so that none of them is without its worker.
    pub(crate) fn add(&mut self, games: &[(u64, String)]) -> Result<(), ClusterError> {
        self.workers.extend(games.iter().cloned());
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let lines =
            games.iter().fold(String::new(), |text, (game, worker)| text + &format!("{game} {worker}\n"));
        let written = file.write_all(lines.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|source| ClusterError::File { path: path.clone(), source })
    }

    /// The games of a worker.
    pub(crate) fn of(&self, worker: &str) -> impl Iterator<Item = u64> {
        self.workers.iter().filter(move |(_, name)| *name == worker).map(|(game, _)| *game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_survives_an_interruption_in_the_middle_of_a_line() {
        let results = std::env::temp_dir().join(format!("tengen-attribution-{}.jsonl", std::process::id()));
        let path = results.with_extension("workers");
        let _ = fs::remove_file(&path);
        let mut first = Attribution::open(Some(&results)).unwrap();
        first.add(&[(0, "a".to_owned()), (1, "b".to_owned())]).unwrap();
        first.add(&[(0, "b".to_owned())]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + "2 a").unwrap();
        let again = Attribution::open(Some(&results)).unwrap();
        assert_eq!(again.of("b").collect::<Vec<_>>(), [0, 1]);
        assert_eq!(again.of("a").count(), 0);
        fs::remove_file(&path).unwrap();
    }
}
