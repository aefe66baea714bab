//! Who thinks about what: the player to move, or an analysis while nobody else thinks.

use std::{
    cmp::Ordering,
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use tengen_board::{
    Color, ColorMap, Game, Move, Outcome, Reason, Rules,
    sgf::{NodeId, Record},
};
use tengen_engine::{
    players::{Decision, Limits},
    search::SearchReport,
};
use tengen_lab::{PlayerSpec, Preset, loss::Evaluation, notes};

use super::{
    Event, Table,
    teaching::{self, Check},
};
use crate::{
    error::WebError,
    protocol::{Analysis, Message, Phase, Searcher},
    roster::title,
    settings::Seat,
    thinker::{Answer, Question, Thinker},
};

/// The player that analyses.
pub(super) const ANALYST: &str = Preset::DEFAULT;
/// Who says what a finished game is worth.
const COUNT: &str = "count";
/// An analysis ends after this many playouts, or this long: a page may be left open over night.
const ANALYSIS: Limits = Limits { playouts: Some(400_000), time: Some(Duration::from_mins(2)), clock: None };
/// Between two engines a move takes at least this long, so that one can follow.
const PACE: Duration = Duration::from_millis(400);

/// A search that goes on.
#[derive(Clone, Copy, Debug)]
struct Current {
    id: u64,
    by: Searcher,
    node: NodeId,
    /// The position after this move is searched, not the node's.
    after: Option<Move>,
    begun: Instant,
}

/// The searches of a table.
pub(super) struct Thinking {
    players: ColorMap<Option<Thinker>>,
    analyst: Option<Thinker>,
    current: Option<Current>,
    /// The position whose analysis is done.
    analysed: Option<NodeId>,
    /// The position for which the player to move wants a hint.
    hint: Option<NodeId>,
    /// The move that is looked at before it is played.
    pub(super) check: Option<Check>,
    /// Until when the next move between two engines waits, so that one can follow.
    hold_until: Option<Instant>,
    next_id: u64,
}

impl Thinking {
    pub(super) fn new() -> Thinking {
        Thinking {
            players: ColorMap::default(),
            analyst: None,
            current: None,
            analysed: None,
            hint: None,
            check: None,
            hold_until: None,
            next_id: 1,
        }
    }

    /// A number that no other job has.
    pub(super) fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn forget_players(&mut self) {
        self.stop();
        self.players = ColorMap::default();
    }

    fn thinker(&mut self, by: Searcher) -> &mut Option<Thinker> {
        match by {
            Searcher::Black => &mut self.players[Color::Black],
            Searcher::White => &mut self.players[Color::White],
            Searcher::Analyst => &mut self.analyst,
        }
    }

    fn stop(&mut self) {
        if let Some(current) = self.current.take()
            && let Some(thinker) = self.thinker(current.by)
        {
            thinker.stop();
        }
    }
}

/// A player whose answers are events of the table.
pub(super) fn start(spec: PlayerSpec, events: &Sender<Event>) -> Thinker {
    let events = events.clone();
    Thinker::start(spec, move |answer| {
        // The table may be gone.
        let _ = events.send(Event::Answer(answer));
    })
}

fn searcher(color: Color) -> Searcher {
    if color == Color::Black { Searcher::Black } else { Searcher::White }
}

impl Table {
    /// Whether an engine is choosing a move.
    pub(super) fn is_engine_thinking(&self) -> bool {
        self.thinking.current.is_some_and(|current| current.by != Searcher::Analyst)
    }

    /// Who should be thinking, and about which question.
    fn wanted(&self) -> Option<(Searcher, Question)> {
        if self.clients.is_empty() {
            return None;
        }
        let color = self.game.to_play();
        let is_playing = self.phase() == Phase::Play && !self.paused;
        if is_playing && self.seats.of(color).is_engine() {
            if self.hold_until().is_some() {
                return None;
            }
            return Some((searcher(color), Question::Move));
        }
        if self.thinking.check.is_some_and(|check| check.node == self.node) && self.phase() == Phase::Play {
            return Some((Searcher::Analyst, Question::Opinion));
        }
        if self.is_refuting() && self.phase() == Phase::Play {
            return Some((Searcher::Analyst, Question::Opinion));
        }
        let is_asked = self.analysing || self.thinking.hint == Some(self.node);
        let is_open = is_asked && self.thinking.analysed != Some(self.node);
        (is_open && self.phase() == Phase::Play).then_some((Searcher::Analyst, Question::Opinion))
    }

    /// Whether a wrong answer to a problem waits for its refutation.
    fn is_refuting(&self) -> bool {
        self.solving.as_ref().is_some_and(|solving| solving.refuting == Some(self.node))
    }

    /// Thinks about the position as long as a move takes, for the player to move.
    pub(super) fn hint(&mut self) -> Result<(), WebError> {
        let is_humans = !self.seats.of(self.game.to_play()).is_engine() || self.paused;
        if self.phase() != Phase::Play || !is_humans {
            return Err(WebError::NotNow("Hints are given when it is your turn."));
        }
        self.thinking.hint = Some(self.node);
        Ok(())
    }

    /// When the next move may be thought about, if that is later.
    pub(super) fn hold_until(&self) -> Option<Instant> {
        self.thinking.hold_until.filter(|&at| at > Instant::now())
    }

    /// Goes on once the last move has been looked at long enough.
    pub(super) fn end_hold(&mut self) {
        if self.thinking.hold_until.is_some() && self.hold_until().is_none() {
            self.thinking.hold_until = None;
            self.changed();
        }
    }

    /// Starts and stops searches as the state wants it.
    pub(super) fn update_thinking(&mut self) {
        if self.thinking.hint != Some(self.node) {
            self.thinking.hint = None;
        }
        let is_asked = self.analysing || self.thinking.hint.is_some();
        if self.thinking.analysed != Some(self.node) || !is_asked {
            self.thinking.analysed = None;
        }
        if self.thinking.check.is_some_and(|check| check.node != self.node) {
            self.thinking.check = None;
        }
        let wanted = self.wanted();
        let after = self.thinking.check.and_then(|check| check.after());
        let is_same = |current: Current| {
            let is_there = current.node == self.node && current.after == after;
            is_there && wanted.is_some_and(|(by, _)| by == current.by)
        };
        if self.thinking.current.is_some_and(is_same) {
            return;
        }
        self.thinking.stop();
        let Some((by, question)) = wanted else { return };
        let seat = match by {
            Searcher::Analyst => Seat::engine(ANALYST),
            _ => self.seats.of(self.game.to_play()).clone(),
        };
        if self.thinking.thinker(by).is_none() {
            let spec = match self.lobby.roster().admit(&seat) {
                Ok(Some(spec)) => spec,
                Ok(None) => return,
                Err(error) => {
                    self.notice = Some(error.to_string());
                    self.paused = true;
                    return;
                }
            };
            *self.thinking.thinker(by) = Some(start(spec, &self.events));
        }
        let limits = match by {
            Searcher::Analyst if self.thinking.check.is_some() || self.is_refuting() => teaching::LOOK,
            Searcher::Analyst if self.analysing => ANALYSIS,
            Searcher::Analyst => Limits::default(),
            _ => Limits { clock: self.clocks.now(self.game.to_play()), ..Limits::default() },
        };
        let mut game = self.game_for_players();
        if let Some(mv) = after {
            game.play_unchecked(mv);
        }
        let id = self.thinking.next_id();
        self.thinking.current = Some(Current { id, by, node: self.node, after, begun: Instant::now() });
        if let Some(thinker) = self.thinking.thinker(by) {
            thinker.ask(id, question, &game, limits);
        }
    }

    /// The game as players see it: after a dispute only captured stones are dead.
    fn game_for_players(&self) -> Game {
        let mut game = self.game.clone();
        if self.resumed_at > 0 {
            game.set_rules(Rules { friendly_pass: false, ..*game.rules() });
        }
        game
    }

    /// Whose word it is when the analyst says what a position is worth.
    fn analyst(&self) -> String {
        self.lobby.roster().find(ANALYST).map_or_else(|_| ANALYST.to_owned(), PlayerSpec::evaluator)
    }

    /// What the analyst has said about a position.
    pub(super) fn known(&self, node: NodeId) -> Option<Evaluation> {
        self.known_in(&self.record, node)
    }

    /// The same in another record.
    pub(super) fn known_in(&self, record: &Record, node: NodeId) -> Option<Evaluation> {
        let is_own = notes::evaluator(record, node) == Some(&*self.analyst());
        notes::evaluation(record, node).filter(|_| is_own)
    }

    pub(super) fn answered(&mut self, answer: Answer) {
        let id = match &answer {
            Answer::Report(id, _) | Answer::Done(id, ..) | Answer::Failed(id, _) => *id,
        };
        let Some(current) = self.thinking.current.filter(|current| current.id == id) else { return };
        match answer {
            Answer::Report(..) if current.after.is_some() => {}
            Answer::Report(_, report) => self.show_report(current, &report, false),
            Answer::Done(_, decision, report) => {
                if let Some(report) = report.as_ref().filter(|_| current.after.is_none()) {
                    self.show_report(current, report, true);
                }
                self.thinking.current = None;
                let is_look = current.by == Searcher::Analyst && decision.is_none();
                if let Some(check) = self.thinking.check.take().filter(|_| is_look) {
                    if let Err(error) = self.attempt(|table| table.checked(check, report.as_deref())) {
                        self.notice = Some(error.to_string());
                    }
                } else if is_look && self.is_refuting() {
                    if let Err(error) = self.attempt(|table| table.refuted(report.as_deref())) {
                        self.notice = Some(error.to_string());
                    }
                } else if let Some(decision) = decision {
                    if let Err(error) = self.attempt(|table| table.decided(decision, current)) {
                        // It would think the same again.
                        self.notice = Some(error.to_string());
                        self.paused = true;
                    }
                } else {
                    self.thinking.analysed = Some(self.node);
                    self.store_soon();
                }
                self.changed();
            }
            Answer::Failed(_, error) => {
                *self.thinking.thinker(current.by) = None;
                self.thinking.current = None;
                self.thinking.check = None;
                self.notice = Some(format!("{} cannot play: {error}", self.name_of(current.by)));
                self.paused = true;
                self.analysing &= current.by != Searcher::Analyst;
                self.store_soon();
                self.changed();
            }
        }
    }

    fn name_of(&self, by: Searcher) -> String {
        match by {
            Searcher::Black => self.seats.black.name().into_owned(),
            Searcher::White => self.seats.white.name().into_owned(),
            Searcher::Analyst => title(ANALYST).into_owned(),
        }
    }

    fn show_report(&mut self, current: Current, report: &SearchReport, done: bool) {
        // Chances that were counted with another komi belong to another game.
        if report.moves.is_empty() || report.visits == 0 || report.extra_komi != 0.0 {
            return;
        }
        let player = self.name_of(current.by);
        let analysis = Table::analysis(report, current.by, player, current.node, &self.game, done);
        self.note(&analysis, current);
        self.send(&Message::Analysis(Box::new(analysis)));
        if done {
            self.send_evaluated(current.node);
        }
    }

    /// Keeps what a position is worth, if the analyst says so. Where two engines play, so do they, until it has spoken; what the
    /// human's opponent thinks is its own affair.
    fn note(&mut self, analysis: &Analysis, Current { by, node, .. }: Current) {
        let by = match by {
            Searcher::Analyst => self.analyst(),
            _ if self.seats.engines() < 2 || self.known(node).is_some() => return,
            Searcher::Black | Searcher::White => {
                let Seat::Engine { player, .. } = self.seats.of(analysis.to_play) else { return };
                self.lobby.roster().find(player).map_or_else(|_| player.clone(), PlayerSpec::evaluator)
            }
        };
        let record = self.change_record(node);
        let evaluation = Evaluation { value: analysis.value, score: analysis.score };
        notes::set_evaluation(record, node, evaluation, &by);
        if let Some(best) = analysis.moves.first() {
            notes::set_expected(record, node, &best.line);
        }
    }

    /// What the position shown is worth is known once it is counted.
    pub(super) fn note_count(&mut self, score: f32) {
        let value = match score.total_cmp(&0.0) {
            Ordering::Less => 0.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0,
        };
        let node = self.node;
        notes::set_evaluation(self.change_record(node), node, Evaluation { value, score }, COUNT);
        self.news.push(node);
    }

    fn decided(&mut self, decision: Decision, current: Current) -> Result<(), WebError> {
        if self.seats.engines() == 2 {
            self.thinking.hold_until = Some(current.begun + PACE);
        }
        let color = self.game.to_play();
        let name = self.name_of(current.by);
        match decision {
            Decision::Resign => {
                self.end(Outcome::Win { winner: !color, by: Reason::Resignation });
            }
            Decision::Play(mv) => match self.play(mv) {
                Err(error @ WebError::Move(_)) => {
                    self.notice = Some(format!("{name}: {error}"));
                    self.end(Outcome::Win { winner: !color, by: Reason::Forfeit });
                }
                played => return played,
            },
        }
        Ok(())
    }
}
