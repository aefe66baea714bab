//! What a search says about every position of a game: a quick pass over all, then deeper thought where points were lost.
//!
//! Each position is searched by itself, from a seed that comes from its number, so that the result does not depend on how many are
//! searched at a time. A finished game is counted.
//!
//! Lead and winning chances are the means over all leaves of a search. Those of the best move alone would lean towards whoever is to move,
//! since the best of several noisy values is chosen, and every move would seem to lose something.

use tengen_board::{
    Color, Game, Move,
    sgf::{NodeId, Record, SgfError},
};
use tengen_engine::{
    players::{Limits, Request, Seat, StopSignal},
    reading::status::dead_stones,
    search::{RootMove, SearchReport},
};

use super::{ReviewError, ReviewSettings};
use crate::{SpecError, loss::Evaluation, matches::derive_seed, parallel};

/// Points or winning chances that a move must seem to lose before it is thought about again.
const DOUBTFUL: (f32, f32) = (1.0, 0.05);

/// The largest share of the positions that is thought about again.
const DEEP_SHARE: f64 = 0.4;

/// ... but so many in any case.
const DEEP_FEWEST: usize = 12;

/// Deeper thought changes a position's value, and so the loss of the move that led to it: that one is then looked at, too.
const ROUNDS: usize = 3;

/// A game is decided where the winning chances are below this, or above the rest: then points tell which move is best.
const DECIDED: f32 = 0.05;

/// Longest line shown.
const LONGEST: usize = 12;

/// How far the review of a game is, and what was found out last.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Positions analysed, in both passes.
    pub done: usize,
    /// Positions to analyse, as far as it is known.
    pub total: usize,
    /// The node of the last one.
    pub node: NodeId,
    /// What it is worth.
    pub evaluation: Evaluation,
    /// The line of play that is expected there.
    pub line: Vec<Move>,
}

/// A move of the main line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// The node with the move.
    pub(super) node: NodeId,
    pub(super) color: Color,
    pub(super) played: Move,
    /// Whether the next move is played from the position that this one leads to, by the other player.
    leads_on: bool,
}

impl Turn {
    /// The position before the move.
    pub(super) fn before(self, record: &Record) -> Result<Game, SgfError> {
        let mut game = record.game_at(self.node)?;
        game.undo();
        game.set_to_play(self.color);
        Ok(game)
    }
}

/// What the analyst says about a position.
#[derive(Clone, Debug)]
pub(super) struct Opinion {
    /// Black's lead.
    pub(super) lead: f32,
    /// Black's winning chances.
    pub(super) win_rate: f32,
    pub(super) best: Move,
    pub(super) line: Vec<Move>,
    /// Points that a move drawn by the priors would lose in the mean.
    pub(super) expected_loss: f32,
}

impl Opinion {
    fn evaluation(&self) -> Evaluation {
        Evaluation { value: self.win_rate, score: self.lead }
    }
}

/// The moves of the main line.
pub(super) fn turns(record: &Record) -> Result<Vec<Turn>, SgfError> {
    let has_move = |id: &NodeId| ["B", "W"].iter().any(|color| record.node(*id).value(color).is_some());
    let mut turns: Vec<Turn> = Vec::new();
    let mut last: Option<Game> = None;
    for node in record.main_nodes().filter(has_move) {
        let game = record.game_at(node)?;
        let Some(played) = game.last_move() else { continue };
        let turn = Turn { node, color: played.color, played: played.mv, leads_on: false };
        if let (Some(last), Some(before)) = (turns.last_mut(), &last) {
            let now = turn.before(record)?;
            last.leads_on = now.board().hash() == before.board().hash() && now.to_play() == before.to_play();
        }
        turns.push(turn);
        last = Some(game);
    }
    Ok(turns)
}

/// A position to be analysed: before or after a turn.
#[derive(Clone, Copy)]
enum Site {
    Before(usize),
    After(usize),
}

/// The opinions before and after each turn; nothing if it was stopped.
pub(super) fn analyse(
    record: &Record,
    turns: &[Turn],
    settings: &ReviewSettings,
    stop: &StopSignal,
    mut on_progress: impl FnMut(Progress),
) -> Result<Option<Vec<(Opinion, Opinion)>>, ReviewError> {
    // The positions, and for each turn the numbers of those before and after it.
    let mut sites = Vec::new();
    let mut ends = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        sites.push(Site::Before(i));
        ends.push((sites.len() - 1, sites.len()));
        if !turn.leads_on {
            sites.push(Site::After(i));
        }
    }
    let mut opinions: Vec<Option<Opinion>> = vec![None; sites.len()];
    let mut is_deep = vec![settings.deeper <= 1.0; sites.len()];
    let mut wanted: Vec<usize> = (0..sites.len()).collect();
    let mut factor = 1.0;
    let (mut done, mut total) = (0, sites.len());
    let node_of = |site: usize| match sites[site] {
        Site::Before(turn) => record.parent(turns[turn].node).unwrap_or(record.root()),
        Site::After(turn) => turns[turn].node,
    };
    let most = ((sites.len() as f64 * DEEP_SHARE) as usize).max(DEEP_FEWEST);
    for _ in 0..=ROUNDS {
        let found = |(site, opinion): (usize, Opinion)| {
            done += 1;
            let (evaluation, line) = (opinion.evaluation(), opinion.line.clone());
            on_progress(Progress { done, total, node: node_of(site), evaluation, line });
            opinions[site] = Some(opinion);
            Ok(())
        };
        ask(record, turns, &sites, &wanted, settings, factor, stop, found)?;
        if stop.is_stopped() {
            return Ok(None);
        }
        let room = most.saturating_sub(is_deep.iter().filter(|deep| **deep).count());
        wanted = doubtful(turns, &ends, &opinions, &is_deep, room);
        if wanted.is_empty() {
            break;
        }
        for &site in &wanted {
            is_deep[site] = true;
        }
        total += wanted.len();
        factor = settings.deeper;
    }
    let of = |site: usize| opinions[site].clone();
    Ok(ends.iter().map(|&(before, after)| Some((of(before)?, of(after)?))).collect())
}

