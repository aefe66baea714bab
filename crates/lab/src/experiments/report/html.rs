//! The page with the plots. It needs nothing from elsewhere.

use super::{
    plot::plots,
    ratings::ratings,
    tables::{cells, checks, conclusion, values},
};
use crate::experiments::{
    config::Experiment,
    error::LabError,
    power::power_reached,
    results::{CellResult, Results},
};

/// How pages look.
pub(crate) const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222}\
    table{border-collapse:collapse;font-size:.875rem;margin:1rem 0;display:block;overflow-x:auto}\
    th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left}th{background:#f3f3f3}svg{max-width:100%;height:auto}\
    pre{overflow-x:auto;background:#f7f7f7;padding:.5rem;font-size:.75rem}";

/// Text with the characters that HTML reserves written otherwise.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The whole page.
pub fn page(experiment: &Experiment, results: &Results) -> Result<String, LabError> {
    let config = &experiment.config;
    let list = |title: &str, lines: &[String]| {
        let items: Vec<_> = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
        if items.is_empty() {
            String::new()
        } else {
            format!("<h2>{title}</h2>\n<ul>\n{}</ul>\n", items.concat())
        }
    };
    let configurations: String = results.cells.iter().map(configuration).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{claim}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{claim}</h1>\n<p><b>To reach.</b> {reported} ({paper}; {source})</p>\n\
         <p><b>Ours.</b> {verdict}</p>\n{plots}<h2>Statements</h2>\n{checks}<h2>Results</h2>\n{values}{ratings}{remarks}{differences}\
         <h2>Cells</h2>\n{cells}{power}<h2>Configurations</h2>\n{configurations}</body>\n</html>\n",
        claim = escaped(&config.claim),
        reported = escaped(&config.reported),
        paper = escaped(&config.paper),
        source = escaped(&config.source),
        verdict = escaped(&conclusion(experiment, results)),
        plots = plots(experiment, results)?,
        checks = checks(experiment, results).to_html(),
        values = values(experiment, results).to_html(),
        ratings = ratings(experiment, results)
            .map_or(String::new(), |table| format!("<h2>Ratings</h2>\n{}", table.to_html())),
        remarks = list("Remarks", &config.remarks),
        differences = list("Differences from the paper", &config.differences),
        cells = cells(experiment, results).to_html(),
        power = power_reached(experiment, results)
            .map_or(String::new(), |power| format!("<p>Power: {}.</p>\n", escaped(&power))),
    ))
}

/// Configuration, commit, seed and machine of a cell, as the first line of its result file has them.
fn configuration(result: &CellResult) -> String {
    if result.header.is_null() {
        return String::new();
    }
    let header = serde_json::to_string_pretty(&result.header).unwrap_or_default();
    format!(
        "<details><summary>{}</summary><pre>{}</pre></details>\n",
        escaped(&result.cell.name()),
        escaped(&header)
    )
}
