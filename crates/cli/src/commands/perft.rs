//! `tengen perft`.
use crate::output::Output;
use anyhow::Result;
use clap::Args;
/// Count the legal move sequences of each length from the empty board.
#[derive(Args)]
pub(crate) struct PerftArgs {}
pub(crate) fn run(_args: &PerftArgs, _output: &mut Output) -> Result<()> {
    anyhow::bail!("later")
}
