//! `tengen train zero`: a network that learns from nothing but the rules.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use tengen_board::Game;
use tengen_cluster::HandOut;
use tengen_lab::{
    learn::{
        anchors::{AnchorConfig, AnchorResult, ratings},
        zero::{Event, Generation, Zero, ZeroConfig},
    },
    selfplay::{Method, SelfPlayConfig},
    with_settings,
};
use tengen_nets::{NetSpec, Network};

use super::policy::arch;
use crate::{
    args::{LoginArgs, RunArgs, Span, from_file, one_of},
    commands::{interruptible, serve_jobs},
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen train zero --size 5 --komi 0.5:24.5 --out zero-5x5
  tengen train zero --out zero-5x5 --resume                       after an interruption
  tengen train zero --out zero-5x5 --resume --generations 500     longer than first planned
  tengen train zero --size 9 --method puct --simulations 64 \\
      --set selfplay.full_share=0.25 --out zero-9x9
  tengen train zero --size 9 --out zero-9x9 --nats nats://server:4222   games on other machines
  tengen match zero,net=zero-5x5/net.safetensors,playouts=100 rave,playouts=1000 --size 5

The folder has net.safetensors (the network so far), checkpoint.safetensors, games/ (records in the window), \
log.jsonl and report.html. With --nats, games are played by the workers of a NATS server (tengen work), and this machine learns: the \
network comes out the same. Interrupt a run whenever you like: --resume continues it, and with --threads 1 \
the final network is the same to the last bit.";

/// Learn from nothing but the rules, by self-play.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ZeroArgs {
    /// The network: small, default, another name, or a JSON file with its description; by default that of --net, or else small
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "resume")]
    arch: Option<String>,
    /// Start with the weights of this network, a file or one that comes with the program; missing heads are added
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    net: Option<PathBuf>,
    /// Board size: 9, or from the smallest to the largest such as 7:9; games against opponents use the largest [default: 9]
    #[arg(short, long, value_name = "SIZE", conflicts_with = "resume")]
    size: Option<Span<usize>>,
    /// Komi, or from the least to the largest such as 5.5:9.5, in steps of one point; games against opponents use the mean [default: 6.5:7.5]
    #[arg(short, long, value_name = "POINTS", allow_hyphen_values = true, conflicts_with = "resume")]
    komi: Option<Span<f32>>,
    /// How moves are found [default: gumbel]
    #[arg(long, value_name = "NAME", value_parser = one_of::<Method>(), conflicts_with = "resume")]
    method: Option<Method>,
    /// Simulations per move
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    simulations: Option<u32>,
    /// Generations, each of self-play and learning, now and then with games against opponents
    #[arg(long, value_name = "N")]
    generations: Option<u64>,
    /// Games in a generation
    #[arg(short, long, value_name = "N", conflicts_with = "resume")]
    games: Option<u64>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    config: Option<PathBuf>,
    /// Set any parameter, such as anchors.every=5, gate.games=100 or optimizer.learning_rate=0.01
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Have the games played by the workers of this NATS server (tengen work); this machine learns
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten, next_help_heading = "Options for the NATS server")]
    login: LoginArgs,
}

impl ZeroArgs {
    fn config(&self, arch: NetSpec) -> Result<ZeroConfig> {
        let (sizes, komi) = (self.size.map(|span| span.0), self.komi.map(|span| span.0));
        let mut config = ZeroConfig::new(arch, sizes.map_or(9, |sizes| sizes[1]), komi.unwrap_or([6.5, 7.5]));
        config.threads = self.run.threads()?;
        let named = self.arch.is_some().then(|| config.arch.clone());
        let mut config = from_file(config, self.config.as_deref())?;
        config.arch = named.unwrap_or(config.arch);
        set_board((&mut config.selfplay, &mut config.anchors), sizes, komi);
        config.selfplay.method = self.method.unwrap_or(config.selfplay.method);
        config.selfplay.simulations = self.simulations.unwrap_or(config.selfplay.simulations);
        config.generations = self.generations.unwrap_or(config.generations);
        config.games = self.games.unwrap_or(config.games);
        config.seed = self.run.seed_or(config.seed);
        config.threads = self.run.threads_or(config.threads)?;
        Ok(with_settings(&config, &self.settings, "a run")?)
    }

