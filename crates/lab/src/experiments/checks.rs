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
    /// The value of the sweep at which the figure of the same arm is subtracted, if any.
    #[serde(default)]
    pub versus_at: Option<f64>,
    /// The value of the sweep; all of them, one after the other, if absent.
    #[serde(default)]
    pub at: Option<f64>,
    /// What was measured, where an arm has several quantities; all of them if absent. Where games are played, `time` is the CPU time of
    /// the arm as a multiple of its opponent's.
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
    /// Not below the mark in the games played: a goal set together with their number, which is counted and not tested.
    Reached,
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
    /// Whether it is a multiple of the opponent's time.
    pub is_time: bool,
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

impl Checked {
    /// A number as this figure is written: with its unit, and with a sign if it is a difference.
    pub fn text(&self, value: f64, kind: Kind) -> String {
        text(value, kind, self.is_time, self.is_difference)
    }

    /// The same of the distance between two such figures.
    pub fn difference(&self, value: f64, kind: Kind) -> String {
        text(value, kind, self.is_time, true)
    }
}

fn text(value: f64, kind: Kind, is_time: bool, is_difference: bool) -> String {
    match (is_time, is_difference) {
        (true, true) => format!("{value:+.2} times"),
        (true, false) => format!("{value:.2} times"),
        (false, _) => kind.figure(value, is_difference),
    }
}

/// The quantity that is the CPU time of an arm as a multiple of its opponent's.
const TIME: &str = "time";

/// Fewer games or runs than this decide nothing, even if all of them end alike.
const FEWEST: usize = 5;

/// How often a statement may be judged wrongly by chance.
const ALPHA: f64 = 0.05;

/// Applies statements to results, each at every value of the sweep and for every quantity that it names. So many games or runs were
/// `planned` for each cell.
pub(super) fn apply(checks: &[Check], results: &Results, kind: Kind, planned: usize) -> Vec<Checked> {
    let mut all = Vec::new();
    for check in checks {
        let values = check.values(results);
        all.extend(check.meant(values).iter().map(|value| check.judge(value, values, kind, planned)));
    }
    // Those that have no p-value yet count, too: what holds now still holds when they are there.
    let p_values: Vec<f64> = all.iter().map(|checked| checked.p_value.unwrap_or(1.0)).collect();
    for (checked, corrected) in all.iter_mut().zip(stats::holm(&p_values)) {
        checked.p_value = checked.p_value.map(|_| corrected);
        if checked.p_value.is_some_and(|p| p > ALPHA) {
            checked.verdict = Verdict::Inconclusive;
        }
    }
    all
}

