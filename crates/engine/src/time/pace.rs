//! How long to think about a move.
//!
//! **What.** A clock allots each move a time that is enough as a rule, and a longest one. The search ends early when the
//! second best move cannot overtake the best any more, or after a quarter of the time when the game is as good as won; it goes
//! on past the usual time, up to the longest, while the two are close or the move with the most visits is not the one with the
//! best value.
//!
//! **Formula.** In absolute time with `T` left and a reserve `R` for delays, a move gets `(T − R) / m`, where `m` is the
//! number of own moves to come, estimated from the empty points and never small; so what is left shrinks but does not run
//! out. `R` grows with the delays that were seen. Periods and increments are added to that, as far as they can be used
//! without losing anything.
//!
//! **Source.** Early stop and unclear moves: Huang, Coulom, Lin 2010 (*Time management for Monte-Carlo tree search
//! applied to the game of Go*: EARLY and BEHIND/UNST), and Baier, Winands 2012.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::Board;

use crate::{
    players::Limits,
    search::{FinalMove, value_for},
    time::{Clock, Delays, TimeSettings},
    tree::{NodeView, Tree},
};

/// When a search may end before everything that it may spend is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyStop {
    /// Never.
    Off,
    /// When a clock runs, which is better saved for later moves.
    #[default]
    Clock,
    /// Always, with a fixed time or number of playouts too. Unless the game is won, what it chooses is the same, but there is
    /// less to keep for the next move.
    Always,
}

/// How the time on a clock is used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PaceConfig {
    /// Seconds kept in reserve for delays between the player and the clock.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub lag: f32,
    /// When to stop because the best move cannot change, or the game is as good as won.
    #[schemars(extend("x-peer" = true))]
    pub early_stop: EarlyStop,
    /// An unclear move may take this many times as long as others (Pachi 2).
    #[schemars(extend("x-peer" = true), range(min = 1.0, max = 100.0))]
    pub stretch: f32,
}

impl Default for PaceConfig {
    fn default() -> Self {
        PaceConfig { lag: 0.2, early_stop: EarlyStop::Clock, stretch: 2.0 }
    }
}

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// Enough, unless the move is unclear.
    pub enough: Duration,
    /// Enough in any case.
    pub most: Duration,
}

/// What a move costs at least besides thinking, in seconds: commands, the tree carried over, a busy machine.
const OVERHEAD: f64 = 0.02;

/// What can be used of some time.
struct Reserve {
    /// Kept back once.
    once: f64,
    /// Kept back for every move.
    per_move: f64,
}

impl Reserve {
    /// Seconds of a period that can be planned with when `moves` more are to be made in it: all but the reserve, and half
    /// at least.
    fn free(&self, seconds: f64, moves: f64) -> f64 {
        (seconds - self.once - self.per_move * moves).max(seconds / 2.0)
    }

    /// The same where no period follows: nearly nothing of the reserve, which is a third of all the time at most.
    fn free_for_good(&self, seconds: f64, main: Duration, moves: f64) -> f64 {
        let reserve = (self.once + self.per_move * moves).min(main.as_secs_f64() / 3.0);
        (seconds - reserve).max(seconds / 50.0)
    }
}

impl PaceConfig {
    /// The time for a move on `board`, if earlier ones were `overrun` by so much; `None` if there is no limit.
    pub fn allot(&self, clock: &Clock, board: &Board, overrun: &Delays) -> Option<Allotment> {
        let reserve = Reserve {
            once: f64::from(self.lag).max(0.0) + 2.0 * (clock.delays.worst + overrun.worst),
            per_move: OVERHEAD.max(1.5 * (clock.delays.mean + overrun.mean)),
        };
        let left = clock.left.as_secs_f64();
        let moves = moves_to_come(board);
        let stretch = f64::from(self.stretch).max(1.0);
        let (enough, most) = match clock.settings {
            TimeSettings::Unlimited => return None,
            TimeSettings::Absolute { main } => {
                let free = reserve.free_for_good(left, main, moves);
                (free / moves, free / 2.0)
            }
            TimeSettings::Fischer { main, increment, cap, per_move } => {
                let free = reserve.free_for_good(left, main, moves);
                let [increment, cap, per_move] = [increment, cap, per_move].map(|time| time.as_secs_f64());
                // What the increment brings may be spent before it comes, as long as enough is there; what the cap
                // would cut off is lost if it is not.
                let enough = (free / moves + 0.9 * increment).max(left + increment - cap);
                (enough, (0.8 * free).min(reserve.free(per_move, 1.0)))
            }
            TimeSettings::Canadian { period, stones, .. } if clock.stones == 0 => {
                let stones = f64::from(stones.max(1));
                let share = reserve.free(period.as_secs_f64(), stones) / stones;
                (left / moves + share, left + share)
            }
            TimeSettings::Canadian { .. } => {
                let stones = f64::from(clock.stones);
                let share = reserve.free(left, stones) / stones;
                // At least half of its share is left to every other move.
                (share, share + (stones - 1.0) * share / 2.0)
            }
            TimeSettings::ByoYomi { period, .. } if clock.stones == 0 => {
                let share = reserve.free(period.as_secs_f64(), 1.0);
                (left / moves + share, left + share)
            }
            // What is not used of a period is lost.
            TimeSettings::ByoYomi { .. } => (reserve.free(left, 1.0), reserve.free(left, 1.0)),
        };
        let enough = enough.min(most);
        let most = most.min(enough * stretch);
        Some(Allotment { enough: Duration::from_secs_f64(enough), most: Duration::from_secs_f64(most) })
    }
}

