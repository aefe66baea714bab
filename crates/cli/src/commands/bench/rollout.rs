//! `tengen bench rollout`: how fast a rollout network plays games from the empty board.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use tengen_board::Board;
use tengen_engine::{
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
    search::RolloutConfig,
};
use tengen_nets::{NetSpec, Network, RolloutNetwork, RolloutPolicy};

use super::timed::{Done, Timed, TimedArgs};
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen bench rollout --net rollout-a
  tengen bench rollout --arch rollout-b --size 9            random weights

On a shared machine look at the rollouts per CPU-second.";

/// Play games with a rollout network.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RolloutArgs {
    /// The network file
    #[arg(long, value_name = "FILE", required_unless_present = "arch")]
    net: Option<PathBuf>,
    /// A network with random weights instead: rollout-a, rollout-b, rollout-a-reduced, rollout-b-reduced
    #[arg(long, value_name = "NAME", conflicts_with = "net")]
    arch: Option<String>,
    #[command(flatten)]
    timed: TimedArgs,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    net: String,
    rollouts: u64,
    moves: u64,
    #[serde(flatten)]
    timed: Timed,
}

pub(crate) fn run(args: &RolloutArgs, output: &mut Output) -> Result<()> {
    args.timed.check()?;
    let (net, network) = network(args)?;
    let network = Arc::new(network);
    let ([rollouts, moves], timed) =
        args.timed.run(output, |thread| measure(&args.timed, &network, 1 + thread));
    let report = Report { kind: "rollout", net, rollouts, moves, timed };
    if args.timed.json {
        return output.json(&report);
    }
    let Report { net, timed, .. } = &report;
    output.line(format!("network         {net} on {}, {} thread(s)", args.timed.size, timed.threads))?;
    output.line(format!("mean length     {:.1} moves", moves as f64 / rollouts as f64))?;
    timed.speed.show("rollouts", rollouts, output)
}

fn network(args: &RolloutArgs) -> Result<(String, RolloutNetwork)> {
    if let Some(path) = &args.net {
        return Ok((path.display().to_string(), RolloutNetwork::load(path)?));
    }
    let name = args.arch.clone().unwrap_or_default();
    let spec = NetSpec::named(&name)
        .with_context(|| format!("--arch {name}: choose one of {}", NetSpec::NAMES.join(", ")))?;
    let network = RolloutNetwork::new(&Network::random(&spec, &mut Rng::new(1))?)?;
    Ok((name, network))
}

/// Rollouts and their moves.
fn measure(args: &TimedArgs, network: &Arc<RolloutNetwork>, seed: u64) -> Done<2> {
    let mut policy = RolloutPolicy::new(Arc::clone(network), &RolloutConfig::default());
    let mut rng = Rng::new(seed);
    let empty = Board::new(args.size.width, args.size.height);
    let mut board = empty.clone();
    let mut moves = Vec::new();
    args.repeat(|| {
        board.clone_from(&empty);
        moves.clear();
        policy.play_out(&mut board, &mut moves, &PlayoutLimits::default(), &mut rng);
        [1, moves.len() as u64]
    })
}
