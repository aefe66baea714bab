//! Files of game records.

use std::{
    env,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;

use super::MAX_BYTES;
use crate::bounded;

/// The bytes of a file of game records, up to [`MAX_BYTES`] of them, unpacked if its name ends in `.gz`.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, limit) = (File::open(path)?, MAX_BYTES as u64);
    if path.extension().is_some_and(|extension| extension == "gz") {
        bounded::read(MultiGzDecoder::new(file), limit)
    } else {
        bounded::read(file, limit)
    }
}

/// The folder of game records and public networks that tests compare with: `$TENGEN_DATA`; where this is not set, `shared/data`
/// beside the workspace or a folder above it.
pub fn data_folder() -> Option<PathBuf> {
    if let Some(path) = env::var_os("TENGEN_DATA") {
        return Some(PathBuf::from(path)).filter(|path| path.is_dir());
    }
    env::current_dir().ok()?.ancestors().map(|folder| folder.join("shared/data")).find(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write, copy, repeat};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let path = env::temp_dir().join(format!("tengen-bomb-{}.sgf.gz", std::process::id()));
        let mut packed = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        copy(&mut repeat(b' ').take(MAX_BYTES as u64 + 1), &mut packed).unwrap();
        packed.finish().unwrap().flush().unwrap();
        assert!(path.metadata().unwrap().len() < 4 << 20);
        let error = read_file(&path).unwrap_err().to_string();
        assert!(error.contains("256 MB"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
