//! Files and folders that other users of the machine cannot read.

use std::{
    fs::{DirBuilder, File, OpenOptions},
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
#[cfg(unix)]
pub(crate) fn is_private(path: &Path) -> io::Result<bool> {
    const OTHERS: u32 = 0o077;
    Ok(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(path)?) & OTHERS == 0)
}

/// Whether a file can be read by its owner only; the folder of a user sees to that.
#[cfg(not(unix))]
pub(crate) fn is_private(_path: &Path) -> io::Result<bool> {
    Ok(true)
}
