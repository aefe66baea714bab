//! What messages may change of a running player, as GTP's `kata-set-param` and the `overrideSettings` of an analysis do.
//!
//! Whoever sends messages is not trusted with the machine: only parameters whose declarations say so are reachable from here.

use tengen_engine::players::{Configure, ConfigureError, Seat};

use crate::players::{error::SpecError, options::PlayerOptions, schema, spec::PlayerSpec};

impl Configure for PlayerSpec {
    fn keys(&self) -> Vec<String> {
        let params = self.params();
        let set = params.list().into_iter().map(|(key, _)| key);
        let unset = PlayerOptions::KEYS.iter().filter(|key| params.get(key).is_none());
        set.chain(unset.map(|&key| key.to_owned())).filter(|key| is_open(self, key) == Some(true)).collect()
    }

    /// An option that is not set has an empty value.
    fn get(&self, key: &str) -> Result<String, ConfigureError> {
        match is_open(self, key) {
            Some(true) => Ok(PlayerSpec::get(self, key).unwrap_or_default()),
            Some(false) => Err(ConfigureError::Closed { key: key.to_owned() }),
            None => Err(ConfigureError::UnknownKey { key: key.to_owned(), valid: self.keys() }),
        }
    }

    fn with(&self, settings: &[(String, String)]) -> Result<Box<dyn Configure>, ConfigureError> {
        let mut changed = self.clone();
        match changed.set_by_message(settings) {
            Ok(()) => Ok(Box::new(changed)),
            Err(SpecError::UnknownKey { key, .. }) => {
                Err(ConfigureError::UnknownKey { key, valid: self.keys() })
            }
            Err(SpecError::Closed(key)) => Err(ConfigureError::Closed { key }),
            Err(error) => Err(ConfigureError::Refused(error.to_string())),
        }
    }

    fn build(&self) -> Result<Seat, ConfigureError> {
        PlayerSpec::build(self, self.options.seed_or_fresh())
            .map_err(|error| ConfigureError::Refused(error.to_string()))
    }
}

fn is_open(spec: &PlayerSpec, key: &str) -> Option<bool> {
    schema::is_open(schema::of_player(), spec.params().as_table(), key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PRESETS;

    fn changed(preset: &str, settings: &[(&str, &str)]) -> Result<Box<dyn Configure>, ConfigureError> {
        let spec: PlayerSpec = preset.parse().unwrap();
        let owned: Vec<_> =
            settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        spec.with(&owned)
    }

    #[test]
    fn parameters_are_listed_read_and_changed() {
        for preset in PRESETS {
            let spec: PlayerSpec = preset.name.parse().unwrap();
            for key in spec.keys() {
                let value = Configure::get(&spec, &key).unwrap();
                if !value.is_empty() {
                    let same = changed(preset.name, &[(&key, &value)]).unwrap();
                    assert_eq!(same.get(&key).unwrap(), value, "{} {key}", preset.name);
                }
            }
        }
        let spec: PlayerSpec = "random,seed=1".parse().unwrap();
        assert_eq!(Configure::get(&spec, "time").unwrap(), "");
        assert_eq!(changed("random", &[("eyes", "one-chain")]).unwrap().get("eyes").unwrap(), "one-chain");
        assert!(matches!(changed("random", &[("nose", "1")]), Err(ConfigureError::UnknownKey { .. })));
        assert!(matches!(changed("random", &[("eyes", "blue")]), Err(ConfigureError::Refused(_))));
    }

    #[test]
    fn kinds_change_with_their_parameters() {
        let settings = [
            ("playout.base.eyes", "one-chain"),
            ("playout.base.kind", "uniform"),
            ("playout.kind", "lgr"),
            ("tree_policy.schedule.equivalence", "1000.0"),
            ("tree_policy.schedule.kind", "hand-selected"),
        ];
        let player = changed("rave", &settings).unwrap();
        for (key, value) in settings {
            assert_eq!(player.get(key).unwrap(), value);
        }
    }

    #[test]
    fn messages_name_no_programs_and_no_files() {
        let command = "sh -c 'id > x'";
        for settings in [
            &[("kind", "gtp"), ("command", command)][..],
            &[("command", command), ("kind", "gtp")],
            &[("kind", "mcts")],
            &[("net", "/etc/passwd")],
            &[("rollout_net", "x")],
            &[("book", "/dev/zero")],
            &[("threads", "1024")],
            &[("max_tree_mb", "1000000")],
            &[("network.cache", "10000000")],
            &[("playouts", "10"), ("net", "x")],
        ] {
            let error = changed("zero", settings).err();
            assert!(matches!(error, Some(ConfigureError::Closed { .. })), "{settings:?}: {error:?}");
        }
        let external: PlayerSpec = "gtp:gnugo --mode gtp".parse().unwrap();
        assert_eq!(external.keys(), ["time", "playouts", "seed"]);
        assert!(matches!(
            external.with(&[("command".to_owned(), command.to_owned())]),
            Err(ConfigureError::Closed { .. })
        ));
        // A part that the player lacks is not added: a network would be read for it.
        for key in ["network.mix", "rollout.temperature", "command", "about", "preset", "", ".", "a.b.c"] {
            let error = changed("classic", &[(key, "1")]).err();
            assert!(matches!(error, Some(ConfigureError::UnknownKey { .. })), "{key}: {error:?}");
        }
        let deep = "playout.".repeat(10_000) + "eyes";
        for (key, value) in [
            ("tree_policy", "{ kind = 'ucb1' }"),
            ("playout", "uniform"),
            ("resign", "[0.1]"),
            ("resign", "2026-01-01"),
            (&deep, "1"),
            ("resign", &"1".repeat(1000)),
        ] {
            assert!(changed("classic", &[(key, value)]).is_err(), "{key} {value}");
        }
    }

    #[test]
    fn numbers_outside_their_ranges_are_refused_wherever_they_come_from() {
        for (key, value) in [
            ("limits.max_length", "1e30"),
            ("limits.max_length", "nan"),
            ("limits.max_length", "0"),
            ("knowledge.equal_share", "1.5"),
            ("knowledge.pass", "-1"),
            ("knowledge.weight", "inf"),
            ("tree_policy.exploration", "-1"),
            ("tree_policy.exploration", "nan"),
            ("tree_policy.fpu_reduction", "-inf"),
            ("resign", "nan"),
            ("resign", "-0.5"),
            ("pace.lag", "-1"),
            ("time", "nan"),
            ("time", "0"),
            ("playouts", "0"),
            ("playouts", "-1"),
        ] {
            let error = changed("classic", &[(key, value)]).err();
            assert!(matches!(error, Some(ConfigureError::Refused(_))), "{key}={value}: {error:?}");
            let spec = format!("classic,{key}={value}").parse::<PlayerSpec>();
            assert!(spec.is_err(), "{key}={value}");
            let toml = format!("kind = 'mcts'\ntree_policy.kind = 'puct'\n{key} = {value}\n");
            assert!(PlayerSpec::from_toml(&toml, "test").is_err(), "{key}={value}");
        }
        for (key, value) in [("batch", "0"), ("batch", "100000000"), ("threads", "0"), ("max_tree_mb", "0")] {
            assert!(format!("classic,{key}={value}").parse::<PlayerSpec>().is_err(), "{key}={value}");
        }
    }
}
