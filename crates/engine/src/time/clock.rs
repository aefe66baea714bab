//! Time controls and clocks, as GTP, KGS and KataGo describe them.
//!
//! A [`Clock`] is one player's: the server keeps one for each colour, so that it knows the time even when the front end
//! never says `time_left`, and a match keeps one as the judge of time. How much of it a move may take is `pace.rs`.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The time control of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum TimeSettings {
    /// No limit.
    #[default]
    Unlimited,
    /// All moves within one time.
    Absolute {
        /// For all moves.
        main: Duration,
    },
    /// After the main time, `stones` moves within each `period`.
    Canadian {
        /// Before the first period.
        main: Duration,
        /// For the next `stones` moves.
        period: Duration,
        /// Moves a period, at least 1.
        stones: u32,
    },
    /// After the main time, one move within each `period`; a period is lost when it runs out.
    ByoYomi {
        /// Before the first period.
        main: Duration,
        /// For one move.
        period: Duration,
        /// How many periods there are, at least 1.
        periods: u32,
    },
    /// Each move adds `increment` to the clock.
    Fischer {
        /// At the beginning.
        main: Duration,
        /// After each move.
        increment: Duration,
        /// The clock never shows more after a move; [`TimeSettings::LONGEST`] if it may.
        cap: Duration,
        /// For any one move; [`TimeSettings::LONGEST`] if there is no such limit.
        per_move: Duration,
    },
}

impl TimeSettings {
    /// The names of the time controls, as [`TimeSettings::from_str`] and KataGo's `kata-time_settings` write them.
    pub const NAMES: [&'static str; 6] =
        ["none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped"];

    /// Longer times are cut to this, a year, so that sums cannot overflow.
    pub const LONGEST: Duration = Duration::from_hours(365 * 24);

    /// GTP's `time_settings`: a period without stones means that there is no limit.
    pub fn from_gtp(main: Duration, period: Duration, stones: u32) -> TimeSettings {
        match (period.is_zero(), stones) {
            (false, 0) => TimeSettings::Unlimited,
            (true, _) if main.is_zero() => TimeSettings::Unlimited,
            (true, _) => TimeSettings::Absolute { main },
            (false, stones) => TimeSettings::Canadian { main, period, stones },
        }
    }

    /// GTP's `time_settings` that comes nearest: main time, period and stones.
    pub fn to_gtp(self) -> (Duration, Duration, u32) {
        match self {
            TimeSettings::Unlimited => (Duration::ZERO, Duration::from_secs(1), 0),
            TimeSettings::Absolute { main } | TimeSettings::Fischer { main, .. } => (main, Duration::ZERO, 0),
            TimeSettings::Canadian { main, period, stones } => (main, period, stones),
            TimeSettings::ByoYomi { main, period, .. } => (main, period, 1),
        }
    }
}

/// A text that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no time control: write none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, canadian MAIN PERIOD STONES, \
     fischer MAIN INCREMENT or fischer-capped MAIN INCREMENT CAP TIME_PER_MOVE (-1 for none), with times in seconds"
)]
pub struct ParseTimeError(String);

impl FromStr for TimeSettings {
    type Err = ParseTimeError;

    /// The arguments of KataGo's `kata-time_settings`; a number alone is an absolute time.
    fn from_str(text: &str) -> Result<TimeSettings, ParseTimeError> {
        let wrong = || ParseTimeError(text.chars().take(60).collect());
        let seconds = |word: &str| parse_seconds(word).ok_or_else(wrong);
        let limit = |word: &str| if is_negative(word) { Ok(TimeSettings::LONGEST) } else { seconds(word) };
        let count = |word: &str| word.parse::<u32>().map_err(|_| wrong());
        let words: Vec<_> = text.split_whitespace().collect();
        Ok(match words[..] {
            ["none"] => TimeSettings::Unlimited,
            ["absolute", main] | [main] => TimeSettings::Absolute { main: seconds(main)? },
            [kind @ ("byoyomi" | "canadian"), main, period, number] => {
                match (kind, seconds(main)?, seconds(period)?, count(number)?) {
                    // Nothing follows the main time.
                    (_, main, _, 0) | (_, main, Duration::ZERO, _) => TimeSettings::Absolute { main },
                    ("canadian", main, period, stones) => TimeSettings::Canadian { main, period, stones },
                    (_, main, period, periods) => TimeSettings::ByoYomi { main, period, periods },
                }
            }
            ["fischer", main, increment] => TimeSettings::Fischer {
                main: seconds(main)?,
                increment: seconds(increment)?,
                cap: TimeSettings::LONGEST,
                per_move: TimeSettings::LONGEST,
            },
            ["fischer-capped", main, increment, cap, per_move] => TimeSettings::Fischer {
                main: seconds(main)?,
                increment: seconds(increment)?,
                cap: limit(cap)?,
                per_move: limit(per_move)?,
            },
            _ => return Err(wrong()),
        })
    }
}

