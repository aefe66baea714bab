//! What a claim says about results, and whether they bear it out.
//!
//! A statement names a region in which a figure is to lie: above or below a mark, within a margin of it (a test of equivalence), or
//! between two numbers. It holds if the figure's interval lies in the region, and does not hold if the interval lies outside; p
//! belongs to whichever of the two is nearer, is two-sided, and is corrected for all statements of the experiment (Holm). Nothing is
//! said before the planned number of games or runs is there.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    error::LabError,
    kind::Kind,
    results::{Measured, Results, Value},
};
use crate::stats::{self, Interval};

/// A statement about an arm that results can confirm or refute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The statement.
    pub claim: String,
    /// The arm that it is about.
    pub arm: String,
    /// The arm whose figure is subtracted, if any.
    #[serde(default)]
    pub versus: Option<String>,
    /// The quantity of the same arm whose figure is subtracted, if any.
    #[serde(default)]
    pub versus_quantity: Option<String>,
    /// The value of the sweep; all of them, one after the other, if absent.
    #[serde(default)]
    pub at: Option<f64>,
    /// What was measured, where an arm has several quantities; all of them if absent.
    #[serde(default)]
    pub quantity: Option<String>,
    /// Where the figure is to lie.
    pub expect: Expect,
    /// The mark that it is compared with: if absent, even results, or no difference.
    #[serde(default)]
    pub than: Option<f64>,
    /// What counts as no difference, for `same`, `not-more` and `not-less`.
    #[serde(default)]
    pub margin: Option<f64>,
    /// For `within`: where the figure is to lie.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// The paper's figure, if it gives one: the value, or the difference where two are compared.
    #[serde(default)]
    pub paper: Option<f64>,
}

/// Where a figure is to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// Above the mark.
    More,
    /// Below the mark.
    Less,
    /// No farther from the mark than the margin.
    Same,
    /// No farther above the mark than the margin.
    NotMore,
    /// No farther below the mark than the margin.
    NotLess,
    /// In a range.
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
    /// Some of the planned games or runs are there.
    Running,
    /// What there was cannot be relied on.
    Again,
    /// There are none yet.
    NotRun,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does not hold",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Running => "running",
            Verdict::Again => "to be run again",
            Verdict::NotRun => "not run",
        })
    }
}

/// A statement with what results say about it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The statement, with the value of the sweep and the quantity that it was checked for.
    pub claim: String,
    /// Where the figure is to lie, in words.
    pub tested: String,
    /// Whether the figure is a difference of two.
    pub is_difference: bool,
    /// The figure.
    pub value: Option<f64>,
    /// Its interval at 95%.
    pub interval: Option<Interval>,
    /// Of the test of the statement, corrected for all statements of the experiment; none before all games are played.
    pub p_value: Option<f64>,
    /// The paper's figure.
    pub paper: Option<f64>,
    /// The games or runs that it rests on, of all arms together.
    pub n: usize,
    /// What follows.
    pub verdict: Verdict,
}

/// Fewer games or runs than this decide nothing, even if all of them end alike.
const FEWEST: usize = 5;

/// How often a statement may be judged wrongly by chance.
const ALPHA: f64 = 0.05;

/// Applies statements to results, each at every value of the sweep and for every quantity that it names. So many games or runs were
/// `planned` for each cell.
pub(super) fn apply(checks: &[Check], results: &Results, kind: Kind, planned: usize) -> Vec<Checked> {
    let mut all = Vec::new();
    for check in checks {
        let is_meant = |value: &&Value| {
            value.arm == check.arm
                && (check.at.is_none() || value.at == check.at)
                && (check.quantity.is_none() || value.quantity == check.quantity)
        };
        let mut meant: Vec<Value> = results.values.iter().filter(is_meant).cloned().collect();
        if meant.is_empty() {
            // A quantity has no name before the first run.
            let (arm, quantity) = (check.arm.clone(), check.quantity.clone());
            meant.push(Value { arm, at: check.at, quantity, n: 0, data: None, paper: None });
        }
        all.extend(meant.iter().map(|value| check.judge(value, results, kind, planned)));
    }
    let p_values: Vec<f64> = all.iter().filter_map(|checked| checked.p_value).collect();
    let mut corrected = stats::holm(&p_values).into_iter();
    for checked in all.iter_mut().filter(|checked| checked.p_value.is_some()) {
        checked.p_value = corrected.next();
        if checked.p_value.is_some_and(|p| p > ALPHA) {
            checked.verdict = Verdict::Inconclusive;
        }
    }
    all
}

