//! What parameters mean: the documentation of the structs that declare them, as comments in TOML.

use serde_json::Value as Schema;
use toml::{Table, Value};

use crate::players::{
    params::join_key,
    schema::{self, Fields, description},
};

/// A player's parameters as TOML, with a comment for each that is documented.
pub(crate) fn commented_toml(params: &Table) -> String {
    let root = schema::of_player();
    let mut text = String::new();
    write_table(&mut text, "", &Fields::of(root, root, params), params);
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
