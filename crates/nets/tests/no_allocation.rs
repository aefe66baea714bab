//! Nothing is allocated inside a rollout.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::Arc,
};

use tengen_board::Board;
use tengen_engine::{
    network::RolloutConfig,
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
};
use tengen_nets::{NetSpec, Network, RolloutNetwork, RolloutPolicy};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting what the current thread asks of it.
struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches no memory of the caller.
#[allow(
    unsafe_code,
    reason = "a global allocator cannot be written without, and this one exists only in this test"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

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
            let before = ALLOCATIONS.get();
            for _ in 0..5 {
                play();
            }
            assert_eq!(ALLOCATIONS.get() - before, 0, "{name} on {size}x{size}");
        }
    }
}
