//! Tests of the program from outside. They are one program, as linking each of them would take longer than running it.

mod book;
mod cluster;
mod commands;
mod common;
mod docs;
mod doors;
mod gnugo;
mod lab;
mod r#match;
mod page;
mod play;
mod review;
mod train;
mod twogtp;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
