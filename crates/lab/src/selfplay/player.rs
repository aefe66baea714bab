//! Self-play of any player: the records tell what its search thought, if it searches.

use serde_json::Value;
use tengen_board::{Color, Game, Move, Outcome, Reason};
use tengen_engine::{
    players::{Decision, Request, Seat},
    rng::Rng,
};
use tengen_nets::records::{Opinion, RecordedGame, RecordedPosition, shares};

use super::{
    config::SelfPlayConfig,
    error::SelfPlayError,
    search::{candidates, index, result},
    table::{Played, owners},
};
use crate::{bench::Fnv, players::spec::PlayerSpec};

/// A turn: who, what, and the opinion about the position before it.
struct Turn {
    color: Color,
    mv: Move,
    /// Shares of the moves, and Black's value; nothing of random moves.
    thought: Option<(Vec<f32>, f32)>,
}

/// Plays a game of a player against itself.
pub(super) fn play(
    spec: &PlayerSpec,
    config: &SelfPlayConfig,
    seed: u64,
    number: u64,
) -> Result<Played, SelfPlayError> {
    let (mut game, mut rng) = config.begin(seed, number);
    let player_seed = rng.bits() >> 1;
    let mut seat = spec.build(player_seed)?;
    seat.begin(player_seed)?;
    let mut turns = opening(&mut game, config, &mut rng);
    // What the network says by itself before each move, if there is one.
    let mut said = Vec::new();
    let mut resigned = None;
    while result(&game).is_none() {
        let color = game.to_play();
        said.push((game.moves().len(), network(&mut seat, &game)?));
        match seat.decide(&game, &Request::default())? {
            Decision::Resign => {
                resigned = Some(color);
                break;
            }
            Decision::Play(mv) => {
                turns.push(Turn { color, mv, thought: Some(thought(&seat, &game, mv)) });
                game.play_unchecked(mv);
            }
        }
    }
    let outcome = match resigned {
        Some(loser) => Outcome::Win { winner: !loser, by: Reason::Resignation },
        None => Outcome::from_score(game.score(&[])),
    };
    let score = resigned.is_none().then(|| game.score(&[]));
    game.set_outcome(Some(outcome));
    let mut record = record(&game, turns, outcome, score);
    let behaviour = spec.behaviour(game.board().width(), game.board().height())?;
    behaviour["net"].as_str().unwrap_or_default().clone_into(&mut record.net_hash);
    record.behaviour = if let Value::String(signature) = &behaviour["signature"] {
        signature.clone()
    } else {
        // Another program, whose name, version and command line may be long.
        let mut hash = Fnv::default();
        hash.add(behaviour.to_string().as_bytes());
        hash.to_text()
    };
    for (number, said) in said {
        if let Some(position) = record.positions.get_mut(number) {
            position.network = said.map(|(policy, value)| (shares(policy.into_iter()), value * 2.0 - 1.0));
        }
    }
    let (players, evaluations, wrong_resignation) = ([0; 2], 0, None);
    Ok(Played { number, players, game, score, record, evaluations, wrong_resignation })
}

/// Shares of the moves and Black's value as the player's network has them, if it has one.
fn network(seat: &mut Seat, game: &Game) -> Result<Option<(Vec<f32>, f32)>, SelfPlayError> {
    let Some(raw) = seat.raw_evaluation(game, 0)? else { return Ok(None) };
    // Illegal moves are not a number.
    let points = game.board().points().map(|v| raw.policy[v].max(0.0));
    Ok(Some((points.chain([raw.pass]).collect(), raw.black_win + raw.no_result / 2.0)))
}

/// The random moves before the player begins.
fn opening(game: &mut Game, config: &SelfPlayConfig, rng: &mut Rng) -> Vec<Turn> {
    let mean = config.opening * game.board().area() as f32;
    let moves = (-(1.0 - rng.unit()).ln() * mean).round() as usize + rng.below(config.random_moves + 1);
    let mut turns = Vec::new();
    for _ in 0..moves {
        let open: Vec<Move> = candidates(game).filter(|mv| !mv.is_pass()).collect();
        let Some(&mv) = open.get(rng.below(open.len().max(1))) else { break };
        turns.push(Turn { color: game.to_play(), mv, thought: None });
        game.play_unchecked(mv);
    }
    turns
}

/// What the player's search thought: shares of visits and Black's value. Of a player without a search, its move.
fn thought(seat: &Seat, game: &Game, mv: Move) -> (Vec<f32>, f32) {
    let mut policy = vec![0.0; game.board().area() + 1];
    let report = seat.report().filter(|report| report.position == game.board().hash());
    let visits = report.map_or(0, |report| report.moves.iter().map(|m| m.visits).sum::<u32>());
    let Some(report) = report.filter(|_| visits > 0) else {
        policy[index(game, mv)] = 1.0;
        return (policy, 0.5);
    };
    for m in &report.moves {
        policy[index(game, m.mv)] = m.visits as f32 / visits as f32;
    }
    (policy, report.black_value.clamp(0.0, 1.0))
}

fn record(game: &Game, turns: Vec<Turn>, outcome: Outcome, score: Option<f32>) -> RecordedGame {
    let owners = score.map_or_else(Box::default, |_| owners(game));
    let position = |turn: Turn| RecordedPosition {
        color: turn.color,
        mv: turn.mv,
        weight: f32::from(u8::from(turn.thought.is_some())),
        network: None,
        opinion: turn.thought.map(|(policy, value)| Opinion {
            policy: shares(policy.into_iter()),
            value: value * 2.0 - 1.0,
            score: score.unwrap_or(0.0),
            ownership: owners.clone(),
        }),
    };
    RecordedGame {
        rules: *game.rules(),
        setup: Vec::new(),
        reward: outcome.winner().map_or(0, |winner| winner.sign() as i8),
        net_hash: String::new(),
        behaviour: String::new(),
        positions: turns.into_iter().map(position).collect(),
    }
}
