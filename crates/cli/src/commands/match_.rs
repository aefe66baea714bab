//! `tengen match`: two players, many games, an answer with error bars.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use tengen_engine::clock::TimeSettings;
use tengen_lab::{
    PlayerSpec,
    matches::{self, GameRecord, Journal, MatchConfig, Openings, Referee, Summary},
};

use super::interruptible;
use crate::{args::GameArgs, output::Output};

const EXAMPLES: &str = "\
Examples:
  tengen match rave,playouts=1000 uct,playouts=1000 --size 9 --games 200
  tengen match default,time=1 'gtp:gnugo --mode gtp --level 10 --chinese-rules' --games 100
  tengen match rave uct --out results/rave-uct           keep every game, and records of them
  tengen match rave uct --resume results/rave-uct        go on after an interruption
  tengen match default 'gtp:gnugo --mode gtp' --clock 'fischer 30 1'     with clocks that are enforced
  tengen match my.toml default --openings random:4 --concurrency 2 --json

A and B take Black in turn. Results are A's: a win rate above 50%, Elo above 0 and a positive score
mean that A is stronger. Draws count one half. An engine that crashes, takes too long or plays an
illegal move loses the game, and this is counted. A {seed} in an engine's command line stands for the
seed of the game; the engine is then started anew for every game.";

/// Play a match between two players.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// The first player: a preset, NAME,key=value,…, a TOML file, or gtp:COMMAND LINE
    a: String,
    /// The second player
    b: String,
    /// Number of games
    #[arg(short, long, default_value_t = 100, value_name = "N")]
    games: usize,
    #[command(flatten)]
    game: GameArgs,
    /// How games begin: none, random:N (so many random moves), or a file with the moves of an opening on each line;
    /// two games in a row share one
    #[arg(long, default_value = "none", value_name = "WHAT")]
    openings: String,
    /// A clock for each player, in the words of kata-time_settings: a number of seconds for the whole game, 'absolute
    /// MAIN', 'fischer MAIN INCREMENT', 'byoyomi MAIN PERIOD PERIODS' or 'canadian MAIN PERIOD STONES'. Wall time is
    /// measured; who runs out of it loses
    #[arg(long, default_value = "none", value_name = "TIME")]
    clock: TimeSettings,
    /// Another clock for B
    #[arg(long, value_name = "TIME")]
    clock_b: Option<TimeSettings>,
    /// Who counts games: auto, board (all stones live), playouts, or a GTP program's command line
    #[arg(long, default_value = "auto", value_name = "WHO")]
    referee: String,
    /// Games at a time
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    concurrency: usize,
    /// Start of the random numbers of all games
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Keep the results in this directory, which must not hold a match yet
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// The same, but go on with the match that is there, if one is; --games may be raised
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Write game records here; into DIR/sgf if absent and results are kept
    #[arg(long, value_name = "DIR")]
    sgf_dir: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl MatchArgs {
    fn config(&self) -> Result<MatchConfig> {
        ensure!(self.games > 0, "--games 0: must be at least 1");
        ensure!((1..=1024).contains(&self.concurrency), "--concurrency: must be from 1 to 1024");
        let (a, b): (PlayerSpec, PlayerSpec) = (self.a.parse()?, self.b.parse()?);
        let game = self.game.game(9)?;
        let rules = *game.rules();
        let any_external = a.is_external() || b.is_external();
        Ok(MatchConfig {
            width: game.board().width(),
            height: game.board().height(),
            rules,
            openings: Openings::parse(&self.openings, &game)?,
            clock_a: self.clock,
            clock_b: self.clock_b.unwrap_or(self.clock),
            referee: Referee::parse(&self.referee, &rules, any_external)?,
            seed: self.seed,
            a,
            b,
        })
    }

    fn journal(&self, config: &MatchConfig) -> Result<Journal> {
        let (directory, journal) = match (&self.out, &self.resume) {
            (Some(directory), _) => (Some(directory), Journal::create(directory, config, self.games)?),
            (_, Some(directory)) => (Some(directory), Journal::resume(directory, config, self.games)?),
            (None, None) => (None, Journal::in_memory()),
        };
        let sgf = self.sgf_dir.clone().or_else(|| Some(directory?.join("sgf")));
        Ok(match sgf {
            Some(sgf) => journal.with_sgf(&sgf),
            None => journal,
        })
    }
}

