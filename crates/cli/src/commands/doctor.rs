//! `tengen doctor`.
use crate::output::Output;
use anyhow::Result;
use clap::Args;
/// Doctor.
#[derive(Args)]
pub(crate) struct DoctorArgs {}
pub(crate) fn run(_args: &DoctorArgs, _output: &mut Output) -> Result<()> {
    anyhow::bail!("later")
}
