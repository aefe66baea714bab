//! Tests of the board from outside. They are one program, as linking each of them would take longer than running it.

mod benson;
mod game;
mod game_records;
mod perft;
mod random_games;
mod reference;
mod sgf;
mod sgfmill;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
