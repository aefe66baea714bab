//! One game of self-play, as a machine with two steps: it says which position it wants to have evaluated, and takes the answer.

use tengen_board::{Board, Color, Game, Move, Outcome, Reason, Symmetry, Vertex, area_owners};
use tengen_engine::{rng::Rng, search::value_for};
use tengen_nets::{
    Output,
    records::{Opinion, RecordedGame, RecordedPosition, shares},
};

use super::{
    config::{Method, SelfPlayConfig},
    search::{Effort, Found, Search, candidates, result},
};

/// A game under way.
pub(super) struct Table {
    pub(super) number: u64,
    /// Which of the networks plays each colour.
    players: [usize; 2],
    game: Game,
    rng: Rng,
    search: Search,
    /// What the search is for.
    purpose: Purpose,
    waiting: Option<(Game, Symmetry)>,
    /// Moves of the opening that are still to be drawn from the policy.
    opening: usize,
    turns: Vec<Turn>,
    resignation: Resignation,
    evaluations: u64,
}

/// Why a move is looked for.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Opening,
    Cheap,
    Full,
}

struct Turn {
    color: Color,
    mv: Move,
    /// What was found, if it is to be learned from.
    found: Option<Found>,
}

/// Who would have given up.
#[derive(Default)]
struct Resignation {
    /// Whether nobody may, to see whether that would have been right.
    checked: bool,
    hopeless: [u32; 2],
    loser: Option<Color>,
}

/// A game that is over.
pub struct Played {
    /// Its number.
    pub number: u64,
    /// Which of the networks played Black and White.
    pub players: [usize; 2],
    /// The moves and the result.
    pub game: Game,
    /// Black's points minus White's, if the game was counted.
    pub score: Option<f32>,
    /// What is learned from it.
    pub record: RecordedGame,
    /// Evaluations by networks.
    pub evaluations: u64,
    /// In games without resignation: whether who would have given up first did in fact not lose.
    pub wrong_resignation: Option<bool>,
}

/// What a game does next.
pub(super) enum Next {
    /// It waits for an evaluation by this network.
    Waits(usize),
    /// It is over.
    Over(Box<Played>),
}

impl Table {
    pub(super) fn new(config: &SelfPlayConfig, seed: u64, number: u64, players: [usize; 2]) -> Table {
        let (mut game, mut rng) = config.begin(seed, number);
        let mut turns = Vec::new();
        for _ in 0..rng.below(config.random_moves + 1) {
            let moves: Vec<Move> = candidates(&game).filter(|mv| !mv.is_pass()).collect();
            let Some(&mv) = moves.get(rng.below(moves.len().max(1))) else { break };
            turns.push(Turn { color: game.to_play(), mv, found: None });
            game.play_unchecked(mv);
        }
        let mean = config.opening * game.board().area() as f32;
        let opening = (-(1.0 - rng.unit()).ln() * mean).round() as usize;
        let resignation = Resignation { checked: rng.chance(config.resign_check), ..Resignation::default() };
        let mut table = Table {
            number,
            players,
            game,
            rng,
            search: Search::new(Effort { simulations: 0, noise: false, temperature: 1.0 }),
            purpose: Purpose::Full,
            waiting: None,
            opening,
            turns,
            resignation,
            evaluations: 0,
        };
        table.think(config);
        table
    }

    /// The position so far.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// The position that waits for an evaluation, and how it is seen.
    pub(super) fn waiting(&self) -> Option<(&Game, Symmetry)> {
        self.waiting.as_ref().map(|(game, symmetry)| (game, *symmetry))
    }

    /// Begins to look for a move.
    fn think(&mut self, config: &SelfPlayConfig) {
        let early = self.game.moves().len() < config.draw.moves;
        self.purpose = match config.method {
            _ if self.opening > 0 => Purpose::Opening,
            Method::Policy => Purpose::Full,
            _ if self.rng.chance(config.full_share) => Purpose::Full,
            _ => Purpose::Cheap,
        };
        let draws = config.method == Method::Policy || early;
        self.search.reset(Effort {
            simulations: match (self.purpose, config.method) {
                (Purpose::Opening, _) | (_, Method::Policy) => 0,
                (Purpose::Cheap, _) => config.cheap_simulations,
                (Purpose::Full, _) => config.simulations,
            },
            noise: self.purpose == Purpose::Full,
            temperature: match self.purpose {
                Purpose::Opening => 1.0,
                _ if draws => config.draw.temperature,
                _ => 0.0,
            },
        });
    }

    /// Goes on until an evaluation is needed or the game is over.
    pub(super) fn next(&mut self, config: &SelfPlayConfig) -> Next {
        loop {
            if let Some(leaf) = self.search.next(config, &self.game) {
                let symmetries = if config.symmetries { Symmetry::ALL.len() } else { 1 };
                self.waiting = Some((leaf, Symmetry::ALL[self.rng.below(symmetries)]));
                return Next::Waits(self.players[self.game.to_play().index()]);
            }
            if let Some(played) = self.play(config) {
                return Next::Over(Box::new(played));
            }
        }
    }

    /// Takes the answer.
    pub(super) fn receive(&mut self, config: &SelfPlayConfig, output: &Output) {
        let Some((leaf, _)) = self.waiting.take() else { return };
        self.evaluations += 1;
        self.search.receive(config, &leaf, output, &mut self.rng);
    }

