//! The page about a run, made from its log. It needs nothing from elsewhere.

use plotters::{coord::Shift, prelude::*};
use serde::Serialize;

use crate::{
    experiments::report::{COLORS, STYLE, escaped},
    learn::anchors::AnchorResult,
    selfplay::SelfPlayError,
};

const SIZE: (u32, u32) = (860, 360);

/// The axis of most plots.
pub(super) const GAMES: &str = "games";

/// A place on the axis, a height, and its error bar.
pub(super) type CurvePoint = (f64, f64, Option<(f64, f64)>);

/// A curve.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<CurvePoint>,
}

/// Several curves with a title, over an axis; the range of their heights, if it is not theirs.
pub(super) struct Plot<'a> {
    pub(super) title: &'a str,
    pub(super) axis: &'a str,
    pub(super) curves: Vec<Curve>,
    pub(super) range: Option<(f64, f64)>,
}

/// Games against opponents at some time of a run.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    pub(super) games: u64,
    pub(super) hours: f64,
    pub(super) results: &'a [AnchorResult],
}

/// The whole page: a title, a sentence, the course of the games against opponents, further plots, and the settings.
pub(super) fn page(
    title: &str,
    summary: &str,
    trials: &[Trial<'_>],
    plots: Vec<Plot<'_>>,
    settings: &impl Serialize,
) -> Result<String, SelfPlayError> {
    let settings = serde_json::to_string_pretty(settings).unwrap_or_default();
    let first = shares(trials);
    let plots =
        std::iter::once(first).chain(plots).map(|plot| svg(&[plot])).collect::<Result<String, _>>()?;
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{summary}</p>\n{plots}\n<h2>Opponents</h2>\n{table}\n\
         <h2>Settings</h2>\n<pre>{settings}</pre>\n</body>\n</html>\n",
        title = escaped(title),
        summary = escaped(summary),
        table = table(trials),
        settings = escaped(&settings),
    ))
}

/// The shares of games won against each opponent.
pub(super) fn shares<'a>(trials: &[Trial<'_>]) -> Plot<'a> {
    Plot {
        title: "share of games won, with 95% intervals",
        axis: GAMES,
        curves: opponents(trials),
        range: Some((0.0, 1.0)),
    }
}

/// A curve for each opponent.
fn opponents(trials: &[Trial<'_>]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (games, result) in trials.iter().flat_map(|trial| trial.results.iter().map(move |r| (trial.games, r)))
    {
        let point = (games as f64, result.win_rate, Some((result.ci95.0, result.ci95.1)));
        match curves.iter_mut().find(|curve| curve.name == result.opponent) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name: result.opponent.clone(), points: vec![point] }),
        }
    }
    curves
}

/// All trials, the latest first.
fn table(trials: &[Trial<'_>]) -> String {
    let row = |trial: &Trial<'_>, r: &AnchorResult| {
        format!(
            "<tr><td>{}</td><td>{:.2}</td><td>{}</td><td>{} of {}</td><td>{:.1}%</td><td>{:.1}% to {:.1}%</td></tr>\n",
            trial.games,
            trial.hours,
            escaped(&r.opponent),
            r.wins,
            r.games,
            100.0 * r.win_rate,
            100.0 * r.ci95.0,
            100.0 * r.ci95.1
        )
    };
    let rows: String =
        trials.iter().rev().flat_map(|trial| trial.results.iter().map(move |r| row(trial, r))).collect();
    format!(
        "<table>\n<tr><th>games</th><th>hours</th><th>opponent</th><th>won</th><th>share</th><th>95%</th></tr>\n{rows}</table>\n"
    )
}

/// The picture of some plots, one below the other, without those that have no points; nothing if none has any.
pub(super) fn svg(plots: &[Plot<'_>]) -> Result<String, SelfPlayError> {
    let has_points = |plot: &&Plot<'_>| plot.curves.iter().any(|curve| !curve.points.is_empty());
    let plots: Vec<_> = plots.iter().filter(has_points).collect();
    let mut svg = String::new();
    if plots.is_empty() {
        return Ok(svg);
    }
    {
        let area =
            SVGBackend::with_string(&mut svg, (SIZE.0, SIZE.1 * plots.len() as u32)).into_drawing_area();
        let failed = |problem: &dyn ToString| {
            SelfPlayError::Settings(format!("cannot draw a picture: {}", problem.to_string()))
        };
        for (panel, plot) in area.split_evenly((plots.len(), 1)).iter().zip(plots) {
            draw(panel, plot).map_err(|problem| failed(&problem))?;
        }
        area.present().map_err(|problem| failed(&problem))?;
    }
    Ok(svg)
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    plot: &Plot<'_>,
) -> Result<(), Box<dyn std::error::Error>> {
    let Plot { title, axis, curves, range } = plot;
    area.fill(&WHITE)?;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let last = points().map(|p| p.0).fold(0.0, f64::max);
    let last = if last > 0.0 { last } else { 1.0 };
    let (least, most) = range.unwrap_or_else(|| {
        let heights =
            points().flat_map(|p| [Some(p.1), p.2.map(|bar| bar.0), p.2.map(|bar| bar.1)]).flatten();
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let margin = ((high - low) * 0.05).max(1e-3);
        (low - margin, high + margin)
    });
    let mut chart = ChartBuilder::on(area)
        .caption(*title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..last * 1.02, least..most)?;
    chart.configure_mesh().x_desc(*axis).draw()?;
    for (Curve { name, points }, color) in curves.iter().zip(COLORS.iter().cycle().copied()) {
        let bars = points.iter().filter_map(|&(x, _, bar)| {
            let (low, high) = bar?;
            Some(PathElement::new(vec![(x, low), (x, high)], color.mix(0.4)))
        });
        chart.draw_series(bars)?;
        chart
            .draw_series(LineSeries::new(points.iter().map(|&(x, y, _)| (x, y)), color.stroke_width(2)))?
            .label(name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_plots_are_one_picture() {
        let plot = |title, points| Plot {
            title,
            axis: GAMES,
            curves: vec![Curve { name: "network".to_owned(), points }],
            range: None,
        };
        let some = || vec![(0.0, 1.0, None), (10.0, 2.0, Some((1.5, 2.5)))];
        let picture = svg(&[plot("above", some()), plot("nothing", vec![]), plot("below", some())]).unwrap();
        for (text, times) in [("<svg", 1), ("</svg>", 1), ("above", 1), ("nothing", 0), ("below", 1)] {
            assert_eq!(picture.matches(text).count(), times, "{text}");
        }
        assert!(picture.trim_end().ends_with("</svg>"));
        assert!(svg(&[plot("nothing", vec![])]).unwrap().is_empty());
    }
}
