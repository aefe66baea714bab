//! `tengen gtp`.
use anyhow::Result;
use clap::Args;
/// GTP engine.
#[derive(Args)]
pub(crate) struct GtpArgs {}
pub(crate) fn run(_args: &GtpArgs) -> Result<()> {
    anyhow::bail!("later")
}
