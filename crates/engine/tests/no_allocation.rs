//! Nothing is allocated inside a playout: the caller's board and list of moves are used again.

mod counting;

use tengen_board::{Board, Color, Move};
use tengen_engine::{
    playout::{
        EyeRule, FinishedPlayout, LgrConfig, PlayoutConfig, PlayoutLimits, ReplyRatesConfig, UniformConfig,
    },
    rng::Rng,
};

use counting::allocations;

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
                    before: [Move::PASS; 2],
                    moves: &moves,
                    first: Color::Black,
                    tree_moves: 0,
                    winner: Some(winner),
                });
            };
            play();
            let before = allocations();
            for _ in 0..200 {
                play();
            }
            assert_eq!(allocations() - before, 0, "{config:?} on {size}x{size}");
        }
    }
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(vec![1]));
    assert!(allocations() > before);
}
