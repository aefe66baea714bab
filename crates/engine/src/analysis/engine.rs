//! The analysis engine: reads queries, analyses several positions at once, and answers as results come in.

use std::{
    io::{self, BufRead, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{self, Sender},
    thread,
};

use serde_json::{Map, Value, json};

use super::{
    answer,
    query::{Action, Include, Query, QueryError, Request},
    queue::{Queue, Task},
};
use crate::{
    gtp::protocol::read_line_up_to,
    player::{Budget, Player},
    watch::Watch,
};

/// Bytes of a line that are kept: a game of thousands of moves with every option needs a few hundred thousand.
const MAX_LINE: usize = 1 << 22;

/// Builds a player with some of its parameters changed; the error names what is wrong with them.
pub type BuildPlayer = dyn Fn(&[(String, String)]) -> Result<Box<dyn Player>, String> + Send + Sync;

/// What happens to queries that are not answered when the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// They are answered.
    Finish,
    /// They are given up.
    GiveUp,
}

/// An analysis engine as KataGo's: queries in, results out, one line of JSON each.
pub struct Engine {
    build: Box<BuildPlayer>,
    threads: usize,
    at_end: AtEnd,
    seed: Option<u64>,
}

impl Engine {
    /// An engine that analyses `threads` positions at once, each with a player of its own.
    pub fn new(build: Box<BuildPlayer>, threads: usize, at_end: AtEnd) -> Engine {
        Engine { build, threads: threads.max(1), at_end, seed: None }
    }

    /// Begins the random numbers of every position at this seed, so that its results do not depend on the others.
    #[must_use]
    pub fn with_seed(mut self, seed: Option<u64>) -> Engine {
        self.seed = seed;
        self
    }

    /// Answers every query until the input ends. Fails if the player cannot be built or does not search.
    pub fn run(&self, mut input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
        let players: Vec<_> = (0..self.threads)
            .map(|_| (self.build)(&[]))
            .collect::<Result<_, _>>()
            .map_err(io::Error::other)?;
        if let Some(player) = players.iter().find(|player| !player.searches()) {
            let message = format!("the player {} does not search: choose another --preset", player.name());
            return Err(io::Error::other(message));
        }
        let name = players[0].name().to_owned();
        let queue = Queue::default();
        thread::scope(|scope| {
            let (answers, written) = mpsc::channel::<Value>();
            let writer = scope.spawn(move || write_all(output, written));
            for player in players {
                let (queue, answers) = (&queue, answers.clone());
                scope.spawn(move || self.work(queue, player, &answers));
            }
            let session = Session { engine: self, queue: &queue, answers, name };
            let read = session.read(&mut input);
            if self.at_end == AtEnd::GiveUp || read.is_err() {
                queue.terminate(|_| true);
            }
            queue.close();
            drop(session);
            let written = writer.join().expect("writing does not panic");
            read.and(written)
        })
    }

    /// Analyses one position after the other.
    fn work(&self, queue: &Queue, mut player: Box<dyn Player>, answers: &Sender<Value>) {
        while let Some(task) = queue.take() {
            let analysed = catch_unwind(AssertUnwindSafe(|| {
                if !task.query.settings.is_empty() {
                    let player = (self.build)(&task.query.settings);
                    return player.map(|mut player| analyse(&mut *player, &task, answers));
                }
                if let Some(seed) = self.seed {
                    player.set_seed(seed);
                }
                Ok(analyse(&mut *player, &task, answers))
            }));
            let answer = match analysed {
                Ok(Ok(answer)) => answer,
                Ok(Err(message)) => answer::error(&settings_error(&task.query, message)),
                Err(_) => {
                    if let Ok(another) = (self.build)(&[]) {
                        player = another;
                    }
                    let message =
                        "internal error: please report what standard error says about it".to_owned();
                    answer::error(&QueryError { id: Some(task.query.id.clone()), field: None, message })
                }
            };
            // If nobody reads any more, reading ends too.
            let _ = answers.send(answer);
            queue.finish(&task);
        }
    }
}

fn settings_error(query: &Query, message: String) -> QueryError {
    QueryError { id: Some(query.id.clone()), field: Some("overrideSettings"), message }
}

