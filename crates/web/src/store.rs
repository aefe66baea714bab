//! Stored games: a file for each, the oldest removed when there are too many.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use tengen_engine::whole_file::write_whole;

use crate::{protocol::StoredGame, table::Saved};

/// Games that are kept.
const MAX_GAMES: usize = 200;

/// A folder of games.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    pub(crate) fn new(folder: &Path) -> Store {
        Store { folder: folder.to_owned() }
    }

    /// Where games are kept unless told otherwise.
    pub(crate) fn default_folder() -> PathBuf {
        let base = dirs::state_dir().or_else(dirs::data_local_dir).unwrap_or_else(std::env::temp_dir);
        base.join("tengen").join("games")
    }

    /// The file of a game. Ids are ours and consist of letters and digits; anything else names no file.
    fn path(&self, id: &str) -> Option<PathBuf> {
        is_id(id).then(|| self.folder.join(format!("{id}.json")))
    }

    /// Writes a game.
    pub(crate) fn save(&self, saved: &Saved) -> io::Result<()> {
        let path = self.path(&saved.game.id).ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(&self.folder)?;
        let is_new = !path.exists();
        write_whole(&path, serde_json::to_vec(saved)?)?;
        if is_new {
            // Only what is a game of ours: the folder may hold other files.
            for old in self.list().into_iter().skip(MAX_GAMES).filter_map(|game| self.path(&game.id)) {
                fs::remove_file(old)?;
            }
        }
        Ok(())
    }

    /// Reads a game.
    pub(crate) fn load(&self, id: &str) -> Option<Saved> {
        let saved: Saved = serde_json::from_slice(&fs::read(self.path(id)?).ok()?).ok()?;
        (saved.game.id == id).then_some(saved)
    }

    /// The games, the latest first.
    pub(crate) fn list(&self) -> Vec<StoredGame> {
        let read = |(time, path): (u64, PathBuf)| {
            let id = path.file_stem()?.to_str()?.to_owned();
            Some(StoredGame { time, ..self.load(&id)?.game })
        };
        self.files().into_iter().filter_map(read).collect()
    }

    /// The files and when they were written, the latest first.
    fn files(&self) -> Vec<(u64, PathBuf)> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let path = entry.path();
                let time = entry.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
                (path.extension()? == "json").then_some((time.as_millis(), path))
            })
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        files.into_iter().map(|(time, path)| ((time / 1000) as u64, path)).collect()
    }
}

/// Whether a text could be the id of a game.
fn is_id(text: &str) -> bool {
    (8..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
