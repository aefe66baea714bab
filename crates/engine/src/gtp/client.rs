//! The GTP client: drives another program as a child process, whatever it does.
//!
//! The child may be missing, die, hang, or write nonsense. Every command has a time limit; a child that breaks the
//! protocol is killed, and the error names its command line and shows its last words on standard error. Nothing here waits
//! for the child except with a limit: threads write its input and read both of its outputs.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    mem,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    client_error::{ClientError, LastWords},
    executable::find_executable,
    protocol::read_line,
};
use crate::players::StopSignal;

/// Lines that the child may write ahead.
const QUEUE: usize = 1024;
/// Lines outside a response that are passed over, such as a greeting, before they count as garbage.
const MAX_STRAY_LINES: usize = 100;
/// Lines of one response; more is garbage.
const MAX_RESPONSE_LINES: usize = 10_000;
/// Lines of standard error that an error message shows.
const STDERR_LINES: usize = 8;
/// How often a stop is looked for while an answer is waited for.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

/// How long an engine may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For any command but a move; also for starting up, which the first command waits for.
    pub command: Duration,
    /// For a move.
    pub genmove: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { command: Duration::from_mins(1), genmove: Duration::from_mins(10) }
    }
}

/// Another engine, run as a child process. Dropping it kills the child.
pub struct Client {
    child: Arc<Mutex<Child>>,
    command_line: String,
    pub(super) timeouts: Timeouts,
    /// The thread that writes; `None` when the child is gone.
    requests: Option<Sender<String>>,
    /// The lines of its standard output.
    lines: Receiver<String>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    /// Ends the engine while a command waits for its answer.
    pub(super) stop: StopSignal,
    /// The commands that the engine lists, once it was asked.
    pub(super) commands: Option<Vec<String>>,
    /// Why it is gone.
    failure: Option<ClientError>,
}

