//! Networks in `.safetensors` files, with the architecture in the metadata.
//!
//! Nothing is allocated before the header has told sizes that fit both the file and the architecture.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use sha2::{Digest, Sha256};

use tengen_board::bounded;
use tengen_engine::whole_file::write_whole;

use crate::{
    error::NetError,
    model::{found, network::Network, shipped, spec::NetSpec},
};

/// The metadata entry that holds the [`NetSpec`] as JSON.
pub const SPEC_KEY: &str = "tengen_net";
/// The metadata entry with the checksum of all arrays. Files of other programs have none.
const CHECKSUM_KEY: &str = "sha256";
/// Files larger than this are no networks of ours.
const MAX_BYTES: u64 = 1 << 30;

/// The bytes of a file that may be a network.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, NetError> {
    let error = NetError::io("cannot read", path);
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(source) => return Err(error(source)),
    };
    if !metadata.is_file() {
        return Err(NetError::File { path: path.to_owned(), message: "not a regular file".to_owned() });
    }
    let length = metadata.len();
    if length > MAX_BYTES {
        let message = format!("it has {length} bytes, more than any network; choose another file");
        return Err(NetError::File { path: path.to_owned(), message });
    }
    bounded::read_file(path, MAX_BYTES).map_err(error)
}

/// What a path or a word stands for as a network, a book or other weights: a file, or a network that comes with the program.
pub struct FileContents {
    /// The file; nothing for what comes with the program.
    pub file: Option<PathBuf>,
    /// What it holds.
    pub bytes: Cow<'static, [u8]>,
}

impl FileContents {
    /// Reads a file, or finds what comes with the program.
    pub fn read(path: &Path) -> Result<FileContents, NetError> {
        let path = found::resolve(path)?.into_owned();
        Ok(match shipped::find(&path) {
            Some(bytes) => FileContents { file: None, bytes: Cow::Borrowed(bytes) },
            None => FileContents { bytes: Cow::Owned(read_bytes(&path)?), file: Some(path) },
        })
    }
}

/// What identifies a file, or a network that comes with the program: the first 16 digits of its SHA-256.
pub fn file_hash(path: &Path) -> Result<String, NetError> {
    let FileContents { bytes, .. } = FileContents::read(path)?;
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let first = digest.first_chunk().expect("a digest has 32 bytes");
    Ok(format!("{:016x}", u64::from_be_bytes(*first)))
}

/// Writes a file that is there completely or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), NetError> {
    write_whole(path, bytes).map_err(NetError::io("cannot write", path))
}

/// Named arrays and metadata as a safetensors file.
pub(crate) fn to_bytes<'a>(
    arrays: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
    metadata: HashMap<String, String>,
) -> Vec<u8> {
    let views: Vec<_> = arrays
        .map(|(name, shape, data)| {
            let bytes = bytemuck::cast_slice(data);
            let view = TensorView::new(Dtype::F32, shape, bytes).expect("the shape fits the data");
            (name, view)
        })
        .collect();
    let mut metadata = metadata;
    let checksum = checksum(views.iter().map(|(name, view)| (name.clone(), view.data())));
    metadata.insert(CHECKSUM_KEY.to_owned(), checksum);
    let mut bytes = safetensors::serialize(views, Some(metadata)).expect("names and shapes are plain");
    sort_metadata(&mut bytes);
    bytes
}

/// The SHA-256 of arrays, in the order of their names.
fn checksum<'a>(arrays: impl Iterator<Item = (String, &'a [u8])>) -> String {
    let mut arrays: Vec<_> = arrays.collect();
    arrays.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sha = Sha256::new();
    for (name, data) in arrays {
        sha.update(name);
        sha.update(data);
    }
    let digest: [u8; 32] = sha.finalize().into();
    digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Puts the metadata of a safetensors file in order, which the library leaves to chance: equal networks make equal files.
fn sort_metadata(file: &mut [u8]) {
    let (length, rest) = file.split_first_chunk_mut().expect("a file begins with its header's length");
    let header = &mut rest[..u64::from_le_bytes(*length) as usize];
    let mut json: serde_json::Value = serde_json::from_slice(header).expect("a header is JSON");
    json["__metadata__"].as_object_mut().expect("metadata is an object").sort_keys();
    let sorted = json.to_string();
    // The same letters in another order; spaces follow.
    header[..sorted.len()].copy_from_slice(sorted.as_bytes());
}

/// A file's header and arrays.
pub(crate) struct Arrays<'a> {
    pub(crate) metadata: HashMap<String, String>,
    tensors: SafeTensors<'a>,
}

