//! Player specs: `NAME`, `NAME,key=value,…`, a TOML file, or `gtp:COMMAND LINE`.

use std::{path::Path, str::FromStr};

use tengen_board::bounded;
use tengen_engine::players::{Meter, Seat};
use toml::Value;

use crate::players::{
    config::{ExternalConfig, PlayerConfig},
    describe::commented_toml,
    error::SpecError,
    options::PlayerOptions,
    params::{Params, parse_setting, parse_value, put_kinds_first, show_value, split_settings},
    preset::Preset,
    schema,
};

/// A player that can be built: its kind and parameters, and the options common to all players.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// What was written for it; reports show it.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// Time, playouts, threads, networks, seed.
    pub options: PlayerOptions,
    /// Its kind and parameters.
    pub config: PlayerConfig,
}

impl PlayerSpec {
    /// Reads the text of a TOML file.
    pub fn from_toml(text: &str, name: &str) -> Result<PlayerSpec, SpecError> {
        PlayerSpec::from_params(Params::from_toml(text, name)?, name)
    }

    /// Reads a TOML file.
    pub fn from_file(path: &Path) -> Result<PlayerSpec, SpecError> {
        let text =
            bounded::read_text(path).map_err(|source| SpecError::Read { path: path.to_owned(), source })?;
        PlayerSpec::from_toml(&text, &path.display().to_string())
    }

    /// A player from tables of parameters, of which later ones override earlier ones. A `preset`, the last one that is named, is
    /// what the parameters change.
    pub fn from_tables(tables: &[&toml::Table], name: &str) -> Result<PlayerSpec, SpecError> {
        let preset = tables.iter().rev().find_map(|table| table.get("preset")).map(|preset| {
            preset.as_str().ok_or_else(|| SpecError::Value {
                context: "preset".to_owned(),
                message: "must be the name of a preset".to_owned(),
            })
        });
        let mut params = match preset.transpose()? {
            Some(preset) => Params::from_toml(Preset::find(preset)?.toml, preset)?,
            None => Params::default(),
        };
        for table in tables {
            let leaves = Params::from((*table).clone()).list();
            params.insert_all(
                leaves
                    .iter()
                    .filter(|(key, _)| key != "preset")
                    .map(|(key, value)| (key.as_str(), value.clone()))
                    .collect(),
            );
        }
        PlayerSpec::from_params(params, name)
    }

    fn from_params(mut params: Params, name: &str) -> Result<PlayerSpec, SpecError> {
        let about = match params.take("about") {
            Some(Value::String(about)) => about,
            _ => String::new(),
        };
        let mut options = Params::default();
        for key in PlayerOptions::KEYS {
            if let Some(value) = params.take(key) {
                options.insert(key, value);
            }
        }
        let config = params.read(name).map_err(|error| {
            // Serde knows neither similar names nor the table that a name is in.
            let unknown = schema::unknown_name(schema::of_player(), params.as_table());
            unknown.map_or(error, |(key, known)| SpecError::unknown_key(&key, name, known))
        })?;
        let options: PlayerOptions = options.read(name)?;
        let spec = PlayerSpec { name: name.to_owned(), about, options, config };
        schema::check_ranges(schema::of_player(), spec.params().as_table())?;
        Ok(spec)
    }

    /// Who speaks when this player says what a position is worth: its network, where nothing else has a say, else the player itself.
    /// Only what one of them says can be compared.
    pub fn evaluator(&self) -> String {
        let trusts_network = match &self.config {
            PlayerConfig::Mcts(config) => config.network.as_ref().is_some_and(|network| network.mix == 0.0),
            _ => false,
        };
        let net = self.options.net.as_ref().filter(|_| trusts_network).and_then(|net| net.file_name());
        net.map_or_else(|| self.name.clone(), |net| net.to_string_lossy().into_owned())
    }

    /// Every parameter, defaults spelled out.
    pub fn params(&self) -> Params {
        let mut params = Params::of(&self.options);
        params.extend(Params::of(&self.config));
        params
    }

    /// The value of a parameter by its dotted name.
    pub fn get(&self, key: &str) -> Option<String> {
        self.params().get(key).map(show_value)
    }

