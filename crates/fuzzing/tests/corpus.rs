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