/// Writes every answer on a line of its own.
fn write_all(mut output: impl Write, answers: mpsc::Receiver<Value>) -> io::Result<()> {
    for answer in answers {
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Each position is analysed afresh, so that results do not depend on what was asked before.
fn analyse(player: &mut dyn Player, task: &Task, answers: &Sender<Value>) -> Value {
    let Task { query, turn, stop, .. } = task;
    let position = query.position(*turn);
    player.new_game();
    let moves_ownership =
        query.includes(Include::MovesOwnership) || query.includes(Include::MovesOwnershipStdev);
    let watch = query.reports.map(|(first, every)| {
        let (query, turn, stop, answers) = (query.clone(), *turn, stop.clone(), answers.clone());
        let board = position.board().clone();
        let watch = Watch::new(every, move |report| {
            if answers.send(answer::analysis(&query, turn, &board, report, true)).is_err() {
                stop.stop();
            }
        });
        watch.with_first(first)
    });
    let budget = Budget { playouts: query.visits, time: query.time, stop: stop.clone(), ..Budget::default() };
    let budget = Budget { watch, restrictions: query.restrictions.clone(), moves_ownership, ..budget };
    match player.analyse(&position, &budget).filter(|report| report.playouts > 0) {
        Some(report) => answer::analysis(query, *turn, position.board(), report, false),
        None => answer::no_results(query, *turn),
    }
}

/// The side that reads.
struct Session<'a> {
    engine: &'a Engine,
    queue: &'a Queue,
    answers: Sender<Value>,
    name: String,
}

impl Session<'_> {
    fn read(&self, input: &mut impl BufRead) -> io::Result<()> {
        let mut warned = Vec::new();
        while let Some(line) = read_line_up_to(input, MAX_LINE)? {
            if line.bytes.trim_ascii().is_empty() {
                continue;
            }
            let answers = if line.is_cut {
                let message = format!("the line is longer than {MAX_LINE} bytes");
                vec![answer::error(&QueryError { id: None, field: None, message })]
            } else {
                self.answer(&String::from_utf8_lossy(&line.bytes), &mut warned)
            };
            if answers.into_iter().any(|answer| self.answers.send(answer).is_err()) {
                break;
            }
        }
        Ok(())
    }

    /// What can be said at once; the rest is put in the queue, after warnings. Each thing is warned of once only.
    fn answer(&self, line: &str, warned: &mut Vec<(String, String)>) -> Vec<Value> {
        let (query, warnings) = match Request::parse(line) {
            Ok(Request::Analyse(query, warnings)) => (query, warnings),
            Ok(Request::Act(action, object)) => return self.act(&action, object),
            Err(error) => return vec![answer::error(&error)],
        };
        if !query.settings.is_empty()
            && let Err(message) = (self.engine.build)(&query.settings)
        {
            return vec![answer::error(&settings_error(&query, message))];
        }
        for warning in warnings {
            let seen = (warning.field.clone(), warning.message.clone());
            if !warned.contains(&seen) {
                // Before the query is begun, so that no answer to it can come first. If nobody reads, the next answer tells.
                let _ = self.answers.send(answer::warning(&query.id, &warning));
                warned.push(seen);
            }
        }
        self.queue.add(*query);
        Vec::new()
    }

    /// Carries out an action; the answer repeats the request.
    fn act(&self, action: &Action, mut object: Map<String, Value>) -> Vec<Value> {
        match action {
            Action::Version => {
                object.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
                object.insert("git_hash".to_owned(), "<omitted>".into());
            }
            Action::Models => {
                let model = json!({
                    "name": self.name,
                    "internalName": format!("tengen {}", self.name),
                    "maxBatchSize": 1,
                    "usesHumanSLProfile": false,
                    "usingFP16": "false",
                    "version": 0,
                });
                object.insert("models".to_owned(), json!([model]));
            }
            // Nothing is kept from one position to the next.
            Action::ClearCache => {}
            Action::Terminate { id, turns } => {
                let is_meant = |task: &Task| {
                    id.as_ref().is_none_or(|id| *id == task.query.id)
                        && turns.as_ref().is_none_or(|turns| turns.contains(&task.turn))
                };
                let given_up = self.queue.terminate(is_meant);
                let mut answers = vec![Value::Object(object)];
                answers.extend(given_up.iter().map(|task| answer::no_results(&task.query, task.turn)));
                return answers;
            }
        }
        vec![object.into()]
    }
}