/// Own moves that are still to come: half of the empty points but a fifth of the board, which stays empty; and always some,
/// as nobody knows when a game ends.
fn moves_to_come(board: &Board) -> f64 {
    let area = board.area() as f64;
    let empty = board.empties().len() as f64;
    ((empty - area / 5.0) / 2.0).max(area / 12.0 + 4.0)
}

/// What a search may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// At most this many playouts.
    pub playouts: Option<u64>,
    /// At most this long.
    pub time: Option<Duration>,
    /// Usually this long; longer, up to `time`, if the move is unclear. The same as `time` if absent.
    pub enough: Option<Duration>,
    /// Whether a clock runs meanwhile.
    pub on_clock: bool,
    /// Whether the rest is saved when the best move cannot change any more, or the game is as good as won.
    pub stops_early: bool,
}

impl From<Limits> for Spending {
    /// Everything that the limits allow; how a clock is divided up is for the player to say.
    fn from(limits: Limits) -> Spending {
        let Limits { playouts, time, clock } = limits;
        Spending { playouts, time, enough: None, on_clock: clock.is_some(), stops_early: false }
    }
}

/// A search and its time as its threads spend it.
pub(crate) struct Pace {
    spending: Spending,
    stops_early: bool,
    threads: u32,
    final_move: FinalMove,
    start: Instant,
    /// One thread has seen that the search is over.
    is_over: AtomicBool,
}

/// The tree is looked at once in so many batches,
const LOOK_EVERY: u64 = 32;
/// ... or after each one that takes so long, as with a network.
const SLOW: Duration = Duration::from_millis(1);
/// The best move is unclear while the second has more than this share of its visits.
const CLOSE: f32 = 0.75;
/// Who wins so many of the playouts has won the game,
const WON: f32 = 0.98;
/// ... and thinks for this share of the time.
const SHARE_OF_WON: f64 = 0.25;

impl Pace {
    pub(crate) fn new(final_move: FinalMove, threads: usize, spending: Spending, start: Instant) -> Pace {
        // The move with the best value can be any.
        let stops_early = spending.stops_early && final_move != FinalMove::Value;
        let threads = threads.max(1) as u32;
        Pace { spending, stops_early, threads, final_move, start, is_over: AtomicBool::new(false) }
    }

    /// Whether another batch is to be evaluated after `batches` of them with `spent` playouts.
    pub(crate) fn goes_on(&self, spent: u64, batches: u64, tree: &Tree) -> bool {
        let goes_on = !self.is_over.load(Relaxed) && self.is_left(spent, batches, tree);
        if !goes_on {
            self.is_over.store(true, Relaxed);
        }
        goes_on
    }

    fn is_left(&self, spent: u64, batches: u64, tree: &Tree) -> bool {
        let Spending { playouts, time, enough, .. } = self.spending;
        if playouts.is_some_and(|most| spent >= most) {
            return false;
        }
        if time.is_none() && !self.stops_early {
            return true;
        }
        // The first batch is always evaluated.
        let elapsed = if time.is_some() { self.start.elapsed() } else { Duration::ZERO };
        let one = (elapsed * self.threads).checked_div(batches as u32).unwrap_or_default();
        // Nor is one begun that would be late.
        if batches > 0 && time.is_some_and(|most| elapsed + one >= most) {
            return false;
        }
        if batches % LOOK_EVERY != LOOK_EVERY - 1 && one < SLOW {
            return true;
        }
        let standing = Contest::of(tree.view(Tree::ROOT), self.final_move);
        let enough = enough.or(time);
        if time.is_some() && enough.is_some_and(|enough| elapsed >= enough) {
            return standing.is_unclear();
        }
        if !self.stops_early {
            return true;
        }
        let by_playouts = playouts.map_or(f64::INFINITY, |most| (most - spent) as f64);
        let by_time = enough.map_or(f64::INFINITY, |enough| {
            let rate = spent as f64 / elapsed.as_secs_f64().max(1e-6);
            rate * enough.saturating_sub(elapsed).as_secs_f64()
        });
        let left = by_playouts.min(by_time);
        let is_won = standing.value >= WON && left <= (1.0 / SHARE_OF_WON - 1.0) * spent as f64;
        f64::from(standing.lead) <= left && !is_won
    }
}

