//! Analysing a whole game in the background, and the moves that cost most.

use tengen_board::sgf::NodeId;
use tengen_engine::report::value_for;

use super::{
    Table,
    record::{self, evaluation},
    thinking::{ANALYST, start},
};
use crate::{
    error::WebError,
    protocol::{Message, Mistake, Review},
    settings::Seat,
    thinker::{Answer, Limits, Question, Thinker},
};

/// Most playouts a position.
const MAX_PLAYOUTS: u64 = 100_000;
/// Longest list of mistakes.
const MAX_MISTAKES: usize = 10;
/// Winning chances that a move must lose to be listed.
const MIN_LOSS: f32 = 0.04;

/// A review, under way or done.
pub(super) struct ReviewRun {
    nodes: Vec<NodeId>,
    done: usize,
    playouts: u64,
    is_running: bool,
    thinker: Option<Thinker>,
    /// The number of the current job; 0 if there is none.
    job: u64,
}

impl Table {
    pub(super) fn begin_review(&mut self, playouts: u64) -> Result<(), WebError> {
        if !(1..=MAX_PLAYOUTS).contains(&playouts) {
            return Err(WebError::Setting(format!("playouts must be from 1 to {MAX_PLAYOUTS}")));
        }
        let nodes = self.line();
        if nodes.len() < 2 {
            return Err(WebError::NotNow("There are no moves to analyse yet."));
        }
        self.review = Some(ReviewRun { nodes, done: 0, playouts, is_running: true, thinker: None, job: 0 });
        Ok(())
    }

    pub(super) fn end_review(&mut self) {
        if let Some(review) = &mut self.review {
            (review.is_running, review.thinker, review.job) = (false, None, 0);
        }
        self.tell_review();
    }

    pub(super) fn is_review(&self, job: u64) -> bool {
        self.review.as_ref().is_some_and(|review| review.job == job)
    }

    /// Gives the reviewer its next position; without a page it rests.
    pub(super) fn update_review(&mut self) {
        let is_watched = !self.clients.is_empty();
        let Some(review) = self.review.as_mut().filter(|review| review.is_running) else { return };
        if !is_watched {
            (review.thinker, review.job) = (None, 0);
            return;
        }
        if review.job != 0 {
            return;
        }
        // Nothing is to be found out after the end.
        let is_finished = |node: &NodeId| {
            let moves = self.record.path(*node).into_iter().rev().map(|n| record::move_of(&self.record, n));
            moves.take_while(|m| m.is_some_and(|(_, mv)| mv.is_pass())).count() >= 2
        };
        while review.nodes.get(review.done).is_some_and(is_finished) {
            review.done += 1;
        }
        let Some(&node) = review.nodes.get(review.done) else { return self.end_review() };
        let Ok(game) = self.record.game_at(node) else { return self.end_review() };
        let job = self.thinking.next_id();
        let seat =
            Seat::Engine { player: ANALYST.to_owned(), playouts: Some(review.playouts), seconds: None };
        if review.thinker.is_none() {
            let Ok(Some(mut spec)) = self.lobby.roster().admit(&seat) else { return self.end_review() };
            // In the background: the other cores are for whoever plays.
            spec.options.threads = Some(1);
            review.thinker = Some(start(spec, &self.events));
        }
        review.job = job;
        if let Some(thinker) = &mut review.thinker {
            thinker.ask(job, Question::Opinion, &game, Limits::default());
        }
    }

    pub(super) fn reviewed(&mut self, answer: Answer) {
        let Some(review) = &mut self.review else { return };
        match answer {
            Answer::Report(..) => return,
            Answer::Failed(_, error) => {
                self.notice = Some(format!("the analysis has failed: {error}"));
                self.end_review();
                return self.changed();
            }
            Answer::Done(_, _, report) => {
                let node = review.nodes[review.done];
                review.done += 1;
                review.job = 0;
                if let Some(report) = report {
                    self.note(node, &report);
                    self.send_node(node);
                }
            }
        }
        self.update_review();
        self.tell_review();
        self.store_soon();
    }

    fn tell_review(&mut self) {
        if let Some(message) = self.review_message() {
            self.send(&message);
        }
    }

    pub(super) fn review_message(&self) -> Option<Message> {
        let review = self.review.as_ref()?;
        Some(Message::Review(Review {
            done: review.done,
            total: review.nodes.len(),
            running: review.is_running,
            mistakes: self.mistakes(&review.nodes),
        }))
    }

    /// The moves of a line after which the mover stood worse than before, the worst first.
    fn mistakes(&self, nodes: &[NodeId]) -> Vec<Mistake> {
        let mut mistakes: Vec<_> = nodes
            .windows(2)
            .enumerate()
            .filter_map(|(i, pair)| {
                let (color, at) = record::move_of(&self.record, pair[1])?;
                let before = evaluation(&self.record, pair[0])?;
                let after = evaluation(&self.record, pair[1])?;
                let better = self.lines.get(&pair[0]).cloned().unwrap_or_default();
                let is_same = better.first() == Some(&at);
                Some(Mistake {
                    node: pair[1].number(),
                    number: i + 1,
                    color,
                    at,
                    loss: value_for(before.value, color) - value_for(after.value, color),
                    points: (before.score - after.score) * color.sign() as f32,
                    better,
                })
                .filter(|mistake| mistake.loss >= MIN_LOSS && !is_same)
            })
            .collect();
        mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        mistakes.truncate(MAX_MISTAKES);
        mistakes
    }
}
