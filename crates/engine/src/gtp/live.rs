//! A response that is written line by line, while the search that it tells of goes on.
//!
//! A front end that does not read delays what was asked for, not the search: lines that it would not see in time are left out.

use std::sync::{
    Arc, Mutex, PoisonError,
    mpsc::{SyncSender, TrySendError},
};

/// Nobody reads any more.
#[derive(Debug)]
pub(super) struct HungUp;

/// Clones write to the same response.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Of the session, if there is one.
    output: Option<SyncSender<String>>,
    /// The lines, if there is none.
    lines: Arc<Mutex<Vec<String>>>,
}

impl Live {
    /// A response after its first line.
    pub(super) fn new(output: Option<SyncSender<String>>) -> Live {
        Live { output, lines: Arc::default() }
    }

    /// Writes a line; nothing for an empty one, which would end the response.
    pub(super) fn show(&self, line: &str) -> Result<(), HungUp> {
        self.put(line, |output, text| output.send(text).map_err(|_| HungUp))
    }

    /// The same, unless too many lines wait to be read.
    pub(super) fn offer(&self, line: &str) -> Result<(), HungUp> {
        self.put(line, |output, text| match output.try_send(text) {
            Ok(()) | Err(TrySendError::Full(_)) => Ok(()),
            Err(TrySendError::Disconnected(_)) => Err(HungUp),
        })
    }

    fn put(
        &self,
        line: &str,
        write: impl Fn(&SyncSender<String>, String) -> Result<(), HungUp>,
    ) -> Result<(), HungUp> {
        match &self.output {
            _ if line.is_empty() => Ok(()),
            Some(output) => write(output, format!("{line}\n")),
            None => {
                self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
                Ok(())
            }
        }
    }

    /// Whether lines are read as they are written.
    pub(super) fn is_read(&self) -> bool {
        self.output.is_some()
    }

    /// The lines that nobody has read.
    pub(super) fn into_text(self) -> String {
        let lines = std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.join("\n")
    }
}
