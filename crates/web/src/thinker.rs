//! A player in a thread of its own: it is given positions, and answers when it is done.
//!
//! The player is built in the thread, because other programs take their time to start. When the [`Thinker`] is dropped
//! the search stops and the thread ends with the player.

use std::{
    sync::{
        Arc, OnceLock,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use tengen_board::Game;
use tengen_engine::{
    gtp::Killer,
    players::{Decision, Limits, PlayerError, Request, Seat, StopSignal},
    search::{SearchReport, Watch},
};
use tengen_lab::PlayerSpec;

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
    limits: Limits,
    stop: StopSignal,
}

/// A player at work.
pub(crate) struct Thinker {
    jobs: Sender<Job>,
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
        let killer = Arc::new(OnceLock::new());
        let to_fill = Arc::clone(&killer);
        thread::spawn(move || work(&spec, &to_do, &answer, &to_fill));
        Thinker { jobs, stop: StopSignal::default(), killer }
    }

    /// Gives it a job in place of the one it has. Limits that are absent are the player's own.
    pub(crate) fn ask(&mut self, id: u64, question: Question, game: &Game, limits: Limits) {
        self.stop();
        self.stop = StopSignal::default();
        // The thread ends only with this sender, or after a failure that it has told.
        let _ = self.jobs.send(Job { id, question, game: game.clone(), limits, stop: self.stop.clone() });
    }

    /// Ends the job that it has; an answer may still come.
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

fn work(
    spec: &PlayerSpec,
    jobs: &Receiver<Job>,
    answer: &(impl Fn(Answer) + Clone + Send + Sync + 'static),
    killer: &OnceLock<Killer>,
) {
    let Ok(first) = jobs.recv() else { return };
    let mut seat = match spec.build(spec.options.seed_or_fresh()) {
        Ok(seat) => seat,
        Err(error) => return answer(Answer::Failed(first.id, error.to_string())),
    };
    if let Some(other_program) = seat.killer() {
        // The only time that it is set.
        let _ = killer.set(other_program);
    }
    let mut next = Some(first);
    while let Some(Job { id, question, game, limits, stop }) = next {
        if !stop.is_stopped() {
            let show = answer.clone();
            let watch = Watch::new(EVERY, move |report| show(Answer::Report(id, Box::new(report.clone()))));
            let watch = Some(watch.with_first(FIRST));
            let request = Request { limits, watch, ..Request::until(&stop) };
            match ask(&mut seat, question, &game, &request) {
                Ok(decision) => answer(Answer::Done(id, decision, seat.report().cloned().map(Box::new))),
                // Another program cannot be stopped in the middle of a move but by ending it.
                Err(_) if stop.is_stopped() => {}
                Err(error) => return answer(Answer::Failed(id, error.to_string())),
            }
        }
        next = jobs.recv().ok();
    }
}

fn ask(
    seat: &mut Seat,
    question: Question,
    game: &Game,
    request: &Request,
) -> Result<Option<Decision>, PlayerError> {
    match question {
        Question::Move => seat.decide(game, request).map(Some),
        Question::Opinion => seat.analyse(game, request).map(|_| None),
    }
}