    /// Plays the move that was found. The game, if that ended it.
    fn play(&mut self, config: &SelfPlayConfig) -> Option<Played> {
        let found = self.search.found(config, &self.game, &mut self.rng);
        let color = self.game.to_play();
        if self.purpose != Purpose::Opening && self.gives_up(config, color, found.value) {
            let outcome = Outcome::Win { winner: !color, by: Reason::Resignation };
            return Some(self.end(config, outcome, None, found.lead));
        }
        let (mv, lead) = (found.mv, found.lead);
        let found = (self.purpose == Purpose::Full).then_some(found);
        self.turns.push(Turn { color, mv, found });
        self.game.play_unchecked(mv);
        self.opening = self.opening.saturating_sub(1);
        if result(&self.game).is_some() {
            let score = self.game.score(&[]);
            return Some(self.end(config, Outcome::from_score(score), Some(score), lead));
        }
        self.think(config);
        None
    }

    fn gives_up(&mut self, config: &SelfPlayConfig, color: Color, value: f32) -> bool {
        let count = &mut self.resignation.hopeless[color.index()];
        *count = if value_for(value, color) < config.resign { *count + 1 } else { 0 };
        if *count >= config.resign_moves {
            self.resignation.loser.get_or_insert(color);
            return !self.resignation.checked;
        }
        false
    }

    fn end(&mut self, config: &SelfPlayConfig, outcome: Outcome, score: Option<f32>, lead: f32) -> Played {
        let Resignation { checked, loser, .. } = self.resignation;
        let wrong_resignation = loser.filter(|_| checked).map(|loser| outcome.winner() != Some(!loser));
        let mut game = self.game.clone();
        if score.is_none() {
            game.set_outcome(Some(outcome));
        }
        let owners = score.map_or_else(Box::default, |_| owners(game.board()));
        let turns = std::mem::take(&mut self.turns);
        let weights = weights(config.surprise, &turns);
        let position = |(turn, weight): (Turn, f32)| RecordedPosition {
            color: turn.color,
            mv: turn.mv,
            weight,
            network: turn
                .found
                .as_ref()
                .map(|found| (shares(found.prior.iter().copied()), found.net_value * 2.0 - 1.0)),
            opinion: turn.found.map(|found| Opinion {
                policy: shares(found.policy.into_iter()),
                value: found.value * 2.0 - 1.0,
                score: score.unwrap_or(lead),
                ownership: owners.clone(),
            }),
        };
        let record = RecordedGame {
            rules: *game.rules(),
            setup: Vec::new(),
            reward: outcome.winner().map_or(0, |winner| winner.sign() as i8),
            net_hash: String::new(),
            behaviour: config.behaviour(),
            positions: turns.into_iter().zip(weights).map(position).collect(),
        };
        Played {
            number: self.number,
            players: self.players,
            game,
            score,
            record,
            evaluations: self.evaluations,
            wrong_resignation,
        }
    }
}

/// Each point's owner where a game has ended, as records have it: empty if nobody owns anything.
pub fn owners(board: &Board) -> Box<[i8]> {
    let owners = area_owners(board);
    let owner = |v: Vertex| owners[v].map_or(0, |color: Color| 127 * color.sign() as i8);
    let all: Box<[i8]> = board.points().map(owner).collect();
    if all.iter().any(|owner| *owner != 0) { all } else { Box::default() }
}

/// How much positions count: all the same, but a share `surprise` goes to those where the search differs from the network, by the
/// Kullback-Leibler divergence.
fn weights(surprise: f32, turns: &[Turn]) -> Vec<f32> {
    let divergence = |found: &Found| -> f32 {
        let of_move = |(p, q): (&f32, &f32)| if *p > 0.0 { p * (p / q.max(1e-6)).ln() } else { 0.0 };
        found.policy.iter().zip(&found.prior).map(of_move).sum::<f32>().max(0.0)
    };
    let all: Vec<Option<f32>> = turns.iter().map(|turn| turn.found.as_ref().map(divergence)).collect();
    let (count, sum) = all.iter().flatten().fold((0.0, 0.0), |(n, sum), d| (n + 1.0, sum + d));
    let weight = |d: f32| if sum > 1e-6 { 1.0 - surprise + surprise * count * d / sum } else { 1.0 };
    // At least something, as what counts nothing has no opinions.
    all.into_iter().map(|d| d.map_or(0.0, |d| weight(d).max(0.01))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_weights_goes_to_surprises() {
        let turn = |found: Option<([f32; 2], [f32; 2])>| Turn {
            color: Color::Black,
            mv: Move::PASS,
            found: found.map(|(policy, prior)| Found {
                mv: Move::PASS,
                policy: policy.to_vec(),
                prior: prior.to_vec(),
                value: 0.5,
                net_value: 0.5,
                lead: 0.0,
            }),
        };
        // Divergences of 0, ln 2 and 3 ln 2; nothing is learned of the last one.
        let turns = [
            turn(Some(([0.5, 0.5], [0.5, 0.5]))),
            turn(Some(([1.0, 0.0], [0.5, 0.5]))),
            turn(Some(([1.0, 0.0], [0.125, 0.875]))),
            turn(None),
        ];
        let close = |all: Vec<f32>, expected: [f32; 4]| {
            assert!(all.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{all:?} {expected:?}");
        };
        // Half is shared equally, 1.5 by 0 : 1 : 3.
        close(weights(0.5, &turns), [0.5, 0.5 + 1.5 / 4.0, 0.5 + 1.5 * 3.0 / 4.0, 0.0]);
        close(weights(0.0, &turns), [1.0, 1.0, 1.0, 0.0]);
        close(weights(1.0, &turns), [0.01, 0.75, 2.25, 0.0]);
        close(weights(0.5, &turns[..1]), [1.0; 4]);
    }
}
