//! The two clocks of a game: the table says when they run, [`Clock`] how they count. What they show after a move is kept in the
//! record, so that it comes back when moves are taken back.

use std::time::{Duration, Instant};

use tengen_board::{
    Color, ColorMap, Outcome, Reason,
    sgf::{NodeId, Record},
};
use tengen_engine::time::{Clock, TimeSettings};

use super::Table;
use crate::protocol::{ClockView, Phase};

/// The properties for time left and for stones or periods left.
const PROPERTIES: [(Color, &str, &str); 2] = [(Color::Black, "BL", "OB"), (Color::White, "WL", "OW")];

/// The clocks of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    sides: ColorMap<Clock>,
    /// What the player to move has used for this move before the clock was stopped.
    used: Duration,
    /// Since when the clock of the player to move runs.
    since: Option<Instant>,
}

impl Clocks {
    pub(super) fn new(settings: TimeSettings) -> Clocks {
        Clocks { sides: ColorMap([Clock::new(settings); 2]), ..Clocks::default() }
    }

    pub(super) fn settings(&self) -> TimeSettings {
        self.sides[Color::Black].settings
    }

    /// Starts or stops the clock of the player to move.
    pub(super) fn run(&mut self, running: bool) {
        if running {
            self.since.get_or_insert_with(Instant::now);
        } else {
            self.used = self.used();
            self.since = None;
        }
    }

    /// What the player to move has used for this move.
    fn used(&self) -> Duration {
        self.used + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// When the flag of `color`, who is to move, falls.
    pub(super) fn deadline(&self, color: Color) -> Option<Instant> {
        let clock = &self.sides[color];
        self.since
            .filter(|_| clock.is_limited())
            .map(|since| since + clock.until_flag().saturating_sub(self.used))
    }

    /// The clock of `color`, who is to move, as it stands.
    pub(super) fn now(&self, color: Color) -> Option<Clock> {
        let clock = self.sides[color];
        clock.is_limited().then(|| clock.during(self.used()))
    }

    /// `color` has moved. `false` if that was too late.
    pub(super) fn moved(&mut self, color: Color) -> bool {
        let used = self.used();
        (self.used, self.since) = (Duration::ZERO, None);
        self.sides[color].spend(used)
    }

    /// Writes the clocks into a node.
    pub(super) fn write(&self, record: &mut Record, node: NodeId) {
        for (color, left, stones) in PROPERTIES {
            let clock = &self.sides[color];
            if clock.is_limited() {
                let node = record.node_mut(node);
                node.set(left, vec![format!("{:.1}", clock.left.as_secs_f64())]);
                if clock.stones > 0 {
                    node.set(stones, vec![clock.stones.to_string()]);
                }
            }
        }
    }

    /// Sets the clocks to what a node says; at the beginning they are full.
    pub(super) fn read(&mut self, record: &Record, node: NodeId) {
        let settings = self.settings();
        *self = Clocks::new(settings);
        for (color, left, stones) in PROPERTIES {
            let number = |id| record.node(node).value(id)?.trim().parse::<f64>().ok();
            let left = number(left).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            if let Some(left) = left.filter(|_| settings != TimeSettings::Unlimited) {
                self.sides[color].set(left, number(stones).unwrap_or(0.0) as u32);
            }
        }
    }

    /// As the page shows them.
    pub(super) fn view(&self, to_play: Color) -> Option<[ClockView; 2]> {
        self.sides[Color::Black].is_limited().then(|| {
            Color::ALL.map(|color| {
                let is_turn = color == to_play;
                let clock = if is_turn { self.now(color) } else { None }.unwrap_or(self.sides[color]);
                ClockView {
                    left: clock.left.as_secs_f64(),
                    stones: clock.stones,
                    running: is_turn && self.since.is_some(),
                }
            })
        })
    }
}

impl Table {
    /// Whether the clock of the player to move runs.
    pub(super) fn is_clock_running(&self) -> bool {
        self.clocks.settings() != TimeSettings::Unlimited
            && !self.paused
            && !self.clients.is_empty()
            && self.phase() == Phase::Play
    }

    /// Ends the game if a flag has fallen.
    pub(super) fn look_at_clock(&mut self) {
        let color = self.game.to_play();
        if self.clocks.deadline(color).is_some_and(|at| at <= Instant::now()) {
            self.clocks.moved(color);
            self.end(Outcome::Win { winner: !color, by: Reason::Time });
            // The flag has fallen, whether that can be stored or not.
            self.store_what_is_due();
            self.changed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_back_restores_the_clock_from_the_record() {
        let mut record = Record::new();
        let mut clocks = Clocks::new("canadian 0 300 25".parse().unwrap());
        clocks.used = Duration::from_secs(100);
        assert!(clocks.moved(Color::Black));
        let node = record.add_move(record.root(), Color::Black, "D4".parse().unwrap());
        clocks.write(&mut record, node);
        let shown =
            |clocks: &Clocks| clocks.view(Color::White).unwrap().map(|view| (view.left as u64, view.stones));
        assert_eq!(shown(&clocks), [(200, 24), (300, 25)]);
        clocks.read(&record, record.root());
        assert_eq!(shown(&clocks), [(300, 25), (300, 25)]);
        clocks.read(&record, node);
        assert_eq!(shown(&clocks), [(200, 24), (300, 25)]);
        clocks.used = Duration::from_secs(301);
        assert!(!clocks.moved(Color::White), "the flag has fallen");
    }
}
