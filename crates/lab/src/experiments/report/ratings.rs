//! The ratings of an experiment in which arms play each other: each the one before it (a ladder), or all of them (a tournament).

use plotters::prelude::*;

use super::{plot::COLORS, tables::Table};
use crate::{
    experiments::{
        config::Experiment,
        results::{CellResult, Results},
    },
    levels,
    matches::{PlayerRating, Summary, Tournament},
    review::rank,
    stats::{Interval, Rating, VIRTUAL_DRAWS, bradley_terry_above},
};

/// The ratings, best first, for each value of the sweep: one fit over all games (Bradley and Terry). Nothing for experiments of other
/// kinds and without games.
pub(super) fn rated(experiment: &Experiment, results: &Results) -> Vec<(Option<f64>, Vec<PlayerRating>)> {
    let among = [Experiment::PREVIOUS, Experiment::ALL];
    if !experiment.config.opponent.as_deref().is_some_and(|opponent| among.contains(&opponent)) {
        return Vec::new();
    }
    let players: Vec<String> = experiment.config.arms.keys().cloned().collect();
    let mut places: Vec<Option<f64>> = Vec::new();
    for result in results.cells.iter().filter(|result| result.n > 0) {
        if !places.contains(&result.cell.at) {
            places.push(result.cell.at);
        }
    }
    let fit = |at: Option<f64>| {
        let (pairs, summaries) = met(&players, results, at);
        (at, Tournament::new(&players, &pairs, summaries).ratings)
    };
    places.into_iter().map(fit).collect()
}

/// Who has met whom, by their places among the players, with the results.
fn met(players: &[String], results: &Results, at: Option<f64>) -> (Vec<(usize, usize)>, Vec<Summary>) {
    let place = |name: &str| players.iter().position(|player| player == name);
    let met = |result: &CellResult| {
        let cell = &result.cell;
        let opponent = cell.against.as_ref().or(cell.opponent.as_ref().map(|opponent| &opponent.name))?;
        Some(((place(&cell.arm)?, place(opponent)?), result.summary.clone()?))
    };
    results.cells.iter().filter(|result| result.cell.at == at).filter_map(met).unzip()
}

/// What the arms of a ladder are worth in kyu and dan, if one of them is an anchor: the same fit, as ratings above the anchor's. Arms that
/// no games connect with it are left out.
pub fn ranks(experiment: &Experiment, results: &Results) -> Option<Table> {
    let anchor = experiment.config.anchor.as_ref()?;
    let players: Vec<String> = experiment.config.arms.keys().cloned().collect();
    let (pairs, summaries) = met(&players, results, None);
    let reference = players.iter().position(|player| *player == anchor.arm)?;
    let rank = levels::ranks_above(rank::number(&anchor.rank)?);
    let pairings = Tournament::pairings(&pairs, &summaries);
    let above = bradley_terry_above(players.len(), &pairings, VIRTUAL_DRAWS, reference);
    let mut connected = vec![reference];
    let mut next = 0;
    while let Some(&player) = connected.get(next) {
        for p in pairings.iter().filter(|p| p.games > 0.0 && (p.a == player || p.b == player)) {
            let other = p.a + p.b - player;
            if !connected.contains(&other) {
                connected.push(other);
            }
        }
        next += 1;
    }
    let mut table = Table::new(&levels::COLUMNS);
    connected.sort_unstable();
    table.rows.extend(connected.into_iter().filter(|_| next > 1).map(|i| {
        let Rating { elo, ci95: Interval(low, high) } = above[i];
        let [rank, from, to] = [elo, low, high].map(&rank);
        vec![players[i].clone(), rank, from, to, format!("{elo:+.0}"), format!("{low:+.0} to {high:+.0}")]
    }));
    Some(table)
}

/// All ratings in a table.
pub fn ratings(experiment: &Experiment, results: &Results) -> Option<Table> {
    let rated = rated(experiment, results);
    let mut table =
        Table::new(&[experiment.axis().unwrap_or("at"), "player", "Elo (mean 0)", "95%", "games"]);
    for (at, ratings) in &rated {
        table.rows.extend(ratings.iter().map(|rating| {
            let (low, high) = (rating.ci95.0, rating.ci95.1);
            vec![
                at.map_or(String::new(), |at| at.to_string()),
                rating.player.clone(),
                format!("{:+.0}", rating.elo),
                format!("{low:+.0} to {high:+.0}"),
                rating.games.to_string(),
            ]
        }));
    }
    (!rated.is_empty()).then(|| table.without_empty_columns())
}

const WIDTH: u32 = 860;
/// Of a player's line.
const HEIGHT: u32 = 26;

type Drawn<T> = Result<T, Box<dyn std::error::Error>>;

/// The ratings of a tournament as SVG, a line for each player, the best at the top; a colour for each value of the sweep. Nothing
/// without games.
pub(super) fn map(experiment: &Experiment, results: &Results) -> Drawn<String> {
    let rated = rated(experiment, results);
    let mut svg = String::new();
    // In the order of the last value, which is that of the most time.
    let Some((_, order)) = rated.last() else { return Ok(svg) };
    let lines = order.len();
    let height = |player: &str| {
        let line = order.iter().position(|rating| rating.player == player).unwrap_or_default();
        (lines - 1 - line) as f64
    };
    let all = || rated.iter().flat_map(|(_, ratings)| ratings);
    let least = all().map(|rating| rating.ci95.0).fold(f64::INFINITY, f64::min);
    let most = all().map(|rating| rating.ci95.1).fold(f64::NEG_INFINITY, f64::max);
    let names = (most - least) * 0.25;
    let area = SVGBackend::with_string(&mut svg, (WIDTH, 80 + HEIGHT * lines as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(40)
        .build_cartesian_2d(least - names..most + names * 0.1, -0.7..lines as f64 - 0.3)?;
    chart.configure_mesh().disable_y_mesh().x_desc("Elo, with error bars at 95%; the mean is 0").draw()?;
    chart.draw_series(order.iter().map(|rating| {
        let at = (least - names * 0.95, height(&rating.player) + 0.25);
        Text::new(rating.player.clone(), at, ("sans-serif", 14))
    }))?;
    for ((at, ratings), color) in rated.iter().zip(COLORS.iter().cycle().copied()) {
        chart.draw_series(ratings.iter().map(|rating| {
            let y = height(&rating.player);
            PathElement::new([(rating.ci95.0, y), (rating.ci95.1, y)], color.mix(0.5).stroke_width(2))
        }))?;
        let dots = chart.draw_series(
            ratings.iter().map(|rating| Circle::new((rating.elo, height(&rating.player)), 4, color.filled())),
        )?;
        if let Some(at) = at {
            let label = experiment.axis().unwrap_or_default();
            dots.label(format!("{label}: {at}"))
                .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
        }
    }
    if rated.iter().any(|(at, _)| at.is_some()) {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
    }
    area.present()?;
    drop(chart);
    drop(area);
    Ok(svg)
}
