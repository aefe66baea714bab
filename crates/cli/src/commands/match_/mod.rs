//! `tengen match`: players, many games, an answer with error bars.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::ProgressBar;
use tengen_engine::{players::StopSignal, time::TimeSettings};
use tengen_lab::{
    PlayerSpec,
    matches::{
        self, GameRecord, Journal, MatchConfig, Openings, Referee, Schedule, Side, Summary, Tournament,
        derive_seed,
    },
    parallel::concurrency_for,
    stats::{Sprt, SprtVerdict},
    venue::{Here, Venue},
};

mod show;

use super::interruptible;
use crate::{
    args::{GameArgs, ThinkingArgs},
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen match rave uct --playouts 1000 --size 9 --games 200
  tengen match rave,playouts=500 rave,playouts=1000 --games 200
  tengen match default,time=1 'gtp:gnugo --mode gtp --level 10 --chinese-rules' --games 100
  tengen match rave uct --out results/rave-uct           keep every game, and records of them
  tengen match rave uct --resume results/rave-uct        go on after an interruption
  tengen match default 'gtp:gnugo --mode gtp' --clock 'fischer 30 1'   with clocks
  tengen match my.toml default --openings random:4 --concurrency 2 --json
  tengen match my.toml rave --size 5 --komi 24 --black A  A has Black in every game
  tengen match rave uct mc --games 40                    everybody against everybody, with ratings
  tengen match new.toml rave uct mc --gauntlet           the first against each of the others
  tengen match level-1 level-2 level-3 --ladder          each against the next, with ratings
  tengen match new.toml default --games 5000 --sprt 0,30 until it is clear whether A is stronger

A and B take Black in turn, unless --black says otherwise. Results are A's: a win rate above 50%, Elo above 0 and a positive score mean \
that A is stronger. Draws count one half. An engine that crashes, takes too long or plays an illegal move \
loses the game, and this is counted. A {seed} in an engine's command line stands for the seed of the game; \
the engine is then restarted for every game.";

/// Play a match between two players, or a tournament of several.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// The players, two or more: presets, NAME,key=value,…, TOML files, or gtp:COMMAND LINE
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<String>,
    /// The first player meets each of the others; without this everybody meets everybody
    #[arg(long)]
    gauntlet: bool,
    /// Each player meets the next; without this everybody meets everybody
    #[arg(long, conflicts_with = "gauntlet")]
    ladder: bool,
    /// End the match as soon as a sequential test of two Elo differences is decided: ELO0,ELO1 (error rates of 5%) or
    /// ELO0,ELO1,ALPHA,BETA
    #[arg(long, value_name = "BOUNDS", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Number of games of each pair
    #[arg(short, long, default_value_t = 100, value_name = "N")]
    games: usize,
    #[command(flatten)]
    game: GameArgs,
    /// Who plays Black in every game, A or B [default: they take turns]
    #[arg(long, value_name = "SIDE", value_parser = side)]
    black: Option<Side>,
    /// How games begin: none, random:N (N random moves), or a file with an opening's moves on each line; two
    /// consecutive games share one
    #[arg(long, default_value = "none", value_name = "WHAT")]
    openings: String,
    /// A clock for each player, as in kata-time_settings: a number of seconds for the whole game, 'absolute
    /// MAIN', 'fischer MAIN INCREMENT', 'byoyomi MAIN PERIOD PERIODS' or 'canadian MAIN PERIOD STONES'. Wall time is
    /// measured; a player who runs out of time loses
    #[arg(long, default_value = "none", value_name = "TIME")]
    clock: TimeSettings,
    /// Another clock for B
    #[arg(long, value_name = "TIME")]
    clock_b: Option<TimeSettings>,
    /// Who counts games: auto, board (all stones live), playouts, or a GTP program's command line
    #[arg(long, default_value = "auto", value_name = "WHO")]
    referee: String,
    /// Games at a time [default: as many as there are cores for; one if players think by time]
    #[arg(short, long, value_name = "N")]
    concurrency: Option<usize>,
    /// Random seed of the match
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Keep the results in this directory, which must not hold a match yet
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// The same, but go on with the match that is there, if one is; --games may be raised
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Write game records here [default: DIR/sgf, if results are kept]
    #[arg(long, value_name = "DIR")]
    sgf_dir: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten, next_help_heading = "Options for all players")]
    thinking: ThinkingArgs,
}

