//! Tests of the engine from outside. They are one program, as linking each of them would take longer than running it.

mod analysis_engine;
mod analysis_of_positions;
mod endings;
mod final_scores;
mod flat;
mod gtp_analysis;
mod gtp_client;
mod gtp_server;
mod gtp_transcripts;
mod playouts;
mod policies;
mod search;

#[test]
fn every_file_is_a_module() {
    tengen_testing::tests_are_complete(env!("CARGO_MANIFEST_DIR"));
}
