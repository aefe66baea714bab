//! `tengen play`: a game in the browser, or in the terminal.

use std::{net::IpAddr, path::PathBuf};

use anyhow::Result;
use clap::Args;
use tengen_board::Color;
use tengen_engine::time::TimeSettings;

use crate::{
    args::{GameArgs, PlayerArgs},
    board_view::BoardStyle,
    output::Output,
};

mod browser;
mod terminal;

const EXAMPLES: &str = "\
Examples:
  tengen play                              a board in the browser: 9x9, you are black
  tengen play --size 13 --color white      the engine begins
  tengen play --size 19 --handicap 4       black gets four stones
  tengen play --clock \"byoyomi 600 30 5\"   ten minutes, then five times thirty seconds
  tengen play --preset uct,playouts=1000   another player, with parameters
  tengen play --engine gnugo=\"gtp:gnugo --mode gtp\"   one more player to choose from in the browser
  tengen play --problems tsumego.sgf       problems to solve; tengen replies
  tengen play --listen 0.0.0.0             for other devices: open the printed address there
  tengen play --terminal                   no browser; type help during the game";

const PRESET: &str = "The opponent: auto, the level that follows your results (with --playouts and the like: default), a preset such as \
level-5 (`tengen presets` lists them), NAME,key=value,…, a TOML file, or gtp:COMMAND LINE";

/// Play against the engine, in the browser or in the terminal.
#[derive(Args, Clone)]
#[command(after_help = EXAMPLES, mut_arg("preset", |arg| arg.default_value(PlayerArgs::AUTO).help(PRESET)))]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Your stones: black or white
    #[arg(short, long, default_value = "black")]
    color: Color,
    /// Black's handicap stones, on the customary points
    #[arg(long, default_value_t = 0, value_name = "STONES")]
    handicap: usize,
    /// Play in the terminal instead of the browser
    #[arg(long)]
    terminal: bool,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    in_terminal: TerminalArgs,
    #[command(flatten)]
    player: PlayerArgs,
}

/// Flags for the browser.
#[derive(Args, Clone)]
struct BrowserArgs {
    /// Port of the board; any free one if it is 0
    #[arg(long, default_value_t = 8019, conflicts_with = "terminal")]
    port: u16,
    /// Address to listen on, such as 0.0.0.0 for other devices
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", conflicts_with = "terminal")]
    listen: IpAddr,
    /// Do not open the browser
    #[arg(long, conflicts_with = "terminal")]
    no_open: bool,
    /// Let every user of this machine see and play the games, not only those who know the printed address
    #[arg(long, conflicts_with = "terminal")]
    no_token: bool,
    /// Another player to choose from, such as gnugo="gtp:gnugo --mode gtp"; may be repeated
    #[arg(long = "engine", value_name = "NAME=SPEC", conflicts_with = "terminal")]
    engines: Vec<String>,
    /// Time control: absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD STONES, fischer MAIN INCREMENT
    #[arg(long, default_value = "none", value_name = "CONTROL", conflicts_with = "terminal")]
    clock: TimeSettings,
    /// Solve the problems of this SGF file
    #[arg(long, value_name = "FILE", conflicts_with = "terminal")]
    problems: Option<PathBuf>,
    /// Folder in which games are stored, in the file games.sqlite
    #[arg(long, value_name = "FOLDER", conflicts_with = "terminal")]
    games: Option<PathBuf>,
}

/// Flags for the terminal.
#[derive(Args, Clone)]
struct TerminalArgs {
    /// How the board is drawn in the terminal: auto, ascii, unicode or color
    #[arg(long, value_enum, hide_possible_values = true, default_value_t = BoardStyle::Auto, value_name = "STYLE",
        requires = "terminal")]
    board: BoardStyle,
    /// Write the game to this SGF file when it ends in the terminal
    #[arg(long, value_name = "FILE", requires = "terminal")]
    sgf: Option<PathBuf>,
}

pub(crate) fn run(args: &PlayArgs, output: &mut Output) -> Result<()> {
    if args.terminal { terminal::run(args, output) } else { browser::run(args, output) }
}
