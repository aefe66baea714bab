//! The share of playout moves that come from a table of replies, in a search from the empty board (S1.9).

use tengen_engine::players::{Mcts, MctsConfig};

use super::runs::{RunContext, Values};

/// One search.
pub(super) fn run(context: &RunContext<'_>, config: &MctsConfig) -> Option<Values> {
    let mut player = Mcts::new(&context.cell.arm, config, 1, context.seed);
    let hits = player.search(context.game, &context.request()).reply_hits?;
    Some(Values::from([("share".to_owned(), (hits.hits as f64, hits.moves as f64))]))
}
