//! The analysis engine: reads queries, analyses several positions at once, and answers as results come in.
//!
//! Whatever a client does, memory stays bounded: as long as it does not read, answers wait, analyses wait with them, and reports on
//! the way are left out; while too many positions wait, no more queries are read. When it cannot be written to any more, everything
//! under way is given up.

use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
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
    players::{self, Configure, Limits, PlayerError, Seat},
    search::Watch,
};

/// Bytes of a line that are kept: a game of thousands of moves with every option needs a few hundred thousand.
const MAX_LINE: usize = 1 << 22;

/// Answers that may wait to be written: one can be a megabyte long.
const MOST_ANSWERS: usize = 16;
/// Things that are warned of in a session: all of them are remembered.
const MOST_WARNINGS: usize = 100;

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
    parameters: Box<dyn Configure>,
    threads: usize,
    at_end: AtEnd,
    seed: Option<u64>,
}

impl Engine {
    /// An engine that analyses `threads` positions at once, each with a player of its own.
    pub fn new(parameters: Box<dyn Configure>, threads: usize, at_end: AtEnd) -> Engine {
        Engine { parameters, threads: threads.max(1), at_end, seed: None }
    }

    /// Begins the random numbers of every position at this seed, so that its results do not depend on the others.
    #[must_use]
    pub fn with_seed(mut self, seed: Option<u64>) -> Engine {
        self.seed = seed;
        self
    }

    /// Answers every query until the input ends. Fails if the player cannot be built or does not search.
    pub fn run(&self, mut input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
        let seats: Vec<_> = (0..self.threads)
            .map(|_| self.parameters.build())
            .collect::<Result<_, _>>()
            .map_err(io::Error::other)?;
        if let Some(seat) = seats.iter().find(|seat| !seat.searches()) {
            let message = format!("the player {} does not search: choose another --preset", seat.name());
            return Err(io::Error::other(message));
        }
        let name = seats[0].name().to_owned();
        let queue = Queue::default();
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(MOST_ANSWERS);
            let (queue, answers) = (&queue, Answers(sender));
            let writer = scope.spawn(move || {
                let written = write_all(output, receiver);
                if written.is_err() {
                    queue.give_up();
                }
                written
            });
            for seat in seats {
                let answers = answers.clone();
                scope.spawn(move || self.work(queue, seat, &answers));
            }
            let session = Session { engine: self, queue, answers, name };
            let read = session.read(&mut input);
            if self.at_end == AtEnd::GiveUp || read.is_err() {
                queue.give_up();
            }
            queue.close();
            drop(session);
            let written = writer.join().expect("writing does not panic");
            read.and(written)
        })
    }

    /// Analyses one position after the other.
    fn work(&self, queue: &Queue, mut seat: Seat, answers: &Answers) {
        while let Some(task) = queue.take() {
            let answer = match self.analyse(&mut seat, &task, answers) {
                Ok(answer) => answer,
                Err(error) => answer::error(&error),
            };
            // If nobody reads any more, the queue is closed.
            let _ = answers.send(&answer);
            queue.finish(&task);
        }
    }

    fn analyse(&self, seat: &mut Seat, task: &Task, answers: &Answers) -> Result<Value, QueryError> {
        let failed = |error: PlayerError| QueryError {
            id: Some(task.query.id.clone()),
            field: None,
            message: error.to_string(),
        };
        if let Some(parameters) = &task.parameters {
            let built = parameters.build();
            let mut seat = built.map_err(|error| settings_error(&task.query, error.to_string()))?;
            return analyse(&mut seat, task, answers).map_err(failed);
        }
        if let Some(seed) = self.seed {
            seat.begin(seed).map_err(failed)?;
        }
        analyse(seat, task, answers).map_err(|error| {
            // Another player takes the place of one that has a fault.
            if let Ok(another) = self.parameters.build() {
                *seat = another;
            }
            failed(error)
        })
    }
}

fn settings_error(query: &Query, message: String) -> QueryError {
    QueryError { id: Some(query.id.clone()), field: Some("overrideSettings"), message }
}

/// Nobody reads any more.
struct HungUp;

/// Where answers go.
#[derive(Clone)]
struct Answers(SyncSender<String>);

impl Answers {
    /// Waits until there is room.
    fn send(&self, answer: &Value) -> Result<(), HungUp> {
        self.0.send(answer.to_string()).map_err(|_| HungUp)
    }

    /// Leaves the answer out if there is no room.
    fn offer(&self, answer: &Value) -> Result<(), HungUp> {
        match self.0.try_send(answer.to_string()) {
            Ok(()) | Err(TrySendError::Full(_)) => Ok(()),
            Err(TrySendError::Disconnected(_)) => Err(HungUp),
        }
    }
}

/// Writes every answer on a line of its own.
fn write_all(mut output: impl Write, answers: Receiver<String>) -> io::Result<()> {
    for answer in answers {
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Each position is analysed afresh, so that results do not depend on what was asked before.
fn analyse(seat: &mut Seat, task: &Task, answers: &Answers) -> Result<Value, PlayerError> {
    let Task { query, turn, stop, .. } = task;
    let position = query.position(*turn);
    seat.new_game()?;
    let moves_ownership =
        query.includes(Include::MovesOwnership) || query.includes(Include::MovesOwnershipStdev);
    let watch = query.reports.map(|(first, every)| {
        let (query, turn, stop, answers) = (query.clone(), *turn, stop.clone(), answers.clone());
        let board = position.board().clone();
        let watch = Watch::new(every, move |report| {
            if answers.offer(&answer::analysis(&query, turn, &board, report, true)).is_err() {
                stop.stop();
            }
        });
        watch.with_first(first)
    });
    let request = players::Request {
        limits: Limits { playouts: query.visits, time: query.time, clock: None },
        stop: stop.clone(),
        watch,
        query: players::Query {
            restrictions: query.restrictions.clone(),
            moves_ownership,
            ..players::Query::default()
        },
    };
    Ok(match seat.analyse(&position, &request)?.filter(|report| report.playouts > 0) {
        Some(report) => answer::analysis(query, *turn, position.board(), report, false),
        None => answer::no_results(query, *turn),
    })
}

/// The side that reads.
struct Session<'a> {
    engine: &'a Engine,
    queue: &'a Queue,
    answers: Answers,
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
            if answers.iter().any(|answer| self.answers.send(answer).is_err()) {
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
        let changed = (!query.settings.is_empty()).then(|| self.engine.parameters.with(&query.settings));
        let parameters = match changed.transpose() {
            Ok(parameters) => parameters.map(Arc::from),
            Err(error) => return vec![answer::error(&settings_error(&query, error.to_string()))],
        };
        for warning in warnings {
            let seen = (warning.field.clone(), warning.message.clone());
            if warned.len() < MOST_WARNINGS && !warned.contains(&seen) {
                // Before the query is begun, so that no answer to it can come first. If nobody reads, the next answer tells.
                let _ = self.answers.send(&answer::warning(&query.id, &warning));
                warned.push(seen);
            }
        }
        self.queue.add(*query, parameters.as_ref(), line.len());
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
