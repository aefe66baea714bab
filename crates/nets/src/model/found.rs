//! KataGo's networks on this machine, in the folders where people keep them: `net=b6c96` names the one file there that has this
//! word in its name.

use std::{
    borrow::Cow,
    env, fs,
    path::{Path, PathBuf},
};

use tengen_board::sgf::data_folder;

use crate::{error::NetError, model::shipped};

/// The folders: `nets` in `$TENGEN_DATA`, tengen's own and KaTrain's in the home folder, and the networks that came with KaTrain
/// when pip installed it, for the user or in the active virtual environment.
fn folders() -> Vec<PathBuf> {
    let home = env::home_dir();
    let own = [".local/share/tengen/networks", ".katrain"];
    let in_home = home.iter().flat_map(|home| own.map(|folder| home.join(folder)));
    let environment = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let installed = home.iter().map(|home| home.join(".local")).chain(environment);
    let with_katrain = installed.flat_map(|prefix| katrain_models(&prefix));
    data_folder().map(|folder| folder.join("nets")).into_iter().chain(in_home).chain(with_katrain).collect()
}

/// Where pip puts KaTrain's networks below `prefix`.
fn katrain_models(prefix: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let mut models: Vec<_> = versions
        .filter(|version| version.file_name().to_string_lossy().starts_with("python"))
        .map(|version| version.path().join("site-packages/katrain/models"))
        .filter(|models| models.is_dir())
        .collect();
    models.sort();
    models
}

/// A network's name: that of its file without `.bin.gz` and the like; `None` for other files.
pub fn network_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    [".bin.gz", ".txt.gz"].iter().find_map(|end| name.strip_suffix(end)).filter(|name| !name.is_empty())
}

/// The networks in a folder, by name.
fn networks_in(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> = files.filter(|path| network_name(path).is_some() && path.is_file()).collect();
    found.sort();
    found
}

/// KataGo's networks that were found on this machine.
pub fn networks_found() -> Vec<PathBuf> {
    folders().iter().flat_map(|folder| networks_in(folder)).collect()
}

/// What `path` means: itself if there is such a file or such a network comes with the program, else the network that was found
/// by this word.
pub(crate) fn resolve(path: &Path) -> Result<Cow<'_, Path>, NetError> {
    resolve_among(path, networks_found)
}

fn resolve_among(path: &Path, found: impl Fn() -> Vec<PathBuf>) -> Result<Cow<'_, Path>, NetError> {
    let word = path.to_str().filter(|word| !word.contains(['/', '\\', '.']));
    let Some(word) = word.filter(|_| !path.exists() && shipped::find(path).is_none()) else {
        return Ok(path.into());
    };
    let named = |file: &PathBuf| {
        network_name(file).is_some_and(|name| name == word || name.split('-').any(|part| part == word))
    };
    let mut fitting: Vec<PathBuf> = found().into_iter().filter(named).collect();
    if fitting.len() > 1 {
        let names: Vec<_> = fitting.iter().map(|file| file.display().to_string()).collect();
        let message =
            format!("several networks have this word in their names: choose from {}", names.join(", "));
        return Err(NetError::File { path: path.to_owned(), message });
    }
    Ok(fitting.pop().map_or(path.into(), Cow::Owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_the_only_network_that_has_it() {
        let folder = env::temp_dir().join(format!("tengen-found-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let names = ["g170-b6c96-s1-d2.bin.gz", "g170-b10c128-s1.bin.gz", "notes.txt", "b6c96.onnx"];
        for name in names {
            fs::write(folder.join(name), "").unwrap();
        }
        let meaning =
            |word: &'static str| resolve_among(Path::new(word), || networks_in(&folder)).map(Cow::into_owned);
        assert_eq!(networks_in(&folder).len(), 2);
        assert_eq!(meaning("b6c96").unwrap(), folder.join(names[0]));
        assert_eq!(meaning("g170-b10c128-s1").unwrap(), folder.join(names[1]));
        for itself in ["b18c384", "default", "b6", "./b6c96", "b6c96.bin.gz"] {
            assert_eq!(meaning(itself).unwrap(), Path::new(itself), "nothing else is meant");
        }
        let error = meaning("g170").unwrap_err().to_string();
        assert!(error.contains(names[0]) && error.contains(names[1]), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn networks_that_came_with_katrain_are_found() {
        let prefix = env::temp_dir().join(format!("tengen-katrain-{}", std::process::id()));
        let models = prefix.join("lib/python3.12/site-packages/katrain/models");
        fs::create_dir_all(&models).unwrap();
        fs::create_dir_all(prefix.join("lib/python3.13")).unwrap();
        fs::write(models.join("b10c384h6nbttflrs.bin.gz"), "").unwrap();
        assert_eq!(katrain_models(&prefix), std::slice::from_ref(&models));
        assert_eq!(networks_in(&models), [models.join("b10c384h6nbttflrs.bin.gz")]);
        assert!(katrain_models(&prefix.join("nowhere")).is_empty());
        fs::remove_dir_all(&prefix).unwrap();
    }
}
