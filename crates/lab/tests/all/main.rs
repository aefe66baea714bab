//! Tests of the laboratory from outside. They are one program, as linking each of them would take longer than running it.

mod classic_endings;
mod corners;
mod experiments;
mod kata_raw_nn;
mod lead;
mod levels;
mod matches;
mod presets;
mod proved_suite;
mod review;
mod selfplay;
mod suites;
mod tactics;
mod tuning;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
