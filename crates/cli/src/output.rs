//! What goes to the terminal: results to stdout, progress and remarks to stderr.

use std::{
    io::{self, IsTerminal, Write},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::OutputArgs;

/// Ends the program as soon as nobody can read its standard output any more, whatever it is doing. Writing would tell as well, but
/// a search may have nothing to say for a long time.
pub(crate) fn end_with_reader() {
    #[cfg(unix)]
    thread::spawn(|| {
        use rustix::event::{PollFd, PollFlags, poll};
        let stdout = io::stdout();
        // That nobody reads is reported unasked.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            std::process::exit(0);
        }
    });
}

/// A number of things: `1 game`, `2 games`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// How long something takes before it shows progress.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a command writes.
pub(crate) struct Output {
    quiet: bool,
    verbose: bool,
}

impl Output {
    pub(crate) fn new(args: &OutputArgs) -> Output {
        Output { quiet: args.quiet, verbose: args.verbose }
    }

    /// A line of a result.
    #[allow(clippy::unused_self, reason = "everything a command prints goes through its output")]
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        Ok(writeln!(io::stdout().lock(), "{}", text.as_ref())?)
    }

    /// A result as one JSON object.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> Result<()> {
        self.line(serde_json::to_string(value)?)
    }

    /// Something worth knowing only with `--verbose`.
    pub(crate) fn detail(&self, text: impl AsRef<str>) {
        if self.verbose {
            eprintln!("{}", text.as_ref());
        }
    }

    /// How something long goes on, unless `--quiet`.
    pub(crate) fn remark(&self, text: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{}", text.as_ref());
        }
    }

    /// The same for whoever has something to remark in another thread.
    pub(crate) fn remarks(&self) -> std::sync::Arc<dyn Fn(String) + Send + Sync> {
        let quiet = self.quiet;
        std::sync::Arc::new(move |text| {
            if !quiet {
                eprintln!("{text}");
            }
        })
    }

    /// Whether progress is to be shown at all.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet
    }

    /// A bar for work of known duration; hidden if it is short, on a pipe, or with `--quiet`.
    pub(crate) fn bar(&self, length: u64, duration: Option<Duration>, unit: &str) -> ProgressBar {
        let is_short = duration.is_some_and(|duration| duration <= PATIENCE);
        if self.quiet || is_short || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {unit} {{msg}}"));
        ProgressBar::new(length).with_style(style.expect("the template is valid"))
    }

    /// Shows that something of unknown duration goes on, once it has taken two seconds, until it is dropped.
    pub(crate) fn spinner(&self, message: &str) -> Spinner {
        if self.quiet || !io::stderr().is_terminal() {
            return Spinner(None);
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let message = message.to_owned();
        let thread = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::new_spinner().with_message(message);
                spinner.enable_steady_tick(Duration::from_millis(120));
                // Returns when the sender is dropped.
                let _ = stopped.recv();
                spinner.finish_and_clear();
            }
        });
        Spinner(Some((stop, thread)))
    }
}

/// See [`Output::spinner`].
pub(crate) struct Spinner(Option<(mpsc::Sender<()>, JoinHandle<()>)>);

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}
