//! Every input that is kept in `fuzz/corpus`, sent to its target again: what a fuzzer has found once stays mended.
#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use std::{fs, path::Path};

use tengen_fuzzing::TARGETS;

#[test]
fn kept_inputs_are_taken_as_they_should_be() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, target) in TARGETS {
        let mut paths: Vec<_> =
            fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "no inputs for {name}");
        for path in paths {
            eprintln!("{}", path.display());
            target(&fs::read(&path).unwrap());
        }
    }
}

#[test]
fn every_target_has_a_program_and_a_folder() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let names = |folder: &str| {
        let paths = fs::read_dir(fuzz.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<_> =
            paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let mut known = TARGETS.map(|(name, _)| name);
    known.sort_unstable();
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in known {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is not built");
    }
}
