//! Files by their SHA-256: in the object store of the server, and in a folder of each machine that has fetched them.
//!
//! A file is named by what it holds, so it is fetched once, and whatever arrives is compared with its name before anything reads it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use async_nats::jetstream::object_store::{GetErrorKind, ObjectStore};
use sha2::{Digest, Sha256};
use tengen_board::bounded;
use tengen_engine::whole_file::write_whole;
use tokio::{io::AsyncReadExt, sync::Mutex};

use crate::error::ClusterError;

/// Nothing larger is fetched.
const MAX_BYTES: u64 = 1 << 30;

/// The SHA-256 of some bytes as 64 hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.iter().fold(String::with_capacity(64), |text, byte| format!("{text}{byte:02x}"))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Puts bytes into the store, unless they are there; their SHA-256.
pub(crate) async fn put(objects: &ObjectStore, bytes: &[u8]) -> Result<String, ClusterError> {
    let name = sha256(bytes);
    let is_there = objects.info(&name).await.is_ok_and(|info| !info.deleted && info.size == bytes.len());
    if !is_there {
        let mut bytes = bytes;
        objects.put(name.as_str(), &mut bytes).await.map_err(ClusterError::server("keep a file"))?;
    }
    Ok(name)
}

/// Gets the bytes with this SHA-256 from the store.
pub(crate) async fn get(objects: &ObjectStore, sha: &str) -> Result<Vec<u8>, ClusterError> {
    if !is_sha256(sha) {
        return Err(ClusterError::Message(format!(
            "{:?} is not a SHA-256",
            sha.chars().take(80).collect::<String>()
        )));
    }
    let object = objects.get(sha).await.map_err(|error| match error.kind() {
        GetErrorKind::NotFound => ClusterError::Message(format!(
            "the file {sha} is not on the server: start the coordinator again, it puts it there"
        )),
        _ => ClusterError::Server { doing: "send a file", message: error.to_string() },
    })?;
    let mut bytes = Vec::new();
    object.take(MAX_BYTES + 1).read_to_end(&mut bytes).await.map_err(ClusterError::server("send a file"))?;
    if sha256(&bytes) != sha {
        return Err(ClusterError::Message(format!(
            "the file {sha} on the server is damaged: what arrived has another SHA-256"
        )));
    }
    Ok(bytes)
}

/// A folder of files that were fetched.
pub(crate) struct Cache {
    folder: PathBuf,
    /// One fetches at a time, so that nothing is fetched twice.
    alone: Mutex<()>,
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Cache {
        Cache { folder, alone: Mutex::new(()) }
    }

    /// Whether a file is here already.
    pub(crate) fn has(&self, sha: &str, suffix: &str) -> bool {
        self.path(sha, suffix).is_file()
    }

    fn path(&self, sha: &str, suffix: &str) -> PathBuf {
        self.folder.join(format!("{sha}.{suffix}"))
    }

    /// The file with this SHA-256, which is fetched if it is not here, or not what it should be.
    pub(crate) async fn fetch(
        &self,
        objects: &ObjectStore,
        sha: &str,
        suffix: &str,
    ) -> Result<PathBuf, ClusterError> {
        if !is_sha256(sha) || !SUFFIXES.contains(&suffix) {
            return Err(ClusterError::Message(
                "an order names a file by something else than a SHA-256".to_owned(),
            ));
        }
        let _alone = self.alone.lock().await;
        let path = self.path(sha, suffix);
        let is_whole =
            |path: &Path| bounded::read_file(path, MAX_BYTES).is_ok_and(|bytes| sha256(&bytes) == sha);
        if !is_whole(&path) {
            let bytes = get(objects, sha).await?;
            let written = fs::create_dir_all(&self.folder).and_then(|()| write_whole(&path, bytes));
            written.map_err(|source| ClusterError::File { path: path.clone(), source })?;
        }
        Ok(path)
    }
}

/// How the files that players play with may end: readers tell their kinds by it.
const SUFFIXES: [&str; 6] = ["safetensors", "bin.gz", "bin", "txt.gz", "txt", "book"];

/// How a copy of this file is to end.
pub(crate) fn suffix(path: &Path, is_network: bool) -> &'static str {
    let name = path.to_string_lossy();
    match () {
        () if !is_network => "book",
        () if name.ends_with(".txt.gz") => "txt.gz",
        () if name.ends_with(".txt") => "txt",
        () if name.ends_with(".gz") => "bin.gz",
        () if name.ends_with(".bin") => "bin",
        () => "safetensors",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_name_of_what_they_hold() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
        assert!(is_sha256(empty) && !is_sha256("../../etc/passwd") && !is_sha256(&empty.to_uppercase()));
        assert_eq!(suffix(Path::new("a/b.bin.gz"), true), "bin.gz");
        assert_eq!(suffix(Path::new("a/b"), true), "safetensors");
        assert_eq!(suffix(Path::new("a/b.txt"), false), "book");
    }
}
