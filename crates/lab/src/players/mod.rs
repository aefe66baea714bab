//! Players as they are written down: presets, player specs, and every parameter by its name.

pub(crate) mod behaviour;
pub(crate) mod config;
pub(crate) mod configure;
pub(crate) mod describe;
pub(crate) mod error;
pub(crate) mod options;
pub(crate) mod params;
pub(crate) mod preset;
pub(crate) mod schema;
pub(crate) mod spec;
