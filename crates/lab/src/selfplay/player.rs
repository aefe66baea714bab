//! Self-play of any player: the records tell what its search thought, if it searches.

use tengen_board::{Game, Move, Outcome, PlayedMove, Reason};
use tengen_engine::{
    players::{Decision, Request, Seat},
    rng::Rng,
    search::SearchReport,
};
use tengen_nets::records::{Opinion, RecordedGame, RecordedPosition, shares};

use super::{
    config::SelfPlayConfig,
    error::SelfPlayError,
    search::{candidates, index, result},
    table::{Played, owners},
};
use crate::players::spec::PlayerSpec;

/// What a player thought of a position before it moved.
pub struct Thought {
    /// Shares of the moves.
    policy: Vec<f32>,
    /// Black's chance to win.
    value: f32,
}

impl Thought {
    /// Shares of visits and Black's value, if a search reports them about this position; otherwise the move that was chosen.
    pub fn new(report: Option<&SearchReport>, game: &Game, mv: Move) -> Thought {
        let mut policy = vec![0.0; game.board().area() + 1];
        let report = report.filter(|report| report.position == game.board().hash());
        let visits = report.map_or(0, |report| report.moves.iter().map(|m| m.visits).sum::<u32>());
        let Some(report) = report.filter(|_| visits > 0) else {
            policy[index(game, mv)] = 1.0;
            return Thought { policy, value: 0.5 };
        };
        for m in &report.moves {
            policy[index(game, m.mv)] = m.visits as f32 / visits as f32;
        }
        Thought { policy, value: report.black_value.clamp(0.0, 1.0) }
    }
}

/// Plays a game of a player against itself.
pub(crate) fn play(
    spec: &PlayerSpec,
    config: &SelfPlayConfig,
    seed: u64,
    number: u64,
) -> Result<Played, SelfPlayError> {
    let (mut game, mut rng) = config.begin(seed, number);
    let player_seed = rng.bits() >> 1;
    let mut seat = spec.build(player_seed)?;
    seat.begin(player_seed)?;
    let mut thoughts = opening(&mut game, config, &mut rng);
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
                thoughts.push(Some(Thought::new(seat.report(), &game, mv)));
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
    let reward = outcome.winner().map_or(0, |winner| winner.sign() as i8);
    let mut record = record(&game, thoughts, reward, score.map(|score| (score, owners(game.board()))));
    let behaviour = spec.behaviour(game.board().width(), game.board().height())?;
    behaviour["net"].as_str().unwrap_or_default().clone_into(&mut record.net_hash);
    record.behaviour = PlayerSpec::behaviour_hash(&behaviour);
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

/// Plays the random moves before the player begins, about which nobody thinks.
fn opening(game: &mut Game, config: &SelfPlayConfig, rng: &mut Rng) -> Vec<Option<Thought>> {
    let mean = config.opening * game.board().area() as f32;
    let moves = (-(1.0 - rng.unit()).ln() * mean).round() as usize + rng.below(config.random_moves + 1);
    let mut thoughts = Vec::new();
    for _ in 0..moves {
        let open: Vec<Move> = candidates(game).filter(|mv| !mv.is_pass()).collect();
        let Some(&mv) = open.get(rng.below(open.len().max(1))) else { break };
        thoughts.push(None);
        game.play_unchecked(mv);
    }
    thoughts
}

/// A game as records keep it, with what was thought before each of its moves: `reward` is 1 if Black won, −1 if White did and 0 if
/// nobody did or the game was not finished, `counted` the score and the points' owners if there are any.
pub fn record(
    game: &Game,
    thoughts: Vec<Option<Thought>>,
    reward: i8,
    counted: Option<(f32, Box<[i8]>)>,
) -> RecordedGame {
    let (score, owners) = counted.unwrap_or_default();
    let opinion = |thought: Thought| Opinion {
        policy: shares(thought.policy.into_iter()),
        value: thought.value * 2.0 - 1.0,
        score,
        ownership: owners.clone(),
    };
    let position = |(played, thought): (&PlayedMove, Option<Thought>)| RecordedPosition {
        color: played.color,
        mv: played.mv,
        weight: f32::from(u8::from(thought.is_some())),
        network: None,
        opinion: thought.map(opinion),
    };
    let start = game.start();
    RecordedGame {
        rules: *game.rules(),
        setup: start.points().filter_map(|v| Some((v, start.color_at(v)?))).collect(),
        reward,
        net_hash: String::new(),
        behaviour: String::new(),
        positions: game.moves().iter().zip(thoughts).map(position).collect(),
    }
}
