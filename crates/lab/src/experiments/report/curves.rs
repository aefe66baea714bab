//! Curves of learning: a panel for each quantity, in it the mean of each arm over its runs, with a band at 95%.

use plotters::{coord::Shift, prelude::*};

use super::plot::COLORS;
use crate::experiments::{
    config::Experiment,
    learning::DIFFERENT_GAMES,
    results::{Data, Results},
};

const WIDTH: u32 = 860;
/// Of one panel.
const HEIGHT: u32 = 300;

type Drawn<T> = Result<T, Box<dyn std::error::Error>>;

/// A place on the axis, the mean there, and its interval.
type Point = (f64, f64, (f64, f64));

/// All panels as SVG; nothing where there are no results.
pub(super) fn curves(experiment: &Experiment, results: &Results) -> Drawn<String> {
    let mut quantities: Vec<&str> = Vec::new();
    for quantity in results.values.iter().filter_map(|value| value.data.and(value.quantity.as_deref())) {
        if !quantities.contains(&quantity) && !quantity.starts_with(DIFFERENT_GAMES) {
            quantities.push(quantity);
        }
    }
    let mut svg = String::new();
    if quantities.is_empty() {
        return Ok(svg);
    }
    let area =
        SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT * quantities.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, quantity) in area.split_evenly((quantities.len(), 1)).iter().zip(&quantities) {
        let arms: Vec<(&str, Vec<Point>)> = experiment
            .config
            .arms
            .keys()
            .map(|arm| (arm.as_str(), points(results, arm, quantity)))
            .filter(|(_, points)| !points.is_empty())
            .collect();
        let is_share =
            experiment.config.learning.as_ref().is_some_and(|learning| {
                learning.anchors.opponents.iter().any(|opponent| opponent == quantity)
            });
        let title =
            if is_share { format!("wins in percent against {quantity}") } else { (*quantity).to_owned() };
        draw(panel, &title, experiment.axis().unwrap_or_default(), &arms, is_share)?;
    }
    area.present()?;
    drop(area);
    Ok(svg)
}

/// The course of a quantity in an arm.
fn points(results: &Results, arm: &str, quantity: &str) -> Vec<Point> {
    let of_arm =
        results.values.iter().filter(|value| value.arm == arm && value.quantity.as_deref() == Some(quantity));
    let point = |(at, data): (f64, Data)| {
        let interval = data.interval(0.95);
        (at, data.value(), (interval.0, interval.1))
    };
    of_arm.filter_map(|value| Some(point((value.at?, value.data?)))).collect()
}

fn draw(
    panel: &DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    axis: &str,
    arms: &[(&str, Vec<Point>)],
    is_share: bool,
) -> Drawn<()> {
    let all = || arms.iter().flat_map(|(_, points)| points);
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let most = all().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    let least = all().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let margin = ((most - least) * 0.3).max(most.abs() * 0.05).max(1e-9);
    let (bottom, top) = if is_share { (0.0, 100.0) } else { (least - margin, most + margin) };
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..last * 1.05, bottom..top)?;
    chart.configure_mesh().x_desc(axis).draw()?;
    for ((name, points), color) in arms.iter().zip(COLORS.iter().cycle().copied()) {
        let inside = |y: f64| y.clamp(bottom, top);
        let low = points.iter().map(|&(x, _, (low, _))| (x, inside(low)));
        let high = points.iter().rev().map(|&(x, _, (_, high))| (x, inside(high)));
        chart.draw_series([Polygon::new(low.chain(high).collect::<Vec<_>>(), color.mix(0.15))])?;
        chart
            .draw_series(LineSeries::new(points.iter().map(|&(x, y, _)| (x, y)), color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        chart.draw_series(points.iter().map(|&(x, y, _)| Circle::new((x, y), 3, color.filled())))?;
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    Ok(())
}
