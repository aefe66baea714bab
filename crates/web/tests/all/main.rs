//! Tests of the server of the page from outside. They are one program, as linking each of them would take longer than running it.

mod bounds;
mod closing;
mod common;
mod games;
mod not_reading;
mod protocol;
mod safety;
mod store;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
