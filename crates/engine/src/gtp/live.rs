//! A response that is written line by line, while the search that it tells of goes on.

use std::sync::{
    Arc, Mutex, PoisonError,
    mpsc::{SendError, Sender},
};

/// Clones write to the same response.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Of the session, if there is one.
    output: Option<Sender<String>>,
    /// The lines, if there is none.
    lines: Arc<Mutex<Vec<String>>>,
}

impl Live {
    /// A response after its first line.
    pub(super) fn new(output: Option<Sender<String>>) -> Live {
        Live { output, lines: Arc::default() }
    }

    /// Writes a line; nothing for an empty one, which would end the response. Fails when nobody reads any more.
    pub(super) fn show(&self, line: &str) -> Result<(), SendError<String>> {
        match &self.output {
            _ if line.is_empty() => Ok(()),
            Some(output) => output.send(format!("{line}\n")),
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