pub(crate) fn run(args: &MatchArgs, output: &mut Output) -> Result<()> {
    let config = args.config()?;
    let mut journal = args.journal(&config)?;
    let mut records = journal.records().to_vec();
    let bar = output.bar(args.games as u64, None, "games");
    bar.set_position(records.len() as u64);
    let stop = interruptible(&bar)?;
    let summary = |records: &[_]| Summary::new(&config.a.name, &config.b.name, records);
    let records = matches::run(&config, args.games, args.concurrency, &mut journal, &stop, |record| {
        bar.suspend(|| {
            output.detail(format!("game {}: {} in {} moves", record.game, record.result, record.length()));
        });
        records.push(record.clone());
        bar.set_position(records.len() as u64);
        bar.set_message(short(&summary(&records)));
    })?;
    bar.finish_and_clear();
    let summary = summary(&records);
    if stop.is_stopped() {
        let kept = args.out.as_ref().or(args.resume.as_ref());
        let remedy = kept.map_or("nothing was kept; use --out DIR next time".to_owned(), |directory| {
            format!("go on with the same command and --resume {}", directory.display())
        });
        anyhow::bail!("interrupted after {} games ({}): {remedy}", summary.games, short(&summary));
    }
    if args.json {
        return output.json(&summary);
    }
    show(&summary, &config, output)?;
    match records.iter().find(|record| record.message.is_some()) {
        Some(GameRecord { game, message: Some(message), .. }) => {
            output.line(format!("the first failed in game {game}: {message}"))
        }
        _ => Ok(()),
    }
}

/// The running estimate.
fn short(summary: &Summary) -> String {
    match summary.win_rate_a {
        Some(rate) => {
            let reach = 100.0 * summary.ci95.half_width();
            let elo = summary.elo.map_or(String::new(), |elo| format!(", Elo {elo:+.0}"));
            format!("A {:.1}% ± {reach:.1}{elo}", 100.0 * rate)
        }
        None => "no game finished".to_owned(),
    }
}

fn show(summary: &Summary, config: &MatchConfig, output: &mut Output) -> Result<()> {
    let percent = |p: f64| format!("{:.1}%", 100.0 * p);
    let elo =
        |elo: Option<f64>, otherwise: &str| elo.map_or(otherwise.to_owned(), |elo| format!("{elo:+.0}"));
    let seconds = |seconds: Option<f64>| seconds.map_or("unknown".to_owned(), |s| format!("{s:.1} s"));
    let Summary { a, b, games, wins_a, wins_b, draws, .. } = summary;
    output.line(format!("A               {a}"))?;
    output.line(format!("B               {b}"))?;
    let rules = config.rules.name().map_or_else(|| config.rules.to_compact(), str::to_owned);
    let (width, height) = (config.width, config.height);
    output.line(format!("board           {width}x{height}, {rules} rules, komi {}", config.rules.komi))?;
    output.line(format!("games           {games}: A won {wins_a}, B won {wins_b}, {draws} drawn"))?;
    if let Some(rate) = summary.win_rate_a {
        let (low, high) = (percent(summary.ci95.0), percent(summary.ci95.1));
        output.line(format!("A's win rate    {} (95%: {low} to {high})", percent(rate)))?;
    }
    let sign = if summary.wins_a > summary.wins_b { "+inf" } else { "-inf" };
    let [low, high] = summary.elo_ci95;
    output.line(format!(
        "Elo difference  {} (95%: {} to {})",
        elo(summary.elo, sign),
        elo(low, "-inf"),
        elo(high, "+inf")
    ))?;
    output.line(format!("p-value         {:.4} (two-tailed, against equal strength)", summary.p_value))?;
    if let Some(score) = summary.mean_score {
        output.line(format!("mean score      {score:+.1} points for A in games that were counted"))?;
    }
    output.line(format!("different games {}", summary.distinct_games))?;
    output.line(format!(
        "failures        {} illegal moves, {} crashes, {} losses on time",
        summary.illegal, summary.crashes, summary.time_losses
    ))?;
    output.line(format!(
        "CPU time        A {}, B {}",
        seconds(summary.cpu_seconds_a),
        seconds(summary.cpu_seconds_b)
    ))?;
    output.line(format!("a game took     {} (median)", seconds(summary.median_game_seconds)))
}
