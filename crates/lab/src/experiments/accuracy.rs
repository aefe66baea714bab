//! How often a network finds the next move of game records: table 2 of Jin and Keutzer 2016 (S4.3). A run is a part of the games,
//! so that runs tell how much games differ.

use tengen_board::sgf;
use tengen_nets::{
    AnyNetwork, NetError,
    train::{self, DataFile, Dataset},
};

use super::{
    config::Experiment,
    error::LabError,
    runs::{RunContext, Values},
};
use crate::players::{config::load_network, error::SpecError};

/// The records of a dummy run.
const DUMMY: &str = "(;SZ[5];B[cc];W[cb];B[bb];W[db];B[dc])(;SZ[5];B[cc];W[bc];B[bb];W[bd];B[cd])";

/// The moves of one part.
pub(super) fn run(context: &RunContext<'_>) -> Result<Values, LabError> {
    let cell = context.cell;
    let broken = |source| LabError::Player { arm: cell.arm.clone(), source };
    let AnyNetwork::Own(network) = load_network(&cell.player.options).map_err(broken)? else {
        return Err(broken(SpecError::Start("only networks of tengen's own can be tested".to_owned())));
    };
    let data = records(context.experiment)?.part(context.run, context.experiment.config.games);
    let tally = train::test(&network, &data, None, 1, false, |_| ());
    let share = |name: &str, hits: f64| (name.to_owned(), (hits, tally.positions));
    Ok(Values::from([share("top 1", tally.top1), share("top 5", tally.top5)]))
}

fn records(experiment: &Experiment) -> Result<Dataset, LabError> {
    let broken = |error: NetError| LabError::Config(format!("records: {error}"));
    if experiment.is_dummy {
        return Dataset::parse(DUMMY).map_err(broken);
    }
    let name = experiment.config.records.as_deref().unwrap_or_default();
    let folder = sgf::data_folder()
        .ok_or_else(|| LabError::Config(format!("records: set TENGEN_DATA to the folder of {name}")))?;
    Dataset::load(&[DataFile { path: folder.join(name), weight: 1.0 }], |_| ()).map_err(broken)
}
