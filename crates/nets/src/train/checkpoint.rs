//! Checkpoints: everything that the next step depends on, in one safetensors file.

use std::{collections::HashMap, path::Path};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    TrainConfig,
    learner::{Learner, Progress},
    optimizer::State,
};
use crate::{
    error::NetError,
    model::{
        file::{Arrays, read_bytes, to_bytes, write},
        network::Network,
    },
};

/// The metadata entry with what is not an array.
const KEY: &str = "tengen_training";

/// How far a training has come: its learner, and whatever else it consists of.
#[derive(Serialize, Deserialize)]
struct Checkpoint<Rest> {
    config: TrainConfig,
    progress: Progress,
    #[serde(flatten)]
    rest: Rest,
}

const PARTS: [&str; 4] = ["weights.", "momentum.", "squares.", "average."];

impl Learner {
    /// Writes a checkpoint: the learner with all that its next step depends on, and the fields of `rest`.
    pub fn save<Rest: Serialize>(&self, path: &Path, rest: &Rest) -> Result<(), NetError> {
        let checkpoint = Checkpoint { config: self.config().clone(), progress: self.progress(), rest };
        let json = serde_json::to_string(&checkpoint).expect("a checkpoint is plain data");
        let (graph, state) = (self.graph(), self.state());
        let arrays = [&state.weights, &state.momentum, &state.squares, &state.average];
        let all = PARTS.iter().zip(arrays).flat_map(|(prefix, arrays)| {
            let named = graph.params.iter().zip(arrays);
            named.map(move |(p, data)| (format!("{prefix}{}", p.name), p.shape.clone(), &data[..]))
        });
        write(path, &to_bytes(all, HashMap::from([(KEY.to_owned(), json)])))
    }

    /// Reads a checkpoint.
    pub fn load<Rest: DeserializeOwned>(path: &Path) -> Result<(Learner, Rest), NetError> {
        let bytes = read_bytes(path)?;
        let read = || {
            let arrays = Arrays::read(&bytes)?;
            let json = arrays.metadata.get(KEY).ok_or("it is not a checkpoint of tengen train")?;
            let Checkpoint { config, progress, rest } = serde_json::from_str::<Checkpoint<Rest>>(json)
                .map_err(|error| {
                    format!("its settings cannot be read ({error}); start anew in another folder")
                })?;
            config.check().map_err(|error| error.to_string())?;
            let [weights, momentum, squares, average] =
                PARTS.map(|prefix| arrays.weights(&config.arch, prefix));
            let state = State::with_parts([weights?, momentum?, squares?, average?]);
            let network = Network::new(&config.arch, state.weights.clone());
            Ok((Learner::with_parts(config, network, state, progress), rest))
        };
        read().map_err(|message: String| NetError::File { path: path.to_owned(), message })
    }
}
