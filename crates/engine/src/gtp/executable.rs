//! Finding programs.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Where engines are installed although it is often not on the PATH: Debian puts GNU Go among the games.
const MORE_DIRECTORIES: [&str; 4] = ["/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin"];

/// The file of a program: a path as it is, if there is a file; a bare name looked for on the PATH and where games are installed.
pub fn find_executable(program: &str) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        // Whether it may be executed is seen, and told, when it is started.
        return path.is_file().then(|| path.to_owned());
    }
    let on_path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&on_path).chain(MORE_DIRECTORIES.map(PathBuf::from));
    let name = format!(
        "{program}{}",
        if program.ends_with(env::consts::EXE_SUFFIX) { "" } else { env::consts::EXE_SUFFIX }
    );
    directories.map(|directory| directory.join(&name)).find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file())
}
