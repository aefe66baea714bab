//! Table 3 of Chou, Yen and Yang 2011: how often the best child of a node is among the N replies that were most frequent in the
//! whole tree when its children were created (S3.4). A run is a game of the player against itself.

use tengen_engine::players::{Decision, Mcts, MctsConfig, Player};

use super::{
    error::LabError,
    runs::{RunContext, Values},
};

/// Visits that a node must exceed to count.
const VISITS: u32 = 1000;

/// Lower ends of the rows of the table, by the total count of replies.
const TOTALS: [(u32, &str); 4] =
    [(2000, "over 2000"), (1000, "1000-2000"), (500, "500-1000"), (100, "100-500")];

/// Columns of the table.
const BEST: [usize; 4] = [1, 3, 5, 7];

/// One game.
pub(super) fn run(context: &RunContext<'_>, config: &MctsConfig) -> Result<Values, LabError> {
    let mut config = config.clone();
    config.search.gcmb.get_or_insert_default().record = true;
    let request = context.request();
    let mut player = Mcts::new(&context.cell.arm, &config, 1, context.seed);
    let mut game = context.game.clone();
    let mut values = Values::new();
    while game.passes() < 2 && game.moves().len() < 3 * game.board().area() && !context.stop.is_stopped() {
        let failed = |error| LabError::Engine { arm: context.cell.arm.clone(), source: Box::new(error) };
        let decision = player.decide(&game, &request).map_err(failed)?;
        let (table, tree) = player.gcmb().expect("the player keeps replies");
        for (record, rank) in table.ranks(tree, VISITS) {
            let Some((_, row)) = TOTALS.iter().find(|(least, _)| record.total > *least) else { continue };
            for best in BEST {
                let (hits, nodes) = values.entry(format!("{row}, best {best}")).or_default();
                *nodes += 1.0;
                *hits += f64::from(u8::from(rank.is_some_and(|rank| rank < best)));
            }
        }
        match decision {
            Decision::Play(mv) => game.play_unchecked(mv),
            Decision::Resign => break,
        }
    }
    Ok(values)
}
