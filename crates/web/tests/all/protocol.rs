//! The page's side of the protocol, `web/src/protocol.ts`, says what `src/protocol.rs` says: the same messages and commands, with
//! the same fields, of which the same ones may be absent. Both are read as text, in the shape in which they are formatted.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, path::Path};

/// The names of fields, and whether each may be `null` or left out.
type Fields = BTreeMap<String, bool>;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The lines inside the braces that follow `begin`, where they end at `end`.
fn body<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end).unwrap_or((rest, "")).0)
}

/// The fields of a structure or of a variant, whose lines are indented by so many spaces.
fn rust_fields(lines: &str, indent: usize) -> Fields {
    let lines = lines.lines().filter_map(|line| line.strip_prefix(&" ".repeat(indent)));
    let fields = lines.filter_map(|line| line.trim_start_matches("pub ").strip_suffix(',')?.split_once(": "));
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    fields
        .filter(|(name, _)| is_name(name))
        .map(|(name, kind)| (name.to_owned(), kind.starts_with("Option<")))
        .collect()
}

/// The structures of a source, by name.
fn structs(source: &str) -> impl Iterator<Item = (&str, Fields)> {
    source.split("\npub struct ").skip(1).map(|text| {
        let (name, rest) = text.split_once(" {").unwrap();
        (name, rust_fields(rest.split_once("\n}").unwrap().0, 4))
    })
}

/// The variants of an enumeration, in kebab case, with their fields.
fn variants(source: &str, name: &str) -> Vec<(String, Fields)> {
    let lines = body(source, &format!("\npub enum {name} {{\n"), "\n}").unwrap();
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines.lines() {
        let variant =
            line.strip_prefix("    ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
        if let Some(variant) = variant {
            let name: String = variant.chars().take_while(char::is_ascii_alphanumeric).collect();
            found.push((kebab(&name), String::new()));
        } else if let Some((_, fields)) = found.last_mut() {
            *fields += &format!("{line}\n");
        }
    }
    found.into_iter().map(|(name, lines)| (name, rust_fields(&lines, 8))).collect()
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}

/// The fields between braces, which are divided by line breaks or semicolons; without `type`, which tells variants apart.
fn page_fields(text: &str, divider: char) -> Fields {
    let fields = text.split(divider).filter_map(|field| field.trim().split_once(": "));
    let fields = fields.filter(|(name, _)| !name.starts_with("/**") && *name != "type");
    fields
        .map(|(name, kind)| {
            (name.trim_end_matches('?').to_owned(), name.ends_with('?') || kind.contains("| null"))
        })
        .collect()
}

#[test]
fn the_page_knows_every_structure() {
    let page = read("../../web/src/protocol.ts");
    let server = [read("src/protocol.rs"), read("src/settings.rs"), read("src/roster.rs")].concat();
    // Those which the page writes without a name of their own.
    let inline: Vec<Fields> =
        page.split("{ ").skip(1).map(|text| page_fields(text.split('}').next().unwrap(), ';')).collect();
    let mut known = 0;
    for (name, fields) in structs(&server) {
        let its_name = if name == "MarkView" { "Mark" } else { name };
        if let Some(text) = body(&page, &format!("export interface {its_name} {{\n"), "\n}") {
            let theirs = page_fields(text, '\n');
            // What a search does not name may be anything.
            let same =
                |(a, b): ((&String, &bool), (&String, &bool))| a.0 == b.0 && (a.1 == b.1 || name == "Search");
            assert!(
                fields.len() == theirs.len() && fields.iter().zip(&theirs).all(same),
                "{name}: {fields:?}, {theirs:?}"
            );
            known += 1;
        } else if name.ends_with("View") || name == "RuleSet" {
            assert!(inline.contains(&fields), "{name}: {fields:?}, {inline:?}");
            known += 1;
        }
    }
    assert!(known >= 15, "only {known} structures are compared");
}

#[test]
fn the_page_knows_every_command_and_message() {
    let page = read("../../web/src/protocol.ts");
    let server = read("src/protocol.rs");
    let commands = body(&page, "export type Command =\n", "\n\n").unwrap();
    for (name, fields) in variants(&server, "Command") {
        let word = format!("'{name}'");
        let line =
            commands.lines().find(|line| line.contains(&word)).unwrap_or_else(|| panic!("no command {name}"));
        let theirs = page_fields(line.trim_start_matches(['|', ' ']).trim_matches(['{', '}', ' ']), ';');
        let theirs: Vec<&String> = theirs.keys().collect();
        assert_eq!(theirs, fields.keys().collect::<Vec<_>>(), "{name}");
    }
    let ours = variants(&server, "Command");
    for name in commands.split('\'').skip(1).step_by(2).filter(|name| !name.contains(' ')) {
        assert!(ours.iter().any(|(own, _)| own == name), "the page has a command {name}");
    }
    for (name, _) in variants(&server, "Message") {
        assert!(page.contains(&format!("'{name}'")), "no message {name}");
    }
}

#[test]
fn the_page_knows_every_word() {
    let page = read("../../web/src/protocol.ts");
    let server = read("src/protocol.rs");
    for name in ["Phase", "Searcher", "Mark", "ProblemSet", "ProblemState", "Ended"] {
        // A line of the page has all of them; Black and White can be called `Color` there.
        let words: Vec<String> =
            variants(&server, name).into_iter().map(|(word, _)| format!("'{word}'")).collect();
        let has = |line: &str, word: &String| {
            line.contains(&**word) || (line.contains("Color") && ["'black'", "'white'"].contains(&&**word))
        };
        assert!(page.lines().any(|line| words.iter().all(|word| has(line, word))), "{name}: {words:?}");
    }
}
