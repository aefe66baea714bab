//! The tables of a report, the same for every format.

use crate::{
    experiments::{
        checks::{Checked, Verdict},
        config::{Conditions, Experiment},
        kind::Kind,
        results::Results,
    },
    stats::Interval,
};

/// A table of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The headings of the columns.
    pub headings: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Table {
        Table { headings: headings.iter().map(|&heading| heading.to_owned()).collect(), rows: Vec::new() }
    }

    /// Without columns that are empty in every row.
    #[must_use]
    pub(super) fn without_empty_columns(mut self) -> Table {
        let used: Vec<bool> = (0..self.headings.len())
            .map(|column| self.rows.is_empty() || self.rows.iter().any(|row| !row[column].is_empty()))
            .collect();
        let keep = |row: &mut Vec<String>| {
            let mut used = used.iter();
            row.retain(|_| *used.next().expect("rows have as many columns as headings"));
        };
        keep(&mut self.headings);
        self.rows.iter_mut().for_each(keep);
        self
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |row: &[String]| {
            let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.headings.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.headings) + &rule + &rows
    }

    /// As CSV (RFC 4180).
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &String| {
            if cell.contains([',', '"', '\n']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.headings).chain(&self.rows).map(line).collect()
    }

    /// As HTML.
    pub fn to_html(&self) -> String {
        let row = |tag: &str, row: &[String]| {
            let cell = |cell: &String| format!("<{tag}>{}</{tag}>", super::html::escaped(cell));
            format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<Vec<_>>().concat())
        };
        let rows: String = self.rows.iter().map(|cells| row("td", cells)).collect();
        format!("<table>\n<thead>{}</thead>\n<tbody>\n{rows}</tbody>\n</table>\n", row("th", &self.headings))
    }
}

fn bounds(interval: Interval, number: impl Fn(f64) -> String) -> String {
    let Interval(low, high) = interval;
    if low.is_finite() && high.is_finite() {
        format!("{} to {}", number(low), number(high))
    } else {
        "unknown".to_owned()
    }
}

/// Ours with its interval, such as `62.5% (57.7 to 67.1)`.
pub(super) fn figure(check: &Checked, kind: Kind) -> String {
    let text = |value: f64| check.text(value, kind);
    // The unit once is enough.
    let bare = |value: f64| {
        text(value)
            .trim_end_matches(" points")
            .trim_end_matches(" a second")
            .trim_end_matches(" times")
            .trim_end_matches('%')
            .to_owned()
    };
    match (check.value, check.interval) {
        (Some(value), Some(interval)) => format!("{} ({})", text(value), bounds(interval, bare)),
        _ => String::new(),
    }
}

/// Every measured value beside the paper's.
pub fn values(experiment: &Experiment, results: &Results) -> Table {
    let config = &experiment.config;
    let at = experiment.axis().unwrap_or("at");
    let (paper, ours) = (format!("paper ({})", config.kind.unit()), format!("ours ({})", config.kind.unit()));
    let headings = [
        "arm",
        at,
        "quantity",
        config.kind.item(),
        &paper,
        &ours,
        "95% interval",
        "ours minus paper",
        "note",
    ];
    let mut table = Table::new(&headings);
    let planned = experiment.planned(1.0);
    let number = |value: f64| format!("{value:.1}");
    for value in &results.values {
        let ours = value.data.map(|data| data.value());
        table.rows.push(vec![
            value.arm.clone(),
            value.at.map_or(String::new(), |at| at.to_string()),
            value.quantity.clone().unwrap_or_default(),
            value.n.to_string(),
            value.paper.map_or(String::new(), number),
            ours.map_or(String::new(), number),
            value.data.map_or(String::new(), |data| bounds(data.interval(0.95), number)),
            ours.zip(value.paper).map_or(String::new(), |(ours, paper)| format!("{:+.1}", ours - paper)),
            match value.n {
                0 => "not run".to_owned(),
                n if n < planned => format!("{n} of {planned}"),
                _ if value.data.is_none() => "not every game has a score".to_owned(),
                _ => String::new(),
            },
        ]);
    }
    table.without_empty_columns()
}

/// The statements and what became of them.
pub fn checks(experiment: &Experiment, results: &Results) -> Table {
    let kind = experiment.config.kind;
    let mut table = Table::new(&[
        "statement",
        "tested",
        "paper",
        "ours (95% interval)",
        "ours minus paper",
        "p (Holm)",
        kind.item(),
        "verdict",
    ]);
    for check in &results.checks {
        table.rows.push(vec![
            check.claim.clone(),
            check.tested.clone(),
            check.paper.map_or(String::new(), |paper| check.text(paper, kind)),
            figure(check, kind),
            check
                .value
                .zip(check.paper)
                .map_or(String::new(), |(ours, paper)| check.difference(ours - paper, kind)),
            p_value(check.p_value),
            check.n.to_string(),
            check.verdict.to_string(),
        ]);
    }
    table.without_empty_columns()
}

fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.0001 => "< 0.0001".to_owned(),
        Some(p) => format!("{p:.4}"),
        None => String::new(),
    }
}

/// Every cell as a whole: games, times, failures, and where they come from.
pub fn cells(experiment: &Experiment, results: &Results) -> Table {
    let item = experiment.config.kind.item();
    let cpu = format!("CPU s of the arm per {}", item.trim_end_matches('s'));
    let headings = [
        "cell",
        "opponent",
        item,
        "won",
        "mean score",
        &cpu,
        "CPU s of the opponent",
        "median s of a game",
        "different games",
        "failures",
        "commit",
        "machine",
    ];
    let mut table = Table::new(&headings);
    for result in &results.cells {
        let summary = result.summary.as_ref();
        let seconds = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        let provenance = |key: &str| result.header["provenance"][key].as_str().unwrap_or_default().to_owned();
        table.rows.push(vec![
            result.cell.name(),
            result.cell.opponent.as_ref().map_or(String::new(), |opponent| opponent.name.clone()),
            result.n.to_string(),
            summary.map_or(String::new(), |summary| summary.wins_a.to_string()),
            summary
                .and_then(|summary| summary.mean_score)
                .map_or(String::new(), |score| format!("{score:+.1}")),
            seconds(result.cpu_seconds),
            seconds(summary.and_then(|summary| Some(summary.cpu_seconds_b? / result.n as f64))),
            seconds(summary.and_then(|summary| summary.median_game_seconds)),
            summary.map_or(String::new(), |summary| summary.distinct_games.to_string()),
            summary.map_or(String::new(), |s| (s.illegal + s.crashes + s.time_losses).to_string()),
            provenance("commit"),
            provenance("cpu"),
        ]);
    }
    table.without_empty_columns()
}

/// What came of an experiment, in a few words: about the paper's claim only where it was tested at the paper's conditions.
pub(super) fn verdict(experiment: &Experiment, results: &Results) -> String {
    let verdict = results.verdict();
    let is_judged = matches!(verdict, Verdict::Holds | Verdict::Fails | Verdict::Inconclusive);
    let split = results.split().filter(|_| is_judged);
    let mut text = match split {
        Some(split) if verdict == Verdict::Fails => format!("does not hold in part: {split}"),
        Some(split) => format!("{verdict}: {split}"),
        None => verdict.to_string(),
    };
    if verdict == Verdict::Running {
        text += &format!(", {} of {} a cell", results.fewest(), experiment.planned(1.0));
    }
    if let Some(earlier) = &results.earlier {
        text += &format!(" ({earlier})");
    }
    match experiment.config.conditions {
        Conditions::Other if is_judged => format!("not at the paper's conditions (here: {text})"),
        Conditions::Other => format!("{text} (not at the paper's conditions)"),
        Conditions::Paper | Conditions::Own => text,
    }
}

/// The same in sentences that stand by themselves.
pub(super) fn conclusion(experiment: &Experiment, results: &Results) -> String {
    let claim = if experiment.config.conditions == Conditions::Own { "Our claim" } else { "The claim" };
    let text = match (results.verdict(), results.split()) {
        (Verdict::Holds, _) => format!("{claim} holds."),
        (Verdict::Fails, Some(split)) => format!("{claim} does not hold in part: {split}."),
        (Verdict::Fails, None) => format!("{claim} does not hold."),
        (Verdict::Inconclusive, Some(split)) => format!("Our results do not decide it: {split}."),
        (Verdict::Inconclusive, None) => "Our results do not decide it.".to_owned(),
        (Verdict::Running, _) => format!(
            "Running: {} of {} {} in the cell that has fewest; there is no verdict before all are played.",
            results.fewest(),
            experiment.planned(1.0),
            experiment.config.kind.item()
        ),
        (Verdict::Again, _) => format!("To be run again: {}.", results.again.as_deref().unwrap_or_default()),
        (Verdict::NotRun, _) => "It has not been run yet.".to_owned(),
    };
    let text = match &results.earlier {
        Some(earlier) => format!("{text} These results were {earlier}."),
        None => text,
    };
    match (experiment.config.conditions, results.verdict()) {
        (Conditions::Other, Verdict::Again | Verdict::NotRun) => {
            format!("{text} Its conditions are not the paper's.")
        }
        (Conditions::Other, _) => format!(
            "Not at the paper's conditions, so that nothing follows for or against the paper. Here: {text}"
        ),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_for_each_format() {
        let mut table = Table::new(&["a", "b", "empty"]);
        table.rows.push(vec!["x|y, \"z\"".to_owned(), "<&>".to_owned(), String::new()]);
        let table = table.without_empty_columns();
        assert_eq!(table.headings, ["a", "b"]);
        assert_eq!(table.to_csv(), "a,b\n\"x|y, \"\"z\"\"\",<&>\n");
        assert!(table.to_markdown().contains("x\\|y"));
        assert!(table.to_html().contains("&lt;&amp;&gt;"));
    }
}