impl<'a> Arrays<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Arrays<'a>, String> {
        let damaged =
            |error| format!("the file is damaged or not a safetensors file ({error}); get it again");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let metadata = header.metadata().clone().unwrap_or_default();
        if let Some(expected) = metadata.get(CHECKSUM_KEY)
            && *expected != checksum(tensors.tensors().iter().map(|(name, view)| (name.clone(), view.data())))
        {
            return Err("its checksum is wrong: the file is damaged; get it again".to_owned());
        }
        Ok(Arrays { metadata, tensors })
    }

    /// An array that must have this shape and consist of finite numbers.
    pub(crate) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let view = self.tensors.tensor(name).map_err(|_| format!("it has no weights {name:?}"))?;
        if view.shape() != shape || view.dtype() != Dtype::F32 {
            let (found, kind) = (view.shape(), view.dtype());
            return Err(format!("{name:?} is {found:?} of {kind:?} where {shape:?} of F32 is expected"));
        }
        let numbers: Vec<f32> =
            view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        match numbers.iter().find(|n| !n.is_finite()) {
            Some(n) => Err(format!("{name:?} contains {n}, which is not a weight; get the file again")),
            None => Ok(numbers),
        }
    }

    /// One array for each parameter of a network; `prefix` stands before their names.
    pub(crate) fn weights(&self, spec: &NetSpec, prefix: &str) -> Result<Vec<Vec<f32>>, String> {
        spec.plan().graph.params.iter().map(|p| self.get(&format!("{prefix}{}", p.name), &p.shape)).collect()
    }
}

impl Network {
    /// Reads a network from the bytes of a safetensors file; the error tells what is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, String> {
        let arrays = Arrays::read(bytes)?;
        let json = arrays.metadata.get(SPEC_KEY).ok_or_else(|| {
            format!("its metadata has no entry {SPEC_KEY:?} with the architecture; tengen train writes one")
        })?;
        let spec: NetSpec =
            serde_json::from_str(json).map_err(|error| format!("its architecture is unknown: {error}"))?;
        spec.check().map_err(|error| error.to_string())?;
        Ok(Network::new(&spec, arrays.weights(&spec, "")?))
    }

    /// Reads a network from a safetensors file, or one that comes with the program by its name.
    pub fn load(path: &Path) -> Result<Network, NetError> {
        let bad = |message: String| NetError::File { path: path.to_owned(), message };
        let bytes = match shipped::find(path) {
            Some(bytes) => Cow::Borrowed(bytes),
            None if !path.exists() => {
                let names: Vec<&str> = shipped::shipped().collect();
                return Err(bad(format!(
                    "there is no such file; the networks that come with tengen are {}",
                    names.join(", ")
                )));
            }
            None => Cow::Owned(read_bytes(path)?),
        };
        Network::from_bytes(&bytes).map_err(bad)
    }

    /// What identifies its weights, wherever they are stored: the first 16 digits of their SHA-256.
    pub fn fingerprint(&self) -> String {
        let params = self.graph.params.iter().zip(self.weights());
        let mut digest = checksum(params.map(|(p, data)| (p.name.clone(), bytemuck::cast_slice(data))));
        digest.truncate(16);
        digest
    }

    /// The network as a safetensors file; `about` goes into the metadata.
    pub fn to_bytes(&self, about: &[(&str, String)]) -> Vec<u8> {
        let mut metadata: HashMap<String, String> =
            about.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let spec = serde_json::to_string(self.spec()).expect("a description is plain data");
        metadata.insert(SPEC_KEY.to_owned(), spec);
        let params = self.graph.params.iter().zip(self.weights());
        to_bytes(params.map(|(p, data)| (p.name.clone(), p.shape.clone(), &data[..])), metadata)
    }

    /// Writes the network to a safetensors file.
    pub fn save(&self, path: &Path, about: &[(&str, String)]) -> Result<(), NetError> {
        write(path, &self.to_bytes(about))
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::rng::Rng;

    use super::*;

    fn network() -> Network {
        Network::random(&NetSpec::named("rollout-a").unwrap(), &mut Rng::new(1)).unwrap()
    }

    #[test]
    fn a_saved_network_is_read_back_as_it_was() {
        let network = network();
        let read = Network::from_bytes(&network.to_bytes(&[("note", "hello".to_owned())])).unwrap();
        assert_eq!(read.spec(), network.spec());
        assert_eq!(read.weights(), network.weights());
    }

    #[test]
    fn equal_networks_make_equal_files() {
        let network = network();
        let about = ["a", "b", "c", "d"].map(|key| (key, "hello \"ö\"".to_owned()));
        let first = network.to_bytes(&about);
        assert!((0..20).all(|_| network.to_bytes(&about) == first));
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = network().to_bytes(&[]);
        for length in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
            assert!(Network::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        let mut huge = bytes.clone();
        huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Network::from_bytes(&huge).is_err());
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(Network::from_bytes(&flipped).unwrap_err().contains("checksum"));
        let mut weights = network().weights().to_vec();
        weights[0][0] = f32::NAN;
        let nan = Network::new(network().spec(), weights).to_bytes(&[]);
        assert!(Network::from_bytes(&nan).unwrap_err().contains("NaN"));
        let text = String::from_utf8_lossy(&bytes).replace("layers", "lawyers");
        assert!(Network::from_bytes(text.as_bytes()).is_err());
    }
}
