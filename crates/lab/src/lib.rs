//! Presets and players from a spec: what researchers configure, and what every command of `tengen` plays with.
//!
//! A *player spec* is a line such as `random`, `random,eyes=one-chain,seed=7`, `my-player.toml` or
//! `gtp:gnugo --mode gtp`. It is read into a [`PlayerSpec`], which can list, read and change every parameter by its
//! dotted name, and build the running player in its seat.
//!
//! ```
//! use tengen_lab::PlayerSpec;
//! let mut spec: PlayerSpec = "random,seed=7".parse().unwrap();
//! spec.set("eyes", "one-chain").unwrap();
//! assert_eq!(spec.get("eyes").as_deref(), Some("one-chain"));
//! let seat = spec.build(7).unwrap();
//! assert_eq!(seat.name(), "random");
//! ```

pub mod bench;
pub mod environment;
pub mod experiments;
pub mod journal;
pub mod learn;
pub mod levels;
pub mod loss;
pub mod matches;
pub mod notes;
pub mod parallel;
mod players;
pub mod problems;
pub mod provenance;
pub mod review;
pub mod selfplay;
pub mod stats;
pub mod suite;
pub mod tune;
pub mod venue;

pub use players::{
    config::{ExternalConfig, PlayerConfig},
    error::SpecError,
    options::PlayerOptions,
    params::{Params, parse_config, with_settings, with_toml},
    preset::{PRESETS, Preset},
    schema::words,
    spec::PlayerSpec,
};
