//! Playing, taking back, looking at other positions.

use tengen_board::{Color, Move, Outcome, Reason, sgf::NodeId};
use tengen_lab::notes;

use super::{MAX_NODES, Table, record};
use crate::{auto_level::AutoLevel, error::WebError, protocol::Phase, settings::Seats};

impl Table {
    pub(super) fn phase(&self) -> Phase {
        if self.outcome_here().is_some() {
            return Phase::Over;
        }
        let resumed_at = self.resumed_at.min(self.game.moves().len());
        let passes = self.game.passes().min(self.game.moves().len() - resumed_at);
        if passes >= 2 { Phase::Count } else { Phase::Play }
    }

    /// How the game, or a line that was tried, has ended here.
    pub(super) fn outcome_here(&self) -> Option<Outcome> {
        let mut ends = [self.tried, self.ended].into_iter().flatten();
        ends.find(|(node, _)| *node == self.node).map(|(_, outcome)| outcome)
    }

    /// Whether moves are only tried, as variations: in a record from a file, and in a game that has ended.
    pub(super) fn is_studied(&self) -> bool {
        self.is_study || self.ended.is_some()
    }

    /// A move from the page, for whoever is to move there.
    pub(super) fn human_plays(&mut self, mv: Move, anyway: bool) -> Result<(), WebError> {
        // What might have been played instead of giving up can be tried.
        let is_open = self.phase() == Phase::Over && self.is_studied() && self.game.passes() < 2;
        if self.phase() != Phase::Play && !is_open {
            return Err(WebError::NotNow("The game has ended: go back a move, or begin another game."));
        }
        if self.is_asked() {
            return self.answer_problem(mv);
        }
        // An engine's turn can be taken over where the game stands still.
        if self.seats.of(self.game.to_play()).is_engine() && !self.paused {
            return Err(WebError::NotNow("It is not your turn."));
        }
        if self.is_taught() && !anyway && !mv.is_pass() { self.check(mv) } else { self.human_moves(mv) }
    }

    /// Plays the human's move.
    pub(super) fn human_moves(&mut self, mv: Move) -> Result<(), WebError> {
        self.play(mv)?;
        self.paused &= self.is_studied();
        Ok(())
    }

    /// Plays a move and adds it to the record, unless it is there.
    pub(super) fn play(&mut self, mv: Move) -> Result<(), WebError> {
        let color = self.game.to_play();
        self.game.check(mv).map_err(|why| WebError::Move(format!("{mv} is not possible: {why}.")))?;
        let known = self.continuation(self.node, color, mv);
        if known.is_none() && self.record.len() >= MAX_NODES {
            return Err(WebError::Limit("This record is full: save it and begin another game."));
        }
        if !self.clocks.moved(color) {
            self.end(Outcome::Win { winner: !color, by: Reason::Time });
            return Ok(());
        }
        self.game.play_unchecked(mv);
        let parent = self.node;
        let node = known.unwrap_or_else(|| self.change_record(parent).add_move(parent, color, mv));
        let clocks = self.clocks.clone();
        clocks.write(self.change_record(node), node);
        let is_studied = self.is_studied();
        if known.is_none() || !is_studied {
            let siblings: Vec<_> = self.record.children(parent).collect();
            if !is_studied && siblings.first() != Some(&node) {
                self.change_record(node).promote(node);
                self.storing.note_all(&siblings);
            }
            self.news.extend(siblings);
        }
        self.follow(node);
        Ok(())
    }

    /// The node of a move after a position, if the record has it.
    pub(super) fn continuation(&self, node: NodeId, color: Color, mv: Move) -> Option<NodeId> {
        self.record.children(node).find(|&child| notes::move_of(&self.record, child) == Some((color, mv)))
    }

    /// Makes a node the one that is shown.
    fn follow(&mut self, node: NodeId) {
        if let Some(parent) = self.record.parent(node) {
            self.followed.insert(parent, node);
        }
        self.node = node;
        self.counting = None;
    }

