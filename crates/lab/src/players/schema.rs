//! What the declarations of parameters say about them: their meaning, their range, and whether a message may change them.
//!
//! A parameter is the field of a struct. Its documentation is its meaning; `#[schemars(range(..))]` is its range, which holds
//! wherever it is set; `#[schemars(extend("x-peer" = true))]` lets whoever sends messages to a running player change it. Without
//! that word a parameter is closed, so a new one is until somebody has thought about it.

use std::sync::LazyLock;

use schemars::{JsonSchema, schema_for};
use serde_json::Value as Schema;
use toml::{Table, Value};

use crate::players::{
    config::PlayerConfig,
    error::SpecError,
    options::PlayerOptions,
    params::{join_key, split_key},
};

/// Everything that a player's file may contain.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct PlayerFile {
    #[serde(flatten)]
    options: PlayerOptions,
    #[serde(flatten)]
    config: PlayerConfig,
}

/// The schema of a player's file.
pub(crate) fn of_player() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| schema_for!(PlayerFile).to_value());
    &SCHEMA
}

/// The fields of a table.
pub(crate) struct Fields<'a> {
    pub(crate) root: &'a Schema,
    /// The schemas that together describe the table.
    parts: Vec<&'a Schema>,
    /// What its `kind` could be.
    kinds: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    /// Those of a table that a schema describes; its `kind` chooses among alternatives.
    pub(crate) fn of(root: &'a Schema, schema: &'a Schema, table: &Table) -> Fields<'a> {
        let kind = table.get("kind").and_then(Value::as_str);
        let mut fields = Fields { root, parts: Vec::new(), kinds: Vec::new() };
        fields.add(schema, |own| kind == Some(own));
        fields
    }

    fn add(&mut self, schema: &'a Schema, is_meant: impl Fn(&str) -> bool + Copy) {
        if let Some(own) = schema.pointer("/properties/kind/const").and_then(Schema::as_str) {
            self.kinds.push(own);
            if !is_meant(own) {
                return;
            }
        }
        self.parts.push(schema);
        for inner in parts_of(self.root, schema) {
            self.add(inner, is_meant);
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Schema> {
        self.parts.iter().find_map(|part| part.get("properties")?.get(key))
    }

    /// The names of the fields.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        let properties = |part: &&'a Schema| part.get("properties").and_then(Schema::as_object);
        self.parts.iter().filter_map(properties).flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// What a key means, and what it could be.
    pub(crate) fn meaning(&self, key: &str) -> Option<String> {
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

/// The first parameter that no declaration has, by its dotted name, and those that there are beside it.
pub(crate) fn unknown_name(root: &Schema, table: &Table) -> Option<(String, Vec<String>)> {
    unknown_in(root, root, "", table)
}

fn unknown_in(root: &Schema, schema: &Schema, path: &str, table: &Table) -> Option<(String, Vec<String>)> {
    let fields = Fields::of(root, schema, table);
    let known: Vec<_> = fields.names().map(|name| join_key(path, name)).collect();
    let has_kind = table.get("kind").and_then(Value::as_str).is_some_and(|kind| fields.kinds.contains(&kind));
    if known.is_empty() || (!has_kind && !fields.kinds.is_empty()) {
        return None;
    }
    table.iter().find_map(|(key, value)| {
        let name = join_key(path, key);
        match (fields.get(key), value) {
            (None, _) => Some((name, known.clone())),
            (Some(field), Value::Table(inner)) => unknown_in(root, field, &name, inner),
            _ => None,
        }
    })
}

/// Whether a message may change a parameter; `None` if there is no such parameter, or none without adding a part to the player that
/// it does not have. Every table on the way must be open as well; the `kind` of a table goes with the table.
pub(crate) fn is_open(root: &Schema, table: &Table, key: &str) -> Option<bool> {
    let defaults = Table::new();
    let (mut table, mut schema, mut is_open) = (table, root, true);
    let (path, last) = split_key(key);
    for part in path {
        let field = Fields::of(root, schema, table).get(part)?;
        is_open &= is_marked_open(field);
        table = match table.get(part) {
            Some(inner) => inner.as_table()?,
            None if is_optional(field) => return None,
            None => &defaults,
        };
        schema = field;
    }
    let fields = Fields::of(root, schema, table);
    if last == "kind" {
        return (!fields.kinds.is_empty()).then_some(is_open && key != "kind");
    }
    fields.get(last).map(|field| is_open && is_marked_open(field))
}

fn is_marked_open(field: &Schema) -> bool {
    field.get("x-peer") == Some(&Schema::Bool(true))
}

/// Whether a table may be absent.
fn is_optional(field: &Schema) -> bool {
    let alternatives = field.get("anyOf").and_then(Schema::as_array).into_iter().flatten();
    alternatives.into_iter().any(|part| part.get("type").and_then(Schema::as_str) == Some("null"))
}

/// Refuses numbers outside the ranges that are declared for them, and those that are not finite.
pub(crate) fn check_ranges(root: &Schema, table: &Table) -> Result<(), SpecError> {
    check_table(root, root, "", table)
}

fn check_table(root: &Schema, schema: &Schema, path: &str, table: &Table) -> Result<(), SpecError> {
    let fields = Fields::of(root, schema, table);
    for (key, value) in table {
        let field = fields.get(key).unwrap_or(&Schema::Null);
        let name = join_key(path, key);
        let number = match value {
            Value::Table(inner) => {
                check_table(root, field, &name, inner)?;
                continue;
            }
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            _ => continue,
        };
        if let Some(message) = Range::of(field).refusal(number) {
            return Err(SpecError::Value { context: name, message: format!("{message}, not {number}") });
        }
    }
    Ok(())
}

/// Where a number has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    min: Option<f64>,
    /// The number is more than this.
    above: Option<f64>,
    max: Option<f64>,
    /// The number is less than this.
    below: Option<f64>,
}

impl Range {
    fn of(schema: &Schema) -> Range {
        let bound = |word: &str| schema.get(word).and_then(Schema::as_f64);
        // Unsigned fields have a minimum of 0 by themselves.
        let above = bound("exclusiveMinimum");
        Range {
            min: bound("minimum").filter(|_| above.is_none()),
            above,
            max: bound("maximum"),
            below: bound("exclusiveMaximum"),
        }
    }

    /// Whether it ends in both directions.
    #[cfg(test)]
    fn is_closed(self) -> bool {
        (self.min.is_some() || self.above.is_some()) && (self.max.is_some() || self.below.is_some())
    }

    /// What a number must be, unless it is.
    fn refusal(self, number: f64) -> Option<String> {
        let Range { min, above, max, below } = self;
        let fits = number.is_finite()
            && min.is_none_or(|min| number >= min)
            && above.is_none_or(|above| number > above)
            && max.is_none_or(|max| number <= max)
            && below.is_none_or(|below| number < below);
        (!fits).then(|| {
            let least = min.map(|min| format!("at least {min}"));
            let least = least.or(above.map(|above| format!("more than {above}")));
            // The largest numbers there are do not help anybody.
            let most = max.filter(|&max| max < 1e15).map(|max| format!("at most {max}"));
            let most = most.or(below.map(|below| format!("less than {below}")));
            match (min, max.filter(|&max| max < 1e15), least, most) {
                (Some(min), Some(max), ..) => format!("must be from {min} to {max}"),
                (.., Some(least), Some(most)) => format!("must be {least} and {most}"),
                (.., Some(bound), None) | (.., None, Some(bound)) => format!("must be {bound}"),
                (.., None, None) => "must be finite".to_owned(),
            }
        })
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

/// The words of a type that is one of a few, as TOML has them, each with its meaning.
pub fn words<T: JsonSchema>() -> Vec<(String, Option<String>)> {
    let schema = schema_for!(T).to_value();
    let variants = schema.get("oneOf").and_then(Schema::as_array).into_iter().flatten();
    variants.filter_map(|part| Some((part.get("const")?.as_str()?.to_owned(), description(part)))).collect()
}

/// What the documentation of a field says in its first paragraph.
pub(crate) fn description(schema: &Schema) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    let first = text.split("\n\n").next()?.replace('\n', " ").replace("[`", "").replace("`]", "");
    Some(first.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use tengen_engine::{flat::MethodConfig, playout::PlayoutConfig, tree::TreePolicyConfig};
    use tengen_nets::train::{BalanceConfig, TrainConfig};

    use super::*;
    use crate::{
        learn::{gradient::GradientConfig, zero::ZeroConfig},
        selfplay::SelfPlayConfig,
    };

    /// Every parameter of every kind of player: its dotted name and schema. A playout policy inside another is left out after the
    /// first time.
    fn all_parameters<'a>(
        root: &'a Schema,
        path: &str,
        schema: &'a Schema,
        is_open: bool,
    ) -> Vec<Parameter<'a>> {
        let mut fields = Fields { root, parts: Vec::new(), kinds: Vec::new() };
        fields.add(schema, |_| true);
        let mut all = Vec::new();
        for part in &fields.parts {
            for (key, field) in part.get("properties").and_then(Schema::as_object).into_iter().flatten() {
                let name = join_key(path, key);
                let is_inner_kind = key == "kind" && !path.is_empty();
                let is_open = is_open && (is_inner_kind || field.get("x-peer").is_some());
                let mut inner = Fields { root, parts: Vec::new(), kinds: Vec::new() };
                inner.add(field, |_| true);
                if !inner.parts.iter().any(|part| part.get("properties").is_some()) {
                    all.push(Parameter { name, schema: field, is_open });
                } else if !path.ends_with("base") {
                    all.extend(all_parameters(root, &name, field, is_open));
                }
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all.dedup_by(|a, b| a.name == b.name && a.is_open == b.is_open);
        all
    }

    struct Parameter<'a> {
        name: String,
        schema: &'a Schema,
        is_open: bool,
    }

    /// Add a line to the list below only for a parameter that anybody who can send a message may be trusted with.
    #[test]
    fn messages_change_these_parameters_and_no_others() {
        let all = all_parameters(of_player(), "", of_player(), true);
        let names = |is_open| {
            let chosen = all.iter().filter(move |parameter| parameter.is_open == is_open);
            chosen.map(|parameter| parameter.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(true), include_str!("open_parameters.txt").lines().collect::<Vec<_>>(), "open");
        let closed = "batch book command command_seconds gcmb.record kind max_tree_mb move_seconds net network.cache \
                      rollout_net threads";
        assert_eq!(names(false).join(" "), closed, "closed");
    }

    #[test]
    fn no_open_parameter_is_a_free_text_and_every_number_has_a_range() {
        let root = of_player();
        for Parameter { name, schema, is_open } in all_parameters(root, "", root, true) {
            let types = schema.get("type").map(ToString::to_string).unwrap_or_default();
            let is_text = types.contains("string") && choices(root, schema).is_empty();
            assert!(!(is_open && is_text), "{name}: {schema}");
            assert!(!types.contains("array"), "{name}: {schema}");
            if types.contains("number") || types.contains("integer") {
                assert!(Range::of(schema).is_closed(), "{name} has no range: {schema}");
            }
        }
    }
    /// The parts of a network are checked together, by `NetSpec::check`; any seed will do.
    #[test]
    fn every_number_of_a_training_has_a_range() {
        let schemas = [
            schema_for!(TrainConfig),
            schema_for!(BalanceConfig),
            schema_for!(SelfPlayConfig),
            schema_for!(ZeroConfig),
            schema_for!(GradientConfig),
        ];
        for root in schemas.map(schemars::Schema::to_value) {
            let all = all_parameters(&root, "", &root, false);
            assert!(all.len() > 5, "{root}");
            for Parameter { name, schema, .. } in all {
                let types = schema.get("type").map(ToString::to_string).unwrap_or_default();
                let is_number = types.contains("number") || types.contains("integer");
                if is_number && !name.starts_with("arch.") && name != "seed" {
                    assert!(Range::of(schema).is_closed(), "{name} has no range: {schema}");
                }
            }
        }
    }

    /// The tests that hold for every policy go through these lists.
    #[test]
    fn lists_of_all_kinds_are_complete() {
        fn check<T: JsonSchema + serde::Serialize>(all: &[T]) {
            let root = schema_for!(T).to_value();
            let mut fields = Fields { root: &root, parts: Vec::new(), kinds: Vec::new() };
            fields.add(&root, |_| false);
            assert!(fields.kinds.len() > 3, "{root}");
            let listed: Vec<String> =
                all.iter().map(|config| Table::try_from(config).unwrap()["kind"].to_string()).collect();
            for kind in fields.kinds {
                assert!(listed.contains(&format!("{kind:?}")), "{kind} is not among all_kinds(): {listed:?}");
            }
        }
        check(&PlayoutConfig::all_kinds());
        check(&TreePolicyConfig::all_kinds());
        check(&MethodConfig::all_kinds());
    }

    #[test]
    fn bounds_are_told_as_they_are() {
        let refusal = |range: Schema, number| Range::of(&range).refusal(number).unwrap_or_default();
        let json = |text: &str| serde_json::from_str(text).unwrap();
        for (range, number, expected) in [
            (r#"{"minimum": 1, "maximum": 9}"#, 10.0, "must be from 1 to 9"),
            (r#"{"minimum": 1, "maximum": 9223372036854775807}"#, 0.0, "must be at least 1"),
            (r#"{"exclusiveMinimum": 0, "maximum": 9}"#, 0.0, "must be more than 0 and at most 9"),
            (r#"{"minimum": 0, "exclusiveMaximum": 1}"#, 1.0, "must be at least 0 and less than 1"),
            (r#"{"minimum": 0, "exclusiveMaximum": 1}"#, 0.5, ""),
            (r#"{"maximum": 9}"#, f64::NAN, "must be at most 9"),
            ("{}", f64::INFINITY, "must be finite"),
        ] {
            assert_eq!(refusal(json(range), number), expected, "{range} {number}");
        }
    }
}
