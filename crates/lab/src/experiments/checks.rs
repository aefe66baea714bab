//! What a claim says about results, and whether they bear it out.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::results::{Results, Value};
use crate::stats::Interval;

/// A statement about an arm that results can confirm or refute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The statement.
    pub claim: String,
    /// The arm that it is about.
    pub arm: String,
    /// The arm that it is compared with; the opponent if absent.
    #[serde(default)]
    pub versus: Option<String>,
    /// The value of the sweep; all of them, one after the other, if absent.
    #[serde(default)]
    pub at: Option<f64>,
    /// What was measured, where an arm has several quantities; all of them if absent.
    #[serde(default)]
    pub quantity: Option<String>,
    /// What the difference is to be.
    pub expect: Expect,
    /// The paper's difference, if it gives one.
    #[serde(default)]
    pub paper: Option<f64>,
    /// What the arm is compared with, instead of even results.
    #[serde(default)]
    pub than: Option<f64>,
    /// For `within`: where the value is to lie.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
}

/// What is expected of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// Above zero.
    More,
    /// A mark, set with the number of games: once all of them are played, the whole interval lies above it, however wide it is.
    Above,
    /// Below zero.
    Less,
    /// No difference worth mentioning.
    Same,
    /// No gain: not above zero.
    NotMore,
    /// The value itself lies in a range.
    Within,
}

/// What results say about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// They bear it out.
    Holds,
    /// They contradict it.
    Fails,
    /// They do not decide.
    Inconclusive,
    /// There are none yet.
    NotRun,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does not hold",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NotRun => "not run",
        })
    }
}

/// A statement with what results say about it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The statement, with the value of the sweep and the quantity that it was checked for.
    pub claim: String,
    /// The difference, or the value itself for a range.
    pub difference: Option<f64>,
    /// Its interval at 95%.
    pub interval: Option<Interval>,
    /// Two-tailed test against no difference.
    pub p_value: Option<f64>,
    /// The paper's difference.
    pub paper: Option<f64>,
    /// The games or runs that it rests on, of all arms together.
    pub n: usize,
    /// What follows.
    pub verdict: Verdict,
    /// Where the interval is too wide for a verdict, but does not contain what would contradict or bear out the statement: which way
    /// it points.
    pub leaning: Option<Verdict>,
}

impl Checked {
    /// The verdict in words.
    pub fn verdict_text(&self) -> String {
        match self.leaning {
            Some(Verdict::Holds) => format!("{}, points that way", self.verdict),
            Some(Verdict::Fails) => format!("{}, points the other way", self.verdict),
            _ => self.verdict.to_string(),
        }
    }
}

/// Wider than this on either side, in points, and a result decides nothing by itself.
pub(super) const WIDEST: f64 = 5.0;

/// Fewer games or runs than this decide nothing, even if all of them end alike.
const FEWEST: usize = 5;

impl Check {
    /// Applies the statement to results, at every value of the sweep and for every quantity that it names. So many games or
    /// runs were `planned` for each.
    pub(super) fn apply(&self, results: &Results, planned: usize) -> Vec<Checked> {
        let cells: Vec<_> = results
            .values
            .iter()
            .filter(|value| value.arm == self.arm)
            .filter(|value| self.at.is_none() || value.at == self.at)
            .filter(|value| self.quantity.is_none() || value.quantity == self.quantity)
            .collect();
        cells.iter().map(|value| self.apply_to(value, results, planned)).collect()
    }

    fn apply_to(&self, value: &Value, results: &Results, planned: usize) -> Checked {
        let mut claim = self.claim.clone();
        if let Some(at) = value.at.filter(|_| self.at.is_none()) {
            claim += &format!(" (at {at})");
        }
        if let Some(quantity) = value.quantity.as_ref().filter(|_| self.quantity.is_none()) {
            claim += &format!(" ({quantity})");
        }
        let comparison = if let Some(versus) = &self.versus {
            let is_other = |other: &&Value| {
                &other.arm == versus && other.at == value.at && other.quantity == value.quantity
            };
            let other = results.values.iter().find(is_other);
            other.and_then(|other| Some((value.data?.minus(&other.data?), value.n + other.n)))
        } else {
            let is_range = self.expect == Expect::Within;
            let null = if is_range { 0.0 } else { self.than.unwrap_or(results.even) };
            value.data.map(|data| (data.minus_constant(null), value.n))
        };
        let Some((difference, n)) = comparison else {
            return Checked {
                claim,
                difference: None,
                interval: None,
                p_value: None,
                paper: self.paper,
                n: 0,
                verdict: Verdict::NotRun,
                leaning: None,
            };
        };
        let (tells, half_width) = (self.tells(difference.interval), difference.interval.half_width());
        let early = self.expect == Expect::Above && value.n < planned;
        let is_wide = self.expect != Expect::Above && half_width > WIDEST;
        let undecided = n < FEWEST || early || is_wide || half_width.is_nan();
        // A wide interval that contains zero does not speak for equality, nor against a gain.
        let absence = matches!(self.expect, Expect::Same | Expect::NotMore);
        let points = tells == Verdict::Fails || tells == Verdict::Holds && !absence;
        Checked {
            claim,
            difference: Some(difference.value),
            interval: Some(difference.interval),
            p_value: (self.expect != Expect::Within).then_some(difference.p_value),
            paper: self.paper,
            n,
            verdict: if undecided { Verdict::Inconclusive } else { tells },
            leaning: (undecided && !early && n >= FEWEST && points).then_some(tells),
        }
    }