/// A player of a match.
fn side(text: &str) -> Result<Side, String> {
    match text {
        "A" | "a" => Ok(Side::A),
        "B" | "b" => Ok(Side::B),
        _ => Err("write A for the first player, B for the second".to_owned()),
    }
}

/// More games than anybody waits for.
const MAX_GAMES: usize = 10_000_000;

impl MatchArgs {
    fn specs(&self) -> Result<Vec<PlayerSpec>> {
        ensure!((1..=MAX_GAMES).contains(&self.games), "--games: must be from 1 to {MAX_GAMES}");
        ensure!(
            self.concurrency.is_none_or(|n| (1..=1024).contains(&n)),
            "--concurrency: must be from 1 to 1024"
        );
        ensure!(
            self.black.is_none() || self.players.len() == 2,
            "--black: is for a match of two players, not of {}",
            self.players.len()
        );
        ensure!(
            self.sprt.is_none() || self.players.len() == 2,
            "--sprt: tests two players, not {}",
            self.players.len()
        );
        let spec = |player: &String| {
            let mut spec: PlayerSpec = player.parse()?;
            self.thinking.apply(&mut spec).with_context(|| format!("the player {player}"))?;
            Ok(spec)
        };
        self.players.iter().map(spec).collect()
    }

    fn config(&self, specs: &[PlayerSpec], (a, b): (usize, usize)) -> Result<MatchConfig> {
        // The games of each pair are others.
        let seed = if specs.len() == 2 { self.seed } else { derive_seed(self.seed, (a << 32 | b) as u64) };
        let (a, b) = (&specs[a], &specs[b]);
        let game = self.game.game(9)?;
        let rules = *game.rules();
        let any_external = a.is_external() || b.is_external();
        Ok(MatchConfig {
            width: game.board().width(),
            height: game.board().height(),
            rules,
            black: self.black,
            openings: Openings::parse(&self.openings, &game)?,
            clock_a: self.clock,
            clock_b: self.clock_b.unwrap_or(self.clock),
            referee: Referee::parse(&self.referee, &rules, any_external)?,
            seed,
            a: a.clone(),
            b: b.clone(),
        })
    }

    /// How many games are played at a time. Only one player of a game thinks at a time, so a game needs as many cores as the
    /// player with the most threads.
    fn concurrency(&self, config: &MatchConfig, output: &Output) -> usize {
        let options = [&config.a.options, &config.b.options];
        let threads = options.iter().map(|options| options.threads.unwrap_or(1)).max().unwrap_or(1);
        let fitting = concurrency_for(threads);
        let by_time = options.iter().any(|options| options.time.is_some())
            || [config.clock_a, config.clock_b].iter().any(|clock| *clock != TimeSettings::Unlimited);
        match self.concurrency {
            Some(asked) => {
                if asked > fitting {
                    output.remark(format!(
                        "{asked} games at a time with {threads} threads each are more than this machine has cores for: \
                         players who think by time get less of it (--concurrency {fitting} fits)"
                    ));
                }
                asked
            }
            None if by_time => 1,
            None => fitting,
        }
    }

    /// Where the match of a pair is kept: in a directory of its own if there are several.
    fn directory(&self, pair: (usize, usize)) -> Option<PathBuf> {
        let directory = self.out.as_ref().or(self.resume.as_ref())?;
        Some(self.of_pair(directory, pair))
    }

    fn of_pair(&self, directory: &Path, (a, b): (usize, usize)) -> PathBuf {
        if self.players.len() == 2 {
            directory.to_owned()
        } else {
            directory.join(format!("{}-{}", a + 1, b + 1))
        }
    }

    fn journal(&self, config: &MatchConfig, pair: (usize, usize)) -> Result<Journal> {
        let directory = self.directory(pair);
        let journal = match &directory {
            Some(directory) if self.out.is_some() => Journal::create(directory, config, self.games)?,
            Some(directory) => Journal::resume(directory, config, self.games)?,
            None => Journal::in_memory(),
        };
        let sgf = self.sgf_dir.as_ref().map(|sgf| self.of_pair(sgf, pair));
        Ok(match sgf.or_else(|| Some(directory?.join("sgf"))) {
            Some(sgf) => journal.with_sgf(&sgf)?,
            None => journal,
        })
    }
}