/// How the best move at the root stands against the others.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Contest {
    /// Visits (or wins, if these decide) of the best move.
    best: f32,
    /// Its value for the player to move.
    value: f32,
    /// By how many the second is behind; everything if there is no second.
    lead: f32,
    /// Whether the best move also has the best value among those that were tried enough.
    has_best_value: bool,
}

impl Contest {
    fn of(root: NodeView<'_>, final_move: FinalMove) -> Contest {
        let value = |i: usize| value_for(root.edges[i].black_value(), root.to_play);
        let count = |i: usize| {
            let visits = root.edges[i].visits() as f32;
            if final_move == FinalMove::Wins { visits * value(i) } else { visits }
        };
        let (mut best, mut second) = (0, None);
        for i in 1..root.edges.len() {
            if count(i) > count(best) {
                second = Some(best);
                best = i;
            } else if second.is_none_or(|s| count(i) > count(s)) {
                second = Some(i);
            }
        }
        let enough = root.edges[best].visits() / 10;
        let has_best_value = (0..root.edges.len())
            .filter(|&i| root.edges[i].visits() > enough)
            .all(|i| value(i) <= value(best));
        let lead = second.map_or(f32::INFINITY, |second| count(best) - count(second));
        Contest { best: count(best), value: value(best), lead, has_best_value }
    }

    fn is_unclear(&self) -> bool {
        !self.has_best_value || self.lead < (1.0 - CLOSE) * self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        search::Candidate,
        tree::{Rave, RaveConfig},
    };

    /// Plays `moves` moves on a clock as slowly as it allows, each with a delay, while the board fills up; the seconds
    /// thought about each.
    fn play(control: &str, size: usize, moves: usize, delay: f64) -> Option<Vec<f64>> {
        let mut clock = Clock::new(control.parse().unwrap());
        let mut board = Board::new(size, size);
        let mut thought = Vec::new();
        for i in 0..moves {
            let Allotment { enough, most } =
                PaceConfig::default().allot(&clock, &board, &Delays::default()).unwrap();
            assert!(enough <= most);
            thought.push(most.as_secs_f64());
            if !clock.spend(most + Duration::from_secs_f64(delay)) {
                return None;
            }
            for color in [tengen_board::Color::Black, tengen_board::Color::White] {
                let free = board.points().find(|&v| i < 4 * size * size / 5 / 2 && board.is_empty(v));
                if let Some(v) = free.and_then(|v| board.edited(&[(v, Some(color))]).ok().map(|_| v)) {
                    board = board.edited(&[(v, Some(color))]).unwrap();
                }
            }
        }
        Some(thought)
    }

    #[test]
    fn no_clock_runs_out_in_the_longest_game() {
        for (control, size, delay) in [
            ("absolute 2", 9, 0.002),
            ("absolute 30", 19, 0.0015),
            ("absolute 0.5", 9, 0.0005),
            ("canadian 10 20 5", 19, 0.1),
            ("canadian 0 5 1", 9, 0.1),
            ("canadian 0 300 25", 19, 0.1),
            ("byoyomi 10 5 1", 19, 0.1),
            ("byoyomi 0 1 3", 9, 0.1),
            ("fischer 10 1", 19, 0.1),
            ("fischer 1 0.5", 9, 0.02),
            ("fischer 0 1", 19, 0.02),
            ("fischer-capped 10 1 12 -1", 19, 0.1),
            ("fischer-capped 10 2 15 1.5", 19, 0.1),
        ] {
            assert!(play(control, size, 3 * size * size / 2, delay).is_some(), "{control}");
        }
    }

