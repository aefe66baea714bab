//! Moves that are looked at before they are played: with the teaching seat, one that would lose many points is not played before the
//! player is warned; in a review, the player is told what another move than the one played would have cost; in a problem, a move that
//! the file does not know may be as good as the right one.

use std::time::Duration;

use tengen_board::{Move, sgf::NodeId};
use tengen_engine::{
    players::Limits,
    search::{SearchReport, value_for},
};
use tengen_lab::{loss::Evaluation, notes, review::Class};

use super::Table;
use crate::{
    error::WebError,
    protocol::{Judgement, Message},
};

/// How long each of the two positions is looked at: the one before the move, and the one after it.
pub(super) const LOOK: Limits =
    Limits { playouts: None, time: Some(Duration::from_millis(400)), clock: None };
/// Winning chances with which a player can afford to lose twice as much.
const FAR_AHEAD: f32 = 0.9;

/// A move that is looked at before it is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) node: NodeId,
    mv: Move,
    /// What the position is worth before the move, once that is known.
    before: Option<Evaluation>,
    purpose: Purpose,
}

/// What becomes of a move that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is played, unless the player has to be warned.
    Play,
    /// It is only judged, and not played whatever it costs.
    Trial,
    /// It answers a problem.
    Answer,
}

impl Check {
    /// The move after which the position is looked at next; none while it is the one before.
    pub(super) fn after(&self) -> Option<Move> {
        self.before.map(|_| self.mv)
    }
}

impl Table {
    /// Whether a move of the human's is looked at before it is played.
    pub(super) fn is_taught(&self) -> bool {
        self.teach.is_some() && !self.is_studied() && self.human() == Some(self.game.to_play())
    }

    /// Has a move looked at; it is played, or the player is warned, when that is done.
    pub(super) fn check(&mut self, mv: Move) -> Result<(), WebError> {
        self.look_at(mv, None, Purpose::Play)
    }

    /// Has a move judged that the player thinks is better than the one of the record.
    pub(super) fn try_move(&mut self, mv: Move) -> Result<(), WebError> {
        if !self.is_studied() {
            return Err(WebError::NotNow("Moves are tried in records and in games that have ended."));
        }
        self.look_at(mv, self.known(self.node), Purpose::Trial)
    }

    /// Has a move looked at, after the position before it unless that is known.
    pub(super) fn look_at(
        &mut self,
        mv: Move,
        before: Option<Evaluation>,
        purpose: Purpose,
    ) -> Result<(), WebError> {
        self.game.check(mv).map_err(|why| WebError::Move(format!("{mv} is not possible: {why}.")))?;
        self.thinking.check = Some(Check { node: self.node, mv, before, purpose });
        Ok(())
    }

    /// One of the two positions has been looked at.
    pub(super) fn checked(&mut self, check: Check, report: Option<&SearchReport>) -> Result<(), WebError> {
        let Some(before) = check.before else {
            // Where nothing is known nothing is said.
            let Some(before) = self.known(self.node) else {
                return self.looked_in_vain(check);
            };
            self.thinking.check = Some(Check { before: Some(before), ..check });
            return Ok(());
        };
        let color = self.game.to_play();
        let Some((report, answer)) = report.and_then(|report| Some((report, report.moves.first()?))) else {
            return self.looked_in_vain(check);
        };
        let after = Evaluation { value: report.black_value, score: report.score };
        let is_best = notes::expected(&self.record, self.node).first() == Some(&check.mv);
        let lost = if is_best { 0.0 } else { before.lost(after, color).points };
        let line = answer.line.iter().copied().take(super::view::LINE).collect();
        let judgement =
            Judgement { node: self.node.number(), at: check.mv, lost, class: Class::of(lost.into()), line };
        match check.purpose {
            Purpose::Play => {}
            Purpose::Trial => {
                self.send(&Message::Tried(judgement));
                return Ok(());
            }
            Purpose::Answer => return self.judged(check.mv, Some(lost), judgement.line.first().copied()),
        }
        if self.teach.is_none_or(|limit| lost <= allowed(limit, value_for(after.value, color))) {
            return self.human_moves(check.mv);
        }
        self.send(&Message::Warning(judgement));
        Ok(())
    }

    /// Nothing is known about a move.
    fn looked_in_vain(&mut self, check: Check) -> Result<(), WebError> {
        match check.purpose {
            Purpose::Play => self.human_moves(check.mv),
            Purpose::Trial => Ok(()),
            Purpose::Answer => self.judged(check.mv, None, None),
        }
    }
}

/// Points that a move may lose with these winning chances after it.
fn allowed(limit: f32, chances: f32) -> f32 {
    if chances >= FAR_AHEAD { 2.0 * limit } else { limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_far_ahead_may_lose_twice_as_much() {
        assert_eq!([allowed(3.0, 0.5), allowed(3.0, 0.95)], [3.0, 6.0]);
    }
}
