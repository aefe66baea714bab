//! `tengen bench env`: how fast the environment of the Python package plays, board and legal moves written at every step.

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use tengen_board::Rules;
use tengen_engine::rng::Rng;
use tengen_lab::environment::{Environment, EnvironmentConfig, OnIllegal, write_legal};

use super::timed::{Done, Timed, TimedArgs};
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen bench env --size 9 --envs 64
  tengen bench env --size 19 --rules tromp-taylor        with positional superko

The actions come from random games that were played before. On a shared machine look at the steps per \
CPU-second.";

/// Step many games as reinforcement learning does.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EnvArgs {
    /// Games that are stepped together
    #[arg(long, default_value_t = 64, value_name = "N")]
    envs: usize,
    /// Rule set: chinese (simple ko), tromp-taylor (positional superko) and others
    #[arg(short, long, default_value = "chinese", value_name = "NAME")]
    rules: Rules,
    #[command(flatten)]
    timed: TimedArgs,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    envs: usize,
    steps: u64,
    #[serde(flatten)]
    timed: Timed,
}

pub(crate) fn run(args: &EnvArgs, output: &mut Output) -> Result<()> {
    args.timed.check()?;
    ensure!((1..=100_000).contains(&args.envs), "--envs {}: must be from 1 to 100000", args.envs);
    let ([steps], timed) = args.timed.run(output, |thread| measure(args, 1 + thread));
    let report = Report { kind: "env", envs: args.envs, steps, timed };
    if args.timed.json {
        return output.json(&report);
    }
    let Report { envs, timed, .. } = &report;
    output.line(format!("games           {envs} on {}, {} thread(s)", args.timed.size, timed.threads))?;
    timed.speed.show("steps", steps, output)
}

/// A game with the actions that are played in it again and again.
struct Recorded {
    environment: Environment,
    actions: Vec<usize>,
    next: usize,
}

impl Recorded {
    fn new(config: &EnvironmentConfig, rng: &mut Rng) -> Recorded {
        let mut environment = Environment::new(config, 1).expect("the size was read as a board's");
        let mut legal = vec![0; config.width * config.height + 1];
        let mut actions = Vec::new();
        while !environment.is_over() {
            write_legal(environment.game(), &mut legal);
            let moves: Vec<usize> = (0..legal.len()).filter(|&action| legal[action] == 1).collect();
            actions.push(moves[rng.below(moves.len())]);
            environment.step(actions[actions.len() - 1]);
        }
        environment.reset(None);
        Recorded { environment, actions, next: 0 }
    }

    fn step(&mut self) {
        self.environment.step(self.actions[self.next]);
        self.next += 1;
        if self.environment.is_over() {
            self.environment.reset(None);
            self.next = 0;
        }
    }
}

fn measure(args: &EnvArgs, seed: u64) -> Done<1> {
    let (width, height) = (args.timed.size.width, args.timed.size.height);
    let area = width * height;
    let config = EnvironmentConfig {
        width,
        height,
        rules: args.rules,
        longest: 2 * area,
        opening: 0,
        illegal: OnIllegal::Lose,
    };
    let mut rng = Rng::new(seed);
    let mut games: Vec<_> = (0..args.envs).map(|_| Recorded::new(&config, &mut rng)).collect();
    let (mut boards, mut masks) = (vec![0; args.envs * area], vec![0; args.envs * (area + 1)]);
    args.timed.repeat(|| {
        let places = boards.chunks_exact_mut(area).zip(masks.chunks_exact_mut(area + 1));
        for (game, (board, mask)) in games.iter_mut().zip(places) {
            game.step();
            board.copy_from_slice(game.environment.stones());
            write_legal(game.environment.game(), mask);
        }
        std::hint::black_box((&boards, &masks));
        [args.envs as u64]
    })
}
