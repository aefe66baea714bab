//! What a result belongs to: how its players behave, whatever else has changed in the program since.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

use serde_json::{Map, Value, json};
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

    /// Whether it can be shown to behave like this on a square board. What another program does is its own.
    pub(crate) fn behaves_as(&self, size: usize, there: &Value) -> bool {
        self.is_external() || self.behaviour(size, size).is_ok_and(|behaviour| behaviour == *there)
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

/// Makes the parameters of a player in the configurations of a result file and of this program comparable: reads those of the file
/// as this version does, so that a parameter that was added since has its default. Files that it plays with are left out: their
/// hashes belong to its behaviour.
pub(crate) fn settle(there: &mut Value, here: &mut Value, player: &str) {
    let path = format!("/{player}/parameters");
    let (Some(there), Some(here)) = (there.pointer_mut(&path), here.pointer_mut(&path)) else { return };
    *there = read_today(there).unwrap_or_else(|| in_common(there, here));
    for parameters in [there, here].into_iter().filter_map(Value::as_object_mut) {
        for file in ["net", "rollout_net", "book"] {
            parameters.shift_remove(file);
        }
    }
}

/// Parameters as this version reads them, if it can.
fn read_today(parameters: &Value) -> Option<Value> {
    let table = toml::Table::try_from(parameters).ok()?;
    Some(json!(PlayerSpec::from_tables(&[&table], "").ok()?.params().as_table()))
}

/// What this version has, with the values of a file where that has them: of a file with parameters that are no more. Whether those
/// mattered, the behaviour tells.
fn in_common(there: &Value, here: &Value) -> Value {
    let (Value::Object(there), Value::Object(here)) = (there, here) else { return there.clone() };
    let common = |(key, now): (&String, &Value)| {
        let value = there.get(key).map_or_else(|| now.clone(), |then| in_common(then, now));
        (key.clone(), value)
    };
    Value::Object(here.iter().map(common).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_other_versions_are_compared() {
        let of = |spec: &str| {
            let spec: PlayerSpec = spec.parse().unwrap();
            json!({ "a": { "spec": "s", "parameters": spec.params().as_table() } })
        };
        let settled = |mut there: Value| {
            let mut here = of("rave,playouts=10");
            settle(&mut there, &mut here, "a");
            there == here
        };
        let changed = |path: &str, value: Option<Value>| {
            let mut there = of("rave,playouts=10");
            let (table, key) = path.rsplit_once('/').unwrap();
            let table = there.pointer_mut(table).unwrap().as_object_mut().unwrap();
            match value {
                Some(value) => table.insert(key.to_owned(), value),
                None => table.shift_remove(key),
            };
            settled(there)
        };
        assert!(settled(of("rave,playouts=10")));
        assert!(changed("/a/parameters/tree_policy/prior_exploration", None), "added since");
        assert!(changed("/a/parameters/playout/of_old", Some(json!(3))), "gone since");
        assert!(!changed("/a/parameters/tree_policy/exploration", Some(json!(3.5))));
        assert!(!changed("/a/parameters/playouts", None), "a limit is no default");
        assert!(!settled(of("rave,playouts=11")));
        assert!(!settled(of("rave,playouts=10,gcmb.threshold=500")), "few playouts do not show it");
    }

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
