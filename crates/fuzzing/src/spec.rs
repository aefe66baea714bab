//! Players from a line or from TOML: what is accepted reads back as the same, and can play.

use tengen_board::{Game, Rules};
use tengen_engine::players::{Decision, Request};
use tengen_lab::{PlayerConfig, PlayerSpec};

/// Reads the bytes as a player spec.
pub fn spec(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // A name that is no preset is a file's.
    if text.contains(['/', '\\', '\0']) || text.contains(".toml") {
        return;
    }
    if let Ok(spec) = text.parse::<PlayerSpec>() {
        check(spec);
    }
}

/// Reads the bytes as a player's TOML file.
pub fn toml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(spec) = PlayerSpec::from_toml(text, "fuzzed") {
        check(spec);
    }
}

fn check(mut spec: PlayerSpec) {
    let text = spec.to_toml();
    let again = PlayerSpec::from_toml(&text, &spec.name).expect("what was written can be read");
    assert_eq!(again.to_toml(), text);
    let commented = PlayerSpec::from_toml(&spec.to_commented_toml(), &spec.name);
    assert_eq!(commented.expect("comments change nothing").to_toml(), text);

    // It plays a move, thinking no longer than a fuzzer has time for, and without other files and programs.
    let options = &mut spec.options;
    (options.net, options.rollout_net, options.book) = (None, None, None);
    (options.playouts, options.time, options.threads, options.seed) = (Some(2), None, Some(1), Some(1));
    match &mut spec.config {
        PlayerConfig::Mcts(config) => {
            config.search.max_tree_mb = config.search.max_tree_mb.min(1);
            // Networks take too long.
            (config.network, config.rollout) = (None, None);
        }
        PlayerConfig::Gtp(_) | PlayerConfig::Greedy(_) => return,
        PlayerConfig::Random(_) | PlayerConfig::Flat(_) => {}
    }
    let Ok(mut seat) = spec.build(1) else { return };
    let mut game = Game::new(3, 3, Rules::CHINESE).expect("a small board");
    for _ in 0..2 {
        let decision = seat.decide(&game, &Request::playouts(2)).expect("players play legal moves");
        if let Decision::Play(mv) = decision {
            game.play_unchecked(mv);
        }
    }
}
