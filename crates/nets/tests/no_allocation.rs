//! Nothing is allocated inside a rollout.

#[path = "../../engine/tests/counting/mod.rs"]
mod counting;

use std::sync::Arc;

use tengen_board::Board;
use tengen_engine::{
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
    search::RolloutConfig,
};
use tengen_nets::{NetSpec, Network, RolloutNetwork, RolloutPolicy};

use counting::allocations;

#[test]
fn nothing_is_allocated_inside_a_rollout() {
    for name in ["rollout-a", "rollout-b", "rollout-a-reduced", "rollout-b-reduced"] {
        let spec = NetSpec::named(name).unwrap();
        let network = RolloutNetwork::new(&Network::random(&spec, &mut Rng::new(1)).unwrap()).unwrap();
        let mut policy = RolloutPolicy::new(Arc::new(network), &RolloutConfig::default());
        for size in [2, 9, 19] {
            let mut rng = Rng::new(1);
            let empty = Board::new(size, size);
            let mut board = empty.clone();
            let mut moves = Vec::new();
            let mut play = || {
                board.clone_from(&empty);
                moves.clear();
                policy.play_out(&mut board, &mut moves, &PlayoutLimits::default(), &mut rng);
            };
            play();
            let before = allocations();
            for _ in 0..5 {
                play();
            }
            assert_eq!(allocations() - before, 0, "{name} on {size}x{size}");
        }
    }
}