    /// What an interval tells, however wide it is. A direction holds if the interval lies on that side of zero; it fails if it lies on the
    /// other side, or if it excludes the paper's difference from below. "The same" fails if the interval excludes zero, "not more" if it lies above zero. A range
    /// holds if it contains the interval and fails if it does not meet it.
    fn tells(&self, interval: Interval) -> Verdict {
        // As if more were expected.
        let Interval(low, high) =
            if self.expect == Expect::Less { Interval(-interval.1, -interval.0) } else { interval };
        let paper = self.paper.map(|paper| if self.expect == Expect::Less { -paper } else { paper });
        match (self.expect, self.range) {
            (Expect::More | Expect::Above | Expect::Less, _) if low > 0.0 => Verdict::Holds,
            (Expect::More | Expect::Above | Expect::Less, _)
                if high < 0.0 || paper.is_some_and(|paper| high < paper) =>
            {
                Verdict::Fails
            }
            (Expect::Same, _) if low <= 0.0 && high >= 0.0 => Verdict::Holds,
            (Expect::NotMore, _) if low <= 0.0 => Verdict::Holds,
            (Expect::Same | Expect::NotMore, _) => Verdict::Fails,
            (Expect::Within, Some((least, most))) if low >= least && high <= most => Verdict::Holds,
            (Expect::Within, Some((least, most))) if high < least || low > most => Verdict::Fails,
            _ => Verdict::Inconclusive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::results::Data;

    fn check(expect: Expect, paper: Option<f64>) -> Check {
        Check {
            claim: String::new(),
            arm: String::new(),
            versus: None,
            at: None,
            quantity: None,
            expect,
            paper,
            than: None,
            range: Some((40.0, 45.0)),
        }
    }

    #[test]
    fn intervals_decide() {
        use Verdict::{Fails, Holds, Inconclusive};
        for (expect, paper, interval, verdict) in [
            (Expect::More, None, (1.0, 9.0), Holds),
            (Expect::More, None, (-1.0, 7.0), Inconclusive),
            (Expect::More, Some(8.0), (-1.0, 7.0), Fails),
            (Expect::More, None, (-9.0, -1.0), Fails),
            (Expect::Above, None, (1.0, 30.0), Holds),
            (Expect::Above, None, (-1.0, 30.0), Inconclusive),
            (Expect::Less, None, (-9.0, -1.0), Holds),
            (Expect::Less, Some(-8.0), (-7.0, 1.0), Fails),
            (Expect::Same, None, (-3.0, 4.0), Holds),
            (Expect::Same, None, (1.0, 4.0), Fails),
            (Expect::NotMore, None, (-9.0, -3.0), Holds),
            (Expect::NotMore, None, (-3.0, 4.0), Holds),
            (Expect::NotMore, None, (1.0, 4.0), Fails),
            (Expect::Within, None, (41.0, 44.0), Holds),
            (Expect::Within, None, (39.0, 44.0), Inconclusive),
            (Expect::Within, None, (46.0, 47.0), Fails),
        ] {
            let interval = Interval(interval.0, interval.1);
            assert_eq!(check(expect, paper).tells(interval), verdict, "{expect:?} {paper:?} {interval:?}");
        }
    }

    #[test]
    fn a_mark_is_judged_once_all_games_are_played() {
        use Verdict::{Holds, Inconclusive};
        let won = Value {
            arm: String::new(),
            at: None,
            quantity: None,
            n: 16,
            data: Some(Data::Share { score: 15.0, n: 16 }),
            paper: None,
        };
        let results = Results { cells: Vec::new(), values: vec![won], checks: Vec::new(), even: 50.0 };
        for (expect, planned, verdict, leaning) in [
            (Expect::Above, 16, Holds, None),
            (Expect::Above, 20, Inconclusive, None),
            (Expect::More, 16, Inconclusive, Some(Holds)),
        ] {
            let checked = &check(expect, None).apply(&results, planned)[0];
            assert_eq!((checked.verdict, checked.leaning), (verdict, leaning), "{expect:?} of {planned}");
        }
    }
}