    /// Sets a parameter by its dotted name; on an error nothing changes.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        self.apply(vec![(key, parse_value(value))])
    }

    /// Sets several parameters, each `key=value`; on an error nothing changes.
    pub fn set_all<'a>(&mut self, settings: impl IntoIterator<Item = &'a str>) -> Result<(), SpecError> {
        self.apply(settings.into_iter().map(parse_setting).collect::<Result<_, _>>()?)
    }

    /// Sets parameters as a message asks for it, from whoever may send one: only those whose declarations let a message change them
    /// (`x-peer`), to numbers and words. Nothing is started or read for it, and on an error nothing changes.
    pub fn set_by_message(&mut self, settings: &[(String, String)]) -> Result<(), SpecError> {
        let mut parsed =
            settings.iter().map(|(key, value)| message_setting(key, value)).collect::<Result<Vec<_>, _>>()?;
        put_kinds_first(&mut parsed);
        let mut params = self.params();
        for (key, value) in &parsed {
            match schema::is_open(schema::of_player(), params.as_table(), key) {
                Some(true) => params.insert(key, value.clone()),
                Some(false) => return Err(SpecError::Closed((*key).to_owned())),
                None => return Err(params.unknown_key(key, &self.name, &PlayerOptions::KEYS)),
            }
        }
        self.apply(parsed)
    }

    fn apply(&mut self, settings: Vec<(&str, Value)>) -> Result<(), SpecError> {
        let before = self.params();
        let mut params = before.clone();
        let keys: Vec<_> = settings.iter().map(|(key, _)| *key).collect();
        params.insert_all(settings);
        let changed = PlayerSpec::from_params(params, &self.name).map_err(|error| {
            // The names of all tables are more helpful than those of one.
            match error {
                SpecError::UnknownKey { key, .. } if keys.contains(&key.as_str()) => {
                    before.unknown_key(&key, &self.name, &PlayerOptions::KEYS)
                }
                error => error,
            }
        })?;
        (self.options, self.config) = (changed.options, changed.config);
        Ok(())
    }

    /// The whole player as a TOML file that reads back as the same.
    pub fn to_toml(&self) -> String {
        self.about_line() + &toml::to_string(self.params().as_table()).expect("parameters are plain values")
    }

    /// The same with comments that say what each parameter means.
    pub fn to_commented_toml(&self) -> String {
        self.about_line() + &commented_toml(self.params().as_table())
    }

    fn about_line(&self) -> String {
        format!("about = {}\n\n", Value::String(self.about.clone()))
    }

    /// Whether it is another program.
    pub fn is_external(&self) -> bool {
        matches!(self.config, PlayerConfig::Gtp(_))
    }

    /// Whether it is another program whose command line is told the seed, so that it plays one game only.
    pub fn wants_seed(&self) -> bool {
        matches!(&self.config, PlayerConfig::Gtp(config) if config.wants_seed())
    }

    /// The running player with these random numbers, in a seat with its own limits.
    pub fn build(&self, seed: u64) -> Result<Seat, SpecError> {
        let player = self.config.build(&self.name, &self.options, seed)?;
        let threads = self.options.threads.unwrap_or(1);
        let meter = if self.is_external() { Meter::Unknown } else { Meter::new(threads) };
        Ok(Seat::new(player).with_limits(self.options.limits()).with_meter(meter))
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let text = text.trim();
        if let Some(command) = text.strip_prefix("gtp:") {
            let config = ExternalConfig { command: command.trim().to_owned(), ..ExternalConfig::default() };
            return Ok(PlayerSpec {
                name: text.to_owned(),
                about: "another program that speaks GTP".to_owned(),
                options: PlayerOptions::default(),
                config: PlayerConfig::Gtp(config),
            });
        }
        let parts = split_settings(text);
        let base = parts[0].trim();
        let mut spec = if is_path(base) {
            PlayerSpec::from_file(Path::new(base))?
        } else {
            PlayerSpec::from_toml(Preset::find(base)?.toml, base)?
        };
        spec.set_all(parts[1..].iter().copied())?;
        text.clone_into(&mut spec.name);
        Ok(spec)
    }
}

/// A setting of a message, if it is as short and plain as those of any open parameter.
fn message_setting<'a>(key: &'a str, value: &str) -> Result<(&'a str, Value), SpecError> {
    const LONGEST: usize = 64;
    let wrong = |message: &str| SpecError::Value {
        context: key.chars().take(LONGEST).collect(),
        message: message.to_owned(),
    };
    if key.len() > LONGEST {
        return Err(wrong("no parameter has so long a name"));
    }
    match Some(value).filter(|value| value.len() <= LONGEST).map(parse_value) {
        Some(value @ (Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_))) => {
            Ok((key, value))
        }
        _ => Err(wrong("must be a number, a word, true or false")),
    }
}

