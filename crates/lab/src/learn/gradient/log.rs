//! The log of a run, and the page made from it.

use serde::{Deserialize, Serialize};

use super::{GradientConfig, against_past};
use crate::{
    learn::{
        anchors::AnchorResult,
        report::{Curve, GAMES, Plot, Trial, page as whole},
    },
    selfplay::{Played, SelfPlayError},
    stats::mean,
};

/// What an iteration did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub iteration: u64,
    /// Games so far.
    pub games: u64,
    /// Positions learned from so far.
    pub positions: u64,
    /// Moves of its games, in the mean.
    pub mean_length: f64,
    /// Share of its games that Black won, draws counting half.
    pub black_wins: f64,
    /// Share of the points against networks of the past, if there were any.
    pub past: Option<f64>,
    /// Entropy of the policy in its positions, in the mean.
    pub entropy: f64,
    /// Mean square of what the gradients were multiplied by.
    pub advantage_square: f64,
    /// The value's cross-entropy.
    pub value_loss: Option<f64>,
    /// Games against fixed opponents.
    pub anchors: Vec<AnchorResult>,
    /// Hours of the run so far, without interruptions.
    pub hours: f64,
}

impl Iteration {
    /// What its games tell.
    pub(super) fn of(played: &[Played]) -> Iteration {
        let all =
            |of: &dyn Fn(&Played) -> f64| mean(&played.iter().map(of).collect::<Vec<_>>()).unwrap_or(0.0);
        let entropies: Vec<f64> = played
            .iter()
            .flat_map(|played| &played.record.positions)
            .filter_map(|position| position.network.as_ref())
            .map(|(shares, _)| -shares.iter().map(|(_, p)| f64::from(*p) * f64::from(*p).ln()).sum::<f64>())
            .collect();
        Iteration {
            mean_length: all(&|played| played.game.moves().len() as f64),
            black_wins: all(&|played| f64::from(played.record.reward).midpoint(1.0)),
            past: against_past(played),
            entropy: mean(&entropies).unwrap_or(0.0),
            ..Iteration::default()
        }
    }
}

/// The page about a run.
pub(super) fn page(config: &GradientConfig, log: &[Iteration]) -> Result<String, SelfPlayError> {
    let summary = log.last().map_or(String::new(), |last| {
        format!(
            "{} iterations, {} games, {} positions in {:.2} hours.",
            last.iteration, last.games, last.positions, last.hours
        )
    });
    let trials: Vec<_> = log
        .iter()
        .map(|line| Trial { games: line.games, hours: line.hours, results: &line.anchors })
        .collect();
    let plot = |title, range, of: &dyn Fn(&Iteration) -> Option<f64>| Plot {
        title,
        axis: GAMES,
        curves: vec![Curve {
            name: String::from(title),
            points: log.iter().filter_map(|line| Some((line.games as f64, of(line)?, None))).collect(),
        }],
        range,
    };
    let plots = vec![
        plot("share of points against its past", Some((0.0, 1.0)), &|line| line.past),
        plot("entropy of the policy", None, &|line| Some(line.entropy)),
        plot("mean square of the advantages", None, &|line| Some(line.advantage_square)),
        plot("loss of the value", None, &|line| line.value_loss),
    ];
    whole("Policy gradients", &summary, &trials, plots, config)
}
