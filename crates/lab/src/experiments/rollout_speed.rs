//! How fast the rollouts of a search are, played from the empty board on one core (S4.7).

use cpu_time::ThreadTime;
use tengen_engine::players::MctsConfig;

use super::{
    error::LabError,
    runs::{RunContext, Values},
};
use crate::{bench::play_bare, players::config::playout_policy};

/// Rollouts of a run.
const ROLLOUTS: u64 = 200;

/// Rollouts, and CPU time in units of 100 µs.
pub(super) fn run(context: &RunContext<'_>, config: &MctsConfig) -> Result<Values, LabError> {
    let cell = context.cell;
    let mut policy = playout_policy(config, &cell.player.options)
        .map_err(|source| LabError::Player { arm: cell.arm.clone(), source })?;
    let clock = ThreadTime::now();
    play_bare(&mut *policy, config.playouts.limits, context.game.board(), ROLLOUTS, context.seed);
    let time = clock.elapsed().as_secs_f64() * 10_000.0;
    Ok(Values::from([("rollouts".to_owned(), (ROLLOUTS as f64, time))]))
}
