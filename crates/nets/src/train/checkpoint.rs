//! Checkpoints: everything that the next step depends on, in one safetensors file.

use std::{collections::HashMap, path::Path};

use serde::{Deserialize, Serialize};

use super::{Tally, TrainConfig, learner::Progress, optimizer::State, sampler::Sampler};
use crate::{
    error::NetError,
    file::{Arrays, read_bytes, to_bytes, write},
    graph::Graph,
};

/// The metadata entry with what is not an array.
const KEY: &str = "tengen_training";

/// How far a training has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    pub(crate) config: TrainConfig,
    pub(crate) progress: Progress,
    pub(crate) sampler: Sampler,
    /// What the next report will tell, so far.
    pub(crate) since_report: Tally,
}

const PARTS: [&str; 4] = ["weights.", "momentum.", "squares.", "average."];

/// Writes a checkpoint.
pub(crate) fn save(
    path: &Path,
    checkpoint: &Checkpoint,
    graph: &Graph,
    state: &State,
) -> Result<(), NetError> {
    let json = serde_json::to_string(checkpoint).expect("a checkpoint is plain data");
    let arrays = [&state.weights, &state.momentum, &state.squares, &state.average];
    let all = PARTS.iter().zip(arrays).flat_map(|(prefix, arrays)| {
        let named = graph.params.iter().zip(arrays);
        named.map(move |(p, data)| (format!("{prefix}{}", p.name), p.shape.clone(), &data[..]))
    });
    write(path, &to_bytes(all, HashMap::from([(KEY.to_owned(), json)])))
}

/// Reads a checkpoint.
pub(crate) fn load(path: &Path) -> Result<(Checkpoint, State), NetError> {
    let bytes = read_bytes(path)?;
    let read = || {
        let arrays = Arrays::read(&bytes)?;
        let json = arrays.metadata.get(KEY).ok_or("it is not a checkpoint of tengen train")?;
        let checkpoint: Checkpoint = serde_json::from_str(json).map_err(|error| {
            format!("its settings cannot be read ({error}); start anew in another folder")
        })?;
        let spec = &checkpoint.config.arch;
        spec.check().map_err(|error| error.to_string())?;
        let [weights, momentum, squares, average] = PARTS.map(|prefix| arrays.weights(spec, prefix));
        Ok((checkpoint, State::with_parts([weights?, momentum?, squares?, average?])))
    };
    read().map_err(|message: String| NetError::File { path: path.to_owned(), message })
}
