//! The folder of a training: taken by one process alone, with a checkpoint to go on from.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use tengen_engine::whole_file;

use crate::error::NetError;

/// A folder that no other process can train in as long as this value lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// The checkpoint's name in the folder.
    pub const CHECKPOINT: &'static str = "checkpoint.safetensors";

    /// Takes a folder in which nothing has begun yet, and makes these folders in it.
    pub fn begin(path: &Path, inside: &[&str]) -> Result<RunFolder, NetError> {
        let folder = RunFolder::take(path, inside)?;
        if RunFolder::has_checkpoint(path) {
            let message = "has a checkpoint already: add --resume to go on, or choose another folder";
            return Err(NetError::Settings(format!("{} {message}", path.display())));
        }
        Ok(folder)
    }

    /// Takes a folder to go on from its checkpoint, and removes what an interruption left unfinished there and in these folders.
    pub fn resume(path: &Path, inside: &[&str]) -> Result<RunFolder, NetError> {
        let missing = || NetError::Settings(format!("{} has no checkpoint to resume from", path.display()));
        if !path.is_dir() {
            return Err(missing());
        }
        let folder = RunFolder::take(path, inside)?;
        if RunFolder::has_checkpoint(path) { Ok(folder) } else { Err(missing()) }
    }

    fn take(path: &Path, inside: &[&str]) -> Result<RunFolder, NetError> {
        fs::create_dir_all(path).map_err(NetError::io("cannot make", path))?;
        let file = path.join("lock");
        let lock = File::create(&file).map_err(NetError::io("cannot write", &file))?;
        whole_file::lock(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => NetError::Settings(format!(
                "{} is in use: another tengen runs here; wait until it ends, or choose another folder",
                path.display()
            )),
            TryLockError::Error(source) => NetError::io("cannot lock", &file)(source),
        })?;
        let folders = inside.iter().map(|name| path.join(name));
        for folder in folders.chain([path.to_owned()]) {
            fs::create_dir_all(&folder)
                .and_then(|()| whole_file::remove_unfinished(&folder))
                .map_err(NetError::io("cannot tidy", &folder))?;
        }
        Ok(RunFolder { path: path.to_owned(), _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a folder has a checkpoint to go on from.
    pub fn has_checkpoint(path: &Path) -> bool {
        path.join(Self::CHECKPOINT).exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_taken_once_and_tidied() {
        let path = std::env::temp_dir().join(format!("tengen-run-folder-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        assert!(RunFolder::resume(&path, &[]).unwrap_err().to_string().contains("no checkpoint"));
        assert!(!path.exists(), "a wrong name makes no folder");
        let first = RunFolder::begin(&path, &["games"]).unwrap();
        assert!(RunFolder::begin(&path, &[]).unwrap_err().to_string().contains("in use"));
        fs::write(path.join(RunFolder::CHECKPOINT), "").unwrap();
        assert!(RunFolder::resume(&path, &[]).unwrap_err().to_string().contains("in use"));
        drop(first);
        assert!(RunFolder::begin(&path, &[]).unwrap_err().to_string().contains("--resume"));
        let unfinished = [path.join("net.safetensors.4711.tmp"), path.join("games/a.npz.4711.tmp")];
        for file in &unfinished {
            fs::write(file, "half").unwrap();
        }
        let folder = RunFolder::resume(&path, &["games"]).unwrap();
        assert!(unfinished.iter().all(|file| !file.exists()));
        assert!(folder.path().join(RunFolder::CHECKPOINT).exists());
        fs::remove_dir_all(&path).unwrap();
    }
}