    #[test]
    fn the_time_is_used() {
        let sum = |thought: &[f64]| thought.iter().sum::<f64>();
        assert!(sum(&play("absolute 30", 19, 130, 0.01).unwrap()) > 24.0);
        assert!(sum(&play("absolute 2", 9, 30, 0.002).unwrap()) > 1.2);
        let byoyomi = play("byoyomi 60 5 3", 19, 130, 0.1).unwrap();
        assert!(byoyomi.iter().all(|&seconds| seconds > 4.5) && byoyomi[0] > 5.0, "{byoyomi:?}");
        let fischer = play("fischer 60 2", 19, 130, 0.1).unwrap();
        assert!(sum(&fischer) > 0.9 * 2.0 * 130.0, "{}", sum(&fischer));
        assert!(play("canadian 0 5 1", 9, 3, 0.1).unwrap().iter().all(|&seconds| seconds > 4.7));
    }

    #[test]
    fn delays_make_it_careful() {
        let clock = Clock::new("60".parse().unwrap());
        let board = Board::new(19, 19);
        let allot = |clock: &Clock| PaceConfig::default().allot(clock, &board, &Delays::default()).unwrap();
        let mut delayed = clock;
        delayed.delays = Delays { mean: 0.1, worst: 1.0 };
        assert!(allot(&delayed).most < allot(&clock).most * 4 / 5);
    }

    #[test]
    fn unlimited_time_is_not_divided() {
        let allotment = PaceConfig::default().allot(&Clock::default(), &Board::new(9, 9), &Delays::default());
        assert_eq!(allotment, None);
    }

    fn tree(moves: &[(u32, f32)]) -> Tree {
        let tree = Tree::with_capacity(1 << 16, &Rave::new(&RaveConfig::default()));
        let names = ["A1", "B1", "C1"];
        let list: Vec<_> = names.map(|name| Candidate::new(name.parse().unwrap())).into();
        tree.add(tengen_board::Color::Black, 0.5, &list[..moves.len()]).unwrap();
        for (edge, &(visits, value)) in tree.view(Tree::ROOT).edges.iter().zip(moves) {
            (0..visits).for_each(|_| edge.record(value));
        }
        tree
    }

    #[test]
    fn a_move_is_unclear_when_another_is_close_or_better() {
        let is_unclear =
            |moves: &[(u32, f32)]| Contest::of(tree(moves).view(Tree::ROOT), FinalMove::Visits).is_unclear();
        assert!(!is_unclear(&[(100, 0.6), (50, 0.5), (3, 0.9)]), "three visits tell nothing");
        assert!(is_unclear(&[(100, 0.6), (90, 0.5)]));
        assert!(is_unclear(&[(50, 0.65), (100, 0.6)]));
        assert!(!is_unclear(&[(100, 0.6)]));
        let standing = Contest::of(tree(&[(100, 0.5), (90, 0.6)]).view(Tree::ROOT), FinalMove::Wins);
        assert!((standing.lead - 4.0).abs() < 1e-3 && standing.has_best_value, "{standing:?}");
    }

    #[test]
    fn a_search_ends_when_the_second_best_cannot_catch_up() {
        let goes_on = |stops_early, spent, moves: &[(u32, f32)]| {
            let spending = Spending { playouts: Some(1000), stops_early, ..Spending::default() };
            let pace = Pace::new(FinalMove::Visits, 1, spending, Instant::now());
            pace.goes_on(spent, LOOK_EVERY - 1, &tree(moves))
        };
        let moves = [(500, 0.5), (300, 0.5)];
        assert!(goes_on(true, 790, &moves));
        assert!(!goes_on(true, 810, &moves));
        assert!(!goes_on(true, 31, &moves[..1]), "there is only one move");
        assert!(goes_on(false, 999, &moves));
        assert!(!goes_on(false, 1000, &moves));
        let won = [(150, 1.0), (60, 0.9)];
        assert!(goes_on(true, 240, &won));
        assert!(!goes_on(true, 260, &won), "a quarter is enough");
        assert!(goes_on(true, 260, &[(150, 0.97), (60, 0.9)]));
    }

    #[test]
    fn a_batch_that_would_be_late_is_not_begun() {
        let goes_on = |batches, threads, most| {
            let spending = Spending { time: Some(Duration::from_millis(most)), ..Spending::default() };
            // The tests' machine may be slow, never fast: 900 ms have passed at least.
            let start = Instant::now().checked_sub(Duration::from_millis(900)).unwrap();
            let pace = Pace::new(FinalMove::default(), threads, spending, start);
            pace.goes_on(batches * 8, batches, &tree(&[(5, 0.5), (5, 0.5)]))
        };
        assert!(goes_on(0, 1, 1), "the first batch is always evaluated");
        assert!(goes_on(900, 1, 60_000));
        assert!(!goes_on(9, 1, 990), "100 ms for each");
        assert!(!goes_on(18, 2, 990), "100 ms for each in two threads");
    }
}
