//! Tests of networks from outside. They are one program, as linking each of them would take longer than running it.

mod katago;
mod katago_answers;
mod training;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
