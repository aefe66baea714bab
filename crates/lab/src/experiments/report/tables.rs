//! The tables of a report, the same for every format.

use crate::{
    experiments::{
        checks::{Verdict, WIDEST},
        config::Experiment,
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
    fn new(headings: &[&str]) -> Table {
        Table { headings: headings.iter().map(|&heading| heading.to_owned()).collect(), rows: Vec::new() }
    }

    /// Without columns that are empty in every row.
    #[must_use]
    fn without_empty_columns(mut self) -> Table {
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

/// A number with one decimal; nothing for nothing.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.1}"))
}

pub(super) fn signed(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:+.1}"))
}

pub(super) fn interval(interval: Option<Interval>, sign: bool) -> String {
    match interval {
        Some(Interval(low, high)) if low.is_finite() && high.is_finite() => {
            if sign {
                format!("{low:+.1} to {high:+.1}")
            } else {
                format!("{low:.1} to {high:.1}")
            }
        }
        Some(_) => "unknown".to_owned(),
        None => String::new(),
    }
}

/// Every measured value beside the paper's.
pub fn values(experiment: &Experiment, results: &Results) -> Table {
    let config = &experiment.config;
    let at = config.sweep.as_ref().map_or("at", |sweep| &sweep.label);
    let ours = format!("ours ({})", config.kind.unit());
    let headings = [
        "arm",
        at,
        "quantity",
        config.kind.item(),
        "paper",
        &ours,
        "95% interval",
        "ours minus paper",
        "note",
    ];
    let mut table = Table::new(&headings);
    for value in &results.values {
        let ours = value.data.map(|data| data.value());
        table.rows.push(vec![
            value.arm.clone(),
            value.at.map_or(String::new(), |at| at.to_string()),
            value.quantity.clone().unwrap_or_default(),
            value.n.to_string(),
            number(value.paper),
            number(ours),
            interval(value.data.map(|data| data.interval()), false),
            signed(ours.zip(value.paper).map(|(ours, paper)| ours - paper)),
            match (value.n, value.is_wide()) {
                (0, _) => "not run".to_owned(),
                (_, true) => format!("wider than ±{WIDEST}"),
                _ => String::new(),
            },
        ]);
    }
    table.without_empty_columns()
}

/// The statements and what became of them.
pub fn checks(results: &Results) -> Table {
    let mut table = Table::new(&[
        "statement",
        "paper's difference",
        "ours",
        "95% interval",
        "p",
        "games or runs",
        "verdict",
    ]);
    for check in &results.checks {
        table.rows.push(vec![
            check.claim.clone(),
            signed(check.paper),
            signed(check.difference),
            interval(check.interval, true),
            p_value(check.p_value),
            check.n.to_string(),
            check.verdict_text(),
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
            signed(summary.and_then(|summary| summary.mean_score)),
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

/// A verdict in words that stand by themselves.
pub(super) fn sentence(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "The claim holds in our experiment.",
        Verdict::Fails => "Our results contradict the claim, or a part of it.",
        Verdict::Inconclusive => "Our results do not decide it.",
        Verdict::NotRun => "It has not been run yet.",
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
