//! Parameters by dotted name.
//!
//! A configuration is declared once, as a struct that serde reads and writes. [`Params`] is its generic form, a TOML
//! table with every default spelled out, so that `--set playout.eyes=one-chain`, GTP's `kata-set-param`, player specs
//! and result files all reach the same parameters without a second list of them.

use schemars::{JsonSchema, schema_for};
use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

use crate::players::{error::SpecError, schema::check_ranges};

/// A table of parameters, reachable by dotted names such as `playout.eyes`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(Table);

impl Params {
    /// The parameters of a configuration, defaults included.
    pub fn of<T: Serialize>(config: &T) -> Params {
        let mut table = Table::try_from(config).expect("a configuration is a table of plain values");
        table.iter_mut().for_each(|(_, value)| shorten_floats(value));
        Params(table)
    }

    /// Reads TOML text; `file` names it in errors.
    pub fn from_toml(text: &str, file: &str) -> Result<Params, SpecError> {
        let parse = |error: toml::de::Error| SpecError::Toml {
            file: file.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        };
        text.parse().map(Params).map_err(parse)
    }

    /// The configuration that these parameters describe; `owner` names it in errors.
    pub fn read<T: DeserializeOwned>(&self, owner: &str) -> Result<T, SpecError> {
        self.0.clone().try_into().map_err(|error: toml::de::Error| SpecError::Value {
            context: owner.to_owned(),
            message: error.to_string().trim_end().replace('\n', " "),
        })
    }

    /// The value of a parameter.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let (path, last) = split_key(key);
        let table = path.iter().try_fold(&self.0, |table, part| table.get(*part)?.as_table())?;
        table.get(last)
    }

    /// Sets a parameter to any value, also one that does not exist yet. A table whose `kind` changes loses its other
    /// entries, because they belong to the old kind.
    pub fn insert(&mut self, key: &str, value: Value) {
        let (path, last) = split_key(key);
        let mut table = &mut self.0;
        for part in path {
            let entry = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            table = entry.as_table_mut().expect("it was made a table");
        }
        if last == "kind" && table.get(last) != Some(&value) {
            table.clear();
        }
        table.insert(last.to_owned(), value);
    }

    /// Sets several parameters, each after those that its meaning depends on.
    pub fn insert_all(&mut self, mut settings: Vec<(&str, Value)>) {
        put_kinds_first(&mut settings);
        for (key, value) in settings {
            self.insert(key, value);
        }
    }

    /// Removes a parameter from the outermost table.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// Adds the entries of `other`.
    pub(crate) fn extend(&mut self, other: Params) {
        self.0.extend(other.0);
    }

    /// Every parameter with its dotted name, in the order of declaration.
    pub fn list(&self) -> Vec<(String, Value)> {
        let mut leaves = Vec::new();
        collect_leaves("", &self.0, &mut leaves);
        leaves
    }

    /// The table itself.
    pub fn as_table(&self) -> &Table {
        &self.0
    }

    /// The error for a name that is not among these parameters.
    pub(crate) fn unknown_key(&self, key: &str, owner: &str, others: &[&str]) -> SpecError {
        let mut known: Vec<_> = self.list().into_iter().map(|(key, _)| key).collect();
        known.extend(others.iter().map(|&key| key.to_owned()));
        SpecError::unknown_key(key, owner, known)
    }
}

impl From<Table> for Params {
    fn from(table: Table) -> Params {
        Params(table)
    }
}

/// Sorts settings so that those that choose a `kind` come first, of outer tables before inner ones.
pub(crate) fn put_kinds_first(settings: &mut [(&str, Value)]) {
    settings.sort_by_key(|(key, _)| {
        let (path, last) = split_key(key);
        if last == "kind" { path.len() } else { usize::MAX }
    });
}

/// Reads a configuration from a line: its kind, then any parameters, as in `uniform,eyes=one-chain`.
///
/// ```
/// use tengen_engine::playout::PlayoutConfig;
/// let policy: PlayoutConfig = tengen_lab::parse_config("uniform,eyes=one-chain").unwrap();
/// assert!(tengen_lab::parse_config::<PlayoutConfig>("uniform,eye=one-chain").is_err());
/// assert!(tengen_lab::parse_config::<PlayoutConfig>("mogo,escape=nan").is_err());
/// ```
pub fn parse_config<T: Serialize + DeserializeOwned + JsonSchema>(text: &str) -> Result<T, SpecError> {
    let mut parts = split_settings(text).into_iter();
    let kind = parts.next().unwrap_or_default().trim();
    let mut params = Params::default();
    params.insert("kind", Value::String(kind.to_owned()));
    params.insert_all(parts.map(parse_setting).collect::<Result<_, _>>()?);
    let config: T = params.read(text)?;
    check_ranges(&schema_for!(T).to_value(), Params::of(&config).as_table())?;
    Ok(config)
}

/// A configuration with some parameters changed, each as `key=value` with a dotted key; `owner` names it in errors. All numbers must
/// be in the ranges that are declared for them.
pub fn with_settings<T: Serialize + DeserializeOwned + JsonSchema>(
    config: &T,
    settings: &[String],
    owner: &str,
) -> Result<T, SpecError> {
    let settings = settings.iter().map(|text| parse_setting(text)).collect::<Result<Vec<_>, _>>()?;
    changed(config, settings, owner)
}

