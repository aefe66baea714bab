//! A player in a thread of its own: it is given positions, and answers when it is done.
//!
//! The player is built in the thread, because other programs take their time to start. When the [`Thinker`] is dropped
//! the search stops and the thread ends with the player.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use tengen_board::Game;
use tengen_engine::{
    clock::Clock,
    gtp::{ExternalPlayer, Killer},
    player::{Budget, Decision, Player, StopSignal},
    report::SearchReport,
    watch::Watch,
};
use tengen_lab::{PlayerConfig, PlayerSpec};

/// How often a running search is shown.
const EVERY: Duration = Duration::from_millis(250);
/// When it is shown first.
const FIRST: Duration = Duration::from_millis(120);

/// What a player is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A move for the player to move.
    Move,
    /// Only what it thinks about the position.
    Opinion,
}

/// What comes back. Each answer names the job it belongs to.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A look at the search while it runs.
    Report(u64, Box<SearchReport>),
    /// The end of a job: the decision, if one was asked for, and the last report of a player that searches.
    Done(u64, Option<Decision>, Option<Box<SearchReport>>),
    /// The player cannot go on.
    Failed(u64, String),
}

struct Job {
    id: u64,
    question: Question,
    game: Game,
    budget: Budget,
}

/// A player at work.
pub(crate) struct Thinker {
    jobs: Sender<Job>,
    budget: Budget,
    stop: StopSignal,
    /// Ends another program in the middle of a move.
    killer: Arc<OnceLock<Killer>>,
}

impl Thinker {
    /// Starts a player. Its answers are passed to `answer`, which must not block.
    pub(crate) fn start(
        spec: PlayerSpec,
        answer: impl Fn(Answer) + Clone + Send + Sync + 'static,
    ) -> Thinker {
        let (jobs, to_do) = mpsc::channel();
        let budget = spec.options.budget();
        let killer = Arc::new(OnceLock::new());
        let to_fill = Arc::clone(&killer);
        thread::spawn(move || work(&spec, &to_do, &answer, &to_fill));
        Thinker { jobs, budget, stop: StopSignal::default(), killer }
    }

    /// Gives it a job in place of the one it has. Limits that are absent are the player's own.
    pub(crate) fn ask(&mut self, id: u64, question: Question, game: &Game, limits: Limits) {
        self.stop();
        self.stop = StopSignal::default();
        let mut budget = self.budget.clone();
        if limits.playouts.is_some() || limits.time.is_some() {
            (budget.playouts, budget.time) = (limits.playouts, limits.time);
        }
        budget.clock = limits.clock;
        budget.stop = self.stop.clone();
        // The thread ends only with this sender, or after a failure that it has told.
        let _ = self.jobs.send(Job { id, question, game: game.clone(), budget });
    }

    /// Ends the job that it has; the answer still comes.
    pub(crate) fn stop(&self) {
        self.stop.stop();
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.stop();
        if let Some(killer) = self.killer.get() {
            killer.kill();
        }
    }
}

/// How much a job may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) playouts: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) clock: Option<Clock>,
}

fn work(
    spec: &PlayerSpec,
    jobs: &Receiver<Job>,
    answer: &(impl Fn(Answer) + Clone + Send + Sync + 'static),
    killer: &OnceLock<Killer>,
) {
    let Ok(first) = jobs.recv() else { return };
    let mut player = match Engine::build(spec) {
        Ok(player) => player,
        Err(error) => return answer(Answer::Failed(first.id, error)),
    };
    if let Engine::Other(player) = &mut player {
        // The only time that it is set.
        let _ = killer.set(player.client().killer());
    }
    let mut next = Some(first);
    while let Some(Job { id, question, game, mut budget }) = next {
        if !budget.stop.is_stopped() {
            let show = answer.clone();
            let watch = Watch::new(EVERY, move |report| show(Answer::Report(id, Box::new(report.clone()))));
            budget.watch = Some(watch.with_first(FIRST));
            // A broken player must not take the game with it.
            let result = catch_unwind(AssertUnwindSafe(|| player.answer(question, &game, &budget)));
            match result.unwrap_or_else(|_| Err("it broke down: see the terminal".to_owned())) {
                Ok((decision, report)) => answer(Answer::Done(id, decision, report)),
                Err(error) => return answer(Answer::Failed(id, error)),
            }
        }
        next = jobs.recv().ok();
    }
}

/// Our own players, and other programs, which can fail.
enum Engine {
    Own(Box<dyn Player>),
    Other(Box<ExternalPlayer>),
}

impl Engine {
    fn build(spec: &PlayerSpec) -> Result<Engine, String> {
        match &spec.config {
            PlayerConfig::Gtp(config) => config.start().map(|player| Engine::Other(Box::new(player))),
            _ => spec.build().map(Engine::Own),
        }
        .map_err(|error| error.to_string())
    }

    #[allow(clippy::type_complexity, reason = "named in the caller's match")]
    fn answer(
        &mut self,
        question: Question,
        game: &Game,
        budget: &Budget,
    ) -> Result<(Option<Decision>, Option<Box<SearchReport>>), String> {
        match (self, question) {
            (Engine::Own(player), Question::Move) => {
                let decision = player.decide(game, budget);
                Ok((Some(decision), player.report().cloned().map(Box::new)))
            }
            (Engine::Own(player), Question::Opinion) => {
                Ok((None, player.analyse(game, budget).cloned().map(Box::new)))
            }
            (Engine::Other(player), Question::Move) => {
                let decision = player.try_decide(game, budget).map_err(|error| error.to_string())?;
                Ok((Some(decision), None))
            }
            (Engine::Other(_), Question::Opinion) => Ok((None, None)),
        }
    }
}
