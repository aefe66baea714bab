//! Looking at a search while it runs.

use std::{fmt, sync::Arc, time::Duration};

use crate::search::SearchReport;

/// Who wants to see a search while it runs, and how often.
///
/// Reports are shown by the thread that called the search; what is searched does not depend on them.
#[derive(Clone)]
pub struct Watch {
    /// Time until the first report.
    pub first: Duration,
    /// Time between two reports.
    pub every: Duration,
    show: Arc<dyn Fn(&SearchReport) + Send + Sync>,
}

impl Watch {
    /// A report after each interval.
    pub fn new(every: Duration, show: impl Fn(&SearchReport) + Send + Sync + 'static) -> Watch {
        Watch { first: every, every, show: Arc::new(show) }
    }

    /// Another time until the first report.
    #[must_use]
    pub fn with_first(mut self, first: Duration) -> Watch {
        self.first = first;
        self
    }

    /// Shows a report.
    pub fn show(&self, report: &SearchReport) {
        (self.show)(report);
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watch(first {:?}, every {:?})", self.first, self.every)
    }
}
