//! Reviewing a whole game in the background: the analysis and the figures of `tengen review`. What each move has cost is told
//! with its node, as far as it is known; the figures come at the end and are kept with the game.

use std::thread;

use tengen_engine::players::StopSignal;
use tengen_lab::{
    notes,
    review::{self, Progress, ReviewSettings},
};

use super::{Event, Table, thinking::ANALYST};
use crate::{
    error::WebError,
    protocol::{Message, Report, Review},
};

/// Most playouts a position.
const MAX_PLAYOUTS: u64 = 100_000;

/// A review, under way or done.
pub(super) struct ReviewRun {
    /// Its number: news of another one come too late.
    id: u64,
    /// Whose word it is.
    evaluator: String,
    done: usize,
    total: usize,
    is_running: bool,
    stop: StopSignal,
}

impl Drop for ReviewRun {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// What is heard of a review.
pub(crate) enum ReviewNews {
    /// Another position.
    Position(Progress),
    /// Its end: nothing if it was stopped, or why it has failed.
    End(Result<Option<Box<Report>>, String>),
}

impl Table {
    pub(super) fn begin_review(&mut self, playouts: u64) -> Result<(), WebError> {
        if !(1..=MAX_PLAYOUTS).contains(&playouts) {
            return Err(WebError::Setting(format!("playouts must be from 1 to {MAX_PLAYOUTS}")));
        }
        let line = self.line();
        if line.len() < 2 {
            return Err(WebError::NotNow("There are no moves to analyse yet."));
        }
        let mut record = (*self.record).clone();
        for &node in &line {
            record.promote(node);
        }
        // The analyst of the page, so that what both say can be compared.
        let mut player = self.lobby.roster().find(ANALYST)?.clone();
        let evaluator = player.evaluator();
        (player.options.playouts, player.options.time) = (Some(playouts), None);
        // In the background: the other cores are for whoever plays.
        player.options.threads = Some(1);
        let settings = ReviewSettings::new(player, ReviewSettings::DEEPER);
        let (id, stop) = (self.thinking.next_id(), StopSignal::default());
        self.review = Some(ReviewRun {
            id,
            evaluator,
            done: 0,
            total: line.len(),
            is_running: true,
            stop: stop.clone(),
        });
        let events = self.events.clone();
        thread::spawn(move || {
            // The table may be gone.
            let tell = |news| drop(events.send(Event::Review(id, news)));
            let told = |progress| tell(ReviewNews::Position(progress));
            let review = review::review("", &record, &settings, &stop, told);
            let report = |review: review::Review| {
                Box::new(Report {
                    analyst: review.analyst,
                    players: review.players,
                    moments: review.key_moments,
                })
            };
            tell(ReviewNews::End(review.map(|review| review.map(report)).map_err(|error| error.to_string())));
        });
        self.tell_review();
        Ok(())
    }

    pub(super) fn end_review(&mut self) {
        if let Some(review) = &mut self.review {
            review.is_running = false;
            review.stop.stop();
        }
        self.tell_review();
    }

    /// Takes news of a review, unless it is over.
    pub(super) fn reviewed(&mut self, id: u64, news: ReviewNews) {
        let Some(review) = self.review.as_mut().filter(|review| review.id == id && review.is_running) else {
            return;
        };
        match news {
            ReviewNews::Position(Progress { done, total, node, evaluation, line }) => {
                (review.done, review.total) = (done, total);
                let by = review.evaluator.clone();
                let record = self.change_record(node);
                notes::set_evaluation(record, node, evaluation, &by);
                notes::set_expected(record, node, &line);
                self.send_evaluated(node);
                self.tell_review();
            }
            ReviewNews::End(report) => {
                match report {
                    Ok(Some(report)) => self.report = Some(*report),
                    Ok(None) => {}
                    Err(error) => self.notice = Some(format!("the review has failed: {error}")),
                }
                self.end_review();
                self.changed();
            }
        }
        self.store_soon();
    }

    fn tell_review(&mut self) {
        let message = self.review_message();
        self.send(&message);
    }

    pub(super) fn review_message(&self) -> Message {
        let (done, total, running) =
            self.review.as_ref().map_or((0, 0, false), |run| (run.done, run.total, run.is_running));
        Message::Review(Box::new(Review { done, total, running, report: self.report.clone() }))
    }
}
