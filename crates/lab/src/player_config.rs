//! The kinds of players, and how one is built.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tengen_engine::{
    book::{Book, BookPlayer},
    eval::{Evaluator, PlayoutEvaluator},
    flat::{Flat, FlatConfig},
    gtp::{ExternalPlayer, Timeouts},
    mcts::Mcts,
    mixed::Mixed,
    network::NetworkConfig,
    player::{Player, RandomPlayer},
    playout::{PlayoutConfig, PlayoutLimits, UniformConfig},
    search::SearchConfig,
};
use tengen_nets::{AnyNetwork, NetEvaluator};

use crate::{error::SpecError, options::PlayerOptions};

/// A kind of player and its parameters, as written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlayerConfig {
    /// See [`RandomPlayer`].
    Random(UniformConfig),
    /// See [`Mcts`].
    Mcts(Box<SearchConfig>),
    /// See [`Flat`].
    Flat(Box<FlatConfig>),
    /// See [`ExternalPlayer`].
    Gtp(ExternalConfig),
}

/// Another program that speaks GTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalConfig {
    /// The command line that starts it.
    pub command: String,
    /// Seconds that it may take to start, and for any command but a move.
    pub command_seconds: f64,
    /// Seconds that it may take for a move.
    pub move_seconds: f64,
}

impl Default for ExternalConfig {
    fn default() -> Self {
        ExternalConfig { command: String::new(), command_seconds: 60.0, move_seconds: 600.0 }
    }
}

impl ExternalConfig {
    /// Starts the program.
    pub fn start(&self) -> Result<ExternalPlayer, SpecError> {
        let seconds = |key: &str, value: f64| {
            Duration::try_from_secs_f64(value).map_err(|_| SpecError::Value {
                context: key.to_owned(),
                message: "must be a number of seconds".to_owned(),
            })
        };
        let timeouts = Timeouts {
            command: seconds("command_seconds", self.command_seconds)?,
            genmove: seconds("move_seconds", self.move_seconds)?,
        };
        // The message of the client names the command line and the remedy.
        ExternalPlayer::start(&self.command, timeouts).map_err(|error| SpecError::Start(error.to_string()))
    }
}

/// What a search with a network evaluates leaves by.
fn evaluator(
    config: &SearchConfig,
    network: &NetworkConfig,
    options: &PlayerOptions,
) -> Result<Box<dyn Evaluator>, SpecError> {
    let wrong = |context: &str, message: &str| SpecError::Value {
        context: context.to_owned(),
        message: message.to_owned(),
    };
    let Some(path) = options.net.as_deref() else {
        let remedy = "this player needs a network: --net FILE or net=FILE, a .safetensors of ours or a .bin.gz of KataGo's";
        return Err(SpecError::Start(remedy.to_owned()));
    };
    if !(0.0..=1.0).contains(&network.mix) {
        return Err(wrong("network.mix", "must be from 0 to 1"));
    }
    if !(network.policy_temperature > 0.0 && network.policy_temperature <= 1000.0) {
        return Err(wrong("network.policy_temperature", "must be more than 0 and at most 1000"));
    }
    let net = AnyNetwork::load(path).map_err(|error| SpecError::Start(error.to_string()))?;
    if !net.tells_value() {
        let message = format!("{} does not tell who wins: take a network with a value head", path.display());
        return Err(SpecError::Start(message));
    }
    let by_network = Box::new(NetEvaluator::new(net, network, config.batch));
    if network.mix == 0.0 {
        return Ok(by_network);
    }
    let playouts = PlayoutEvaluator::new(config.playout.build(), config.limits);
    Ok(Box::new(Mixed::new(by_network, Box::new(playouts), network.mix)))
}

impl PlayerConfig {
    /// The playouts of a player that does little else: what its speed can be compared with.
    pub fn bare_playouts(&self) -> Option<(&PlayoutConfig, PlayoutLimits)> {
        match self {
            PlayerConfig::Flat(config) => Some((&config.playout, config.limits)),
            _ => None,
        }
    }

    /// Whether it plays with a network, which it then needs.
    pub fn uses_network(&self) -> bool {
        matches!(self, PlayerConfig::Mcts(config) if config.network.is_some())
    }

    /// The running player; `name` is what GTP and reports call it.
    pub fn build(&self, name: &str, options: &PlayerOptions) -> Result<Box<dyn Player>, SpecError> {
        if options.net.is_some() && !self.uses_network() {
            return Err(SpecError::Start(format!(
                "{name} plays without a network: leave it out, or choose zero"
            )));
        }
        let seed = options.seed_or_fresh();
        let player: Box<dyn Player> = match self {
            PlayerConfig::Random(config) => Box::new(RandomPlayer::new(config, seed)),
            PlayerConfig::Mcts(config) => {
                let (budget, threads) = (options.budget(), options.threads.unwrap_or(1));
                match &config.network {
                    None => Box::new(Mcts::new(name, config, budget, threads, seed)),
                    Some(network) => {
                        let evaluator = evaluator(config, network, options)?;
                        Box::new(Mcts::with_evaluator(name, config, evaluator, budget, threads, seed))
                    }
                }
            }
            PlayerConfig::Flat(config) => Box::new(Flat::new(name, config, options.budget(), seed)),
            PlayerConfig::Gtp(config) => Box::new(config.start()?),
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
