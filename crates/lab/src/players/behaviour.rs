//! What a result belongs to: how its players behave, whatever else has changed in the program since.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};
use tengen_engine::players::{Decision, Request};

use crate::{
    bench::{self, Fnv},
    players::{config::PlayerConfig, error::SpecError, spec::PlayerSpec},
};

/// Which of the positions of the search benchmark are looked at.
const POSITIONS: [usize; 3] = [0, 4, 8];
/// Playouts for each of them,
const PLAYOUTS: u64 = 400;
/// ... and where a network evaluates, which takes longer.
const EVALUATIONS: u64 = 16;

/// Behaviours that were found out in this process.
static KNOWN: Mutex<BTreeMap<String, Value>> = Mutex::new(BTreeMap::new());

impl PlayerSpec {
    /// How the player behaves on a board of this size: the signature of its searches in some positions and hashes of the files
    /// that it plays with; of another program its name, version and command line.
    pub fn behaviour(&self, width: usize, height: usize) -> Result<Value, SpecError> {
        let key = format!("{width}x{height}\n{}", self.to_toml());
        if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let mut behaviour = match &self.config {
            PlayerConfig::Gtp(config) => config.identity()?,
            _ => json!({ "signature": self.signature(width, height)? }),
        };
        for (name, path) in self.files() {
            let hash = tengen_nets::file_hash(path).map_err(|error| SpecError::Start(error.to_string()))?;
            behaviour[name] = hash.into();
        }
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, behaviour.clone());
        Ok(behaviour)
    }

    /// A behaviour in 16 letters: the signature; of another program, whose name, version and command line may be long, a hash.
    pub fn behaviour_hash(behaviour: &Value) -> String {
        if let Value::String(signature) = &behaviour["signature"] {
            return signature.clone();
        }
        let mut hash = Fnv::default();
        hash.add(behaviour.to_string().as_bytes());
        hash.to_text()
    }

    /// The files that it plays with, by the names of the options.
    fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let (config, options) = (&self.config, &self.options);
        let net = config.uses_network().then(|| options.net());
        let rollout_net = config.uses_rollout_network().then(|| options.rollout_net());
        [("net", net), ("rollout_net", rollout_net), ("book", options.book.as_deref())]
            .into_iter()
            .filter_map(|(name, path)| Some((name, path?)))
    }

    /// A hash of what one thread of it decides and finds out in a few positions.
    fn signature(&self, width: usize, height: usize) -> Result<String, SpecError> {
        let failed = |error: &dyn ToString| SpecError::Start(error.to_string());
        let mut spec = self.clone();
        spec.options.threads = Some(1);
        let mut seat = spec.build(1)?;
        let request = Request::playouts(if self.config.uses_network() { EVALUATIONS } else { PLAYOUTS });
        let positions = bench::positions(width, height).map_err(|error| failed(&error))?;
        let mut hash = Fnv::default();
        for game in POSITIONS.map(|index| &positions[index]) {
            seat.begin(1).map_err(|error| failed(&error))?;
            let decision = seat.decide(game, &request).map_err(|error| failed(&error))?;
            if let Decision::Play(mv) = decision {
                hash.add(mv.to_string().as_bytes());
            }
            if let Some(report) = seat.report() {
                hash.add_report(report);
            }
        }
        Ok(hash.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviour(spec: &str) -> Value {
        spec.parse::<PlayerSpec>().unwrap().behaviour(5, 5).unwrap()
    }

    #[test]
    fn parameters_change_a_behaviour_and_options_do_not() {
        let uct = behaviour("uct");
        assert_eq!(uct["signature"].as_str().unwrap().len(), 16);
        assert_eq!(behaviour("uct,playouts=10,threads=2,seed=7"), uct);
        assert_ne!(behaviour("uct,tree_policy.exploration=3"), uct);
    }

    #[test]
    fn files_belong_to_it() {
        let policy = behaviour("policy");
        assert_eq!(policy["net"].as_str().unwrap().len(), 16);
        assert_ne!(behaviour("policy,net=prior-small")["net"], policy["net"]);
        assert_eq!(behaviour("holmes").as_object().unwrap().len(), 3);
        let error = "gtp:no-such-engine".parse::<PlayerSpec>().unwrap().behaviour(5, 5).unwrap_err();
        assert!(error.to_string().contains("no-such-engine"), "{error}");
    }
}
