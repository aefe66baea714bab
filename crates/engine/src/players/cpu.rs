//! How much CPU time a player uses.

use std::time::Duration;

use crate::gtp::Client;
use cpu_time::{ProcessTime, ThreadTime};

/// How the CPU time of one of our own players is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meter {
    /// The player thinks on the calling thread.
    Thread,
    /// It has threads of its own, and nothing else runs meanwhile.
    Process,
    /// It has threads of its own, and so have others; or it is another program.
    Unknown,
}

impl Meter {
    /// The right one for a player with so many threads that is alone in the process.
    pub fn new(threads: usize) -> Meter {
        if threads > 1 { Meter::Process } else { Meter::Thread }
    }

    /// The same where so many games are played at a time.
    #[must_use]
    pub fn shared(self, games: usize) -> Meter {
        if self == Meter::Process && games > 1 { Meter::Unknown } else { self }
    }

    /// Runs `think` and measures it.
    pub fn measure<T>(self, think: impl FnOnce() -> T) -> (T, Option<Duration>) {
        match self {
            Meter::Thread => {
                let clock = ThreadTime::now();
                (think(), Some(clock.elapsed()))
            }
            Meter::Process => {
                let clock = ProcessTime::now();
                (think(), Some(clock.elapsed()))
            }
            Meter::Unknown => (think(), None),
        }
    }
}

/// The CPU seconds that another engine has used since it was started: as it says itself, else as the system knows.
pub(crate) fn of_engine(client: &mut Client) -> Option<f64> {
    for command in ["gomill-cpu_time", "cputime"] {
        if client.knows(command).ok()? {
            let answer = client.send(command).ok().and_then(|answer| answer.trim().parse().ok());
            if answer.is_some() {
                return answer;
            }
        }
    }
    of_process(client.pid())
}

/// From `/proc/PID/stat` (see proc(5)): user and system time are the fields 14 and 15, counted after the name in
/// parentheses, which may contain spaces. Linux reports them in hundredths of a second on every architecture.
#[cfg(target_os = "linux")]
fn of_process(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((ticks(14)? + ticks(15)?) as f64 / 100.0)
}

#[cfg(not(target_os = "linux"))]
fn of_process(_pid: u32) -> Option<f64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_knows_the_time_of_a_process() {
        let before = of_process(std::process::id()).unwrap();
        let clock = ProcessTime::now();
        while clock.elapsed() < Duration::from_millis(50) {}
        let used = of_process(std::process::id()).unwrap() - before;
        assert!((0.03..5.0).contains(&used), "{used}");
    }
}
