//! The page about a run.

use super::{Generation, ZeroConfig};
use crate::{
    learn::{
        anchors::{AnchorResult, ratings},
        report::{Curve, GAMES, Plot, Trial, page as whole, shares, svg},
    },
    selfplay::SelfPlayError,
};

/// The whole page.
pub(super) fn page(config: &ZeroConfig, log: &[Generation]) -> Result<String, SelfPlayError> {
    let summary = log.last().map_or(String::new(), |last| {
        format!(
            "{} generations, {} games, {} positions, {} evaluations, {} steps in {:.2} hours ({:.2} hours of CPU time); {:.0} evaluations a \
             second.",
            last.generation,
            last.games,
            last.positions,
            last.evaluations,
            last.steps,
            last.hours,
            last.cpu_hours,
            last.evaluations_per_second
        )
    });
    let trials = trials(log);
    let curve = |name: &str, of: &dyn Fn(&Generation) -> Option<f64>| Curve {
        name: name.to_owned(),
        points: log.iter().filter_map(|line| Some((line.games as f64, of(line)?, None))).collect(),
    };
    let plots = vec![
        rating(log, "hours of CPU time", |line| line.cpu_hours),
        rating(log, "evaluations", |line| line.evaluations as f64),
        Plot {
            title: "loss",
            axis: GAMES,
            curves: vec![
                curve("policy, above the least", &|line| Some(line.train.divergence)),
                curve("value", &|line| line.train.value_loss),
            ],
            range: None,
        },
        Plot {
            title: "moves in a game",
            axis: GAMES,
            curves: vec![curve("mean", &|line| Some(line.mean_length))],
            range: None,
        },
        Plot {
            title: "share of games that Black won",
            axis: GAMES,
            curves: vec![curve("Black", &|line| Some(line.black_wins))],
            range: Some((0.0, 1.0)),
        },
    ];
    whole("Learning from nothing", &summary, &trials, plots, config)
}

/// Games won and the rating in one picture.
pub(super) fn progress(log: &[Generation]) -> Result<String, SelfPlayError> {
    svg(&[shares(&trials(log)), rating(log, GAMES, |line| line.games as f64)])
}

fn trials(log: &[Generation]) -> Vec<Trial<'_>> {
    log.iter().map(|line| Trial { games: line.games, hours: line.hours, results: &line.anchors }).collect()
}

/// The course of the rating.
fn rating<'a>(log: &[Generation], axis: &'a str, of: impl Fn(&Generation) -> f64) -> Plot<'a> {
    let tried: Vec<&Generation> = log.iter().filter(|line| !line.anchors.is_empty()).collect();
    let results: Vec<&[AnchorResult]> = tried.iter().map(|line| line.anchors.as_slice()).collect();
    let rated = tried.iter().zip(ratings(&results));
    let points =
        rated.filter_map(|(line, rating)| rating.map(|r| (of(line), r.elo, Some((r.ci95.0, r.ci95.1)))));
    Plot {
        title: "rating in Elo, with 95% intervals (the opponents' mean is 0)",
        axis,
        curves: vec![Curve { name: "network".to_owned(), points: points.collect() }],
        range: None,
    }
}
