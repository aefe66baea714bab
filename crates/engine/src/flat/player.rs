//! The player that spends games on moves.

use std::time::{Duration, Instant};

use tengen_board::{Color, Game};

use super::{
    FlatConfig,
    method::{Finding, Method, Start, candidates},
    sampler::Sampler,
};
use crate::{
    players::{Decision, Player, PlayerError, Request, StopSignal, conduct::Conduct},
    playout::PlayoutPolicy,
    rng::Rng,
    search::{RootMove, SearchReport},
    time::Spending,
};

/// Flat Monte Carlo as a player. Every search begins anew.
pub struct Flat {
    name: String,
    config: FlatConfig,
    /// What it learns lives from one move to the next.
    policy: Box<dyn PlayoutPolicy>,
    rng: Rng,
    conduct: Conduct,
    report: Option<SearchReport>,
}

impl Flat {
    /// A player with these parts.
    pub fn new(name: &str, config: &FlatConfig, seed: u64) -> Flat {
        Flat {
            name: name.to_owned(),
            config: config.clone(),
            policy: config.playouts.policy.build(),
            rng: Rng::new(seed),
            conduct: Conduct::new(config.conduct),
            report: None,
        }
    }

    /// Searches a position without playing.
    pub fn search(&mut self, game: &Game, request: &Request) -> &SearchReport {
        let start = Instant::now();
        let Request { limits, stop, watch, query } = request;
        let spending = self.conduct.plan(game, *limits, start.elapsed());
        let eyes = self.config.eyes();
        let candidates = candidates(game, eyes, &query.restrictions, 0);
        let mut allowance = Allowance::new(&spending, stop, self.config.games_for(candidates.len()), start);
        let mut method = self.config.method.start(Start {
            game,
            candidates,
            eyes,
            policy: self.policy.fork(),
            restrictions: &query.restrictions,
        });
        let mut sampler = Sampler::new(game, self.config.playouts.limits, &mut self.rng);
        if query.moves_ownership {
            sampler.keep_moves_ownership();
        }
        let mut due = watch.as_ref().map(|watch| start + watch.first);
        while allowance.allows(sampler.games()) {
            let progress = allowance.progress(sampler.games());
            if !method.play(&mut sampler, progress) {
                // A search that ends by itself may be over before anybody has looked at it.
                if let Some(watch) = watch {
                    watch.show(&report(game, &*method, &sampler, start.elapsed()));
                }
                break;
            }
            if let (Some(watch), Some(time)) = (watch, due)
                && sampler.games().is_multiple_of(Allowance::LOOK_EVERY)
                && Instant::now() >= time
            {
                watch.show(&report(game, &*method, &sampler, start.elapsed()));
                due = Some(Instant::now() + watch.every);
            }
        }
        let report = report(game, &*method, &sampler, start.elapsed());
        self.report.insert(report)
    }
}

/// What may be spent on a search, and how much of it is spent.
struct Allowance<'a> {
    stop: &'a StopSignal,
    games: Option<u64>,
    time: Option<Duration>,
    /// Games that make the whole course of a search.
    course: Option<u64>,
    start: Instant,
    elapsed: Duration,
}

impl<'a> Allowance<'a> {
    /// The clock is looked at once in so many games.
    const LOOK_EVERY: u64 = 8;

    /// `usual` games are played if nothing limits them. A search without end, as analyses are, takes as many games for
    /// its whole course, and stays at its end.
    fn new(spending: &Spending, stop: &'a StopSignal, usual: u64, start: Instant) -> Allowance<'a> {
        let time = match (spending.time, spending.enough) {
            (Some(time), Some(enough)) => Some(time.min(enough)),
            (time, enough) => time.or(enough),
        };
        let games = spending.playouts.or(time.is_none().then_some(usual));
        let course = if games == Some(u64::MAX) { time.is_none().then_some(usual) } else { games };
        Allowance { stop, games, time, course, start, elapsed: Duration::ZERO }
    }

    /// Whether another game may be played; the first always may.
    fn allows(&mut self, games: u64) -> bool {
        if games == 0 {
            return true;
        }
        if games.is_multiple_of(Self::LOOK_EVERY) && self.time.is_some() {
            self.elapsed = self.start.elapsed();
        }
        let in_time = self.time.is_none_or(|time| self.elapsed < time);
        in_time && self.games.is_none_or(|most| games < most) && !self.stop.is_stopped()
    }

    /// The share that is spent, from 0 to 1.
    fn progress(&self, games: u64) -> f32 {
        let of_games = self.course.map_or(0.0, |course| games as f64 / course.max(1) as f64);
        let of_time = self.time.map_or(0.0, |time| self.elapsed.as_secs_f64() / time.as_secs_f64());
        of_games.max(of_time).min(1.0) as f32
    }
}

fn report(game: &Game, method: &dyn Method, sampler: &Sampler<'_>, elapsed: Duration) -> SearchReport {
    let to_play = game.to_play();
    let mut findings = method.findings();
    sort(&mut findings, to_play);
    let moves: Vec<_> = findings.into_iter().map(|finding| root_move(finding, sampler)).collect();
    let best = &moves[0];
    SearchReport {
        to_play,
        position: game.board().hash(),
        black_value: best.black_value,
        score: best.score,
        score_deviation: best.score_deviation,
        extra_komi: 0.0,
        ownership: sampler.ownership(),
        playouts: sampler.games(),
        visits: sampler.games() as u32,
        nodes: method.positions(),
        tree_bytes: 0,
        tree_full: false,
        elapsed,
        reply_hits: None,
        moves,
    }
}

/// Best first: by mean score, what was pruned behind the rest, and what was never tried last.
fn sort(findings: &mut [Finding], color: Color) {
    let key = |f: &Finding| (f.stats.games() == 0, f.pruned_at.is_some());
    findings.sort_by(|a, b| {
        key(a).cmp(&key(b)).then(b.stats.mean_for(color).total_cmp(&a.stats.mean_for(color)))
    });
}

fn root_move(finding: Finding, sampler: &Sampler<'_>) -> RootMove {
    let Finding { line, games, stats, pruned_at } = finding;
    RootMove {
        mv: line[0],
        visits: games,
        black_value: stats.black_value(),
        prior: 0.0,
        amaf_visits: 0.0,
        amaf_black_value: 0.5,
        value_deviation: None,
        line_visits: vec![stats.games(); line.len()],
        ownership: sampler.ownership_after(line[0]),
        line,
        score: stats.mean() as f32,
        score_deviation: stats.deviation() as f32,
        pruned_at,
    }
}

impl Player for Flat {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        let start = Instant::now();
        self.search(game, request);
        let decision = self.conduct.choose(game, self.report.as_ref(), || None, request.query.cleanup);
        self.conduct.note(start.elapsed());
        Ok(decision)
    }

    fn analyse(&mut self, game: &Game, request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        Ok(Some(self.search(game, request)))
    }

    fn searches(&self) -> bool {
        true
    }

    fn new_game(&mut self) {
        self.policy.clear();
        self.conduct.new_game();
        self.report = None;
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
        self.new_game();
    }

    fn report(&self) -> Option<&SearchReport> {
        self.report.as_ref()
    }
}