fn is_path(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|extension| extension == "toml") || text.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<PlayerSpec>().unwrap_err().to_string()
    }

    #[test]
    fn parameters_and_options_are_set_by_name() {
        let spec: PlayerSpec =
            "random,eyes=one-chain,time=0.5,threads=2,seed=7,net=a/b.safetensors".parse().unwrap();
        assert_eq!(spec.get("eyes").as_deref(), Some("one-chain"));
        assert_eq!(spec.get("kind").as_deref(), Some("random"));
        assert_eq!(spec.options.time, Some(0.5));
        assert_eq!(spec.options.threads, Some(2));
        assert_eq!(spec.options.seed, Some(7));
        assert_eq!(spec.options.net.as_deref(), Some(Path::new("a/b.safetensors")));
        assert_eq!(spec.get("playouts"), None);
    }

    #[test]
    fn whole_seconds_are_accepted() {
        let spec: PlayerSpec = "random,time=2".parse().unwrap();
        assert_eq!(spec.options.limits().time, Some(std::time::Duration::from_secs(2)));
    }

    #[test]
    fn errors_name_the_remedy() {
        assert!(error("randon").contains("did you mean \"random\"?"));
        assert!(error("nothing").contains("choose one of random"));
        assert!(
            error("random,eye=one-chain").contains("did you mean \"eyes\"?"),
            "{}",
            error("random,eye=one-chain")
        );
        assert!(error("random,eyes=square").contains("three-diagonals"), "{}", error("random,eyes=square"));
        assert!(error("random,threads=0").contains("from 1 to"));
        assert!(error("random,time=-1").contains("more than 0"));
        assert!(error("random,playouts").contains("key=value"));
        assert!(error("random,kind=clever").contains("`random`"), "{}", error("random,kind=clever"));
        assert!(error("uct,tree_policy.exploraton=1").contains("did you mean \"tree_policy.exploration\"?"));
        assert!(error("no/such.toml").contains("cannot read no/such.toml"));
        assert!(error("").contains("choose one of"));
    }

    /// The parameters of a player that searches are in one table, and declared in several structs.
    #[test]
    fn a_misspelt_name_in_a_file_is_refused_with_the_one_that_was_meant() {
        for (kind, line, meant) in [
            ("mcts", "widenning = 1", "widening"),
            ("mcts", "rezign = 0.1", "resign"),
            ("mcts", "keep_trees = true", "keep_tree"),
            ("mcts", "playout.eys = 'one-chain'", "playout.eyes"),
            ("mcts", "limits.max_lenght = 3", "limits.max_length"),
            ("mcts", "pace.lagg = 1", "pace.lag"),
            ("flat", "rezign = 0.1", "resign"),
            ("flat", "limit.mercy = 1", "limits"),
            ("random", "eye = 'one-chain'", "eyes"),
        ] {
            let toml = format!("kind = '{kind}'\nplayout.kind = 'uniform'\n{line}\n");
            let toml = if kind == "random" { toml.replace("playout.kind = 'uniform'\n", "") } else { toml };
            let error = PlayerSpec::from_toml(&toml, "x.toml").unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean \"{meant}\"?")), "{line}: {error}");
        }
        let error = |toml| PlayerSpec::from_toml(toml, "x.toml").unwrap_err().to_string();
        assert!(error("kind = 'mctz'\nresign = 0.1\n").contains("`mcts`"));
        assert!(error("kind = 'mcts'\nplayout.kind = 'mogoo'\n").contains("`mogo`"));
    }

    #[test]
    fn inner_parameters_have_dotted_names() {
        let toml = "kind = \"mcts\"\nplayouts = 77\nresign = 0.1\nplayout.kind = \"uniform\"\n";
        let mut spec = PlayerSpec::from_toml(toml, "test").unwrap();
        spec.set_all(["threads=2", "playout.eyes=one-chain", "gcmb.threshold=50"]).unwrap();
        assert_eq!(spec.options.playouts, Some(77));
        assert_eq!(spec.get("threads").as_deref(), Some("2"));
        assert_eq!(spec.get("playout.eyes").as_deref(), Some("one-chain"));
        assert_eq!(spec.get("gcmb.threshold").as_deref(), Some("50"));
        assert_eq!(spec.get("resign").as_deref(), Some("0.1"));
        assert_eq!(PlayerSpec::from_toml(&spec.to_toml(), "test").unwrap(), spec);
    }

    #[test]
    fn any_program_can_be_a_player() {
        let mut spec: PlayerSpec = "gtp:no-such-program --mode gtp,x=1".parse().unwrap();
        assert_eq!(spec.get("command").as_deref(), Some("no-such-program --mode gtp,x=1"));
        let error = spec.build(1).err().unwrap().to_string();
        assert!(error.contains("no-such-program"), "{error}");
        assert!(spec.set("move_seconds", "-1").unwrap_err().to_string().contains("more than 0"));
    }

    #[test]
    fn a_failed_setting_changes_nothing() {
        let mut spec: PlayerSpec = "random".parse().unwrap();
        let before = spec.clone();
        assert!(spec.set_all(["threads=2", "eyes=square"]).is_err());
        assert_eq!(spec, before);
    }
}