impl Check {
    /// Finds what serde cannot.
    pub(super) fn validate(&self) -> Result<(), LabError> {
        let broken = |what: &str| Err(LabError::Config(format!("checks: {:?} {what}", self.claim)));
        let needs_margin = matches!(self.expect, Expect::Same | Expect::NotMore | Expect::NotLess);
        if needs_margin != self.margin.is_some_and(|margin| margin > 0.0) {
            return broken("needs a margin, and nothing but same, not-more and not-less has one");
        }
        if (self.expect == Expect::Within) != self.range.is_some_and(|(least, most)| least < most) {
            return broken("needs a range, and nothing but within has one");
        }
        if self.versus.is_some() && self.versus_quantity.is_some() {
            return broken("compares with another arm or with another quantity, not with both");
        }
        Ok(())
    }

    /// Whether two statements may be about the same figure.
    pub(super) fn overlaps(&self, other: &Check) -> bool {
        let meet = |a: Option<f64>, b: Option<f64>| a.is_none() || b.is_none() || a == b;
        self.arm == other.arm
            && self.versus == other.versus
            && self.versus_quantity == other.versus_quantity
            && meet(self.at, other.at)
            && (self.quantity.is_none() || other.quantity.is_none() || self.quantity == other.quantity)
    }

    fn is_difference(&self) -> bool {
        self.versus.is_some() || self.versus_quantity.is_some()
    }

    /// The region in which the figure is to lie.
    fn region(&self, mark: f64) -> Interval {
        let (margin, none) = (self.margin.unwrap_or_default(), f64::INFINITY);
        match self.expect {
            Expect::More => Interval(mark, none),
            Expect::Less => Interval(-none, mark),
            Expect::Same => Interval(mark - margin, mark + margin),
            Expect::NotMore => Interval(-none, mark + margin),
            Expect::NotLess => Interval(mark - margin, none),
            Expect::Within => self.range.map_or(Interval(-none, none), |(least, most)| Interval(least, most)),
        }
    }

    /// The region in words.
    fn tested(&self, mark: f64, kind: Kind) -> String {
        let mark = if mark == 0.0 { "0".to_owned() } else { kind.figure(mark, self.is_difference()) };
        let margin = kind.figure(self.margin.unwrap_or_default(), false);
        let margin = margin.trim_start_matches('+').replace('%', " points");
        match self.expect {
            Expect::More => format!("more than {mark}"),
            Expect::Less => format!("less than {mark}"),
            Expect::Same => format!("within {margin} of {mark}"),
            Expect::NotMore => format!("at most {margin} above {mark}"),
            Expect::NotLess => format!("at most {margin} below {mark}"),
            Expect::Within => {
                let (least, most) = self.range.unwrap_or_default();
                let of = |number| kind.figure(number, self.is_difference());
                format!("between {} and {}", of(least), of(most))
            }
        }
    }

