//! What every preset must do: play legally, and the same game again with the same seed.

#![allow(clippy::unwrap_used)] // Helpers of tests may panic.

use tengen_board::{Game, Move, Rules};
use tengen_engine::player::{Budget, Decision};
use tengen_lab::{PRESETS, PlayerSpec};

fn opening(name: &str, seed: u64, moves: usize) -> Vec<Move> {
    let spec: PlayerSpec = format!("{name},seed={seed},threads=1").parse().unwrap();
    let mut player = spec.build().unwrap();
    let mut game = Game::new(7, 7, Rules::CHINESE).unwrap();
    let budget = Budget { playouts: Some(100), ..Budget::default() };
    while game.moves().len() < moves && !game.is_over() {
        match player.decide(&game, &budget) {
            Decision::Play(mv) => {
                game.try_play(mv).unwrap_or_else(|e| panic!("{name} plays {mv}: {e}\n{game:?}"));
            }
            Decision::Resign => break,
        }
    }
    game.moves().iter().map(|m| m.mv).collect()
}

#[test]
fn every_preset_plays_the_same_game_with_the_same_seed() {
    for preset in PRESETS {
        let first = opening(preset.name, 7, 40);
        assert!(first.len() > 5, "{} played {first:?}", preset.name);
        assert_eq!(first, opening(preset.name, 7, 40), "{}", preset.name);
        let others = (8..12).map(|seed| opening(preset.name, seed, 40));
        assert!(others.into_iter().any(|other| other != first), "{} ignores its seed", preset.name);
    }
}
