//! **What.** Chance for self-play: noise in the root's priors, so that a move which the network overlooks is tried at
//! times, and moves drawn by their visits, so that games differ. Both are off by default.
//!
//! **Formula.** P' = (1 − w) · P + w · Dirichlet(α), where the moves' α add up to `concentration`. A move is drawn with
//! probability ∝ visits^(1 / temperature).
//!
//! **Source.** Silver et al. 2017 (*Mastering the game of Go without human knowledge*): w = 0.25, α = 0.03 for each of 361
//! moves; temperature 1 for the first 30 moves. That α shrinks with the number of moves is KataGo's (Wu 2019).

use rand_distr::{Distribution, Gamma};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::Game;

use crate::{rng::Rng, search::RootMove, tree::Edge};

/// Noise in the root's priors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RootNoise {
    /// Share of noise, w; 0 for games that count (AlphaGo Zero: 0.25).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub weight: f32,
    /// Sum of the Dirichlet distribution's parameters (AlphaGo Zero: 0.03 · 361 = 10.83).
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1_000_000.0))]
    pub concentration: f32,
}

impl Default for RootNoise {
    fn default() -> Self {
        RootNoise { weight: 0.0, concentration: 10.83 }
    }
}

impl RootNoise {
    /// Mixes noise into the priors of the root's moves.
    pub(crate) fn apply(self, edges: &[Edge], rng: &mut Rng) {
        let mut priors: Vec<f32> = edges.iter().map(Edge::prior).collect();
        self.mix(&mut priors, rng);
        edges.iter().zip(priors).for_each(|(edge, prior)| edge.set_prior(prior));
    }

    /// Mixes noise into priors.
    pub fn mix(self, priors: &mut [f32], rng: &mut Rng) {
        let alpha = self.concentration / priors.len().max(1) as f32;
        let Some(gamma) = Gamma::new(alpha, 1.0).ok().filter(|_| self.weight > 0.0) else { return };
        let draws: Vec<f32> = priors.iter().map(|_| gamma.sample(rng)).collect();
        let sum = draws.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for (prior, draw) in priors.iter_mut().zip(draws) {
            *prior += self.weight * (draw / sum - *prior);
        }
    }
}

/// Moves drawn by their visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MoveTemperature {
    /// How much moves with fewer visits are drawn; 0 for always the best (AlphaGo Zero: 1).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 100.0))]
    pub temperature: f32,
    /// Moves of the game that are drawn; later ones are the best (AlphaGo Zero: 30).
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1_000_000))]
    pub moves: usize,
}

impl Default for MoveTemperature {
    fn default() -> Self {
        MoveTemperature { temperature: 0.0, moves: 30 }
    }
}

impl MoveTemperature {
    /// Whether the next move of a game is to be drawn.
    pub(crate) fn is_on(self, game: &Game) -> bool {
        self.temperature > 0.0 && game.moves().len() < self.moves
    }

    /// Draws one of a search's moves and puts it first, if this move of the game is to be drawn.
    pub(crate) fn draw(self, game: &Game, moves: &mut [RootMove], rng: &mut Rng) {
        let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
        if most == 0 || !self.is_on(game) {
            return;
        }
        let weight = |m: &RootMove| (m.visits as f32 / most as f32).powf(1.0 / self.temperature);
        let mut left = moves.iter().map(weight).sum::<f32>() * rng.unit();
        let drawn = moves.iter().position(|m| {
            left -= weight(m);
            left < 0.0
        });
        moves[..=drawn.unwrap_or(0)].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;
    use crate::{
        search::root_moves,
        tree::{Tree, fixture::root},
    };

    #[test]
    fn noisy_priors_are_probabilities_and_differ() {
        let tree = root(&[(0, 0, 0.0, 0.0, 0.7), (0, 0, 0.0, 0.0, 0.2), (0, 0, 0.0, 0.0, 0.1)]);
        let edges = tree.view(Tree::ROOT).edges;
        RootNoise::default().apply(edges, &mut Rng::new(3));
        assert_eq!(edges[0].prior(), 0.7, "no noise by default");
        RootNoise { weight: 0.25, concentration: 1.0 }.apply(edges, &mut Rng::new(3));
        let sum: f32 = edges.iter().map(Edge::prior).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        assert!(edges[0].prior() != 0.7 && edges[0].prior() >= 0.75 * 0.7 - 1e-6);
    }

    #[test]
    fn moves_are_drawn_by_their_visits_early_in_the_game_only() {
        let moves =
            || root_moves(&root(&[(60, 0, 0.0, 0.0, 0.0), (30, 0, 0.0, 0.0, 0.0), (0, 0, 0.0, 0.0, 0.0)]));
        let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
        let mut rng = Rng::new(1);
        let mut first = |temperature, game: &Game| {
            let mut drawn = moves();
            MoveTemperature { temperature, moves: 1 }.draw(game, &mut drawn, &mut rng);
            assert_eq!(drawn.len(), 3);
            drawn[0].visits
        };
        let of_30 = (0..3000).filter(|_| first(1.0, &game) == 30).count();
        assert!((900..1100).contains(&of_30), "a third of the visits, a third of the draws: {of_30}");
        let of_30 = (0..3000).filter(|_| first(0.5, &game) == 30).count();
        assert!((500..700).contains(&of_30), "a fifth at half the temperature: {of_30}");
        assert_eq!(first(0.0, &game), 60);
        game.play("E5".parse().unwrap());
        assert!((0..100).all(|_| first(1.0, &game) == 60));
    }
}
