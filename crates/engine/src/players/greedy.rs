//! The greedy player (S4.5): a network's favourite move, without any search.
//!
//! **What.** The legal move with the highest probability that fills no own eye. It passes when there is none, and after a pass of
//! the opponent when it is ahead as the board stands.
//!
//! **Source.** Jin and Keutzer 2015, section 4, whose greedy prior policy won 79.8% of its games against Pachi.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Game, Move, final_score};

use crate::{
    players::{Decision, Player, PlayerError, Request},
    reading::status::dead_stones,
    rng::Rng,
    search::{Evaluator, RawEvaluation},
};

/// Parameters of [`Greedy`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GreedyConfig {
    /// Whether the network sees each position in a random symmetry, so that games differ.
    #[schemars(extend("x-peer" = true))]
    pub symmetries: bool,
}

impl Default for GreedyConfig {
    fn default() -> Self {
        GreedyConfig { symmetries: true }
    }
}

/// Plays a network's favourite move.
pub struct Greedy {
    name: String,
    config: GreedyConfig,
    network: Box<dyn Evaluator>,
    rng: Rng,
}

impl Greedy {
    /// A player that asks an evaluator which has a network.
    pub fn new(name: &str, config: &GreedyConfig, network: Box<dyn Evaluator>, seed: u64) -> Greedy {
        Greedy { name: name.to_owned(), config: config.clone(), network, rng: Rng::new(seed) }
    }

    /// The favourite among the moves that fill no own eye.
    fn favourite(&mut self, game: &Game) -> Option<Move> {
        let symmetry = if self.config.symmetries { self.rng.below(8) } else { 0 };
        let policy = self.network.raw(game, symmetry)?.policy;
        let board = game.board();
        let is_open = |v: &_| policy[*v] >= 0.0 && !board.is_eye(*v, board.to_play());
        board.points().filter(is_open).max_by(|a, b| policy[*a].total_cmp(&policy[*b])).map(Move::from)
    }
}

/// Whether the player to move wins if the game ends as the board stands.
fn is_ahead(game: &Game) -> bool {
    let score = final_score(game.board(), game.rules(), game.compensated_handicap(), &dead_stones(game));
    score * game.to_play().sign() as f32 > 0.0
}

impl Player for Greedy {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        let opponent_passed = game.last_move().is_some_and(|m| m.mv.is_pass() && m.color != game.to_play());
        if opponent_passed && is_ahead(game) {
            return Ok(Decision::Play(Move::PASS));
        }
        Ok(Decision::Play(self.favourite(game).unwrap_or(Move::PASS)))
    }

    fn raw_evaluation(&mut self, game: &Game, symmetry: usize) -> Option<RawEvaluation> {
        self.network.raw(game, symmetry)
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Rules, Vertex, VertexMap};

    use super::*;
    use crate::search::Leaf;

    /// Likes points the more, the further they are from A1.
    struct LikesFar;

    impl Evaluator for LikesFar {
        fn evaluate(&mut self, _leaves: &mut [Leaf], _komi: f32, _rng: &mut Rng) {}

        fn raw(&mut self, game: &Game, _symmetry: usize) -> Option<RawEvaluation> {
            let mut policy = VertexMap::filled(f32::NAN);
            for v in game.board().points().filter(|&v| game.check(v.into()).is_ok()) {
                policy[v] = v.manhattan(Vertex::new(0, 0)) as f32;
            }
            Some(RawEvaluation {
                black_win: 0.5,
                white_win: 0.5,
                no_result: 0.0,
                lead: 0.0,
                score: 0.0,
                score_squared: 0.0,
                policy,
                pass: 0.0,
                ownership: None,
                uncertainty: None,
            })
        }

        fn fork(&self) -> Box<dyn Evaluator> {
            Box::new(LikesFar)
        }
    }

    fn decide(board: Board, komi: f32, moves: &[&str]) -> String {
        let mut game = Game::from_board(board, Rules::TROMP_TAYLOR.with_komi(komi));
        for mv in moves {
            game.play(mv.parse().unwrap());
        }
        let mut player = Greedy::new("test", &GreedyConfig::default(), Box::new(LikesFar), 1);
        match player.decide(&game, &Request::default()).unwrap() {
            Decision::Play(mv) => mv.to_string(),
            Decision::Resign => "resign".to_owned(),
        }
    }

    #[test]
    fn the_favourite_is_played_unless_it_fills_an_eye() {
        assert_eq!(decide(Board::new(3, 3), 0.5, &[]), "C3");
        let eye = Board::from_diagram(". X . / X X X / . . .").unwrap();
        assert_eq!(decide(eye, 0.5, &[]), "C1");
    }

    #[test]
    fn a_pass_is_answered_by_a_pass_only_when_ahead() {
        let white = Board::from_diagram(". . . / O O O / . . .").unwrap();
        assert_eq!(decide(white.clone(), 0.5, &["pass"]), "pass");
        assert_eq!(decide(white, -20.5, &["pass"]), "C3");
        let eyes = Board::from_diagram(". O . / O O O / . O .").unwrap();
        assert_eq!(decide(eyes, 0.5, &["pass"]), "pass");
    }
}
