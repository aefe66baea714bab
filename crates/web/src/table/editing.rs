//! Writing in the record: comments, marks, what is told about the game, stones that are set up, variations.

use std::{collections::BTreeMap, sync::Arc};

use tengen_board::{Color, Move, Outcome, Vertex, sgf::NodeId};
use tengen_lab::notes;

use super::{MAX_NODES, Table, record};
use crate::{
    error::WebError,
    protocol::{Mark, MarkView},
};

/// What can be told about a game, in properties of its root.
const INFO: [&str; 9] = ["PB", "BR", "PW", "WR", "DT", "PC", "EV", "GN", "RE"];
/// Longest of those, in letters.
const MAX_INFO: usize = 200;
/// Longest comment that can be written, in letters.
const MAX_COMMENT: usize = 10_000;
/// Longest label, in letters.
const MAX_LABEL: usize = 4;

const FULL: WebError = WebError::Limit("This record is full: save it and begin another game.");

impl Table {
    /// Writes the comment of the position shown; none if it is empty.
    pub(super) fn write_comment(&mut self, text: &str) -> Result<(), WebError> {
        if text.chars().count() > MAX_COMMENT {
            return Err(WebError::Setting(format!("a comment has at most {MAX_COMMENT} characters")));
        }
        self.write_text(self.node, "C", text);
        self.news.push(self.node);
        Ok(())
    }

    fn write_text(&mut self, node: NodeId, identifier: &str, text: &str) {
        let record = self.change_record(node);
        if text.trim().is_empty() {
            record.node_mut(node).remove(identifier);
        } else {
            record.set_text(node, identifier, text);
        }
    }

    /// Draws a mark on a point, or takes away the same one; others of the point go.
    pub(super) fn mark(&mut self, at: Vertex, kind: Mark, label: &str) -> Result<(), WebError> {
        if !self.game.board().contains(at) {
            return Err(WebError::NotNow("That point is not on the board."));
        }
        let label: String = label.chars().filter(|c| c.is_alphanumeric()).take(MAX_LABEL).collect();
        let before = self.marks();
        let is_there = before.iter().any(|mark| mark.at == at && mark.kind == kind);
        let mut marks: Vec<_> = before.into_iter().filter(|mark| mark.at != at).collect();
        if !is_there {
            marks.push(MarkView { at, kind, label });
        }
        let node = self.node;
        for kind in Mark::ALL {
            let of_kind = marks.iter().filter(|mark| mark.kind == kind);
            let value = |mark: &MarkView| {
                let point = self.record.move_value(mark.at.into());
                if kind == Mark::Label { format!("{point}:{}", mark.label) } else { point }
            };
            let values: Vec<_> = of_kind.map(value).collect();
            let properties = self.change_record(node).node_mut(node);
            if values.is_empty() {
                properties.remove(kind.identifier());
            } else {
                properties.set(kind.identifier(), values);
            }
        }
        Ok(())
    }

    /// The marks of the position shown.
    pub(super) fn marks(&self) -> Vec<MarkView> {
        let node = self.record.node(self.node);
        let mut marks = Vec::new();
        for kind in Mark::ALL {
            for value in node.values(kind.identifier()).unwrap_or_default() {
                let (points, label) = match value.split_once(':') {
                    Some((point, label)) if kind == Mark::Label => {
                        (record::points(&self.record, point), label)
                    }
                    _ => (record::points(&self.record, value), ""),
                };
                let label: String = label.chars().take(MAX_LABEL).collect();
                marks.extend(points.into_iter().map(|at| MarkView { at, kind, label: label.clone() }));
            }
        }
        marks
    }

    /// Writes what is told about the game.
    pub(super) fn write_info(&mut self, info: &BTreeMap<String, String>) -> Result<(), WebError> {
        let root = self.record.root();
        for (identifier, text) in info {
            let Some(identifier) = INFO.into_iter().find(|known| known == identifier) else {
                return Err(WebError::Setting(format!(
                    "{identifier} cannot be edited: choose one of {}",
                    INFO.join(", ")
                )));
            };
            let text: String = text.trim().chars().take(MAX_INFO).collect();
            if identifier == "RE" && text != self.info().remove("RE").unwrap_or_default() {
                if !self.is_study {
                    return Err(WebError::NotNow(
                        "The result of a game that was played here cannot be changed.",
                    ));
                }
                if !text.is_empty() && text.parse::<Outcome>().is_err() {
                    return Err(WebError::Setting("a result is written as B+3.5, W+R or 0".to_owned()));
                }
            }
            self.write_text(root, identifier, &text);
        }
        Ok(())
    }