/// How KataGo writes that there is no limit.
fn is_negative(text: &str) -> bool {
    text.parse().is_ok_and(|seconds: f64| seconds < 0.0)
}

/// A time in seconds, zero or more.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let longest = TimeSettings::LONGEST.as_secs_f64();
    (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(longest)))
}

impl fmt::Display for TimeSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = Duration::as_secs_f64;
        match self {
            TimeSettings::Unlimited => f.write_str("none"),
            TimeSettings::Absolute { main } => write!(f, "absolute {}", s(main)),
            TimeSettings::ByoYomi { main, period, periods } => {
                write!(f, "byoyomi {} {} {periods}", s(main), s(period))
            }
            TimeSettings::Canadian { main, period, stones } => {
                write!(f, "canadian {} {} {stones}", s(main), s(period))
            }
            TimeSettings::Fischer {
                main,
                increment,
                cap: TimeSettings::LONGEST,
                per_move: TimeSettings::LONGEST,
            } => {
                write!(f, "fischer {} {}", s(main), s(increment))
            }
            TimeSettings::Fischer { main, increment, cap, per_move } => {
                let limit = |time: &Duration| if *time == TimeSettings::LONGEST { -1.0 } else { s(time) };
                write!(f, "fischer-capped {} {} {} {}", s(main), s(increment), limit(cap), limit(per_move))
            }
        }
    }
}

impl From<TimeSettings> for String {
    fn from(settings: TimeSettings) -> String {
        settings.to_string()
    }
}

impl TryFrom<String> for TimeSettings {
    type Error = ParseTimeError;

    fn try_from(text: String) -> Result<TimeSettings, ParseTimeError> {
        text.parse()
    }
}

/// How much longer moves take than planned: what the way to the clock and a busy machine cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delays {
    /// Seconds a move, averaged over about ten moves.
    pub mean: f64,
    /// The longest delay; half forgotten after about ten moves.
    pub worst: f64,
}

impl Delays {
    /// Takes another delay into account.
    pub fn note(&mut self, delay: Duration) {
        let delay = delay.as_secs_f64();
        self.mean += (delay - self.mean) / 10.0;
        self.worst = delay.max(self.worst * 0.93);
    }
}

/// A player's clock.
///
/// ```
/// use std::time::Duration;
/// use tengen_engine::time::Clock;
/// let mut clock = Clock::new("byoyomi 60 10 3".parse().unwrap());
/// assert!(clock.spend(Duration::from_secs(75)));
/// assert_eq!((clock.left.as_secs(), clock.stones), (10, 2));
/// assert!(!clock.spend(Duration::from_secs(25)), "the flag has fallen");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// The time control.
    pub settings: TimeSettings,
    /// Time left: of the main time if `stones` is 0, else of the current period.
    pub left: Duration,
    /// Moves left in the current Canadian period, or byo-yomi periods left; 0 during the main time.
    pub stones: u32,
    /// What moves cost besides the time that was measured here.
    pub delays: Delays,
    /// What it showed after the last move, if nothing has been said about it since.
    measured: Option<(Duration, u32)>,
}

impl Clock {
    /// A clock at the beginning of a game. Where increments are all there is, the first comes before the first move.
    pub fn new(settings: TimeSettings) -> Clock {
        let left = match settings {
            TimeSettings::Unlimited => return Clock::default(),
            TimeSettings::Fischer { main, increment, .. } if main.is_zero() => increment,
            TimeSettings::Absolute { main }
            | TimeSettings::Canadian { main, .. }
            | TimeSettings::ByoYomi { main, .. }
            | TimeSettings::Fischer { main, .. } => main,
        };
        let mut clock = Clock { settings, left, ..Clock::default() };
        clock.end_main_time();
        clock
    }

    /// What GTP's `time_settings` says, before a game or, with the same settings, again before each of its moves: what was
    /// learned about delays stays.
    pub fn restart(&mut self, settings: TimeSettings) {
        let measured = self.measured.filter(|_| settings == self.settings);
        *self = Clock { delays: self.delays, measured, ..Clock::new(settings) };
    }

