//! `tengen train`: what is learned from game records. A file for each kind.

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::output::Output;

mod balance;
mod knowledge;
mod label;
mod policy;

/// Learn from game records.
#[derive(Args)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    kind: TrainKind,
}

#[derive(Subcommand)]
enum TrainKind {
    Knowledge(knowledge::KnowledgeArgs),
    Label(label::LabelArgs),
    Policy(Box<policy::PolicyArgs>),
    Balance(balance::BalanceArgs),
}

pub(crate) fn run(args: &TrainArgs, output: &mut Output) -> Result<()> {
    match &args.kind {
        TrainKind::Knowledge(args) => knowledge::run(args, output),
        TrainKind::Label(args) => label::run(args, output),
        TrainKind::Policy(args) => policy::run(args, output),
        TrainKind::Balance(args) => balance::run(args, output),
    }
}
