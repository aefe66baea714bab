//! The presets: named players, each a TOML file embedded in the program.

use crate::players::error::{SpecError, nearest};

/// A named player that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What to write for it.
    pub name: &'static str,
    /// Its TOML file.
    pub toml: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset { name: $name, toml: include_str!(concat!("../../presets/", $name, ".toml")) }),*]
    };
}

/// Every preset, oldest system first.
pub const PRESETS: &[Preset] = presets![
    "random",
    "gobble",
    "mc",
    "mc-pp",
    "mc-amaf",
    "mc-depth2",
    "uct",
    "rave",
    "rave-lgr",
    "rave-lgrf",
    "gcmb",
    "classic",
    "policy",
    "holmes",
    "zero",
    "zero-7x7",
    "zero-9x9",
    "default",
    "level-1",
    "level-2",
    "level-3",
    "level-4",
    "level-5",
    "level-6",
    "level-7",
    "level-8",
    "level-9",
    "level-10",
];

impl Preset {
    /// The preset used where none is named.
    pub const DEFAULT: &'static str = "default";

    /// The preset of this name.
    pub fn find(name: &str) -> Result<&'static Preset, SpecError> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| SpecError::UnknownPreset {
            name: name.to_owned(),
            near: nearest(name, PRESETS.iter().map(|preset| preset.name)),
            known: PRESETS.iter().map(|preset| preset.name.to_owned()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerSpec;

    #[test]
    fn every_preset_loads_says_what_it_is_and_survives_a_round_trip() {
        for preset in PRESETS {
            let spec: PlayerSpec = preset.name.parse().unwrap();
            assert!(spec.about.len() > 10, "{} has an `about` line", preset.name);
            let again = PlayerSpec::from_toml(&spec.to_toml(), preset.name).unwrap();
            assert_eq!(again, spec);
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(PRESETS.iter().any(|preset| preset.name == name), "{name} is not in the list of presets");
        }
    }

    #[test]
    fn the_default_exists() {
        Preset::find(Preset::DEFAULT).unwrap();
    }
}
