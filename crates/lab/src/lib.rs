//! Presets and players from a spec: what researchers configure, and what every command of `tengen` plays with.
//!
//! A *player spec* is a line such as `random`, `random,eyes=one-chain,seed=7`, `my-player.toml` or
//! `gtp:gnugo --mode gtp`. It is read into a [`PlayerSpec`], which can list, read and change every parameter by its
//! dotted name, and build the running player.
//!
//! ```
//! use tengen_lab::PlayerSpec;
//! let mut spec: PlayerSpec = "random,seed=7".parse().unwrap();
//! spec.set("eyes", "one-chain").unwrap();
//! assert_eq!(spec.get("eyes").as_deref(), Some("one-chain"));
//! let player = spec.build().unwrap();
//! assert_eq!(player.name(), "random");
//! ```

pub mod bench;
mod configure;
mod describe;
mod error;
pub mod experiments;
pub mod journal;
pub mod learn_knowledge;
pub mod matches;
mod options;
pub mod parallel;
mod params;
mod player_config;
mod preset;
pub mod provenance;
mod schema;
mod spec;
pub mod stats;
pub mod suite;
pub mod tune;

pub use error::SpecError;
pub use options::PlayerOptions;
pub use params::{Params, parse_config, with_settings};
pub use player_config::{ExternalConfig, PlayerConfig};
pub use preset::{PRESETS, Preset};
pub use spec::PlayerSpec;
