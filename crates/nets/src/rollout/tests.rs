//! Incremental evaluation against full evaluation, at every move of random games.

use std::sync::Arc;

use tengen_board::{Board, Color, Move};
use tengen_engine::{
    playout::{PlayoutLimits, PlayoutPolicy},
    reading::tactics::is_playable,
    rng::Rng,
    search::RolloutConfig,
};

use super::{RolloutNetwork, RolloutPolicy, stepper::Stepper};
use crate::model::{
    network::Network,
    planes::Position,
    spec::{NetSpec, Trunk},
};

const NAMES: [&str; 5] =
    ["rollout-a", "rollout-b", "rollout-a-reduced", "rollout-b-reduced", "as deep as possible"];

/// A network with logits of a trained one's size.
fn network(name: &str, seed: u64) -> Network {
    let spec = NetSpec::named(name).unwrap_or_else(|| NetSpec {
        trunk: Trunk::Plain { layers: 4, channels: 20 },
        ..NetSpec::named("rollout-a-reduced").unwrap()
    });
    let mut weights = Network::random(&spec, &mut Rng::new(seed)).unwrap().weights().to_vec();
    let last = weights.len() - 2;
    weights[last].iter_mut().for_each(|w| *w *= 4.0);
    Network::new(&spec, weights)
}

#[test]
fn every_move_of_random_games_agrees_with_a_full_evaluation() {
    for name in NAMES {
        let network = network(name, 1);
        let rollout = Arc::new(RolloutNetwork::new(&network).unwrap());
        let mut stepper = Stepper::new(Arc::clone(&rollout), 1.0);
        let mut fresh = Stepper::new(rollout, 1.0).plain();
        let mut rng = Rng::new(5);
        let mut largest: f32 = 0.0;
        for (width, height) in [(19, 19), (9, 9), (5, 5), (2, 2), (7, 3), (13, 13)] {
            let mut runner = network.runner(width, height, 1);
            let mut outputs = Vec::new();
            let mut board = Board::new(width, height);
            let mut moves: Vec<Move> = Vec::new();
            for _ in 0..7 {
                let mv = board.draw_empty(|| rng.bits(), Board::is_legal);
                board.play(mv);
                moves.push(mv);
            }
            stepper.begin(&board);
            while moves.len() < 2 * board.area() + 20 && !moves.ends_with(&[Move::PASS, Move::PASS]) {
                // Full evaluations of large networks are slow, and are not needed at every move to find an error that stays.
                let full = board.area() < 100 || moves.len().is_multiple_of(9);
                let position = Position { board: &board, moves: &moves, komi: 7.5, rank: None };
                if full {
                    runner.evaluate(&[position], &mut outputs);
                }
                fresh.begin(&board);
                let exact = fresh.update(&board, &moves);
                let side = stepper.update(&board, &moves);
                let mut playable = 0;
                for (i, v) in board.points().enumerate() {
                    let weight = side.weight(v);
                    assert_eq!(weight, exact.weight(v), "{name} {v} after {} moves\n{board}", moves.len());
                    assert_eq!(weight > 0.0, is_playable(&board, v), "{name} {v}\n{board}");
                    playable += usize::from(weight > 0.0);
                    if full && weight > 0.0 {
                        let expected = outputs[0].policy[i];
                        largest = largest.max((weight.ln() - expected).abs());
                        assert!(
                            (weight.ln() - expected).abs() < 0.03,
                            "{name} {v}: {} {expected}",
                            weight.ln()
                        );
                    }
                }
                let mv = stepper.draw(&board, &moves, &mut rng);
                assert_eq!(mv.is_pass(), playable == 0, "{name} {mv}\n{board}");
                board.play(mv);
                moves.push(mv);
                stepper.played(&board, mv);
            }
        }
        assert!(largest > 0.0, "logits were compared");
    }
}

#[test]
fn moves_are_drawn_by_the_softmax() {
    let network = network("rollout-a-reduced", 2);
    let board = Board::from_diagram(". X O . / X O . O / . X O . / . . . .").unwrap();
    let mut outputs = Vec::new();
    let position = Position { board: &board, moves: &[], komi: 7.5, rank: None };
    network.runner(4, 4, 1).evaluate(&[position], &mut outputs);
    let rollout = Arc::new(RolloutNetwork::new(&network).unwrap());
    for temperature in [0.5, 1.0, 3.0] {
        let mut stepper = Stepper::new(Arc::clone(&rollout), temperature);
        stepper.begin(&board);
        let expected: Vec<f32> = board
            .points()
            .zip(&outputs[0].policy)
            .map(|(v, logit)| if is_playable(&board, v) { (logit / temperature).exp() } else { 0.0 })
            .collect();
        let (sum, draws, mut rng) = (expected.iter().sum::<f32>(), 20_000, Rng::new(3));
        let mut counts = vec![0; board.area()];
        for _ in 0..draws {
            let v = stepper.draw(&board, &[], &mut rng).vertex().unwrap();
            counts[v.row() * 4 + v.col()] += 1;
        }
        for (count, expected) in counts.iter().zip(&expected) {
            let share = expected / sum;
            let error = (share * (1.0 - share) / draws as f32).sqrt();
            assert!(
                (*count as f32 / draws as f32 - share).abs() <= 4.5 * error + 2e-3,
                "{counts:?} {expected:?}"
            );
        }
    }
}

#[test]
fn rollouts_are_legal_games_and_the_same_with_the_same_seed() {
    for name in NAMES {
        let rollout = Arc::new(RolloutNetwork::new(&network(name, 3)).unwrap());
        let mut policy = RolloutPolicy::new(rollout, &RolloutConfig::default());
        for (width, height) in [(9, 9), (5, 7), (2, 2)] {
            let play = |policy: &mut dyn PlayoutPolicy, seed| {
                let (mut board, mut moves) = (Board::new(width, height), Vec::new());
                let score =
                    policy.play_out(&mut board, &mut moves, &PlayoutLimits::default(), &mut Rng::new(seed));
                let mut again = Board::new(width, height);
                for &mv in &moves {
                    again.play(mv);
                }
                (moves, score)
            };
            let first = play(&mut policy, 1);
            assert_eq!(first, play(&mut policy, 1), "{name}");
            assert_eq!(first, play(&mut *policy.fork(), 1), "{name}");
        }
        // Single positions, in any order.
        let mut rng = Rng::new(1);
        for moves in [0, 9, 4] {
            let mut board = Board::new(5, 5);
            board.set_to_play(Color::White);
            for _ in 0..moves {
                let mv = policy.choose(&mut board, &[], &mut rng);
                board.play(mv);
            }
        }
    }
}

#[test]
fn networks_that_cannot_play_rollouts_are_refused() {
    let refused = |spec: &NetSpec| {
        let network = Network::random(spec, &mut Rng::new(1)).unwrap();
        RolloutNetwork::new(&network).unwrap_err().to_string()
    };
    let good = NetSpec::named("rollout-a").unwrap();
    let message = refused(&NetSpec::named("default").unwrap());
    assert!(message.contains("residual") && message.contains("--arch rollout-a"), "{message}");
    assert!(refused(&NetSpec { first_kernel: 11, ..good.clone() }).contains("wider than 9"));
    let wide = Trunk::Plain { layers: 2, channels: 33 };
    assert!(refused(&NetSpec { trunk: wide, ..good.clone() }).contains("more than 32 channels"));
    let deep = Trunk::Plain { layers: 5, channels: 8 };
    assert!(refused(&NetSpec { trunk: deep, ..good }).contains("more than 4 layers"));
}
