//! `tengen train reinforce` and `tengen train actor-critic`: policy gradients (S5.5).

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use tengen_lab::{
    learn::gradient::{Algorithm, Event, GradientConfig, Iteration, PolicyGradient},
    with_settings,
};
use tengen_nets::{NetSpec, Network};

use super::zero::{against, set_board, start_arch};
use crate::{
    args::{RunArgs, Span, from_file},
    commands::interruptible,
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  tengen train reinforce --size 5 --komi 0.5 --out reinforce-5x5
  tengen train actor-critic --size 5 --komi 0.5 --out actor-critic-5x5
  tengen train actor-critic --out actor-critic-5x5 --resume --iterations 2000
  tengen train actor-critic --net prior-small --size 9 --komi 7.5 --out improved
  tengen match policy,net=actor-critic-5x5/net.safetensors random --size 5

The folder has net.safetensors (the network so far), checkpoint.safetensors, pool/ (networks of the past), \
log.jsonl and report.html.";

/// Learn by policy gradients.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GradientArgs {
    /// The network: small, default, another name, or a JSON file with its description; by default that of --net, or else small
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "resume")]
    arch: Option<String>,
    /// Start with the weights of this network, a file or one that comes with the program; missing heads are added
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    net: Option<PathBuf>,
    /// Board size [default: 5]
    #[arg(short, long, value_name = "SIZE", conflicts_with = "resume")]
    size: Option<usize>,
    /// Komi, or from the least to the largest such as 5.5:9.5, in steps of one point; games against opponents use the mean [default: 0.5]
    #[arg(short, long, value_name = "POINTS", allow_hyphen_values = true, conflicts_with = "resume")]
    komi: Option<Span<f32>>,
    /// Iterations, each of some games and one step of learning, now and then with games against opponents
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// Games in an iteration
    #[arg(short, long, value_name = "N", conflicts_with = "resume")]
    games: Option<u64>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    config: Option<PathBuf>,
    /// Set any parameter, such as lambda=0.9, loss.entropy=0.02 or pool.share=0
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
}

impl GradientArgs {
    fn config(&self, algorithm: Algorithm, arch: NetSpec) -> Result<GradientConfig> {
        let komi = self.komi.map(|span| span.0);
        let mut config =
            GradientConfig::new(algorithm, arch, self.size.unwrap_or(5), komi.unwrap_or([0.5; 2]));
        config.threads = self.run.threads()?;
        let named = self.arch.is_some().then(|| config.arch.clone());
        let mut config = from_file(config, self.config.as_deref())?;
        config.algorithm = algorithm;
        config.arch = named.unwrap_or(config.arch);
        set_board((&mut config.selfplay, &mut config.anchors), self.size.map(|size| [size; 2]), komi);
        config.iterations = self.iterations.unwrap_or(config.iterations);
        config.games = self.games.unwrap_or(config.games);
        config.seed = self.run.seed_or(config.seed);
        config.threads = self.run.threads_or(config.threads)?;
        Ok(with_settings(&config, &self.settings, "a run")?)
    }

    fn start(&self, algorithm: Algorithm) -> Result<PolicyGradient> {
        if !self.run.resume {
            let network = self.net.as_deref().map(Network::load).transpose()?;
            let arch = start_arch(self.arch.as_deref(), network.as_ref())?;
            return Ok(PolicyGradient::new(&self.run.out, &self.config(algorithm, arch)?, network.as_ref())?);
        }
        self.run.refuse_seed()?;
        let mut run = PolicyGradient::resume(&self.run.out)?;
        if run.config().algorithm != algorithm {
            bail!("{} is a run of the other algorithm: use that command", self.run.out.display());
        }
        let mut config = with_settings(run.config(), &self.settings, "a run")?;
        config.iterations = self.iterations.unwrap_or(config.iterations);
        config.threads = self.run.threads_or(config.threads)?;
        run.change(config)?;
        Ok(run)
    }
}

pub(crate) fn run(args: &GradientArgs, algorithm: Algorithm, output: &mut Output) -> Result<()> {
    let run = args.start(algorithm)?;
    let bar = output.bar(run.config().iterations, None, "iterations");
    let stop = interruptible(&bar)?;
    let log = run.run(&stop, |event| show(&event, &bar, output))?;
    bar.finish_and_clear();
    match log.last() {
        Some(last) if args.run.json => output.json(last),
        Some(last) => output.line(text(last)),
        None => Ok(()),
    }
}

fn show(event: &Event<'_>, bar: &ProgressBar, output: &Output) {
    match event {
        Event::Anchor(result) => bar.suspend(|| output.detail(against(result))),
        Event::Iteration(line) => {
            bar.set_position(line.iteration);
            bar.set_message(format!("entropy {:.2}", line.entropy));
            if !line.anchors.is_empty() {
                bar.suspend(|| output.remark(text(line)));
            }
        }
    }
}

/// An iteration in a line.
fn text(line: &Iteration) -> String {
    let anchors = line.anchors.iter().fold(String::new(), |text, result| text + "; " + &against(result));
    format!(
        "{} iterations, {} games, {:.2} h, {:.1} moves, Black {:.0}%, entropy {:.2}{anchors}",
        line.iteration,
        line.games,
        line.hours,
        line.mean_length,
        100.0 * line.black_wins,
        line.entropy,
    )
}
