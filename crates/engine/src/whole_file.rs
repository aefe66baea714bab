//! Files that are there completely or not at all, and belong to one process at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes a file under a temporary name and renames it, so that whoever is interrupted leaves the old one. What a link points to
/// is written; what is no file, such as a terminal, is written to directly.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(bytes.as_ref());
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes.as_ref())?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    };
    write().inspect_err(|_| {
        // The first error is the one to tell of.
        let _ = fs::remove_file(&temporary);
    })
}

/// Removes what interrupted writes have left in a folder. Only for whoever is alone there.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if is_temporary(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Keeps other processes from a file until it is closed.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    match file.try_lock() {
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        result => result,
    }
}

/// Whether a file has a name as [`write_whole`] gives it: `NAME.PROCESS.tmp`.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".tmp"));
    name.and_then(|name| name.rsplit_once('.')).is_some_and(|(_, process)| process.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = std::env::temp_dir().join(format!("tengen-whole-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("game.sgf");
        for text in ["one", "another"] {
            write_whole(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        for name in ["game.sgf.4711.tmp", "notes.tmp", "4711.tmp"] {
            fs::write(folder.join(name), "half").unwrap();
        }
        remove_unfinished(&folder).unwrap();
        assert!(!folder.join("game.sgf.4711.tmp").exists());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        remove_unfinished(&folder.join("missing")).unwrap();
        assert!(write_whole(&folder.join("missing").join("game.sgf"), "").is_err());
        assert!(write_whole(&folder, "").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, folder.join("link.sgf")).unwrap();
            write_whole(&folder.join("link.sgf"), "through a link").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "through a link");
            assert!(folder.join("link.sgf").is_symlink());
            write_whole(Path::new("/dev/null"), "nothing").unwrap();
            assert!(!fs::metadata("/dev/null").unwrap().is_file());
        }
        fs::remove_dir_all(&folder).unwrap();
        assert!(!Path::new(&format!("{}.{}.tmp", folder.display(), std::process::id())).exists());
    }
}
