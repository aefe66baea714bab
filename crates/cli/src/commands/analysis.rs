//! `tengen analysis`: the engine for KaTrain and other programs that speak KataGo's JSON protocol.

use std::{ffi::OsString, io, thread};

use anyhow::Result;
use clap::Args;
use tengen_engine::analysis::{AtEnd, Engine};

use crate::{
    args::PlayerArgs,
    output::{Output, end_with_reader},
};

const EXAMPLES: &str = "\
Examples:
  tengen analysis                          the default player
  tengen analysis --playouts 2000          visits where a query does not say how many
  tengen analysis --positions 4            four positions at once, each with a thread of its own
  tengen analysis --positions 1 --threads 4     one position at a time, four threads for it
  echo '{\"id\":\"1\",\"moves\":[],\"rules\":\"chinese\",\"boardXSize\":9,\"boardYSize\":9}' | tengen analysis

In KaTrain: Settings > Engine > custom command: tengen analysis. Programs that can only start KataGo itself, \
such as Ogatak: choose tengen in its place; the config and the network that they name are not read.";

/// Analyse positions for other programs: KataGo's protocol of JSON lines on standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AnalysisArgs {
    #[command(flatten)]
    player: PlayerArgs,
    /// Positions analysed at once [default: as many as there are cores for]
    #[arg(long, alias = "analysis-threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    positions: Option<u16>,
    /// Abandon unfinished queries when the input ends, instead of answering them
    #[arg(long)]
    quit_without_waiting: bool,
}

/// The command line with what programs write who take us for KataGo: its options in our words, and its files left out.
pub(crate) fn in_our_words(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let mut words: Vec<OsString> = args.by_ref().take(2).collect();
    if words.get(1).is_none_or(|command| command != "analysis") {
        words.extend(args);
        return words;
    }
    while let Some(word) = args.next() {
        match word.to_str() {
            Some(option @ ("-config" | "-model" | "-human-model" | "-override-config")) => {
                let value = args.next().unwrap_or_default();
                eprintln!("{option} {} is KataGo's and is not read", value.display());
            }
            Some(option @ ("-analysis-threads" | "-quit-without-waiting")) => {
                words.push(format!("-{option}").into());
            }
            _ => words.push(word),
        }
    }
    words
}

pub(crate) fn run(args: &AnalysisArgs, output: &Output) -> Result<()> {
    let spec = args.player.spec()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let at_once = (cores / spec.options.threads.unwrap_or(1)).max(1);
    let positions = args.positions.map_or(at_once, usize::from);
    let at_end = if args.quit_without_waiting { AtEnd::GiveUp } else { AtEnd::Finish };
    output.detail(format!("analysing with {}, {positions} position(s) at once", spec.name));
    let seed = spec.options.seed;
    end_with_reader();
    let engine = Engine::new(Box::new(spec), positions, at_end).with_seed(seed);
    Ok(engine.run(io::stdin().lock(), io::stdout())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words = in_our_words(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn whoever_starts_katago_can_start_us() {
        let ogatak = "tengen analysis -config a.cfg -model b.bin.gz -quit-without-waiting";
        assert_eq!(read(ogatak), "tengen analysis --quit-without-waiting");
        assert_eq!(
            read("tengen analysis -model m -config c -analysis-threads 12"),
            "tengen analysis --analysis-threads 12"
        );
        assert_eq!(read("tengen analysis -model"), "tengen analysis");
        assert_eq!(read("tengen gtp -config c"), "tengen gtp -config c");
        assert_eq!(read("tengen"), "tengen");
    }
}
