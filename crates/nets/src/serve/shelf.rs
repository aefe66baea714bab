//! Networks that are in memory already: each file is read once a process, and shared by all players that use it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use crate::error::NetError;

/// Tells whether a file has changed; absent for what is part of the program.
type Stamp = Option<(SystemTime, u64)>;

/// Things that were read from files, by their paths.
pub(crate) struct Shelf<T>(Mutex<BTreeMap<PathBuf, (Stamp, T)>>);

impl<T: Clone> Shelf<T> {
    pub(crate) const fn new() -> Shelf<T> {
        Shelf(Mutex::new(BTreeMap::new()))
    }

    /// What `path` names, read only if it is not here or the file has changed. Who asks for it meanwhile waits.
    pub(crate) fn get(
        &self,
        path: &Path,
        load: impl FnOnce(&Path) -> Result<T, NetError>,
    ) -> Result<T, NetError> {
        let stamp = fs::metadata(path).and_then(|file| Ok((file.modified()?, file.len()))).ok();
        let mut loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, thing)) = loaded.get(path).filter(|(old, _)| *old == stamp) {
            return Ok(thing.clone());
        }
        let thing = load(path)?;
        loaded.insert(path.to_owned(), (stamp, thing.clone()));
        Ok(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once_unless_it_changes() {
        let path = std::env::temp_dir().join(format!("tengen-shelf-{}", std::process::id()));
        let shelf = Shelf::new();
        let read = |path: &Path| Ok(fs::read_to_string(path).unwrap());
        fs::write(&path, "one").unwrap();
        assert_eq!(shelf.get(&path, read).unwrap(), "one");
        assert_eq!(shelf.get(&path, |_| panic!("it is here already")).unwrap(), "one");
        fs::write(&path, "another").unwrap();
        assert_eq!(shelf.get(&path, read).unwrap(), "another");
        fs::remove_file(&path).unwrap();
    }
}