    fn start(&self) -> Result<Zero> {
        if self.run.resume {
            self.run.refuse_seed()?;
            let mut zero = Zero::resume(&self.run.out)?;
            let mut config = with_settings(zero.config(), &self.settings, "a run")?;
            config.generations = self.generations.unwrap_or(config.generations);
            config.threads = self.run.threads_or(config.threads)?;
            zero.change(config)?;
            return Ok(zero);
        }
        let network = self.net.as_deref().map(Network::load).transpose()?;
        let arch = start_arch(self.arch.as_deref(), network.as_ref())?;
        Ok(Zero::new(&self.run.out, &self.config(arch)?, network.as_ref())?)
    }
}

/// Has games played, and opponents met, on the boards and with the komi that were asked for.
pub(super) fn set_board(
    (selfplay, anchors): (&mut SelfPlayConfig, &mut AnchorConfig),
    sizes: Option<[usize; 2]>,
    komi: Option<[f32; 2]>,
) {
    if let Some(sizes) = sizes {
        (selfplay.sizes, anchors.size) = (sizes, sizes[1]);
    }
    if let Some(komi) = komi {
        (selfplay.komi, anchors.komi) = (komi, vec![f32::midpoint(komi[0], komi[1])]);
    }
}

/// The architecture that learning begins with: the one that was named, or that of the network to start from with the heads it lacks.
pub(super) fn start_arch(named: Option<&str>, start: Option<&Network>) -> Result<NetSpec> {
    match (named, start) {
        (Some(name), _) => arch(name),
        (None, Some(network)) => Ok(network.spec().with_all_heads()),
        (None, None) => arch("small"),
    }
}

pub(crate) fn run(args: &ZeroArgs, output: &mut Output) -> Result<()> {
    let mut zero = args.start()?;
    if let Some(url) = &args.nats {
        zero = zero.at(serve_jobs::workers(&args.login.server(url), HandOut::default(), output)?);
    }
    let generations = zero.config().generations;
    let stop = interruptible(&ProgressBar::hidden())?;
    let mut dashboard = Dashboard::new(output, generations, zero.log());
    let log = zero.run(&stop, |event| dashboard.show(&event, output))?;
    match log.last() {
        Some(last) if args.run.json => output.json(last),
        None if args.run.json => output.json(&json!({ "generation": 0 })),
        Some(last) if last.generation >= generations && !stop.is_stopped() => output
            .line(format!("the run has ended after {generations} generations: {}", args.run.out.display())),
        _ => {
            output.remark(format!(
                "interrupted: continue with tengen train zero --out {} --resume",
                args.run.out.display()
            ));
            Ok(())
        }
    }
}

/// The run in a terminal: what it does, how far it is, how strong it was, and a game that is being played. Without a terminal, a line for
/// each generation.
struct Dashboard {
    live: bool,
    generations: u64,
    /// Lines on the screen, to be written over.
    lines: usize,
    doing: String,
    /// A game that is being played.
    game: Option<Game>,
    last: Option<Generation>,
    anchors: Vec<AnchorResult>,
    /// The games against opponents in each generation that had any.
    trials: Vec<Vec<AnchorResult>>,
    drawn: Option<std::time::Instant>,
}

/// Time between pictures.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(200);

impl Dashboard {
    fn new(output: &Output, generations: u64, log: &[Generation]) -> Dashboard {
        let tried = log.iter().rev().find(|line| !line.anchors.is_empty());
        Dashboard {
            live: output.shows_progress() && io::stderr().is_terminal(),
            generations,
            lines: 0,
            doing: String::new(),
            game: None,
            last: log.last().cloned(),
            anchors: tried.map(|line| line.anchors.clone()).unwrap_or_default(),
            trials: log
                .iter()
                .map(|line| line.anchors.clone())
                .filter(|anchors| !anchors.is_empty())
                .collect(),
            drawn: None,
        }
    }

