//! Presets and players from a spec.
