//! Networks on the CPU: input planes, kernels, files, training.

mod error;
mod file;
#[cfg(test)]
mod gradient_tests;
mod graph;
mod kernels;
mod network;
pub mod planes;
mod run;
mod spec;
pub mod train;

pub use error::NetError;
pub use file::SPEC_KEY;
pub use network::{Network, Output, Runner};
pub use run::Arithmetic;
pub use spec::{NetSpec, PolicySpec, SCORE_UNIT, Trunk, ValueSpec};
#[cfg(test)]
mod speed {
    #[test]
    #[ignore]
    fn speed() {
        use crate::*;
        let mut rng = tengen_engine::rng::Rng::new(1);
        for (name, ch) in [("64", 64), ("96", 96)] {
            let mut spec = NetSpec::named("default").unwrap();
            spec.trunk = Trunk::Residual { blocks: 6, channels: ch, pooling: vec![] };
            let net = Network::random(&spec, &mut rng).unwrap();
            for size in [19, 9] {
                for boards in [1, 2, 4, 8] {
                    let mut runner = net.runner(size, size, boards);
                    let board = tengen_board::Board::new(size, size);
                    let positions = vec![planes::Position { board: &board, moves: &[], komi: 7.5, rank: None }; boards];
                    let mut out = Vec::new();
                    runner.evaluate(&positions, &mut out);
                    let start = cpu_time::ThreadTime::now();
                    let mut n = 0;
                    while start.elapsed().as_secs_f32() < 1.0 { runner.evaluate(&positions, &mut out); n += boards; }
                    println!("{name} {size} {boards}: {:.0}/s", n as f32 / start.elapsed().as_secs_f32());
                }
            }
        }
    }
}
