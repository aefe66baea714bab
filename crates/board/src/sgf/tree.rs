//! The game tree: nodes with properties, kept as they stand in the file.

use std::borrow::Cow;

use sgf_parse::{SimpleText, Text};

use super::Place;
use crate::{color::Color, moves::Move};

/// A node of a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    const ROOT: NodeId = NodeId(0);

    fn index(self) -> usize {
        self.0 as usize
    }

    /// Its number in the record, in the order in which the nodes were added, from 0; [`Record::find`] goes back.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A property: its identifier in capitals, and its values as in a file, with their escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Such as `B`, `AB`, `C`.
    pub identifier: Cow<'static, str>,
    /// What stands between the brackets.
    pub values: Vec<String>,
}

/// A node: its properties in the order of the file.
#[derive(Clone, Debug)]
pub struct Node {
    properties: Vec<Property>,
    parent: NodeId,
    /// Links to other nodes; the root is no node's child, so it stands for none.
    first_child: NodeId,
    last_child: NodeId,
    next_sibling: NodeId,
    place: Option<Place>,
}

impl Node {
    /// All properties, in the order of the file.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The values of a property, as they stand in the file.
    pub fn values(&self, identifier: &str) -> Option<&[String]> {
        self.properties.iter().find(|p| p.identifier == identifier).map(|p| &p.values[..])
    }

    /// The first value of a property, as it stands in the file.
    pub fn value(&self, identifier: &str) -> Option<&str> {
        self.values(identifier)?.first().map(String::as_str)
    }

    /// The text of a property such as `C`, without escapes.
    pub fn text(&self, identifier: &str) -> Option<String> {
        Some(Text::from(self.value(identifier)?).to_string())
    }

    /// The text of a property such as `PB`, without escapes, on one line.
    pub fn simple_text(&self, identifier: &str) -> Option<String> {
        Some(SimpleText::from(self.value(identifier)?).to_string())
    }

    /// Where the node begins in its file.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Sets the values of a property, which must be escaped already; [`Record::set_text`] escapes.
    pub fn set(&mut self, identifier: &str, values: Vec<String>) {
        match self.properties.iter_mut().find(|p| p.identifier == identifier) {
            Some(property) => property.values = values,
            None => self.push(intern(identifier), values),
        }
    }

    /// Removes a property. `false` if it is not there.
    pub fn remove(&mut self, identifier: &str) -> bool {
        let before = self.properties.len();
        self.properties.retain(|p| p.identifier != identifier);
        self.properties.len() != before
    }

    /// Adds a property after the others, even if there is one of its name, as in a file. The values must be escaped already.
    pub fn add(&mut self, identifier: &str, values: Vec<String>) {
        self.push(intern(identifier), values);
    }

    pub(super) fn push(&mut self, identifier: Cow<'static, str>, values: Vec<String>) {
        self.properties.push(Property { identifier, values });
    }
}

/// Identifiers that records are full of need no allocation.
pub(super) fn intern(identifier: &str) -> Cow<'static, str> {
    const FREQUENT: [&str; 16] =
        ["B", "W", "C", "BL", "WL", "OB", "OW", "AB", "AW", "AE", "LB", "TR", "SQ", "N", "SZ", "KM"];
    match FREQUENT.iter().find(|&&known| known == identifier) {
        Some(&known) => Cow::Borrowed(known),
        None => Cow::Owned(identifier.to_owned()),
    }
}

/// A game record: a tree of nodes. The first child of each node is the main line.
#[derive(Clone, Debug)]
pub struct Record {
    nodes: Vec<Node>,
}

impl Default for Record {
    fn default() -> Record {
        Record::new()
    }
}

impl Record {
    /// A record of one node without properties.
    pub fn new() -> Record {
        let mut record = Record::without_nodes();
        record.push_node(None, None);
        record
    }

    pub(super) fn without_nodes() -> Record {
        Record { nodes: Vec::new() }
    }

