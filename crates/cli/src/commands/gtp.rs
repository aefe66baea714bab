//! `tengen gtp`: the engine for graphical boards, servers and matches.

use std::io;

use anyhow::Result;
use clap::Args;
use tengen_engine::gtp::Server;

use crate::{
    args::{GameArgs, PlayerArgs},
    output::end_with_reader,
};

const EXAMPLES: &str = "\
Examples:
  tengen gtp                               the default player
  tengen gtp --preset rave --seed 7        a preset, the same games every time
  tengen gtp --time 5 --threads 2          seconds per move, and threads
  tengen gtp --set ponder=true             thinks on the opponent's time
  tengen gtp --set pace.lag=1              keeps a second back for a slow connection
  tengen gtp --set resign=0                a parameter changed (in a game: kata-set-param)
  tengen gtp --preset zero --net FILE      a KataGo network, or one of your own
  tengen gtp --size 9 --komi 7             the board before the front end sets one
  tengen gtp --no-files                    for a front end that is not to read or write files here
  tengen gtp --override-version 0.17       for Lizzie, which warns about versions before 0.15

In Sabaki: Engines > Manage Engines > Add; path: tengen, arguments: gtp.";

/// Speak the Go Text Protocol on standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GtpArgs {
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    game: GameArgs,
    /// What to answer to `version`: Lizzie reads it as Leela Zero's and warns about versions before 0.15
    #[arg(long, value_name = "TEXT")]
    override_version: Option<String>,
    /// Refuse loadsgf, savesgf and printsgf FILE
    #[arg(long)]
    no_files: bool,
}

pub(crate) fn run(args: &GtpArgs) -> Result<()> {
    let mut spec = args.player.spec()?;
    spec.options.use_cores();
    let mut server = Server::new(spec.build(spec.options.seed_or_fresh())?).with_game(args.game.game(19)?);
    if let Some(seed) = spec.options.seed {
        server = server.with_seed(seed);
    }
    if let Some(version) = &args.override_version {
        server = server.with_version(version.clone());
    }
    if args.no_files {
        server = server.without_files();
    }
    let mut server = server.with_parameters(Box::new(spec));
    end_with_reader();
    Ok(server.run(io::BufReader::new(io::stdin()), io::stdout())?)
}
