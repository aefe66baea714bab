//! The course of a training as a picture.

use plotters::prelude::*;
use tengen_nets::train::{Accuracy, Report};

const SIZE: (u32, u32) = (900, 640);

/// Accuracy (above) and loss (below) against positions, for training and held-out positions, as SVG.
pub fn draw(log: &[Report]) -> String {
    let mut svg = String::new();
    chart(log, &mut svg).expect("text can be written");
    svg
}

fn chart(log: &[Report], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(SIZE.1 / 2);
    curves(&above, log, "share of moves predicted", |a| a.top1)?;
    curves(&below, log, "loss (cross-entropy of the next move)", |a| a.loss)?;
    area.present()?;
    Ok(())
}

fn curves(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    log: &[Report],
    title: &str,
    value: impl Fn(&Accuracy) -> f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let train: Vec<_> = log.iter().map(|r| (r.positions as f64 / 1e6, value(&r.train))).collect();
    let held_out: Vec<_> =
        log.iter().filter_map(|r| Some((r.positions as f64 / 1e6, value(r.held_out.as_ref()?)))).collect();
    let all = || train.iter().chain(&held_out);
    let last = all().map(|p| p.0).fold(1e-6, f64::max);
    let least = all().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let most = all().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let margin = ((most - least) * 0.05).max(1e-3);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..last, least - margin..most + margin)?;
    chart.configure_mesh().x_desc("millions of positions").draw()?;
    for (points, color, name) in [(train, BLUE, "training"), (held_out, RED, "held out")] {
        chart
            .draw_series(LineSeries::new(points, &color))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    Ok(())
}
