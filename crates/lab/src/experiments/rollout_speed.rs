//! How fast the rollouts of a search are, played from the empty board on one core (S4.7).

use cpu_time::ThreadTime;
use tengen_engine::{rng::Rng, search::SearchConfig};

use super::{
    error::LabError,
    runs::{RunContext, Values},
};
use crate::player_config::playout_policy;

/// Rollouts of a run.
const ROLLOUTS: usize = 200;

/// Rollouts, and seconds of CPU time times 10,000: a share in percent is what a hundredth of a second gives.
pub(super) fn run(context: &RunContext<'_>, config: &SearchConfig) -> Result<Values, LabError> {
    let cell = context.cell;
    let mut policy = playout_policy(config, &cell.player.options)
        .map_err(|source| LabError::Player { arm: cell.arm.clone(), source })?;
    let (empty, mut rng) = (context.game.board(), Rng::new(context.seed));
    let (mut board, mut moves) = (empty.clone(), Vec::new());
    let clock = ThreadTime::now();
    for _ in 0..ROLLOUTS {
        board.clone_from(empty);
        moves.clear();
        policy.play_out(&mut board, &mut moves, &config.limits, &mut rng);
    }
    let time = clock.elapsed().as_secs_f64() * 10_000.0;
    Ok(Values::from([("rollouts".to_owned(), (ROLLOUTS as f64, time))]))
}
