//! What parameters mean: the documentation of the structs that declare them, as comments in TOML.

use schemars::{JsonSchema, schema_for};
use serde_json::Value as Schema;
use toml::{Table, Value};

use crate::{options::PlayerOptions, params::join_key, player_config::PlayerConfig};

/// Everything that a player's file may contain.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct PlayerFile {
    #[serde(flatten)]
    options: PlayerOptions,
    #[serde(flatten)]
    config: PlayerConfig,
}

/// A player's parameters as TOML, with a comment for each that is documented.
pub(crate) fn commented_toml(params: &Table) -> String {
    let root = schema_for!(PlayerFile).to_value();
    let mut text = String::new();
    write_table(&mut text, "", &Fields::of(&root, &root, params), params);
    text
}

/// Writes the plain values of a table, then the tables in it.
fn write_table(text: &mut String, path: &str, fields: &Fields<'_>, table: &Table) {
    let (tables, values): (Vec<_>, Vec<_>) = table.iter().partition(|(_, value)| value.is_table());
    let settings: Vec<_> = values.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let width = settings.iter().map(|setting| setting.chars().count()).max().unwrap_or(0);
    for (setting, (key, _)) in settings.iter().zip(&values) {
        let line = match fields.meaning(key) {
            Some(meaning) => format!("{setting:width$}  # {meaning}\n"),
            None => format!("{setting}\n"),
        };
        text.push_str(&line);
    }
    for (key, value) in tables {
        let Value::Table(inner) = value else { unreachable!("only tables are left") };
        let path = join_key(path, key);
        let schema = fields.get(key).unwrap_or(&Schema::Null);
        let comment = description(schema).map(|meaning| format!("  # {meaning}")).unwrap_or_default();
        text.push_str(&format!("\n[{path}]{comment}\n"));
        write_table(text, &path, &Fields::of(fields.root, schema, inner), inner);
    }
}

/// The fields of a table.
struct Fields<'a> {
    root: &'a Schema,
    /// The schemas that together describe the table.
    parts: Vec<&'a Schema>,
    /// What its `kind` could be.
    kinds: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    /// Those of a table that a schema describes; its `kind` chooses among alternatives.
    fn of(root: &'a Schema, schema: &'a Schema, table: &Table) -> Fields<'a> {
        let mut fields = Fields { root, parts: Vec::new(), kinds: Vec::new() };
        fields.add(schema, table.get("kind").and_then(Value::as_str));
        fields
    }

    fn add(&mut self, schema: &'a Schema, kind: Option<&str>) {
        if let Some(own) = schema.pointer("/properties/kind/const").and_then(Schema::as_str) {
            self.kinds.push(own);
            if kind != Some(own) {
                return;
            }
        }
        self.parts.push(schema);
        for inner in parts_of(self.root, schema) {
            self.add(inner, kind);
        }
    }

    fn get(&self, key: &str) -> Option<&'a Schema> {
        self.parts.iter().find_map(|part| part.get("properties")?.get(key))
    }

    /// What a key means, and what it could be.
    fn meaning(&self, key: &str) -> Option<String> {
        let (text, choices) = if key == "kind" {
            (None, self.kinds.clone())
        } else {
            let schema = self.get(key)?;
            (description(schema), choices(self.root, schema))
        };
        match text {
            text if choices.is_empty() => text,
            Some(text) => Some(format!("{text}: {}", choices.join(", "))),
            None => Some(choices.join(", ")),
        }
    }
}

/// The schemas that a schema refers to or chooses from.
fn parts_of<'a>(root: &'a Schema, schema: &'a Schema) -> impl Iterator<Item = &'a Schema> {
    let target =
        schema.get("$ref").and_then(Schema::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?));
    let several = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array());
    target.into_iter().chain(several.flatten())
}

/// The words that a value may be, if it is one of a few.
fn choices<'a>(root: &'a Schema, schema: &'a Schema) -> Vec<&'a str> {
    let listed = schema.get("enum").and_then(Schema::as_array).into_iter().flatten();
    let own = schema.get("const").into_iter().chain(listed).filter_map(Schema::as_str);
    own.chain(parts_of(root, schema).flat_map(|part| choices(root, part))).collect()
}

/// What the documentation of a field says in its first paragraph.
fn description(schema: &Schema) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    let first = text.split("\n\n").next()?.replace('\n', " ").replace("[`", "").replace("`]", "");
    Some(first.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use crate::{PRESETS, PlayerSpec};

    /// Every parameter of a preset is explained, and the file with its comments is the same player.
    #[test]
    fn presets_are_explained() {
        for preset in PRESETS {
            let spec: PlayerSpec = preset.name.parse().unwrap();
            let text = spec.to_commented_toml();
            assert_eq!(PlayerSpec::from_toml(&text, preset.name).unwrap(), spec, "{text}");
            for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
                assert!(line.contains("  # "), "{}: {line}", preset.name);
            }
        }
    }
}