    /// What GTP's `time_left` says. Without time settings it tells those too. After a move that was measured here, it
    /// differs from the measurement by the delay on the way.
    pub fn set(&mut self, left: Duration, stones: u32) {
        if self.settings == TimeSettings::Unlimited {
            self.settings = match stones {
                // Not a flag about to fall: whoever sends this knows of no clock.
                0 if left.is_zero() => return,
                0 => TimeSettings::Absolute { main: left },
                _ => TimeSettings::Canadian { main: Duration::ZERO, period: left, stones },
            };
        }
        if let Some((measured, _)) = self.measured.take().filter(|&(_, measured)| measured == stones) {
            self.delays.note(measured.saturating_sub(left));
        }
        (self.left, self.stones) = (left, stones);
        self.end_main_time();
    }

    /// Goes to the first period if the main time is over.
    fn end_main_time(&mut self) {
        if !self.left.is_zero() || self.stones > 0 {
            return;
        }
        match self.settings {
            TimeSettings::Canadian { period, stones: number, .. }
            | TimeSettings::ByoYomi { period, periods: number, .. } => {
                (self.left, self.stones) = (period, number);
            }
            _ => {}
        }
    }

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        self.settings != TimeSettings::Unlimited
    }

    /// How long one move can take before the flag falls.
    pub fn until_flag(&self) -> Duration {
        match self.settings {
            TimeSettings::Unlimited => TimeSettings::LONGEST,
            TimeSettings::Canadian { period, .. } if self.stones == 0 => self.left + period,
            TimeSettings::Absolute { .. } | TimeSettings::Canadian { .. } => self.left,
            TimeSettings::Fischer { per_move, .. } => self.left.min(per_move),
            TimeSettings::ByoYomi { period, periods, .. } if self.stones == 0 => self.left + period * periods,
            TimeSettings::ByoYomi { period, .. } => self.left + period * (self.stones - 1),
        }
    }

    /// Takes the time of a move off the clock and makes it ready for the next. `false` if the flag has fallen.
    pub fn spend(&mut self, used: Duration) -> bool {
        let stands = used <= self.until_flag();
        if stands {
            *self = self.during(used);
            self.end_move();
        } else {
            self.left = Duration::ZERO;
        }
        self.measured = stands.then_some((self.left, self.stones));
        stands
    }

    /// What it shows during a move that has taken `used` so far.
    #[must_use]
    pub fn during(mut self, mut used: Duration) -> Clock {
        if self.stones == 0 && used > self.left {
            used -= self.left;
            self.left = Duration::ZERO;
            self.end_main_time();
        }
        if let TimeSettings::ByoYomi { period, .. } = self.settings {
            while self.stones > 1 && used > self.left {
                used -= self.left;
                (self.left, self.stones) = (period, self.stones - 1);
            }
        }
        self.left = self.left.saturating_sub(used);
        self
    }

    /// Makes it ready for the next move.
    fn end_move(&mut self) {
        match self.settings {
            TimeSettings::Fischer { increment, cap, .. } => self.left = (self.left + increment).min(cap),
            _ if self.stones == 0 => self.end_main_time(),
            TimeSettings::Canadian { period, stones, .. } => {
                self.stones -= 1;
                if self.stones == 0 {
                    (self.left, self.stones) = (period, stones);
                }
            }
            TimeSettings::ByoYomi { period, .. } => self.left = period,
            TimeSettings::Unlimited | TimeSettings::Absolute { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        Clock::new(text.parse().unwrap())
    }

    /// What the clock shows after each of these moves; `None` when the flag has fallen.
    fn play(text: &str, moves: &[u64]) -> Vec<Option<(u64, u32)>> {
        let mut clock = clock(text);
        let mut shown = |&seconds: &u64| {
            let stands = clock.spend(Duration::from_secs(seconds));
            stands.then_some((clock.left.as_secs(), clock.stones))
        };
        moves.iter().map(&mut shown).collect()
    }

    #[test]
    fn every_time_control_is_kept() {
        assert_eq!(play("none", &[1000]), [Some((0, 0))]);
        assert_eq!(play("10", &[4, 6, 1]), [Some((6, 0)), Some((0, 0)), None]);
        assert_eq!(play("fischer 10 3", &[10, 3, 4]), [Some((3, 0)), Some((3, 0)), None]);
        assert_eq!(play("fischer 0 5", &[3, 7, 6]), [Some((7, 0)), Some((5, 0)), None]);
        assert_eq!(play("fischer-capped 10 5 12 6", &[1, 6, 7]), [Some((12, 0)), Some((11, 0)), None]);
        assert_eq!(
            play("fischer-capped 10 5 -1 -1", &[1, 7, 12]),
            [Some((14, 0)), Some((12, 0)), Some((5, 0))]
        );
        assert_eq!(
            play("canadian 10 20 2", &[4, 10, 16, 5, 1]),
            [Some((6, 0)), Some((16, 1)), Some((20, 2)), Some((15, 1)), Some((20, 2))]
        );
        assert_eq!(play("canadian 10 20 2", &[31]), [None]);
        assert_eq!(
            play("byoyomi 10 5 3", &[10, 5, 6, 5, 6]),
            [Some((5, 3)), Some((5, 3)), Some((5, 2)), Some((5, 2)), Some((5, 1))]
        );
        assert_eq!(play("byoyomi 10 5 3", &[25, 5, 6]), [Some((5, 1)), Some((5, 1)), None]);
        assert_eq!(play("byoyomi 0 5 1", &[5, 6]), [Some((5, 1)), None]);
    }

    #[test]
    fn a_clock_shows_its_periods_during_a_move() {
        let mut byoyomi = clock("byoyomi 60 10 3");
        byoyomi.spend(Duration::from_secs(1));
        let shown = |used| {
            let clock = byoyomi.during(Duration::from_secs(used));
            (clock.left.as_secs(), clock.stones)
        };
        assert_eq!(
            [0, 59, 64, 74, 84, 90].map(shown),
            [(59, 0), (0, 0), (5, 3), (5, 2), (5, 1), (0, 1)],
            "main time, the periods, the flag"
        );
        assert_eq!(byoyomi.during(Duration::from_secs(64)).delays, Delays::default(), "thinking is no delay");
        assert_eq!(clock("60").during(Duration::from_secs(70)).left, Duration::ZERO);
    }

    #[test]
    fn a_front_end_sets_the_clock() {
        let mut byoyomi = clock("byoyomi 10 5 3");
        byoyomi.set(Duration::ZERO, 0);
        assert_eq!((byoyomi.left.as_secs(), byoyomi.stones), (5, 3), "the main time is over");
        byoyomi.set(Duration::from_secs(2), 1);
        assert_eq!(byoyomi.until_flag(), Duration::from_secs(2));
        let mut unannounced = Clock::default();
        unannounced.set(Duration::from_mins(1), 0);
        assert_eq!((unannounced.settings, unannounced.left), (clock("60").settings, clock("60").left));
    }

    #[test]
    fn a_clock_that_shows_less_than_expected_tells_the_delay() {
        let mut clock = clock("60");
        clock.spend(Duration::from_secs(1));
        clock.set(Duration::from_millis(58_500), 0);
        assert!((clock.delays.worst - 0.5).abs() < 1e-6 && (clock.delays.mean - 0.05).abs() < 1e-6);
        let seen = clock.delays;
        clock.set(Duration::from_secs(30), 0);
        assert_eq!(clock.delays, seen, "no move was measured in between");
    }

    #[test]
    fn settings_said_again_before_every_move_are_no_delay() {
        let settings = "60".parse().unwrap();
        let mut clock = Clock::new(settings);
        for left in [30, 29, 28] {
            clock.restart(settings);
            clock.set(Duration::from_secs(left), 0);
            assert!(clock.delays.worst < 0.6 && clock.left == Duration::from_secs(left), "{clock:?}");
            clock.spend(Duration::from_millis(500));
        }
        assert!(clock.delays.worst > 0.49, "half a second more than was measured: {clock:?}");
        clock.restart("90".parse().unwrap());
        clock.set(Duration::from_secs(10), 0);
        assert!(clock.delays.worst < 0.6, "another clock: {clock:?}");
    }

    #[test]
    fn settings_are_written_and_read() {
        let texts = ["none", "absolute 2.5", "byoyomi 60 10 5", "canadian 60 300 25", "fischer 60 0.5"];
        for text in texts.into_iter().chain(["fischer-capped 60 5 90 -1", "fischer-capped 60 5 -1 7.5"]) {
            let settings: TimeSettings = text.parse().unwrap();
            assert_eq!(settings.to_string(), text);
        }
        assert_eq!("byoyomi 60 10 0".parse(), Ok(TimeSettings::Absolute { main: Duration::from_mins(1) }));
        for text in [
            "",
            "-1",
            "nan",
            "absolute",
            "fischer 1",
            "fischer-capped 1 1 1 x",
            "canadian 1 1 x",
            "hourglass 3",
            "1 2",
        ] {
            let error = text.parse::<TimeSettings>().unwrap_err().to_string();
            assert!(error.contains("fischer MAIN INCREMENT"), "{error}");
        }
    }
}