    fn show(&mut self, event: &Event<'_>, output: &Output) {
        let mut at_once = false;
        match event {
            Event::Game(done, all) => self.doing = format!("playing: {done} of {all} games"),
            Event::Position(game) => self.game = Some((*game).clone()).filter(|_| self.live),
            Event::Step(done, all) => self.doing = format!("learning: {done} of {all} steps"),
            Event::Anchor(result) => {
                self.doing = format!("met {}", result.opponent);
                self.anchors.retain(|known| known.opponent != result.opponent);
                self.anchors.push((*result).clone());
            }
            Event::Generation(line) => {
                self.last = Some((*line).clone());
                if !line.anchors.is_empty() {
                    self.trials.push(line.anchors.clone());
                }
                at_once = true;
                if !self.live {
                    output.remark(text(line, self.generations));
                }
            }
        }
        let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= PAUSE);
        if self.live && (due || at_once) {
            self.draw();
        }
    }

    /// What is to be seen, line by line.
    fn picture(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(line) = &self.last {
            // The opponents have lines of their own.
            let line = Generation { anchors: Vec::new(), ..line.clone() };
            lines.push(text(&line, self.generations));
        }
        for r in &self.anchors {
            lines.push(format!("  {}", against(r)));
        }
        let trials: Vec<&[AnchorResult]> = self.trials.iter().map(Vec::as_slice).collect();
        if let Some(rating) = ratings(&trials).last().copied().flatten() {
            lines.push(format!(
                "  rating {:+.0} Elo ({:+.0} to {:+.0}); the opponents' mean is 0",
                rating.elo, rating.ci95.0, rating.ci95.1
            ));
        }
        lines.push(self.doing.clone());
        if let Some(game) = &self.game {
            lines.push(format!("komi {}, move {}", game.rules().komi, game.moves().len()));
            lines.extend(game.board().to_string().lines().map(str::to_owned));
        }
        lines
    }

    /// Writes over the last picture.
    fn draw(&mut self) {
        let lines = self.picture();
        // A line that is too long is cut off, not continued on the next.
        let mut picture = String::from("\x1b[?7l");
        if self.lines > 0 {
            picture += &format!("\x1b[{}A", self.lines);
        }
        for line in &lines {
            picture += &format!("\x1b[2K{line}\n");
        }
        picture += "\x1b[J\x1b[?7h";
        self.lines = lines.len();
        self.drawn = Some(std::time::Instant::now());
        // A picture that cannot be drawn is no reason to stop learning.
        let _ = io::stderr().write_all(picture.as_bytes());
    }
}

/// A generation in a line.
fn text(line: &Generation, generations: u64) -> String {
    let value = line.train.value_loss.map_or(String::new(), |loss| format!(", value {loss:.3}"));
    let gate = line.gate.map_or(String::new(), |(share, promoted)| {
        format!(
            "; {:.0}% against the champion, {}",
            100.0 * share,
            if promoted { "promoted" } else { "not promoted" }
        )
    });
    let anchors = line.anchors.iter().fold(String::new(), |text, result| text + "; " + &against(result));
    format!(
        "{}/{generations} generations, {} games, {} positions, {:.2} h, {:.0} evaluations/s, {:.1} moves, Black {:.0}%: loss \
         {:.3}{value}{gate}{anchors}",
        line.generation,
        line.games,
        line.positions,
        line.hours,
        line.evaluations_per_second,
        line.mean_length,
        100.0 * line.black_wins,
        line.train.divergence,
    )
}

pub(super) fn against(r: &AnchorResult) -> String {
    format!(
        "{} {:.0}% ({:.0}% to {:.0}%) of {}",
        r.opponent,
        100.0 * r.win_rate,
        100.0 * r.ci95.0,
        100.0 * r.ci95.1,
        r.games
    )
}

#[cfg(test)]
mod tests {
    use tengen_board::{Game, Rules};
    use tengen_engine::players::StopSignal;
    use tengen_lab::learn::zero::{Event, Zero, ZeroConfig};
    use tengen_nets::NetSpec;

    use super::Dashboard;
    use crate::{args::OutputArgs, output::Output};

    #[test]
    fn the_dashboard_shows_a_game_being_played() {
        let output = Output::new(&OutputArgs { quiet: true, verbose: false });
        let mut dashboard = Dashboard { live: true, ..Dashboard::new(&output, 10, &[]) };
        let mut game = Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap();
        let mut shown = |game: &Game| {
            dashboard.show(&Event::Position(game), &output);
            dashboard.picture().join("\n")
        };
        assert!(shown(&game).contains("move 0\n"));
        game.play("C3".parse().unwrap());
        let picture = shown(&game);
        assert!(
            picture.contains("move 1\n") && picture.ends_with(game.board().to_string().trim_end()),
            "{picture}"
        );
    }

    /// What a run tells of its games is a game under way, each time some moves further.
    #[test]
    fn a_run_tells_of_games_while_they_are_played() {
        let folder = std::env::temp_dir().join(format!("tengen-dashboard-{}", std::process::id()));
        let mut config = ZeroConfig::new(NetSpec::named("small").unwrap(), 3, [0.5, 0.5]);
        (config.generations, config.games, config.anchors.games) = (1, 3, 0);
        (config.selfplay.simulations, config.selfplay.parallel) = (2, 2);
        let mut lengths = Vec::new();
        let run = Zero::new(&folder, &config, None).unwrap();
        run.run(&StopSignal::default(), |event| {
            if let Event::Position(game) = event {
                assert!(!game.is_over());
                lengths.push(game.moves().len());
            }
        })
        .unwrap();
        let rises = lengths.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(rises >= 3, "{lengths:?}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
