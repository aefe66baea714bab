//! Nothing is allocated inside a playout: the caller's board and list of moves are used again.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use tengen_board::{Board, Color};
use tengen_engine::{
    playout::{
        EyeRule, FinishedPlayout, LgrConfig, PlayoutConfig, PlayoutLimits, ReplyRatesConfig, UniformConfig,
    },
    rng::Rng,
};

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

/// Every kind, every definition of an eye, and every kind as the default policy of those that have one.
fn policies() -> Vec<PlayoutConfig> {
    let mut all = PlayoutConfig::all_kinds();
    for eyes in [EyeRule::TwoLiberties, EyeRule::OneChain, EyeRule::ThreeDiagonals] {
        all.push(PlayoutConfig::Uniform(UniformConfig { eyes }));
    }
    for base in PlayoutConfig::all_kinds() {
        all.push(PlayoutConfig::Lgr(LgrConfig { base: Box::new(base), ..LgrConfig::default() }));
    }
    all.push(PlayoutConfig::ReplyRates(ReplyRatesConfig::default()));
    all
}

#[test]
fn nothing_is_allocated_inside_a_playout() {
    for config in policies() {
        for size in [2, 9, 19] {
            let mut policy = config.build();
            let mut rng = Rng::new(1);
            let empty = Board::new(size, size);
            let mut board = empty.clone();
            let mut moves = Vec::new();
            let mut play = || {
                board.clone_from(&empty);
                moves.clear();
                let limits = PlayoutLimits::default();
                let score = policy.play_out(&mut board, &mut moves, &limits, &mut rng);
                let winner = if score > 0 { Color::Black } else { Color::White };
                policy.finish(&FinishedPlayout {
                    moves: &moves,
                    first: Color::Black,
                    tree_moves: 0,
                    winner: Some(winner),
                });
            };
            play();
            let before = ALLOCATIONS.get();
            for _ in 0..200 {
                play();
            }
            assert_eq!(ALLOCATIONS.get() - before, 0, "{config:?} on {size}x{size}");
        }
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![1]));
    assert!(ALLOCATIONS.get() > before);
}
