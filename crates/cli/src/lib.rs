//! The `tengen` command: a thin shell around the other crates, with a file a subcommand. A library, so that the Python package
//! brings the same command.

use std::{ffi::OsString, io};

use anyhow::Result;
use clap::{Parser, Subcommand};

mod args;
mod board_view;
mod commands;
mod output;

use commands::{
    analysis, bench, book, completions, doctor, export, gtp, jobs, lab, match_, perft, play, presets, review,
    selfplay, serve_jobs, train, work,
};
use output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen                                   play against the engine
  tengen play --size 13 --color white      a larger board, the engine begins
  tengen gtp --time 5                      an engine for Sabaki, GoGui and other GTP programs
  tengen analysis                          an engine for KaTrain (KataGo's JSON protocol)
  tengen review game.sgf                   what every move of a game lost, and the better moves
  tengen match rave uct --games 100        which of two players is stronger
  tengen presets                           the players to choose from
  tengen presets rave                      one of them with every parameter
  tengen train policy --help               a network from game records
  tengen train zero --size 5 --out zero    a network from nothing but the rules
  tengen serve-jobs --help                 matches, experiments and self-play on many machines
  tengen bench playout --size 19           how fast this machine is
  tengen doctor                            what works here, and what to do about the rest

Every command explains itself: tengen bench playout --help";

/// Go engine and laboratory. Without a command: `tengen play`.
#[derive(Parser)]
#[command(name = "tengen", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten, next_help_heading = "Options of tengen play")]
    play: play::PlayArgs,
    #[command(flatten, next_help_heading = "Common options")]
    output: args::OutputArgs,
}

#[derive(Subcommand)]
enum Command {
    Play(play::PlayArgs),
    Gtp(gtp::GtpArgs),
    Analysis(analysis::AnalysisArgs),
    Review(review::ReviewArgs),
    Match(match_::MatchArgs),
    Lab(lab::LabArgs),
    Selfplay(Box<selfplay::SelfplayArgs>),
    Train(train::TrainArgs),
    Presets(presets::PresetsArgs),
    Bench(bench::BenchArgs),
    Book(book::BookArgs),
    Perft(perft::PerftArgs),
    Export(export::ExportArgs),
    ServeJobs(Box<serve_jobs::ServeJobsArgs>),
    Work(work::WorkArgs),
    Jobs(jobs::JobsArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
}

/// Runs the command line, of which the first word is the program itself, and returns the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = Cli::parse_from(analysis::in_our_words(args));
    let mut output = Output::new(&cli.output);
    match run(cli, &mut output) {
        Ok(()) => 0,
        // Whoever reads our output has seen enough, as in `tengen presets | head -1`.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            eprintln!("error: {}", in_words(&error));
            1
        }
    }
}

fn run(cli: Cli, output: &mut Output) -> Result<()> {
    match cli.command.unwrap_or(Command::Play(cli.play)) {
        Command::Play(args) => play::run(&args, output),
        Command::Gtp(args) => gtp::run(&args),
        Command::Analysis(args) => analysis::run(&args, output),
        Command::Review(args) => review::run(&args, output),
        Command::Match(args) => match_::run(&args, None, output),
        Command::Lab(args) => lab::run(&args, output),
        Command::Selfplay(args) => selfplay::run(&args, None, output),
        Command::Train(args) => train::run(&args, output),
        Command::Presets(args) => presets::run(&args, output),
        Command::Bench(args) => bench::run(&args, output),
        Command::Book(args) => book::run(&args, output),
        Command::Perft(args) => perft::run(&args, output),
        Command::Export(args) => export::run(&args, output),
        Command::ServeJobs(args) => serve_jobs::run(&args, output),
        Command::Work(args) => work::run(&args, output),
        Command::Jobs(args) => jobs::run(&args, output),
        Command::Doctor(args) => doctor::run(&args, output),
        Command::Completions(args) => completions::run::<Cli>(&args, output),
    }
}

/// An error and what caused it, everything said once: some errors name their cause themselves.
fn in_words(error: &anyhow::Error) -> String {
    let add =
        |text: String, cause: String| if text.contains(&cause) { text } else { format!("{text}: {cause}") };
    error.chain().map(ToString::to_string).reduce(add).unwrap_or_default()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
