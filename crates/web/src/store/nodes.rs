//! Records as rows, one for each node.
//!
//! Nodes keep their numbers, so that a page that is connected again still means the same ones. Their properties are a list
//! of names and values as they stand in a file.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};
use tengen_board::sgf::{NodeId, Record};

use super::StoreError;

/// A node as it is stored.
pub(crate) struct NodeRow {
    number: u32,
    parent: Option<u32>,
    /// Its place among the continuations of its parent, from 0.
    place: u32,
    properties: String,
}

/// The nodes of which something holds, as rows.
pub(crate) fn rows(record: &Record, is_wanted: impl Fn(NodeId) -> bool) -> Vec<NodeRow> {
    let row = |id: NodeId, parent: Option<NodeId>, place: u32| {
        let properties: Vec<_> =
            record.node(id).properties().iter().map(|p| (&p.identifier, &p.values)).collect();
        let properties = serde_json::to_string(&properties).unwrap_or_default();
        NodeRow { number: id.number(), parent: parent.map(NodeId::number), place, properties }
    };
    let ids = (0..record.len() as u32).filter_map(|number| record.find(number));
    let mut parents: Vec<_> = ids.filter(|&id| is_wanted(id)).filter_map(|id| record.parent(id)).collect();
    parents.sort_unstable();
    parents.dedup();
    let children = parents.into_iter().flat_map(|parent| {
        let places = record.children(parent).zip(0..).filter(|(id, _)| is_wanted(*id));
        places.map(move |(id, place)| row(id, Some(parent), place)).collect::<Vec<_>>()
    });
    let root = is_wanted(record.root()).then(|| row(record.root(), None, 0));
    root.into_iter().chain(children).collect()
}

/// Writes rows of a record that has `len` nodes.
pub(super) fn write(
    transaction: &Transaction<'_>,
    game: &str,
    rows: &[NodeRow],
    len: usize,
) -> Result<(), StoreError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO nodes (game, number, parent, place, properties) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET parent = excluded.parent, place = excluded.place, properties = excluded.properties",
    )?;
    for NodeRow { number, parent, place, properties } in rows {
        put.execute(params![game, number, parent, place, properties])?;
    }
    // Where variations were deleted there are fewer than before.
    transaction
        .prepare_cached("DELETE FROM nodes WHERE game = ?1 AND number >= ?2")?
        .execute(params![game, len as i64])?;
    Ok(())
}

/// The record of a game.
pub(super) fn record(transaction: &Transaction<'_>, game: &str) -> Result<Record, StoreError> {
    let mut get = transaction.prepare_cached(
        "SELECT number, parent, place, properties FROM nodes WHERE game = ?1 ORDER BY number",
    )?;
    let mut found = get.query([game])?;
    let mut record = Record::new();
    let mut continuations: BTreeMap<NodeId, Vec<(u32, NodeId)>> = BTreeMap::new();
    while let Some(row) = found.next()? {
        let (number, parent, place): (u32, Option<u32>, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let broken = |what: &str| StoreError::File {
            path: game.into(),
            problem: format!("{what} of node {number} cannot be read"),
        };
        let id = match parent {
            None => record.root(),
            Some(parent) => {
                let parent = record.find(parent).ok_or_else(|| broken("the parent"))?;
                let id = record.add_node(parent);
                continuations.entry(parent).or_default().push((place, id));
                id
            }
        };
        if id.number() != number {
            return Err(broken("the number"));
        }
        let properties: Vec<(String, Vec<String>)> =
            serde_json::from_str(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)
                .map_err(|_| broken("the properties"))?;
        for (identifier, values) in properties {
            record.node_mut(id).add(&identifier, values);
        }
    }
    for mut places in continuations.into_values() {
        if !places.is_sorted() {
            places.sort_unstable();
            // Each goes to the front, the last one first.
            places.into_iter().rev().for_each(|(_, id)| record.promote(id));
        }
    }
    Ok(record)
}
