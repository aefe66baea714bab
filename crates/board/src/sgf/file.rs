//! Files of game records.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;

/// The bytes of a file of game records, unpacked if its name ends in `.gz`.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
    } else {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The folder of game records and public networks that tests compare with: `$TENGEN_DATA`; where this is not set, `shared/data`
/// beside the workspace or a folder above it.
pub fn data_folder() -> Option<PathBuf> {
    if let Some(path) = env::var_os("TENGEN_DATA") {
        return Some(PathBuf::from(path)).filter(|path| path.is_dir());
    }
    env::current_dir().ok()?.ancestors().map(|folder| folder.join("shared/data")).find(|path| path.is_dir())
}