    /// What is told about the game.
    pub(super) fn info(&self) -> BTreeMap<&'static str, String> {
        let root = self.record.node(self.record.root());
        let text = |identifier| {
            root.simple_text(identifier).map(|text| text.chars().take(MAX_INFO).collect::<String>())
        };
        INFO.into_iter().filter_map(|identifier| Some((identifier, text(identifier)?))).collect()
    }

    /// The node in which stones are set up: the one shown if it has no move and nothing follows, else another one after it.
    fn node_to_set_up(&mut self) -> Result<NodeId, WebError> {
        if !self.is_studied() && self.seats.engines() > 0 && self.record.len() > 1 {
            return Err(WebError::NotNow(
                "Stones are set up in records and before the first move, not in the middle of a game.",
            ));
        }
        let is_own = notes::move_of(&self.record, self.node).is_none()
            && self.record.children(self.node).next().is_none();
        if is_own {
            Ok(self.node)
        } else if self.record.len() < MAX_NODES {
            let parent = self.node;
            Ok(self.change_record(parent).add_node(parent))
        } else {
            Err(FULL)
        }
    }

    /// Says who is to move.
    pub(super) fn set_to_play(&mut self, color: Color) -> Result<(), WebError> {
        let node = self.node_to_set_up()?;
        self.change_record(node).node_mut(node).set("PL", vec![color.letter().to_string()]);
        self.news.push(node);
        self.show(node)
    }

    /// Puts a stone on a point, or takes it away, in a node of its own.
    pub(super) fn set_up(&mut self, at: Vertex, color: Option<Color>) -> Result<(), WebError> {
        if !self.game.board().contains(at) {
            return Err(WebError::NotNow("That point is not on the board."));
        }
        let node = self.node_to_set_up()?;
        let base = match self.record.parent(node) {
            Some(parent) => Some(record::game_at(&self.record, parent)?),
            None => None,
        };
        let before = |v: Vertex| base.as_ref().and_then(|game| game.board().color_at(v));
        let wanted = |v: Vertex| if v == at { color } else { self.game.board().color_at(v) };
        let changed: Vec<_> = self.game.board().points().filter(|&v| wanted(v) != before(v)).collect();
        let edits =
            [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)].map(|(id, kind)| {
                let points = changed.iter().filter(|&&v| wanted(v) == kind);
                (id, points.map(|&v| self.record.move_value(v.into())).collect::<Vec<_>>())
            });
        let to_play = self.game.to_play().letter().to_string();
        let properties = self.change_record(node).node_mut(node);
        for (identifier, values) in edits {
            if values.is_empty() {
                properties.remove(identifier);
            } else {
                properties.set(identifier, values);
            }
        }
        properties.set("PL", vec![to_play]);
        self.news.push(node);
        self.show(node)
    }

    /// Adds a line of play after the position shown, as a variation.
    pub(super) fn add_line(&mut self, moves: &[Move]) -> Result<(), WebError> {
        if !self.is_studied() {
            return Err(WebError::NotNow("Lines are kept in records and in games that have ended."));
        }
        let (mut game, mut node) = (self.game.clone(), self.node);
        for &mv in moves {
            if game.check(mv).is_err() {
                break;
            }
            let color = game.to_play();
            let known = self.continuation(node, color, mv);
            if known.is_none() && self.record.len() >= MAX_NODES {
                return Err(FULL);
            }
            node = known.unwrap_or_else(|| self.change_record(node).add_move(node, color, mv));
            // New nodes have to be stored, too.
            self.change_record(node);
            self.news.push(node);
            game.play_unchecked(mv);
        }
        Ok(())
    }

    /// Makes the line to the position shown the main one.
    pub(super) fn promote(&mut self) -> Result<(), WebError> {
        if !self.is_study {
            return Err(WebError::NotNow("The game as it was played stays the main line."));
        }
        for node in self.record.path(self.node) {
            let Some(parent) = self.record.parent(node) else { continue };
            let siblings: Vec<_> = self.record.children(parent).collect();
            if siblings.first() != Some(&node) {
                self.change_record(node).promote(node);
                self.storing.note_all(&siblings);
                self.news.extend(siblings);
            }
        }
        Ok(())
    }

    /// Deletes the position shown and all that follows it.
    pub(super) fn delete_line(&mut self) -> Result<(), WebError> {
        let Some(parent) = self.record.parent(self.node) else {
            return Err(WebError::NotNow("The beginning cannot be deleted."));
        };
        let is_played = self.record.main_nodes().any(|node| node == self.node);
        if !self.is_study && (is_played || self.ended.is_none()) {
            return Err(WebError::NotNow("The game as it was played stays: only variations can be deleted."));
        }
        let (record, places) = self.record.without(self.node);
        let place = |node: NodeId| places.get(node.number() as usize).copied().flatten();
        let moved = |end: Option<(NodeId, Outcome)>| end.and_then(|(node, by)| Some((place(node)?, by)));
        (self.ended, self.tried) = (moved(self.ended), moved(self.tried));
        let parent = place(parent).unwrap_or(record.root());
        self.record = Arc::new(record);
        self.followed.clear();
        (self.review, self.report) = (None, None);
        self.thinking.forget_players();
        self.storing
            .note_all(&(0..self.record.len() as u32).filter_map(|n| self.record.find(n)).collect::<Vec<_>>());
        self.is_renumbered = true;
        self.show(parent)
    }
}