/// The same with the parameters in the text of a TOML file, which `file` names in errors.
pub fn with_toml<T: Serialize + DeserializeOwned + JsonSchema>(
    config: &T,
    text: &str,
    file: &str,
) -> Result<T, SpecError> {
    let listed = Params::from_toml(text, file)?.list();
    changed(config, listed.iter().map(|(key, value)| (key.as_str(), value.clone())).collect(), file)
}

fn changed<T: Serialize + DeserializeOwned + JsonSchema>(
    config: &T,
    settings: Vec<(&str, Value)>,
    owner: &str,
) -> Result<T, SpecError> {
    // TOML has no numbers beyond 63 bits.
    let too_large =
        |error: toml::ser::Error| SpecError::Value { context: owner.to_owned(), message: error.to_string() };
    let mut params = Params(Table::try_from(config).map_err(too_large)?);
    if let Some((key, _)) = settings.iter().find(|(key, _)| params.get(key).is_none()) {
        return Err(params.unknown_key(key, owner, &[]));
    }
    params.insert_all(settings);
    let config = params.read(owner)?;
    check_ranges(&schema_for!(T).to_value(), Params::of(&config).as_table())?;
    Ok(config)
}

/// A value as a player spec writes it: text without quotes, everything else as in TOML.
pub(crate) fn show_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Reads a value: as TOML if it is TOML, else as text.
pub(crate) fn parse_value(text: &str) -> Value {
    let text = text.trim();
    let as_toml = format!("value = {text}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    as_toml.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Splits at the commas that are not inside quotes, brackets or braces.
pub(crate) fn split_settings(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quote, mut start) = (0usize, None, 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Reads `key=value`.
pub(crate) fn parse_setting(text: &str) -> Result<(&str, Value), SpecError> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim(), parse_value(value))),
        _ => Err(SpecError::NotASetting(text.trim().to_owned())),
    }
}

/// The dotted name of a key in a table.
pub(crate) fn join_key(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// `a.b.c` as the tables `a`, `b` and the entry `c`.
pub(crate) fn split_key(key: &str) -> (Vec<&str>, &str) {
    match key.rsplit_once('.') {
        Some((path, last)) => (path.split('.').collect(), last),
        None => (Vec::new(), key),
    }
}

/// Writes a number that was an `f32` as one: 0.1, not 0.10000000149011612.
fn shorten_floats(value: &mut Value) {
    match value {
        Value::Float(number) if f64::from(*number as f32) == *number => {
            *number = (*number as f32).to_string().parse().unwrap_or(*number);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_floats),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| shorten_floats(value)),
        _ => {}
    }
}

fn collect_leaves(prefix: &str, table: &Table, leaves: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let name = join_key(prefix, key);
        match value {
            Value::Table(inner) => collect_leaves(&name, inner, leaves),
            value => leaves.push((name, value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_or_text() {
        assert_eq!(parse_value("3"), Value::Integer(3));
        assert_eq!(parse_value("0.5"), Value::Float(0.5));
        assert_eq!(parse_value("true"), Value::Boolean(true));
        assert_eq!(parse_value("two-liberties"), Value::String("two-liberties".into()));
        assert_eq!(parse_value("\"3\""), Value::String("3".into()));
        assert_eq!(parse_value(""), Value::String(String::new()));
        assert_eq!(parse_value("1\nother = 2"), Value::Integer(1));
    }

    #[test]
    fn commas_inside_values_do_not_separate() {
        assert_eq!(
            split_settings("a,b=[1,2],c=\"x,y\",d={e=1,f=2}"),
            ["a", "b=[1,2]", "c=\"x,y\"", "d={e=1,f=2}"]
        );
    }

    fn settings<const N: usize>(texts: [&str; N]) -> Vec<(&str, Value)> {
        texts.into_iter().map(|text| parse_setting(text).unwrap()).collect()
    }

    #[test]
    fn dotted_names_reach_inner_tables() {
        let mut params = Params::default();
        params.insert_all(settings(["playout.depth=3", "playout.kind=uniform", "seed=1"]));
        assert_eq!(params.get("playout.depth"), Some(&Value::Integer(3)));
        let keys: Vec<_> = params.list().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["playout.kind", "playout.depth", "seed"]);
    }

    #[test]
    fn another_kind_replaces_the_table() {
        let mut params = Params::default();
        params.insert_all(settings(["playout.kind=a", "playout.x=1"]));
        params.insert_all(settings(["playout.kind=b"]));
        assert_eq!(params.get("playout.x"), None);
        params.insert_all(settings(["playout.x=2", "playout.kind=b"]));
        assert_eq!(params.get("playout.x"), Some(&Value::Integer(2)));
    }

    #[test]
    fn a_setting_needs_a_key_and_a_value() {
        for text in ["threads", "=3", " = "] {
            assert!(matches!(parse_setting(text), Err(SpecError::NotASetting(_))), "{text}");
        }
    }
}
