//! From a game to a record, and from a record to text.

use std::fmt::{self, Write as _};

use super::{GameInfo, NodeId, Record, replay::point_value, tree::escape};
use crate::{color::Color, game::Game, rules::Rules, vertex::Vertex};

impl Record {
    /// A record of a game: set-up stones, moves, rules, komi, handicap and result from the game (a result in `info`
    /// goes before it), the rest from `info`.
    pub fn from_game(game: &Game, info: &GameInfo) -> Record {
        let start = game.start();
        let (width, height) = (start.width(), start.height());
        let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
        let mut record = Record::new();
        let root = record.root();
        let node = record.node_mut(root);
        let mut set = |identifier: &'static str, value: String| node.push(identifier.into(), vec![value]);
        set("FF", "4".to_owned());
        set("GM", "1".to_owned());
        set("CA", "UTF-8".to_owned());
        set("AP", concat!("tengen:", env!("CARGO_PKG_VERSION")).to_owned());
        set("SZ", size);
        set("KM", game.rules().komi.to_string());
        set("RU", rules_name(game.rules()));
        if game.handicap() > 0 {
            set("HA", game.handicap().to_string());
        }
        for (identifier, text) in info.texts() {
            if let Some(text) = text {
                set(identifier, escape(text));
            }
        }
        if let Some(result) = info.result.or_else(|| game.outcome()) {
            set("RE", result.to_string());
        }
        let mut has_stones = false;
        for (identifier, color) in [("AB", Color::Black), ("AW", Color::White)] {
            let stones: Vec<_> = start.points().filter(|&v| start.is_color(v, color)).collect();
            let value = |v: Vertex| point_value(v, height);
            if !stones.is_empty() {
                has_stones = true;
                node.push(identifier.into(), stones.into_iter().map(value).collect());
            }
        }
        let turn = start.to_play();
        if has_stones || turn == Color::White {
            node.push("PL".into(), vec![turn.letter().to_string()]);
        }
        let mut last = root;
        for played in game.moves() {
            last = record.add_move(last, played.color, played.mv);
        }
        record
    }

    /// The record as SGF text, in UTF-8. The same as its [`Display`](fmt::Display).
    pub fn to_sgf(&self) -> String {
        self.to_string()
    }
}

/// As other programs write it in `RU`; what has no name there is written in KataGo's form, which they ignore.
fn rules_name(rules: &Rules) -> String {
    match rules.name() {
        Some("chinese") => "Chinese".to_owned(),
        Some("japanese") => "Japanese".to_owned(),
        Some("aga") => "AGA".to_owned(),
        Some("new-zealand") => "NZ".to_owned(),
        Some("goe") => "GOE".to_owned(),
        Some("tromp-taylor") => "Tromp-Taylor".to_owned(),
        _ => rules.to_compact(),
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is still to be written: a node with what follows it, or the end of a variation.
        enum Todo {
            Node(NodeId),
            Variation(NodeId),
            End,
        }
        let mut todo = vec![Todo::Variation(self.root())];
        let mut width = 0;
        while let Some(next) = todo.pop() {
            let id = match next {
                Todo::End => {
                    f.write_char(')')?;
                    continue;
                }
                Todo::Variation(id) => {
                    f.write_str(if id == self.root() { "(" } else { "\n(" })?;
                    width = 0;
                    todo.push(Todo::End);
                    id
                }
                Todo::Node(id) => {
                    if width > 70 {
                        f.write_char('\n')?;
                        width = 0;
                    }
                    id
                }
            };
            width += self.write_node(id, f)?;
            let mut children: Vec<_> = self.children(id).collect();
            match children[..] {
                [only] => todo.push(Todo::Node(only)),
                _ => todo.extend(children.drain(..).rev().map(Todo::Variation)),
            }
        }
        Ok(())
    }
}

impl Record {
    /// Writes a node and returns how many bytes that took.
    fn write_node(&self, id: NodeId, f: &mut fmt::Formatter<'_>) -> Result<usize, fmt::Error> {
        f.write_char(';')?;
        let mut width = 1;
        for property in self.node(id).properties() {
            f.write_str(&property.identifier)?;
            width += property.identifier.len();
            // The text is UTF-8 now, whatever the file was.
            let charset = id == self.root() && property.identifier == "CA";
            for value in &property.values {
                let value = if charset { "UTF-8" } else { value };
                write!(f, "[{value}]")?;
                width += value.len() + 2;
            }
        }
        Ok(width)
    }
}