/// Plays it, on this machine or elsewhere.
pub(crate) fn run(args: &MatchArgs, venue: Option<&dyn Venue>, output: &mut Output) -> Result<()> {
    ensure!(
        venue.is_none() || args.concurrency.is_none(),
        "--concurrency: workers decide how many games they play at a time (tengen work --cores)"
    );
    let specs = args.specs()?;
    let schedule = match (args.gauntlet, args.ladder) {
        (true, _) => Schedule::Gauntlet,
        (false, true) => Schedule::Ladder,
        (false, false) => Schedule::RoundRobin,
    };
    let pairs = schedule.pairs(specs.len());
    let configs = pairs.iter().map(|&pair| args.config(&specs, pair)).collect::<Result<Vec<_>>>()?;
    // Nothing is played if one of the directories cannot be used.
    let mut journals = pairs
        .iter()
        .zip(&configs)
        .map(|(&pair, config)| args.journal(config, pair))
        .collect::<Result<Vec<_>>>()?;
    let bar = output.bar((args.games * pairs.len()) as u64, None, "games");
    let stop = interruptible(&bar)?;
    let mut played = Vec::new();
    for (config, journal) in configs.iter().zip(&mut journals) {
        let records = play(args, config, venue, journal, &stop, &bar, output)?;
        played.push((Summary::new(&config.a.name, &config.b.name, &records).with_sprt(args.sprt), records));
        if stop.is_stopped() {
            break;
        }
    }
    bar.finish_and_clear();
    let decided = |summary: &Summary| summary.sprt.is_some_and(|test| test.verdict != SprtVerdict::Undecided);
    if stop.is_stopped() && !played.iter().any(|(summary, _)| decided(summary)) {
        let games: usize = played.iter().map(|(summary, _)| summary.games).sum();
        let kept = args.out.as_ref().or(args.resume.as_ref());
        let remedy = kept.map_or("nothing was kept; use --out DIR next time".to_owned(), |directory| {
            format!("continue with the same command and --resume {}", directory.display())
        });
        let last = played.last().map_or(String::new(), |(summary, _)| format!(" ({})", show::short(summary)));
        anyhow::bail!("interrupted after {games} games{last}: {remedy}");
    }
    if let [(summary, records)] = &played[..] {
        if args.json {
            return output.json(summary);
        }
        show::pair(summary, &configs[0], output)?;
        return show::first_failure(records, output);
    }
    let summaries = played.into_iter().map(|(summary, _)| summary).collect();
    let tournament = Tournament::new(&args.players, &pairs, summaries);
    if args.json { output.json(&tournament) } else { show::tournament(&tournament, output) }
}

/// Plays the match of one pair, until a sequential test is decided if there is one.
///
/// The test looks at games in the order of their numbers, so that its answer does not depend on how long games take or how many
/// are played at a time; games that were over too early are not counted.
fn play(
    args: &MatchArgs,
    config: &MatchConfig,
    venue: Option<&dyn Venue>,
    journal: &mut Journal,
    stop: &StopSignal,
    bar: &ProgressBar,
    output: &Output,
) -> Result<Vec<GameRecord>> {
    let before = bar.position();
    let mut records = journal.records().to_vec();
    let summary = |records: &[GameRecord]| Summary::new(&config.a.name, &config.b.name, records);
    let decided = |records: &[GameRecord]| args.sprt.and_then(|test| matches::decision(&test, records));
    if let Some(games) = decided(&records) {
        stop.stop();
        return Ok(matches::in_order(&records, games));
    }
    bar.set_position(before + records.len() as u64);
    let here = Here(if venue.is_some() { 1 } else { args.concurrency(config, output) });
    let venue = venue.unwrap_or(&here);
    let mut records = matches::run(config, args.games, venue, journal, stop, |record| {
        bar.suspend(|| {
            output.detail(format!("game {}: {} in {} moves", record.game, record.result, record.length()));
        });
        records.push(record.clone());
        bar.set_position(before + records.len() as u64);
        bar.set_message(show::short(&summary(&records)));
        if decided(&records).is_some() {
            stop.stop();
        }
    })?;
    if let Some(games) = decided(&records) {
        records = matches::in_order(&records, games);
    }
    Ok(records)
}
