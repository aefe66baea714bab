//! The subcommands, a file each.

pub(crate) mod analysis;
pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod gtp;
pub(crate) mod jobs;
pub(crate) mod lab;
pub(crate) mod match_;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod presets;
pub(crate) mod review;
pub(crate) mod selfplay;
pub(crate) mod serve_jobs;
pub(crate) mod train;
pub(crate) mod work;

use anyhow::Result;
use tengen_engine::players::StopSignal;

/// The first Ctrl-C ends the games under way, the second the program.
pub(crate) fn interruptible(bar: &indicatif::ProgressBar) -> Result<StopSignal> {
    let stop = StopSignal::default();
    let (signal, bar) = (stop.clone(), bar.clone());
    ctrlc::set_handler(move || {
        if signal.is_stopped() {
            std::process::exit(130);
        }
        bar.set_message("stopping; once more to stop at once");
        signal.stop();
    })?;
    Ok(stop)
}