/// The positions around moves that seem to lose something and were not thought about deeply, the worst moves first, in all no more
/// than there is `room` for.
fn doubtful(
    turns: &[Turn],
    ends: &[(usize, usize)],
    opinions: &[Option<Opinion>],
    is_deep: &[bool],
    room: usize,
) -> Vec<usize> {
    let mut losses: Vec<_> = turns
        .iter()
        .zip(ends)
        .filter_map(|(turn, &(before, after))| {
            let (old, new) = (opinions[before].as_ref()?, opinions[after].as_ref()?);
            let sign = turn.color.sign() as f32;
            let loss = (sign * (old.lead - new.lead), sign * (old.win_rate - new.win_rate));
            // In units of what is doubtful.
            let weight = (loss.0 / DOUBTFUL.0).max(loss.1 / DOUBTFUL.1);
            (weight >= 1.0).then_some((weight, before, after))
        })
        .collect();
    losses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut wanted = Vec::new();
    for site in losses.iter().flat_map(|&(_, before, after)| [before, after]) {
        if !is_deep[site] && !wanted.contains(&site) && wanted.len() < room {
            wanted.push(site);
        }
    }
    wanted
}

/// Asks the analyst about some positions, `factor` times as long as its settings say.
#[allow(clippy::too_many_arguments, reason = "the parts of one analysis")]
fn ask(
    record: &Record,
    turns: &[Turn],
    sites: &[Site],
    wanted: &[usize],
    settings: &ReviewSettings,
    factor: f64,
    stop: &StopSignal,
    on_done: impl FnMut((usize, Opinion)) -> Result<(), ReviewError>,
) -> Result<(), ReviewError> {
    let spec = &settings.player;
    let own = spec.options.limits();
    let limits = Limits {
        playouts: own.playouts.map(|playouts| (playouts as f64 * factor).round() as u64),
        time: own.time.map(|time| time.mul_f64(factor)),
        ..own
    };
    let request = Request { limits, ..Request::until(stop) };
    let seed = spec.options.seed_or_fresh();
    let step = |seat: &mut Result<Seat, SpecError>, site: usize| {
        let failed = |error: &SpecError| ReviewError::Player(SpecError::Start(error.to_string()));
        let seat = seat.as_mut().map_err(|error| failed(error))?;
        let game = match sites[site] {
            Site::Before(turn) => turns[turn].before(record)?,
            Site::After(turn) => record.game_at(turns[turn].node)?,
        };
        seat.begin(derive_seed(seed, site as u64))?;
        let opinion = opinion(seat, &game, &request)?;
        Ok((!stop.is_stopped()).then_some((site, opinion)))
    };
    parallel::work(wanted, settings.concurrency, stop, || spec.build(seed), step, on_done)
}

/// The analyst's opinion about one position. This is the only place where a review asks a player.
fn opinion(seat: &mut Seat, game: &Game, request: &Request) -> Result<Opinion, ReviewError> {
    if game.is_over() {
        return Ok(counted(game));
    }
    let name = seat.name().to_owned();
    let report = seat.analyse(game, request)?.filter(|report| !report.moves.is_empty());
    Ok(of_report(game, report.ok_or(ReviewError::NoOpinion(name))?))
}

/// A finished game.
fn counted(game: &Game) -> Opinion {
    let lead = game.score(&dead_stones(game));
    let win_rate = match lead {
        lead if lead > 0.0 => 1.0,
        lead if lead < 0.0 => 0.0,
        _ => 0.5,
    };
    Opinion { lead, win_rate, best: Move::PASS, line: Vec::new(), expected_loss: 0.0 }
}

fn of_report(game: &Game, report: &SearchReport) -> Opinion {
    let sign = report.to_play.sign() as f32;
    let best = first_choice(report);
    let tried = || report.moves.iter().filter(|m| m.visits > 0);
    let priors: f32 = tried().map(|m| m.prior).sum();
    let losses: f32 = tried().map(|m| m.prior * (sign * (best.score - m.score)).max(0.0)).sum();
    Opinion {
        lead: report.score,
        win_rate: report.black_value,
        best: best.mv,
        line: legal_line(game, &best.line),
        expected_loss: if priors > 0.0 { losses / priors } else { 0.0 },
    }
}

/// The search's choice; in a decided game, where all moves win or lose alike, the one with the most points among those that were
/// looked at seriously.
fn first_choice(report: &SearchReport) -> &RootMove {
    let best = report.best();
    if (DECIDED..=1.0 - DECIDED).contains(&best.black_value) {
        return best;
    }
    let sign = report.to_play.sign() as f32;
    let most = report.moves.iter().map(|m| m.visits).max().unwrap_or(0);
    let serious = report.moves.iter().filter(|m| m.visits > 0 && m.visits * 4 >= most);
    serious.max_by(|a, b| (sign * a.score).total_cmp(&(sign * b.score))).unwrap_or(best)
}

/// A line as far as it can be played: the tree knows nothing of superko.
fn legal_line(game: &Game, line: &[Move]) -> Vec<Move> {
    let mut game = game.clone();
    line.iter().take(LONGEST).copied().take_while(|&mv| game.try_play(mv).is_ok()).collect()
}
