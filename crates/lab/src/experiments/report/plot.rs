//! Plots: curves over the sweep, or points side by side, with error bars at 95% and the paper's figures; of a ladder, the ratings.

use plotters::prelude::*;

use super::{curves, ratings};
use crate::experiments::{
    config::Experiment,
    error::LabError,
    results::{Results, Value},
};

const SIZE: (u32, u32) = (860, 420);
/// The colours of curves.
pub(crate) const COLORS: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(255, 127, 14),
    RGBColor(90, 90, 90),
];

/// A point with its error bar.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    low: f64,
    value: f64,
    high: f64,
    paper: Option<f64>,
}

/// Points that belong together.
struct Series {
    name: String,
    points: Vec<Point>,
}

/// The plots of an experiment as SVG, or nothing where there are no results.
pub fn plots(experiment: &Experiment, results: &Results) -> Result<String, LabError> {
    if experiment.config.learning.is_some() {
        return curves::curves(experiment, results).map_err(|problem| LabError::Plot(problem.to_string()));
    }
    if experiment.config.opponent.as_deref() == Some(Experiment::ALL) {
        return ratings::map(experiment, results).map_err(|problem| LabError::Plot(problem.to_string()));
    }
    let ladder = ladder(experiment, results);
    let unit = if ladder.is_some() { "Elo" } else { experiment.config.kind.unit() };
    let (series, labels) = ladder.unwrap_or_else(|| series(experiment, results));
    if series.is_empty() {
        return Ok(String::new());
    }
    let mut svg = String::new();
    draw(experiment, &series, &labels, unit, &mut svg)
        .map_err(|problem| LabError::Plot(problem.to_string()))?;
    Ok(svg)
}

/// The ratings of a ladder, in the order of its arms.
fn ladder(experiment: &Experiment, results: &Results) -> Option<(Vec<Series>, Vec<String>)> {
    if experiment.config.opponent.as_deref() != Some(Experiment::PREVIOUS) {
        return None;
    }
    let (_, rated) = ratings::rated(experiment, results).pop()?;
    let place = |arm: &String| rated.iter().find(|rating| rating.player == *arm && rating.games > 0);
    let (labels, points) = experiment
        .config
        .arms
        .keys()
        .filter_map(|arm| Some((arm.clone(), place(arm)?)))
        .enumerate()
        .map(|(i, (arm, rating))| {
            let interval = rating.ci95;
            let point =
                Point { x: i as f64, low: interval.0, value: rating.elo, high: interval.1, paper: None };
            (arm, point)
        })
        .unzip();
    Some((vec![Series { name: "rating".to_owned(), points }], labels))
}

/// The points by arms; without a sweep, their places on the x axis are those of the quantities or arms in `labels`.
fn series(experiment: &Experiment, results: &Results) -> (Vec<Series>, Vec<String>) {
    let swept = experiment.config.sweep.is_some();
    let arms: Vec<&str> = experiment.config.arms.keys().map(String::as_str).collect();
    let mut labels: Vec<String> = Vec::new();
    let mut all: Vec<Series> = Vec::new();
    for value in &results.values {
        let Some(data) = value.data else { continue };
        let by_quantity = value.quantity.is_some();
        let x = match value.at {
            Some(at) if swept => at,
            _ => {
                let label = value.quantity.clone().unwrap_or_else(|| value.arm.clone());
                let place = labels.iter().position(|known| *known == label).unwrap_or_else(|| {
                    labels.push(label);
                    labels.len() - 1
                });
                // Arms beside each other within a quantity.
                let arm = arms.iter().position(|arm| *arm == value.arm).unwrap_or(0);
                place as f64
                    + if by_quantity { 0.12 * (arm as f64 - (arms.len() as f64 - 1.0) / 2.0) } else { 0.0 }
            }
        };
        let interval = data.interval(0.95);
        let point = Point { x, low: interval.0, value: data.value(), high: interval.1, paper: value.paper };
        let name = series_name(value, swept);
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => all.push(Series { name, points: vec![point] }),
        }
    }
    (all, labels)
}