impl Client {
    /// Starts an engine from a command line; quotes work as in a shell. Programs are also looked for where games are
    /// installed (see [`find_executable`]).
    pub fn start(command_line: &str, timeouts: Timeouts) -> Result<Client, ClientError> {
        let words = shlex::split(command_line).unwrap_or_default();
        let (program, args) =
            words.split_first().ok_or_else(|| ClientError::CommandLine(command_line.to_owned()))?;
        let path = find_executable(program).ok_or_else(|| ClientError::NotFound {
            program: program.clone(),
            command_line: command_line.to_owned(),
        })?;
        let start_error = |reason: &dyn ToString| ClientError::Start {
            command_line: command_line.to_owned(),
            reason: reason.to_string(),
        };
        let mut child = Command::new(path)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| start_error(&error))?;
        let (Some(mut stdin), Some(stdout), Some(child_stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(start_error(&"no pipes to it"));
        };
        let (requests, to_write) = mpsc::channel::<String>();
        thread::spawn(move || {
            for request in to_write {
                if stdin.write_all(request.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let (sender, lines) = mpsc::sync_channel(QUEUE);
        thread::spawn(move || pass_on(BufReader::new(stdout), &sender));
        let stderr = Arc::default();
        let last_words = Arc::clone(&stderr);
        thread::spawn(move || keep_last(child_stderr, &last_words));
        Ok(Client {
            child: Arc::new(Mutex::new(child)),
            command_line: command_line.to_owned(),
            timeouts,
            requests: Some(requests),
            lines,
            stderr,
            stop: StopSignal::default(),
            commands: None,
            failure: None,
        })
    }

    /// Starts the engine again if a stop has ended it, and tells whether it did. Killers end the new one.
    pub(super) fn restart_if_stopped(&mut self) -> Result<bool, ClientError> {
        if !matches!(self.failure, Some(ClientError::Stopped { .. })) {
            return Ok(false);
        }
        let mut fresh = Client::start(&self.command_line, self.timeouts)?;
        mem::swap(&mut *lock(&self.child), &mut *lock(&fresh.child));
        mem::swap(&mut self.child, &mut fresh.child);
        mem::swap(&mut self.stop, &mut fresh.stop);
        mem::swap(self, &mut fresh);
        Ok(true)
    }

    /// The command line that it was started with.
    pub fn command_line(&self) -> &str {
        &self.command_line
    }

    /// The process id of the child.
    pub fn pid(&self) -> u32 {
        lock(&self.child).id()
    }

    /// Ends the engine from another thread, whatever it is doing.
    pub fn killer(&self) -> Killer {
        Killer(Arc::clone(&self.child))
    }

    /// Sends a command and waits for the answer.
    pub fn send(&mut self, request: &str) -> Result<String, ClientError> {
        self.send_within(request, self.timeouts.command)
    }

    /// Sends a command and waits for the answer no longer than `limit`. After any error but a refusal the engine is
    /// gone, and every later command returns that error again.
    pub fn send_within(&mut self, request: &str, limit: Duration) -> Result<String, ClientError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let deadline = Instant::now() + limit;
        if let Some(requests) = &self.requests {
            // If its input is closed the engine has ended, which reading tells better.
            let _ = requests.send(format!("{request}\n"));
        }
        self.receive(request, deadline, limit).inspect_err(|error| {
            if error.is_fatal() {
                self.failure = Some(error.clone());
            }
        })
    }

    fn receive(&mut self, request: &str, deadline: Instant, limit: Duration) -> Result<String, ClientError> {
        let mut response: Vec<String> = Vec::new();
        let mut stray_lines = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => return Err(self.stopped(request)),
                Err(RecvTimeoutError::Timeout) if left > STOP_INTERVAL => continue,
                Err(RecvTimeoutError::Timeout) => return Err(self.timed_out(request, limit)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died(request)),
            };
            if response.is_empty() {
                if line.starts_with(['=', '?']) {
                    response.push(line);
                } else if !line.is_empty() {
                    stray_lines += 1;
                    if stray_lines > MAX_STRAY_LINES {
                        return Err(self.garbage(request, &line));
                    }
                }
            } else if line.is_empty() {
                break;
            } else if response.len() >= MAX_RESPONSE_LINES {
                return Err(self.garbage(request, &line));
            } else {
                response.push(line);
            }
        }
        let is_success = response[0].starts_with('=');
        let text = response.join("\n")[1..].trim().to_owned();
        if is_success {
            return Ok(text);
        }
        Err(ClientError::Refused {
            command_line: self.command_line.clone(),
            request: request.to_owned(),
            message: text,
        })
    }

    /// GTP cannot ask an engine to stop: it is ended.
    fn stopped(&mut self, request: &str) -> ClientError {
        self.end();
        ClientError::Stopped { command_line: self.command_line.clone(), request: request.to_owned() }
    }

    fn timed_out(&mut self, request: &str, limit: Duration) -> ClientError {
        self.end();
        ClientError::TimedOut {
            command_line: self.command_line.clone(),
            request: request.to_owned(),
            seconds: limit.as_secs_f64(),
            stderr: self.last_words(),
        }
    }

    fn died(&mut self, request: &str) -> ClientError {
        // Its output is closed: it has ended or is about to, and a child that only closed its output is of no use.
        let ended = self.wait(Duration::from_millis(500));
        let status = ended.map_or("it closed its output".to_owned(), |status| status.to_string());
        self.end();
        ClientError::Died {
            command_line: self.command_line.clone(),
            request: request.to_owned(),
            status,
            stderr: self.last_words(),
        }
    }

    /// Ends an engine whose answer makes no sense.
    pub(super) fn garbage(&mut self, request: &str, answer: &str) -> ClientError {
        self.end();
        let error = ClientError::Garbage {
            command_line: self.command_line.clone(),
            request: request.to_owned(),
            answer: answer.chars().take(80).collect(),
            stderr: self.last_words(),
        };
        self.failure = Some(error.clone());
        error
    }

    /// Waits for the child to end, up to a limit.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = lock(&self.child).try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills and reaps the child; harmless if it has ended.
    fn end(&mut self) {
        self.requests = None;
        // Both fail only if the child has ended and was reaped.
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }

    fn last_words(&self) -> LastWords {
        // What it wrote just before it ended may still be on its way.
        thread::sleep(Duration::from_millis(20));
        let lines = lock(&self.stderr);
        LastWords(lines.iter().cloned().collect())
    }

    /// Asks the engine to end, and kills it if it does not within a second.
    pub fn quit(mut self) {
        if self.failure.is_none() {
            let _ = self.send_within("quit", Duration::from_secs(1));
            self.requests = None;
            self.wait(Duration::from_secs(1));
        }
    }
}

/// See [`Client::killer`].
#[derive(Clone, Debug)]
pub struct Killer(Arc<Mutex<Child>>);

impl Killer {
    /// Ends the engine; a command that waits for its answer fails.
    pub fn kill(&self) {
        // It fails only if the engine has ended.
        let _ = lock(&self.0).kill();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

/// Passes the child's lines on, each bounded, until it or the client ends.
fn pass_on(mut stdout: impl BufRead, lines: &SyncSender<String>) {
    while let Ok(Some(line)) = read_line(&mut stdout) {
        let text = String::from_utf8_lossy(&line.bytes);
        if lines.send(text.trim_end().to_owned()).is_err() {
            return;
        }
    }
}

/// Keeps the last lines of the child's standard error.
fn keep_last(stderr: impl Read, last: &Mutex<VecDeque<String>>) {
    let mut stderr = BufReader::new(stderr);
    while let Ok(Some(line)) = read_line(&mut stderr) {
        let text: String = String::from_utf8_lossy(&line.bytes).trim_end().chars().take(300).collect();
        if text.is_empty() {
            continue;
        }
        let mut last = lock(last);
        if last.len() == STDERR_LINES {
            last.pop_front();
        }
        last.push_back(text);
    }
}