    /// Ends the game here, or the line that is tried: a record that is studied keeps its own result.
    pub(super) fn end(&mut self, outcome: Outcome) {
        if self.is_studied() {
            self.tried = Some((self.node, outcome));
        } else {
            self.ended = Some((self.node, outcome));
            let root = self.record.root();
            self.change_record(root).set_text(root, "RE", &outcome.to_string());
            self.note_level(outcome);
        }
        self.paused = true;
        if let Some(score) = outcome.score() {
            self.note_count(score);
        }
        self.counting = self.counting.take().filter(|counting| counting.node == self.node);
    }

    /// The level follows the result, if it is to.
    fn note_level(&mut self, outcome: Outcome) {
        let (Some(human), Some(winner)) = (self.human().filter(|_| self.auto), outcome.winner()) else {
            return;
        };
        let board = self.game.board();
        let level = AutoLevel::new(self.lobby.store(), board.width(), board.height());
        if let Err(error) = level.note(winner == human) {
            self.notice = Some(error.to_string());
        }
    }

    pub(super) fn resign(&mut self) -> Result<(), WebError> {
        if self.phase() == Phase::Over {
            return Err(WebError::NotNow("The game is over already."));
        }
        let loser = self.human().unwrap_or(self.game.to_play());
        self.end(Outcome::Win { winner: !loser, by: Reason::Resignation });
        Ok(())
    }

    /// Takes back one move. It stays in the record as a variation.
    pub(super) fn undo(&mut self) -> Result<(), WebError> {
        let parent = self.record.parent(self.node);
        self.show(parent.ok_or(WebError::NotNow("There is nothing to take back."))?)?;
        // What an engine took back it would play again at once.
        let is_still = self.paused && self.is_studied();
        self.paused = is_still || self.seats.of(self.game.to_play()).is_engine() || self.seats.engines() == 2;
        Ok(())
    }

    /// Takes back moves until it is the human's turn again.
    pub(super) fn take_back(&mut self) -> Result<(), WebError> {
        let Some(human) = self.human() else { return self.undo() };
        let is_own = |&node: &NodeId| notes::move_of(&self.record, node).is_some_and(|(c, _)| c == human);
        let last = self.record.path(self.node).into_iter().rev().find(is_own);
        let target = last.and_then(|node| self.record.parent(node));
        self.show(target.ok_or(WebError::NotNow("There is nothing to take back."))?)?;
        self.paused &= self.is_studied();
        Ok(())
    }

    /// Shows another position.
    pub(super) fn go_to(&mut self, number: u32) -> Result<(), WebError> {
        let node = self.record.find(number).ok_or(WebError::NotNow("The record has no such position."))?;
        if node != self.node {
            self.show(node)?;
            self.paused = true;
        }
        Ok(())
    }

    pub(super) fn show(&mut self, node: NodeId) -> Result<(), WebError> {
        self.game = record::game_at(&self.record, node)?;
        for pair in self.record.path(node).windows(2) {
            self.followed.insert(pair[0], pair[1]);
        }
        self.follow(node);
        self.clocks.read(&self.record, node);
        if self.game.moves().len() < self.resumed_at {
            self.resumed_at = 0;
        }
        Ok(())
    }

    /// The line from the beginning over the position shown to its end.
    pub(super) fn line(&self) -> Vec<NodeId> {
        let mut line = self.record.path(self.node);
        let next = |node: &NodeId| {
            let followed = self.followed.get(node).copied();
            followed.or_else(|| self.record.children(*node).next())
        };
        let mut node = self.node;
        while let Some(child) = next(&node) {
            line.push(child);
            node = child;
        }
        line
    }

    /// Engines and clocks go on from the position shown.
    pub(super) fn go_on(&mut self) -> Result<(), WebError> {
        if self.phase() != Phase::Play {
            return Err(WebError::NotNow("The game has ended: go back a move, or begin another game."));
        }
        self.paused = false;
        Ok(())
    }

    /// Other players take over, from the position shown.
    pub(super) fn reseat(&mut self, seats: Seats) -> Result<(), WebError> {
        seats.check(self.lobby.roster())?;
        self.seats = seats;
        self.thinking.forget_players();
        if !self.is_studied() {
            let root = self.record.root();
            let [black, white] = [&self.seats.black, &self.seats.white].map(|seat| seat.name().into_owned());
            let record = self.change_record(root);
            record.set_text(root, "PB", &black);
            record.set_text(root, "PW", &white);
        }
        self.paused = false;
        Ok(())
    }
}