    /// The statement about one figure, with a p-value that is not corrected yet.
    fn judge(&self, value: &Value, results: &Results, kind: Kind, planned: usize) -> Checked {
        let mut claim = self.claim.clone();
        if let Some(at) = value.at.filter(|_| self.at.is_none()) {
            claim += &format!(" (at {at})");
        }
        if let Some(quantity) = value.quantity.as_ref().filter(|_| self.quantity.is_none()) {
            claim += &format!(" ({quantity})");
        }
        let mark = self.than.unwrap_or(if self.is_difference() { 0.0 } else { kind.even() });
        let other = self.is_difference().then(|| {
            results.values.iter().find(|other| {
                &other.arm == self.versus.as_ref().unwrap_or(&self.arm)
                    && other.at == value.at
                    && other.quantity.as_ref() == self.versus_quantity.as_ref().or(value.quantity.as_ref())
            })
        });
        let measured = match other {
            None => value.data.map(Measured::One),
            Some(other) => {
                value.data.zip(other.and_then(|other| other.data)).map(|(a, b)| Measured::Difference(a, b))
            }
        };
        let others = other.map(|other| other.map_or(0, |other| other.n));
        let fewest = others.unwrap_or(usize::MAX).min(value.n);
        let n = value.n + others.filter(|_| self.versus.is_some()).unwrap_or(0);
        let mut checked = Checked {
            claim,
            tested: self.tested(mark, kind),
            is_difference: self.is_difference(),
            value: measured.map(|measured| measured.value()),
            interval: measured.map(|measured| measured.interval(0.95)),
            p_value: None,
            paper: self.paper,
            n,
            verdict: match fewest {
                0 if n == 0 => Verdict::NotRun,
                fewest if fewest < planned => Verdict::Running,
                _ => Verdict::Inconclusive,
            },
        };
        if let Some(measured) = measured.filter(|_| fewest >= planned && n >= FEWEST) {
            let (verdict, p) = measured.against(self.region(mark));
            checked.verdict = verdict;
            checked.p_value = Some(p);
        }
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::results::Data;

    fn check(text: &str) -> Check {
        let check: Check = toml::from_str(&format!("claim = \"c\"\narm = \"a\"\n{text}")).unwrap();
        check.validate().unwrap();
        check
    }

    fn value(arm: &str, wins: usize, n: usize) -> Value {
        let data = Some(Data::Share { score: wins as f64, n });
        Value { arm: arm.to_owned(), at: None, quantity: None, n, data, paper: None }
    }

    /// The first statement about results of which 400 games were planned.
    fn judged(texts: &[&str], values: Vec<Value>) -> Checked {
        let checks: Vec<Check> = texts.iter().map(|text| check(text)).collect();
        let results = Results { cells: Vec::new(), values, checks: Vec::new(), again: None };
        apply(&checks, &results, Kind::WinRate, 400).remove(0)
    }

    #[test]
    fn the_interval_lies_in_the_region_or_outside_or_neither() {
        use Verdict::{Fails, Holds, Inconclusive};
        // Of 400 games: 250 are 62.5% (57.7 to 67.1), 212 are 53.0% (48.1 to 57.8), 200 are 50.0% (45.1 to 54.9).
        for (expect, wins, verdict) in [
            ("expect = \"more\"", 250, Holds),
            ("expect = \"more\"", 212, Inconclusive),
            ("expect = \"more\"", 150, Fails),
            ("expect = \"more\"\nthan = 60.0", 250, Inconclusive),
            ("expect = \"less\"", 150, Holds),
            ("expect = \"less\"", 250, Fails),
            ("expect = \"same\"\nmargin = 5", 200, Holds),
            ("expect = \"same\"\nmargin = 4", 200, Inconclusive),
            ("expect = \"same\"\nmargin = 5", 212, Inconclusive),
            ("expect = \"same\"\nmargin = 5", 250, Fails),
            ("expect = \"not-more\"\nmargin = 5", 150, Holds),
            ("expect = \"not-more\"\nmargin = 5", 212, Inconclusive),
            ("expect = \"not-more\"\nmargin = 5", 250, Fails),
            ("expect = \"not-less\"\nmargin = 5", 250, Holds),
            ("expect = \"within\"\nrange = [57, 68]", 250, Holds),
            ("expect = \"within\"\nrange = [60, 68]", 250, Inconclusive),
            ("expect = \"within\"\nrange = [70, 80]", 250, Fails),
        ] {
            let checked = judged(&[expect], vec![value("a", wins, 400)]);
            assert_eq!(checked.verdict, verdict, "{expect} {wins}");
            assert_eq!(checked.p_value.unwrap() <= 0.05, verdict != Inconclusive, "{checked:?}");
            assert_eq!(
                checked.value,
                Some(wins as f64 / 4.0),
                "the figure itself, not its distance from the mark"
            );
        }
    }

    #[test]
    fn nothing_is_said_before_the_planned_games_are_played() {
        let checked = judged(&["expect = \"more\""], vec![value("a", 390, 398)]);
        assert_eq!((checked.verdict, checked.p_value), (Verdict::Running, None));
        assert!(checked.interval.unwrap().0 > 90.0, "its present interval is shown");
        let both = |n| {
            judged(&["expect = \"more\"\nversus = \"b\""], vec![value("a", 300, 400), value("b", n / 4, n)])
        };
        assert_eq!((both(100).verdict, both(400).verdict), (Verdict::Running, Verdict::Holds));
        assert_eq!((both(400).value, both(400).n), (Some(50.0), 800));
    }

    #[test]
    fn several_statements_of_one_claim_are_corrected() {
        // 55.2% of 400 games: p = 0.0357 by itself, 0.0714 beside another that is clear.
        let values = || vec![value("a", 221, 400), value("b", 300, 400)];
        assert_eq!(judged(&["expect = \"more\""], values()).verdict, Verdict::Holds);
        let other = Check { arm: "b".to_owned(), ..check("expect = \"more\"") };
        let unclear = Check { arm: "c".to_owned(), ..other.clone() };
        let values = vec![value("a", 221, 400), value("b", 300, 400), value("c", 200, 400)];
        let results = Results { cells: Vec::new(), values, checks: Vec::new(), again: None };
        let all = apply(&[check("expect = \"more\""), other, unclear], &results, Kind::WinRate, 400);
        let verdicts: Vec<_> = all.iter().map(|checked| checked.verdict).collect();
        assert_eq!(verdicts, [Verdict::Inconclusive, Verdict::Holds, Verdict::Inconclusive]);
        assert!((all[0].p_value.unwrap() - 0.0714).abs() < 5e-4, "{:?}", all[0].p_value);
    }

    #[test]
    fn a_margin_is_stated_where_one_is_needed() {
        for text in [
            "expect = \"same\"",
            "expect = \"more\"\nmargin = 5",
            "expect = \"within\"",
            "expect = \"same\"\nmargin = 0",
        ] {
            let check: Check = toml::from_str(&format!("claim = \"c\"\narm = \"a\"\n{text}")).unwrap();
            assert!(check.validate().is_err(), "{text}");
        }
        assert!(check("expect = \"more\"").overlaps(&check("expect = \"same\"\nmargin = 5\nat = 3")));
        assert!(!check("expect = \"more\"\nat = 4").overlaps(&check("expect = \"more\"\nat = 3")));
    }
}
