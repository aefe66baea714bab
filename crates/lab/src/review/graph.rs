//! Lead and winning chances over the moves of a game, with a dot for every mistake.

use plotters::prelude::*;

use super::{Class, Review, ReviewError};

const SIZE: (u32, u32) = (860, 260);
const LINE: RGBColor = RGBColor(31, 90, 160);

/// A curve: Black's value before the first move and after each, and how far the axis reaches at least.
struct Curve {
    label: &'static str,
    values: Vec<f64>,
    range: (f64, f64),
    middle: f64,
}

/// Both graphs as SVG.
pub(super) fn graphs(review: &Review) -> Result<String, ReviewError> {
    let curve = |first: f64, after: &dyn Fn(usize) -> f64| -> Vec<f64> {
        std::iter::once(first).chain((0..review.moves.len()).map(after)).collect()
    };
    let moves = &review.moves;
    let lead = curve(moves[0].lead, &|i| moves[i].lead_after);
    let chances = curve(100.0 * moves[0].win_rate, &|i| 100.0 * moves[i].win_rate_after);
    let reach = lead.iter().fold(5.0f64, |most, value| most.max(value.abs())) * 1.1;
    let curves = [
        Curve { label: "Black's lead in points", values: lead, range: (-reach, reach), middle: 0.0 },
        Curve { label: "Black's winning chances in %", values: chances, range: (0.0, 100.0), middle: 50.0 },
    ];
    let mut svg = String::new();
    for curve in &curves {
        let mut one = String::new();
        draw(review, curve, &mut one).map_err(|problem| ReviewError::Graph(problem.to_string()))?;
        svg += &one;
    }
    Ok(svg)
}

fn draw(review: &Review, curve: &Curve, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let last = review.moves.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..last.max(1.0), curve.range.0..curve.range.1)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(12)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc("move")
        .y_desc(curve.label)
        .draw()?;
    let middle = [(0.0, curve.middle), (last.max(1.0), curve.middle)];
    chart.draw_series(LineSeries::new(middle, BLACK.mix(0.5)))?;
    let points = curve.values.iter().enumerate().map(|(i, &value)| (i as f64, value));
    chart.draw_series(LineSeries::new(points, LINE.stroke_width(2)))?;
    for class in Class::ALL.into_iter().filter(|&class| class >= Class::Mistake) {
        let dots = review.moves.iter().filter(|m| m.class == class);
        let dots =
            dots.map(|m| Circle::new((m.number as f64, curve.values[m.number]), 4, color(class).filled()));
        chart.draw_series(dots)?;
    }
    area.present()?;
    Ok(())
}

/// The colour of a class for plotters.
fn color(class: Class) -> RGBColor {
    let number = u32::from_str_radix(&class.color()[1..], 16).unwrap_or(0);
    RGBColor((number >> 16) as u8, (number >> 8) as u8, number as u8)
}
