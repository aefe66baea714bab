//! The subcommands, a file each.

pub(crate) mod analysis;
pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod gtp;
pub(crate) mod match_;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod presets;
pub(crate) mod train;