fn series_name(value: &Value, swept: bool) -> String {
    match &value.quantity {
        Some(quantity) if swept => format!("{}, {quantity}", value.arm),
        _ => value.arm.clone(),
    }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(
    experiment: &Experiment,
    series: &[Series],
    labels: &[String],
    unit: &str,
    svg: &mut String,
) -> Drawn {
    let points = || series.iter().flat_map(|series| &series.points);
    let finite = |value: f64| value.is_finite().then_some(value);
    let heights = || {
        points().flat_map(|p| [finite(p.low), Some(p.value), finite(p.high), p.paper].into_iter().flatten())
    };
    let (least, most) =
        (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    let margin = ((most - least) * 0.08).max(1.0);
    let (first, last) = (
        points().map(|p| p.x).fold(f64::INFINITY, f64::min),
        points().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max),
    );
    let side = if labels.is_empty() { ((last - first) * 0.05).max(0.05) } else { 0.5 };
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&area);
    builder.margin(10).x_label_area_size(44).y_label_area_size(60);
    let heights = least - margin..most + margin;
    // Playouts double from one value to the next.
    if labels.is_empty() && first > 0.0 && last / first >= 4.0 {
        let widths = (first * 0.9..last * 1.1).log_scale();
        let mut chart = builder.build_cartesian_2d(widths, heights)?;
        let label = experiment.config.sweep.as_ref().map_or("", |sweep| &sweep.label);
        chart.configure_mesh().x_desc(label).y_desc(unit).draw()?;
        return curves(&mut chart, series, true, |x| x * 0.99, |x| x * 1.01);
    }
    let mut chart = builder.build_cartesian_2d(first - side..last + side, heights)?;
    let label = experiment.config.sweep.as_ref().map_or("", |sweep| &sweep.label);
    let name = |x: &f64| {
        let is_whole = (x - x.round()).abs() < 1e-6;
        if labels.is_empty() {
            format!("{x:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            labels.get(x.round() as usize).filter(|_| is_whole && *x > -0.5).cloned().unwrap_or_default()
        }
    };
    chart
        .configure_mesh()
        .x_labels(if labels.is_empty() { 10 } else { 2 * labels.len() + 1 })
        .x_label_formatter(&name)
        .x_desc(label)
        .y_desc(unit)
        .draw()?;
    let tick = if labels.is_empty() { (last - first).max(0.1) * 0.005 } else { 0.02 };
    curves(&mut chart, series, labels.is_empty(), |x| x - tick, |x| x + tick)
}

/// Draws each series in its colour: a line through the points where they are on a scale, error bars, the paper's figures as crosses.
fn curves<'a, 'b: 'a, X>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, plotters::coord::types::RangedCoordf64>>,
    series: &[Series],
    on_a_scale: bool,
    left: impl Fn(f64) -> f64,
    right: impl Fn(f64) -> f64,
) -> Drawn
where
    X: plotters::coord::ranged1d::Ranged<ValueType = f64>,
{
    for (Series { name, points }, color) in series.iter().zip(COLORS.iter().cycle().copied()) {
        let (bottom, top) = {
            let range = chart.y_range();
            (range.start, range.end)
        };
        if on_a_scale {
            chart.draw_series(LineSeries::new(points.iter().map(|p| (p.x, p.value)), &color))?;
        }
        let bars = points.iter().flat_map(|p| {
            let (low, high) = (p.low.max(bottom), p.high.min(top));
            let across = |y: f64| PathElement::new(vec![(left(p.x), y), (right(p.x), y)], color);
            [PathElement::new(vec![(p.x, low), (p.x, high)], color), across(low), across(high)]
        });
        chart.draw_series(bars)?;
        chart
            .draw_series(points.iter().map(|p| Circle::new((p.x, p.value), 4, color.filled())))?
            .label(name.as_str())
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
        let papers: Vec<_> = points.iter().filter_map(|p| Some((p.x, p.paper?))).collect();
        if !papers.is_empty() {
            chart
                .draw_series(papers.iter().map(|&at| Cross::new(at, 5, color.stroke_width(2))))?
                .label(format!("{name}, paper"))
                .legend(move |(x, y)| Cross::new((x + 8, y), 5, color.stroke_width(2)));
        }
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    chart.plotting_area().present()?;
    Ok(())
}
