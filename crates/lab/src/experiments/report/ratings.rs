//! The ratings of a ladder: an experiment in which each arm plays the one before it.

use super::tables::Table;
use crate::{
    experiments::{config::Experiment, results::Results},
    matches::{PlayerRating, Tournament},
};

/// One fit over all games (Bradley and Terry) as a table.
pub fn ratings(experiment: &Experiment, results: &Results) -> Option<Table> {
    let mut table = Table::new(&["player", "Elo (mean 0)", "95%", "games"]);
    table.rows.extend(rated(experiment, results)?.into_iter().map(|rating| {
        let (low, high) = (rating.ci95.0, rating.ci95.1);
        vec![
            rating.player,
            format!("{:+.0}", rating.elo),
            format!("{low:+.0} to {high:+.0}"),
            rating.games.to_string(),
        ]
    }));
    Some(table)
}

/// The ratings, best first; nothing for experiments of other kinds and without games.
pub(super) fn rated(experiment: &Experiment, results: &Results) -> Option<Vec<PlayerRating>> {
    if experiment.config.opponent.as_deref() != Some(Experiment::PREVIOUS) || results.n() == 0 {
        return None;
    }
    let players: Vec<String> = experiment.config.arms.keys().cloned().collect();
    let place = |name: &str| players.iter().position(|player| player == name);
    let met = results.cells.iter().filter_map(|result| {
        let opponent = &result.cell.opponent.as_ref()?.name;
        Some(((place(&result.cell.player.name)?, place(opponent)?), result.summary.clone()?))
    });
    let (pairs, summaries): (Vec<_>, Vec<_>) = met.unzip();
    Some(Tournament::new(&players, &pairs, summaries).ratings)
}
