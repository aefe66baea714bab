//! The kinds of players, and how one is built.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen_engine::{
    flat::{Flat, FlatConfig},
    gtp::{ExternalPlayer, Timeouts},
    players::{Book, BookPlayer, Greedy, GreedyConfig, Mcts, MctsConfig, Player, RandomPlayer},
    playout::{PlayoutPolicy, PlayoutsConfig, UniformConfig},
    search::{Evaluator, Mixed, NetworkConfig, PlayoutEvaluator},
};
use tengen_nets::{AnyNetwork, NetEvaluator, RolloutNetwork, RolloutPolicy};

use crate::players::{error::SpecError, options::PlayerOptions};

/// A kind of player and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayerConfig {
    /// See [`RandomPlayer`].
    Random(UniformConfig),
    /// See [`Mcts`].
    Mcts(Box<MctsConfig>),
    /// See [`Flat`].
    Flat(Box<FlatConfig>),
    /// See [`Greedy`].
    Greedy(GreedyConfig),
    /// See [`ExternalPlayer`].
    Gtp(ExternalConfig),
}

/// Another program that speaks GTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalConfig {
    /// The command line that starts it.
    pub command: String,
    /// Seconds that it may take to start, and for any command but a move.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1_000_000.0))]
    pub command_seconds: f64,
    /// Seconds that it may take for a move.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1_000_000.0))]
    pub move_seconds: f64,
}

impl Default for ExternalConfig {
    fn default() -> Self {
        ExternalConfig { command: String::new(), command_seconds: 60.0, move_seconds: 600.0 }
    }
}

impl ExternalConfig {
    /// Where a command line wants to be told the seed; such a program is started anew for every game.
    const SEED: &str = "{seed}";

    /// Whether the command line wants to be told the seed.
    pub(crate) fn wants_seed(&self) -> bool {
        self.command.contains(Self::SEED)
    }

    /// What tells the program apart from others.
    pub(super) fn identity(&self) -> Result<Value, SpecError> {
        let mut player = self.start(1)?;
        // A program that does not know its version still has a name and a command line.
        let version = player.client().version().unwrap_or_default();
        Ok(json!({ "name": player.name(), "version": version, "command": self.command }))
    }

    /// Starts the program.
    fn start(&self, seed: u64) -> Result<ExternalPlayer, SpecError> {
        let timeouts = Timeouts {
            command: Duration::from_secs_f64(self.command_seconds),
            genmove: Duration::from_secs_f64(self.move_seconds),
        };
        // GNU Go and others read a 32-bit number.
        let command = self.command.replace(Self::SEED, &(seed & 0x7fff_ffff).to_string());
        // The message of the client names the command line and the remedy.
        ExternalPlayer::start(&command, timeouts).map_err(|error| SpecError::Start(error.to_string()))
    }
}

/// The network that values and proposes moves: the one that comes with the program if no other is named.
pub(crate) fn load_network(options: &PlayerOptions) -> Result<AnyNetwork, SpecError> {
    AnyNetwork::shared(options.net()).map_err(|error| SpecError::Start(error.to_string()))
}

/// What plays the playouts of a search: a policy, or a rollout network.
pub(crate) fn playout_policy(
    config: &MctsConfig,
    options: &PlayerOptions,
) -> Result<Box<dyn PlayoutPolicy>, SpecError> {
    let Some(rollout) = &config.rollout else { return Ok(config.playouts.policy.build()) };
    let network = RolloutNetwork::shared(options.rollout_net());
    let network = network.map_err(|error| SpecError::Start(error.to_string()))?;
    Ok(Box::new(RolloutPolicy::new(network, rollout)))
}

fn playouts(config: &MctsConfig, options: &PlayerOptions) -> Result<Box<dyn Evaluator>, SpecError> {
    Ok(Box::new(PlayoutEvaluator::new(playout_policy(config, options)?, config.playouts.limits)))
}

/// What a search evaluates leaves by.
fn evaluator(config: &MctsConfig, options: &PlayerOptions) -> Result<Box<dyn Evaluator>, SpecError> {
    let Some(network) = &config.network else { return playouts(config, options) };
    let net = load_network(options)?;
    if network.mix < 1.0 && !net.tells_value() {
        let message = "the network does not tell who wins: take one with a value head, or let playouts tell with network.mix=1";
        return Err(SpecError::Start(message.to_owned()));
    }
    let by_network = Box::new(NetEvaluator::new(net, network, config.search.batch));
    if network.mix == 0.0 {
        return Ok(by_network);
    }
    Ok(Box::new(Mixed::new(by_network, playouts(config, options)?, network.mix)))
}

impl PlayerConfig {
    /// The playouts of a player that does little else: what its speed can be compared with.
    pub fn bare_playouts(&self) -> Option<&PlayoutsConfig> {
        match self {
            PlayerConfig::Flat(config) => Some(&config.playouts),
            _ => None,
        }
    }

    /// Whether it plays with a network.
    pub fn uses_network(&self) -> bool {
        match self {
            PlayerConfig::Mcts(config) => config.network.is_some(),
            PlayerConfig::Greedy(_) => true,
            _ => false,
        }
    }

    /// Whether a network plays its rollouts.
    pub fn uses_rollout_network(&self) -> bool {
        matches!(self, PlayerConfig::Mcts(config) if config.rollout.is_some())
    }

    /// The running player; `name` is what GTP and reports call it.
    pub(super) fn build(
        &self,
        name: &str,
        options: &PlayerOptions,
        seed: u64,
    ) -> Result<Box<dyn Player>, SpecError> {
        if options.net.is_some() && !self.uses_network() {
            return Err(SpecError::Start(format!(
                "{name} plays without a network: leave it out, or choose zero"
            )));
        }
        if options.rollout_net.is_some() && !self.uses_rollout_network() {
            return Err(SpecError::Start(format!(
                "{name} plays without a rollout network: leave it out, choose holmes, or set rollout.temperature=1"
            )));
        }
        let player: Box<dyn Player> = match self {
            PlayerConfig::Random(config) => Box::new(RandomPlayer::new(config, seed)),
            PlayerConfig::Mcts(config) => {
                let evaluator = evaluator(config, options)?;
                Box::new(Mcts::with_evaluator(name, config, evaluator, options.threads.unwrap_or(1), seed))
            }
            PlayerConfig::Flat(config) => Box::new(Flat::new(name, config, seed)),
            PlayerConfig::Greedy(config) => {
                let network = NetEvaluator::new(load_network(options)?, &NetworkConfig::default(), 1);
                Box::new(Greedy::new(name, config, Box::new(network), seed))
            }
            PlayerConfig::Gtp(config) => Box::new(config.start(seed)?),
        };
        Ok(match &options.book {
            Some(path) => {
                let book = Book::read(path).map_err(|error| SpecError::Start(error.to_string()))?;
                Box::new(BookPlayer::new(Arc::new(book), player, seed))
            }
            None => player,
        })
    }
}
