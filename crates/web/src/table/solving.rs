//! Solving a problem: the solver's moves are judged by the file, and by the engine where the file cannot know all that is good; the
//! opponent's answers come by themselves, and wrong moves are refuted, by the file or by the engine. Progress is kept; what is tried
//! is not.

use std::sync::Arc;

use tengen_board::{
    Color, Move,
    sgf::{NodeId, Record},
};
use tengen_engine::{players::StopSignal, search::SearchReport};
use tengen_lab::{
    notes,
    problems::{Problem, Step},
    review::Class,
};

use super::{Table, record, teaching::Purpose};
use crate::{
    error::WebError,
    lobby::Lobby,
    protocol::{ProblemState, ProblemView},
};

/// A problem that is being solved.
pub(super) struct Solving {
    problem: Problem,
    key: String,
    /// Where its record stands; nowhere after a move that it does not have.
    at: Option<NodeId>,
    state: ProblemState,
    /// The position for which the engine looks for a refutation.
    pub(super) refuting: Option<NodeId>,
}

impl Table {
    /// The problem of this number in a file.
    pub(crate) fn solve(
        lobby: &Arc<Lobby>,
        id: String,
        sgf: &[u8],
        number: usize,
        stop: &StopSignal,
    ) -> Result<Table, WebError> {
        let full = record::read(sgf, number, stop)?;
        let game = record::game_at(&full, full.root())?;
        // The page is told the position, and no move of the solution.
        let mut bare = Record::new();
        let root = bare.root();
        for property in full.node(full.root()).properties() {
            bare.node_mut(root).set(&property.identifier, property.values.clone());
        }
        notes::forget(&mut bare, root);
        let problem = Problem::new(full);
        let key = problem.key().map_err(|error| WebError::Record(error.to_string()))?;
        let at = Some(problem.record().root());
        let mut table = Table::at(lobby, id, bare, game);
        (table.is_study, table.paused) = (true, true);
        table.solving = Some(Solving { problem, key, at, state: ProblemState::Open, refuting: None });
        Ok(table)
    }

    pub(super) fn problem_view(&self) -> Option<ProblemView> {
        let solving = self.solving.as_ref()?;
        Some(ProblemView { state: solving.state, to_play: self.solver()? })
    }

    /// Whose moves are asked for.
    fn solver(&self) -> Option<Color> {
        self.solving.as_ref().and_then(|solving| solving.problem.position().ok()).map(|game| game.to_play())
    }

    /// Whether the next move is judged.
    pub(super) fn is_asked(&self) -> bool {
        self.solving.as_ref().is_some_and(|solving| solving.state == ProblemState::Open)
    }

    /// A move of the solver.
    pub(super) fn answer_problem(&mut self, mv: Move) -> Result<(), WebError> {
        let Some(solving) = &self.solving else { return Ok(()) };
        let step = solving.at.map_or(Step::Wrong { reply: None }, |at| solving.problem.step(at, mv));
        if step == Step::Unknown {
            let before = self.known_in(solving.problem.record(), solving.problem.record().root());
            return self.look_at(mv, before, Purpose::Answer);
        }
        self.answered_with(mv, step)
    }

    /// The engine has judged a move of the solver that the file does not know, if it could.
    pub(super) fn judged(
        &mut self,
        mv: Move,
        lost: Option<f32>,
        reply: Option<Move>,
    ) -> Result<(), WebError> {
        let is_as_good = lost.is_some_and(|lost| Class::of(lost.into()) == Class::Excellent);
        self.answered_with(mv, if is_as_good { Step::Solved { reply: None } } else { Step::Wrong { reply } })
    }

    /// Plays a move of the solver, and what it leads to.
    fn answered_with(&mut self, mv: Move, step: Step) -> Result<(), WebError> {
        self.play(mv)?;
        let node = self.node;
        let Some(solving) = &mut self.solving else { return Ok(()) };
        let reply = match step {
            Step::Solved { reply } => {
                solving.state = ProblemState::Solved;
                self.keep_progress(true)?;
                reply
            }
            Step::GoOn { reply, at } => {
                solving.at = Some(at);
                Some(reply)
            }
            Step::Unknown => None,
            Step::Wrong { reply } => {
                solving.state = ProblemState::Wrong;
                solving.refuting = reply.is_none().then_some(node);
                self.keep_progress(false)?;
                reply
            }
        };
        match reply {
            Some(reply) if self.game.check(reply).is_ok() => self.play(reply),
            _ => Ok(()),
        }
    }

    /// The engine has looked at the position after a wrong move: it answers.
    pub(super) fn refuted(&mut self, report: Option<&SearchReport>) -> Result<(), WebError> {
        let Some(solving) = &mut self.solving else { return Ok(()) };
        solving.refuting = None;
        match report.and_then(|report| report.moves.first()).map(|best| best.mv) {
            Some(mv) if self.game.check(mv).is_ok() => self.play(mv),
            _ => Ok(()),
        }
    }

    /// Begins the problem again.
    pub(super) fn try_problem_again(&mut self) -> Result<(), WebError> {
        let Some(solving) = &mut self.solving else { return Err(NO_PROBLEM) };
        solving.at = Some(solving.problem.record().root());
        (solving.state, solving.refuting) = (ProblemState::Open, None);
        self.show(self.record.root())
    }

    /// Shows the right line, as a variation from the beginning.
    pub(super) fn show_solution(&mut self) -> Result<(), WebError> {
        let Some(solving) = &mut self.solving else { return Err(NO_PROBLEM) };
        let line = solving.problem.solution();
        (solving.state, solving.refuting) = (ProblemState::Shown, None);
        self.show(self.record.root())?;
        for mv in line {
            if self.game.check(mv).is_err() {
                break;
            }
            self.play(mv)?;
        }
        self.keep_progress(false)
    }

    /// What was solved stays solved.
    fn keep_progress(&self, is_solved: bool) -> Result<(), WebError> {
        let Some(solving) = &self.solving else { return Ok(()) };
        let store = self.lobby.store();
        let known = store.recall(&solving.key).map_err(|error| WebError::Store(error.to_string()))?;
        if known.as_deref() == Some(SOLVED) {
            return Ok(());
        }
        let text = if is_solved { SOLVED } else { TRIED };
        store.remember(&solving.key, text).map_err(|error| WebError::Store(error.to_string()))
    }
}

const NO_PROBLEM: WebError = WebError::NotNow("No problem is open here.");

/// What is remembered of a problem.
pub(crate) const SOLVED: &str = "solved";
const TRIED: &str = "tried";
