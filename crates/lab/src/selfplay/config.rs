//! How games of a network against itself are played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Game, MAX_SIZE, MIN_SIZE, Rules};
use tengen_engine::{
    rng::Rng,
    search::{MoveTemperature, RootNoise},
    tree::PuctConfig,
};

use super::{error::SelfPlayError, gumbel::GumbelConfig};
use crate::matches::{MatchConfig, derive_seed};

/// How a move is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Gumbel search (Danihelka et al. 2022): learns even with few simulations.
    #[default]
    Gumbel,
    /// AlphaGo Zero's: PUCT with noise at the root, moves drawn by their visits.
    Puct,
    /// No search: moves are drawn from the network's policy, as policy gradients want it.
    Policy,
}

/// How games of a network against itself are played. Every default is for small boards and few simulations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Sizes of the boards, which are square: the smallest and the largest. Each in between is as likely.
    pub sizes: [usize; 2],
    /// Komi: the least and the largest. Each in between, in steps of one point, is as likely.
    pub komi: [f32; 2],
    /// The rules. All stones on the board are alive in the end.
    #[schemars(with = "String")]
    pub rules: Rules,
    /// How a move is found.
    pub method: Method,
    /// Simulations of a full search (Gumbel: 16 and more; AlphaGo Zero: 1600).
    #[schemars(range(min = 0, max = 1_000_000))]
    pub simulations: u32,
    /// Simulations of a cheap search, from which nothing is learned (playout cap randomisation, Wu 2019).
    #[schemars(range(min = 0, max = 1_000_000))]
    pub cheap_simulations: u32,
    /// Share of full searches: 1 for no cheap ones (Wu 2019: 0.25).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub full_share: f32,
    /// Parameters of Gumbel search.
    pub gumbel: GumbelConfig,
    /// Parameters of PUCT.
    pub puct: PuctConfig,
    /// Noise in the root's priors, for PUCT.
    pub noise: RootNoise,
    /// Moves drawn by their visits, for PUCT; for [`Method::Policy`] the temperature of all its moves.
    pub draw: MoveTemperature,
    /// Moves at the beginning that are drawn from the network's policy, in the mean, as a share of the board's points (Wu 2019:
    /// 0.04). Nothing is learned from them.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub opening: f32,
    /// At most this many uniformly random moves before those, so that games begin from positions that the network would not reach.
    #[schemars(range(min = 0, max = 1000))]
    pub random_moves: usize,
    /// Who searches gives up below this chance to win; 0 for never. Games that are given up tell no owners of points.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub resign: f32,
    /// ... when it was so low for this many of its moves in a row.
    #[schemars(range(min = 1, max = 1000))]
    pub resign_moves: u32,
    /// Share of games in which nobody gives up, to see how often that would have been wrong (AlphaGo Zero: 0.1).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub resign_check: f32,
    /// Whether the network sees each position in a random symmetry.
    pub symmetries: bool,
    /// Share of the weights that goes to positions whose search surprised the network (KataGo: 0.5).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub surprise: f32,
    /// Games under way in each thread.
    #[schemars(range(min = 1, max = 4096))]
    pub parallel: usize,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        SelfPlayConfig {
            sizes: [9, 9],
            komi: [6.5, 7.5],
            rules: Rules::TROMP_TAYLOR,
            method: Method::Gumbel,
            simulations: 32,
            cheap_simulations: 8,
            full_share: 1.0,
            gumbel: GumbelConfig::default(),
            puct: PuctConfig::default(),
            noise: RootNoise { weight: 0.25, ..RootNoise::default() },
            draw: MoveTemperature { temperature: 1.0, ..MoveTemperature::default() },
            opening: 0.04,
            random_moves: 0,
            resign: 0.0,
            resign_moves: 3,
            resign_check: 0.1,
            symmetries: true,
            surprise: 0.5,
            parallel: 32,
        }
    }
}

impl SelfPlayConfig {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SelfPlayError> {
        let range = |name: &str, value: f32, least: f32, most: f32| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(SelfPlayError::Settings(format!("{name} is {value}: it must be from {least} to {most}")))
            }
        };
        let [least, most] = self.sizes;
        if !(MIN_SIZE <= least && least <= most && most <= MAX_SIZE) {
            let message = format!(
                "sizes from {least} to {most}: they must be from {MIN_SIZE} to {MAX_SIZE}, the smaller first"
            );
            return Err(SelfPlayError::Settings(message));
        }
        let [low, high] = self.komi;
        range("the least komi", low, -400.0, high.min(400.0))?;
        range("the largest komi", high, low, 400.0)?;
        range("simulations", self.simulations as f32, 0.0, 1e6)?;
        range("cheap_simulations", self.cheap_simulations as f32, 0.0, 1e6)?;
        if self.method != Method::Policy && self.simulations < 2 {
            return Err(SelfPlayError::Settings("simulations: a search needs at least 2".to_owned()));
        }
        range("full_share", self.full_share, 0.0, 1.0)?;
        range("opening", self.opening, 0.0, 1.0)?;
        range("random_moves", self.random_moves as f32, 0.0, 1000.0)?;
        range("resign", self.resign, 0.0, 0.5)?;
        range("resign_moves", self.resign_moves as f32, 1.0, 1000.0)?;
        range("resign_check", self.resign_check, 0.0, 1.0)?;
        range("surprise", self.surprise, 0.0, 1.0)?;
        range("draw.temperature", self.draw.temperature, 0.0, 100.0)?;
        range("noise.weight", self.noise.weight, 0.0, 1.0)?;
        range("noise.concentration", self.noise.concentration, 1e-3, 1e6)?;
        range("gumbel.considered", self.gumbel.considered as f32, 1.0, 1000.0)?;
        range("gumbel.visits", self.gumbel.visits, 0.0, 1e6)?;
        range("gumbel.scale", self.gumbel.scale, 0.0, 1e3)?;
        range("gumbel.noise", self.gumbel.noise, 0.0, 100.0)?;
        range("parallel", self.parallel as f32, 1.0, 4096.0)
    }

    /// The beginning of a game: an empty board of some size with some komi, and the random numbers of that game.
    pub(crate) fn begin(&self, seed: u64, number: u64) -> (Game, Rng) {
        let mut rng = Rng::new(derive_seed(seed, number));
        let [least, most] = self.sizes;
        let size = least + rng.below(most - least + 1);
        let [low, high] = self.komi;
        let komi = low + rng.below((high - low).floor() as usize + 1) as f32;
        (Game::from_board(Board::new(size, size), self.rules.with_komi(komi)), rng)
    }

    /// After how many moves a game is counted as it stands.
    pub(crate) fn longest(game: &Game) -> usize {
        MatchConfig::LENGTH_PER_POINT * game.board().area()
    }

    /// What a record says about the player, in at most 64 letters.
    pub(crate) fn behaviour(&self) -> String {
        match self.method {
            Method::Policy => format!("policy, temperature {}", self.draw.temperature),
            Method::Gumbel => format!("gumbel, {} simulations", self.simulations),
            Method::Puct => format!("puct, {} simulations", self.simulations),
        }
    }
}
