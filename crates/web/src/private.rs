//! Files and folders that other users of the machine cannot read.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Where the program keeps what it has to remember.
pub(crate) fn state_folder() -> PathBuf {
    let base = dirs::state_dir().or_else(dirs::data_local_dir).unwrap_or_else(std::env::temp_dir);
    base.join("tengen")
}

/// Makes a folder, unless it is there.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for writing; makes it, unless it is there.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether a file can be read by its owner only.
pub(crate) fn is_private(path: &Path) -> io::Result<bool> {
    let _metadata = fs::metadata(path)?;
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::mode(&_metadata) & 0o077 == 0);
    #[cfg(not(unix))]
    Ok(true)
}