/// Where a figure stands; what is absent stands for all there are.
struct Place<'a> {
    arm: &'a str,
    at: Option<f64>,
    quantity: Option<&'a str>,
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
        let compared = [self.versus.is_some(), self.versus_quantity.is_some(), self.versus_at.is_some()];
        if compared.into_iter().filter(|is| *is).count() > 1 {
            return broken(
                "compares with another arm, another quantity or another value of the sweep, not with several of them",
            );
        }
        if self.versus_at.is_some() && self.at.is_none() {
            return broken("names the value of the sweep that it compares with, but not its own (at)");
        }
        Ok(())
    }

    /// Whether two statements may be about the same figure, or about a difference and the same turned round.
    pub(super) fn overlaps(&self, other: &Check) -> bool {
        let meet = |a: &Place<'_>, b: &Place<'_>| {
            a.arm == b.arm
                && (a.at.is_none() || b.at.is_none() || a.at == b.at)
                && (a.quantity.is_none() || b.quantity.is_none() || a.quantity == b.quantity)
        };
        let (mine, theirs) = (self.place(), other.place());
        self.is_time() == other.is_time()
            && match (self.subtracted(), other.subtracted()) {
                (None, None) => meet(&mine, &theirs),
                (Some(from_mine), Some(from_theirs)) => {
                    meet(&mine, &theirs) && meet(&from_mine, &from_theirs)
                        || meet(&mine, &from_theirs) && meet(&from_mine, &theirs)
                }
                _ => false,
            }
    }

    /// Where its figure stands.
    fn place(&self) -> Place<'_> {
        Place { arm: &self.arm, at: self.at, quantity: self.quantity.as_deref() }
    }

    /// Where the figure that is subtracted stands, if one is.
    fn subtracted(&self) -> Option<Place<'_>> {
        let quantity = self.versus_quantity.as_ref().or(self.quantity.as_ref());
        self.is_difference().then(|| Place {
            arm: self.versus.as_ref().unwrap_or(&self.arm),
            at: self.versus_at.or(self.at),
            quantity: quantity.map(String::as_str),
        })
    }

    fn is_difference(&self) -> bool {
        self.versus.is_some() || self.versus_quantity.is_some() || self.versus_at.is_some()
    }

    fn is_time(&self) -> bool {
        self.quantity.as_deref() == Some(TIME)
    }

    /// The values among which its figure is found.
    fn values<'a>(&self, results: &'a Results) -> &'a [Value] {
        if self.is_time() { &results.times } else { &results.values }
    }

    /// The figures that it is about. Before the first run of its arm they have the names that other arms have given them.
    fn meant(&self, values: &[Value]) -> Vec<Value> {
        let fits = |value: &&Value| {
            (self.at.is_none() || value.at == self.at)
                && (self.quantity.is_none() || self.is_time() || value.quantity == self.quantity)
        };
        let own: Vec<Value> =
            values.iter().filter(fits).filter(|value| value.arm == self.arm).cloned().collect();
        if own.iter().any(|value| value.n > 0) {
            return own;
        }
        let nothing = |at: Option<f64>, quantity: Option<String>| Value {
            arm: self.arm.clone(),
            at,
            quantity,
            n: 0,
            data: None,
            paper: None,
        };
        let mut named: Vec<Value> = Vec::new();
        for value in values.iter().filter(fits).filter(|value| value.n > 0) {
            if !named.iter().any(|known| (known.at, &known.quantity) == (value.at, &value.quantity)) {
                named.push(nothing(value.at, value.quantity.clone()));
            }
        }
        match named.len().max(own.len()) {
            0 => vec![nothing(self.at, self.quantity.clone())],
            most if most == own.len() => own,
            _ => named,
        }
    }

    /// The region in which the figure is to lie.
    fn region(&self, mark: f64) -> Interval {
        let (margin, none) = (self.margin.unwrap_or_default(), f64::INFINITY);
        match self.expect {
            Expect::More | Expect::Reached => Interval(mark, none),
            Expect::Less => Interval(-none, mark),
            Expect::Same => Interval(mark - margin, mark + margin),
            Expect::NotMore => Interval(-none, mark + margin),
            Expect::NotLess => Interval(mark - margin, none),
            Expect::Within => self.range.map_or(Interval(-none, none), |(least, most)| Interval(least, most)),
        }
    }

    /// The region in words.
    fn tested(&self, mark: f64, kind: Kind) -> String {
        let figure = |number: f64| text(number, kind, self.is_time(), self.is_difference());
        let mark = if mark == 0.0 { "0".to_owned() } else { figure(mark) };
        let margin = text(self.margin.unwrap_or_default(), kind, self.is_time(), false);
        let margin = margin.trim_start_matches('+').replace('%', " points");
        match self.expect {
            Expect::More => format!("more than {mark}"),
            Expect::Less => format!("less than {mark}"),
            Expect::Same => format!("within {margin} of {mark}"),
            Expect::NotMore => format!("at most {margin} above {mark}"),
            Expect::NotLess => format!("at most {margin} below {mark}"),
            Expect::Reached => format!("at least {mark} of these games"),
            Expect::Within => {
                let (least, most) = self.range.unwrap_or_default();
                format!("between {} and {}", figure(least), figure(most))
            }
        }
    }

    /// The statement about one of the values, with a p-value that is not corrected yet.
    fn judge(&self, value: &Value, values: &[Value], kind: Kind, planned: usize) -> Checked {
        let mut claim = self.claim.clone();
        if let Some(at) = value.at.filter(|_| self.at.is_none()) {
            claim += &format!(" (at {at})");
        }
        if let Some(quantity) = value.quantity.as_ref().filter(|_| self.quantity.is_none()) {
            claim += &format!(" ({quantity})");
        }
        let even = if self.is_time() { 1.0 } else { kind.even() };
        let mark = self.than.unwrap_or(if self.is_difference() { 0.0 } else { even });
        let other = self.is_difference().then(|| {
            values.iter().find(|other| {
                &other.arm == self.versus.as_ref().unwrap_or(&self.arm)
                    && other.at == self.versus_at.or(value.at)
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
        let n = value.n + others.filter(|_| self.versus_quantity.is_none()).unwrap_or(0);
        let mut checked = Checked {
            claim,
            tested: self.tested(mark, kind),
            is_difference: self.is_difference(),
            is_time: self.is_time(),
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
            if self.expect == Expect::Reached {
                checked.verdict = if measured.value() >= mark { Verdict::Holds } else { Verdict::Fails };
            } else {
                let (verdict, p) = measured.against(self.region(mark));
                checked.verdict = verdict;
                checked.p_value = Some(p);
            }
        }
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{experiments::results::Data, stats::Mean};

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
        apply(&checks, &of(values), Kind::WinRate, 400).remove(0)
    }

    fn of(values: Vec<Value>) -> Results {
        Results {
            cells: Vec::new(),
            values,
            times: Vec::new(),
            checks: Vec::new(),
            again: None,
            earlier: None,
        }
    }

    #[test]
    fn a_goal_is_counted() {
        let goal = ["expect = \"reached\"\nthan = 45"];
        assert_eq!(judged(&goal, vec![value("a", 180, 400)]).verdict, Verdict::Holds);
        assert_eq!(judged(&goal, vec![value("a", 179, 400)]).verdict, Verdict::Fails);
        let early = judged(&goal, vec![value("a", 300, 399)]);
        assert_eq!((early.verdict, early.p_value), (Verdict::Running, None));
        assert_eq!(early.tested, "at least 45.0% of these games");
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
        let all = [check("expect = \"more\""), other, unclear];
        let all = apply(&all, &of(values), Kind::WinRate, 400);
        let verdicts: Vec<_> = all.iter().map(|checked| checked.verdict).collect();
        assert_eq!(verdicts, [Verdict::Inconclusive, Verdict::Holds, Verdict::Inconclusive]);
        assert!((all[0].p_value.unwrap() - 0.0714).abs() < 5e-4, "{:?}", all[0].p_value);
    }

    /// 55.2% of 400 games would be enough if it were the only statement: it is not, though no other has its games yet.
    #[test]
    fn what_holds_early_holds_in_the_end() {
        let other = Check { arm: "b".to_owned(), ..check("expect = \"more\"") };
        let statements = [check("expect = \"more\""), other];
        let verdict = |b: usize| {
            let results = of(vec![value("a", 221, 400), value("b", b / 2, b)]);
            apply(&statements, &results, Kind::WinRate, 400).remove(0).verdict
        };
        assert_eq!([0, 100, 400].map(verdict), [Verdict::Inconclusive; 3]);

        // A statement about all quantities is as many as there are, even before its arm has any.
        let quantities = |arm: &str, n: usize| {
            ["x", "y", "z"]
                .map(|name| Value { quantity: Some(name.to_owned()), ..value(arm, n * 221 / 400, n) })
        };
        let unnamed = vec![Value { data: None, ..value("b", 0, 0) }];
        let early = of(quantities("a", 400).into_iter().chain(unnamed).collect());
        let late = of(quantities("a", 400).into_iter().chain(quantities("b", 400)).collect());
        let count = |results: &Results| apply(&statements, results, Kind::WinRate, 400).len();
        assert_eq!((count(&early), count(&late)), (6, 6));
    }

    #[test]
    fn values_of_the_sweep_and_times_are_compared() {
        let at = |place: f64, wins: usize| Value { at: Some(place), ..value("a", wins, 400) };
        let texts = ["expect = \"less\"\nat = 1\nversus_at = 2"];
        let sharper = judged(&texts, vec![at(1.0, 100), at(2.0, 200)]);
        assert_eq!((sharper.verdict, sharper.value, sharper.n), (Verdict::Holds, Some(-25.0), 800));

        let ratio = Mean::of_ratio(&[(3.0, 1.0), (4.0, 1.0), (3.5, 1.0), (3.6, 1.0), (3.4, 1.0)]);
        let time = Value { data: ratio.map(Data::Mean), n: 400, ..value("a", 0, 0) };
        let results = Results { times: vec![time], ..of(vec![value("a", 200, 400)]) };
        let slower = check("expect = \"more\"\nquantity = \"time\"\npaper = 3.5");
        let checked = apply(&[slower, check("expect = \"more\"")], &results, Kind::Score, 400).remove(0);
        assert_eq!((checked.verdict, checked.tested.as_str()), (Verdict::Holds, "more than 1.00 times"));
        assert_eq!(checked.text(checked.value.unwrap(), Kind::Score), "3.50 times");
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
        let versus_b = check("expect = \"more\"\nversus = \"b\"");
        let turned = |versus: &str| Check {
            arm: "b".to_owned(),
            versus: Some(versus.to_owned()),
            ..check("expect = \"less\"")
        };
        assert!(versus_b.overlaps(&turned("a")) && !versus_b.overlaps(&turned("c")));
        assert!(!versus_b.overlaps(&check("expect = \"more\"")));
        assert!(!check("expect = \"more\"").overlaps(&check("expect = \"more\"\nquantity = \"time\"")));
        let sharper = check("expect = \"less\"\nat = 1\nversus_at = 2");
        assert!(sharper.overlaps(&check("expect = \"more\"\nat = 2\nversus_at = 1")));
    }
}
