//! Changing the parameters of a running player by name, as GTP's `kata-set-param` does.

use tengen_engine::{
    configure::{Configure, ConfigureError},
    player::Player,
};

use crate::{error::SpecError, options::PlayerOptions, spec::PlayerSpec};

impl Configure for PlayerSpec {
    fn keys(&self) -> Vec<String> {
        let params = self.params().list().into_iter().map(|(key, _)| key);
        let unset = PlayerOptions::KEYS.iter().filter(|key| self.get(key).is_none());
        params.chain(unset.map(|&key| key.to_owned())).collect()
    }

    /// An option that is not set has an empty value.
    fn get(&self, key: &str) -> Result<String, ConfigureError> {
        match PlayerSpec::get(self, key) {
            Some(value) => Ok(value),
            None if PlayerOptions::KEYS.contains(&key) => Ok(String::new()),
            None => Err(ConfigureError::UnknownKey { key: key.to_owned(), valid: self.keys() }),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<Box<dyn Player>, ConfigureError> {
        let mut changed = self.clone();
        let player = PlayerSpec::set(&mut changed, key, value).and_then(|()| changed.build());
        match player {
            Ok(player) => {
                *self = changed;
                Ok(player)
            }
            Err(SpecError::UnknownKey { key, .. }) => {
                Err(ConfigureError::UnknownKey { key, valid: self.keys() })
            }
            Err(error) => Err(ConfigureError::InvalidValue {
                key: key.to_owned(),
                value: value.to_owned(),
                reason: error.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_listed_read_and_changed() {
        let mut spec: PlayerSpec = "random,seed=1".parse().unwrap();
        let parameters: &mut dyn Configure = &mut spec;
        for key in parameters.keys() {
            parameters.get(&key).unwrap();
        }
        assert_eq!(parameters.get("threads").unwrap(), "");
        parameters.set("eyes", "one-chain").unwrap();
        assert_eq!(parameters.get("eyes").unwrap(), "one-chain");
        assert!(matches!(parameters.set("nose", "1"), Err(ConfigureError::UnknownKey { .. })));
        assert!(matches!(parameters.set("eyes", "blue"), Err(ConfigureError::InvalidValue { .. })));
        assert_eq!(parameters.get("eyes").unwrap(), "one-chain");
        let mut spec: PlayerSpec = "classic".parse().unwrap();
        let parameters: &mut dyn Configure = &mut spec;
        for (key, value) in [
            ("batch", "100000000"),
            ("limits.max_length", "1e30"),
            ("limits.max_length", "nan"),
            ("knowledge.equal_share", "1.5"),
            ("knowledge.pass", "-1"),
        ] {
            assert!(matches!(parameters.set(key, value), Err(ConfigureError::InvalidValue { .. })), "{key}");
        }
    }
}
