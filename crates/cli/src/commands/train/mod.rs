//! `tengen train`: what is learned from game records, from other networks, or from nothing. A file for each kind.

use anyhow::Result;
use clap::{Args, Subcommand};
use tengen_lab::learn::gradient::Algorithm;

use crate::output::Output;

mod balance;
mod gradient;
mod knowledge;
mod label;
mod policy;
mod rank;
mod zero;

/// Learn from game records, from other networks, or by self-play.
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
    Rank(rank::RankArgs),
    Zero(Box<zero::ZeroArgs>),
    /// Learn by REINFORCE: moves of games that were won become likelier
    Reinforce(Box<gradient::GradientArgs>),
    /// Learn by actor-critic: moves that turned out better than expected become likelier
    ActorCritic(Box<gradient::GradientArgs>),
}

pub(crate) fn run(args: &TrainArgs, output: &mut Output) -> Result<()> {
    match &args.kind {
        TrainKind::Knowledge(args) => knowledge::run(args, output),
        TrainKind::Label(args) => label::run(args, output),
        TrainKind::Policy(args) => policy::run(args, output),
        TrainKind::Balance(args) => balance::run(args, output),
        TrainKind::Rank(args) => rank::run(args, output),
        TrainKind::Zero(args) => zero::run(args, output),
        TrainKind::Reinforce(args) => gradient::run(args, Algorithm::Reinforce, output),
        TrainKind::ActorCritic(args) => gradient::run(args, Algorithm::ActorCritic, output),
    }
}
