//! The networks of `networks/`, which are part of the program: known by name where a file is expected.

use std::path::Path;

macro_rules! shipped {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../../networks/", $name, ".safetensors")))),*]
    };
}

const NETWORKS: [(&str, &[u8]); 9] = shipped![
    "default",
    "distilled",
    "prior-small",
    "rollout-a",
    "rollout-a-reduced",
    "rollout-b",
    "rollout-b-reduced",
    "zero-7x7",
    "zero-9x9"
];

/// Their names.
pub fn shipped() -> impl Iterator<Item = &'static str> {
    NETWORKS.iter().map(|(name, _)| *name)
}

/// The contents of the one of this name, unless there is a file that is called so.
pub(crate) fn find(path: &Path) -> Option<&'static [u8]> {
    NETWORKS.iter().find(|(name, _)| path == Path::new(name) && !path.exists()).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnyNetwork;

    #[test]
    fn every_one_can_be_read() {
        for name in shipped() {
            AnyNetwork::load(Path::new(name)).unwrap();
        }
        let error = AnyNetwork::load(Path::new("nothing")).unwrap_err().to_string();
        assert!(error.contains("nothing") && error.contains("default"), "{error}");
    }

    #[test]
    fn every_file_ships() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../networks");
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| path.extension().is_some_and(|end| end == "safetensors")) {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(shipped().any(|known| known == name), "{name} is not in the list");
        }
    }

    #[test]
    fn every_one_has_a_card() {
        for name in shipped() {
            let card = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../networks/{name}.md"));
            let text = std::fs::read_to_string(card).unwrap();
            for row in ["architecture", "data", "accuracy", "licence"] {
                assert!(text.contains(&format!("| {row} |")), "{name} does not tell its {row}");
            }
        }
    }
}