    /// Adds a node after `parent`; the first one is the root.
    pub(super) fn push_node(&mut self, parent: Option<NodeId>, place: Option<Place>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let root = NodeId::ROOT;
        let node = Node {
            properties: Vec::new(),
            parent: parent.unwrap_or(root),
            first_child: root,
            last_child: root,
            next_sibling: root,
            place,
        };
        self.nodes.push(node);
        if let Some(parent) = parent {
            let elder = std::mem::replace(&mut self.nodes[parent.index()].last_child, id);
            if elder == root {
                self.nodes[parent.index()].first_child = id;
            } else {
                self.nodes[elder.index()].next_sibling = id;
            }
        }
        id
    }

    /// The first node.
    pub fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: a record has a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    ///
    /// # Panics
    /// If the id belongs to another, larger record.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A node, to change it.
    ///
    /// # Panics
    /// If the id belongs to another, larger record.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The node of this number, if there is one.
    pub fn find(&self, number: u32) -> Option<NodeId> {
        ((number as usize) < self.nodes.len()).then_some(NodeId(number))
    }

    /// The node before this one; none before the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::ROOT).then(|| self.node(id).parent)
    }

    /// The nodes after this one, the main line first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let link = |id: NodeId| (id != NodeId::ROOT).then_some(id);
        std::iter::successors(link(self.node(id).first_child), move |&id| link(self.node(id).next_sibling))
    }

    /// The nodes of the main line, the root first.
    pub fn main_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(self.root()), |&id| self.children(id).next())
    }

    /// The nodes from the root to this one.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<_> = std::iter::successors(Some(id), |&id| self.parent(id)).collect();
        path.reverse();
        path
    }

    /// Makes a node the first of the variations after its parent: the main line, as far as the parent is on it.
    pub fn promote(&mut self, id: NodeId) {
        let Some(parent) = self.parent(id) else { return };
        let mut order: Vec<_> = self.children(parent).collect();
        order.sort_by_key(|&child| child != id);
        for (i, child) in order.iter().enumerate() {
            self.nodes[child.index()].next_sibling = order.get(i + 1).copied().unwrap_or(NodeId::ROOT);
        }
        self.nodes[parent.index()].first_child = order[0];
        self.nodes[parent.index()].last_child = order[order.len() - 1];
    }

    /// The record without a node and all that follows it, and what became of each node, by its number: none of those that
    /// are gone. The root stays.
    #[must_use]
    pub fn without(&self, id: NodeId) -> (Record, Vec<Option<NodeId>>) {
        let mut record = Record::without_nodes();
        let mut places: Vec<Option<NodeId>> = Vec::with_capacity(self.len());
        for (number, node) in self.nodes.iter().enumerate() {
            let is_root = number == 0;
            // Nodes come after their parents.
            let parent = places.get(node.parent.index()).copied().flatten();
            let is_gone = !is_root && (number == id.index() || parent.is_none());
            let place = (!is_gone).then(|| record.push_node(parent.filter(|_| !is_root), node.place));
            if let Some(place) = place {
                record.node_mut(place).properties.clone_from(&node.properties);
            }
            places.push(place);
        }
        // Variations keep their order: each goes to the front, the last one first.
        for number in 0..self.len() as u32 {
            let children: Vec<_> = self.children(NodeId(number)).collect();
            children
                .iter()
                .rev()
                .filter_map(|child| places[child.index()])
                .for_each(|child| record.promote(child));
        }
        (record, places)
    }

    /// Adds a node after `parent`, as the last variation.
    pub fn add_node(&mut self, parent: NodeId) -> NodeId {
        self.push_node(Some(parent), None)
    }

    /// Adds a node with a move after `parent`.
    pub fn add_move(&mut self, parent: NodeId, color: Color, mv: Move) -> NodeId {
        let value = self.move_value(mv);
        let id = self.add_node(parent);
        self.node_mut(id).push(Cow::Borrowed(if color == Color::Black { "B" } else { "W" }), vec![value]);
        id
    }

    /// Sets a property to a text, such as a comment.
    pub fn set_text(&mut self, id: NodeId, identifier: &str, text: &str) {
        self.node_mut(id).set(identifier, vec![escape(text)]);
    }
}

/// Puts a backslash before what would end a value.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
