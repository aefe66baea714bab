//! After both have passed: dead stones are proposed, changed and agreed upon, or play goes on.

use tengen_board::{Outcome, Vertex, count, sgf::NodeId};
use tengen_engine::reading::status::dead_stones;

use super::Table;
use crate::{
    error::WebError,
    protocol::{CountView, Phase, rows, sign},
};

/// A count under way.
#[derive(Clone)]
pub(super) struct Counting {
    /// The position.
    pub(super) node: NodeId,
    /// The engine's opinion.
    proposal: Vec<Vertex>,
    /// What counts as dead.
    dead: Vec<Vertex>,
    /// Whether the two could not agree.
    is_disputed: bool,
}

impl Counting {
    /// Stones about which the opinions differ.
    fn differences(&self) -> Vec<Vertex> {
        let only_in =
            |a: &[Vertex], b: &[Vertex]| a.iter().copied().filter(|v| !b.contains(v)).collect::<Vec<_>>();
        [only_in(&self.proposal, &self.dead), only_in(&self.dead, &self.proposal)].concat()
    }
}

impl Table {
    /// Begins to count when both have passed; between two engines the proposal is the result.
    pub(super) fn update_counting(&mut self) {
        if self.phase() != Phase::Count {
            return;
        }
        if self.counting.as_ref().is_none_or(|counting| counting.node != self.node) {
            let proposal = dead_stones(&self.game);
            let dead = proposal.clone();
            self.counting = Some(Counting { node: self.node, proposal, dead, is_disputed: false });
        }
        if self.seats.engines() == 2 && !self.paused {
            self.conclude();
        }
    }

    fn counting(&mut self) -> Result<&mut Counting, WebError> {
        let is_counting = self.phase() == Phase::Count;
        self.counting
            .as_mut()
            .filter(|_| is_counting)
            .ok_or(WebError::NotNow("Stones are counted after both have passed."))
    }

    pub(super) fn toggle_dead(&mut self, v: Vertex) -> Result<(), WebError> {
        let board = self.game.board();
        if !board.contains(v) || board.color_at(v).is_none() {
            return Err(WebError::NotNow("There is no stone to mark there."));
        }
        let chain: Vec<_> = board.chain_stones(board.chain(v)).collect();
        let counting = self.counting()?;
        if counting.dead.contains(&v) {
            counting.dead.retain(|stone| !chain.contains(stone));
        } else {
            counting.dead.extend(chain);
        }
        counting.is_disputed = false;
        Ok(())
    }

    /// Ends the game with the count, unless an engine plays that is of another opinion.
    pub(super) fn accept(&mut self, anyway: bool) -> Result<(), WebError> {
        let has_opponent = self.seats.engines() == 1;
        let counting = self.counting()?;
        if has_opponent && !anyway && !counting.differences().is_empty() {
            counting.is_disputed = true;
            return Ok(());
        }
        self.conclude();
        Ok(())
    }

    fn conclude(&mut self) {
        let dead = self.counting.as_ref().map(|counting| counting.dead.clone()).unwrap_or_default();
        self.end(Outcome::from_score(self.game.score(&dead)));
        self.store_soon();
    }

    pub(super) fn take_proposal(&mut self) -> Result<(), WebError> {
        let counting = self.counting()?;
        counting.dead.clone_from(&counting.proposal);
        counting.is_disputed = false;
        Ok(())
    }

    /// Goes on playing. From here on stones have to be captured to be dead, as far as our players are concerned.
    pub(super) fn resume(&mut self) -> Result<(), WebError> {
        self.counting()?;
        self.resumed_at = self.game.moves().len();
        self.counting = None;
        self.paused = false;
        Ok(())
    }

    /// As the page shows it.
    pub(super) fn count_view(&self) -> Option<CountView> {
        let counting = self.counting.as_ref().filter(|counting| counting.node == self.node)?;
        let board = self.game.board();
        let count = count(board, self.game.rules(), self.game.compensated_handicap(), &counting.dead);
        Some(CountView {
            dead: counting.dead.clone(),
            owners: rows(board, |v| sign(count.owners[v])),
            stones: count.stones.0,
            territory: count.territory.0,
            prisoners: count.prisoners.0,
            komi: count.komi,
            bonus: count.bonus,
            outcome: Outcome::from_score(count.score()).to_string(),
            disputed: if counting.is_disputed { counting.differences() } else { Vec::new() },
        })
    }
}
