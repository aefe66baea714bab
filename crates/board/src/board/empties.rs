//! The empty points of a board: a list in no particular order, in which every point knows its place.

#![allow(unsafe_code)] // Indexing: every move takes a point out. See the SAFETY comments.

use crate::vertex::{MAX_AREA, Vertex, VertexMap};

/// The list. Its first `count` entries are different points, `count` is at most `MAX_AREA`, and `place` has the index of each of
/// them.
#[derive(Clone)]
pub(super) struct Empties {
    list: [Vertex; MAX_AREA],
    place: VertexMap<u16>,
    count: usize,
}

impl Empties {
    pub(super) const fn new() -> Empties {
        Empties { list: [Vertex::NONE; MAX_AREA], place: VertexMap::filled(0), count: 0 }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Vertex] {
        // SAFETY: `count` is at most the length.
        unsafe { self.list.get_unchecked(..self.count) }
    }

    /// Adds a point that is not in the list.
    #[inline]
    pub(super) fn add(&mut self, v: Vertex) {
        self.list[self.count] = v;
        self.place[v] = self.count as u16;
        self.count += 1;
    }

    /// Takes a point out; the last one moves to its place.
    ///
    /// # Safety
    /// The point is in the list.
    #[inline]
    pub(super) unsafe fn remove(&mut self, v: Vertex) {
        let hole = self.place[v];
        self.count -= 1;
        // SAFETY: the list is not empty, and `hole` is a place in it.
        unsafe {
            let last = *self.list.get_unchecked(self.count);
            *self.list.get_unchecked_mut(hole as usize) = last;
            self.place[last] = hole;
        }
    }

    /// Exchanges two entries.
    ///
    /// # Safety
    /// `i` and `j` are less than the length.
    #[inline]
    pub(super) unsafe fn exchange(&mut self, i: usize, j: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (*self.list.get_unchecked(i), *self.list.get_unchecked(j));
            *self.list.get_unchecked_mut(i) = b;
            *self.list.get_unchecked_mut(j) = a;
            self.place[a] = j as u16;
            self.place[b] = i as u16;
        }
    }

    /// Copies what a board needs whose points are all below `end`.
    #[inline]
    pub(super) fn copy_prefix(&mut self, source: &Empties, end: Vertex) {
        self.list = source.list;
        self.place.copy_prefix(&source.place, end);
        self.count = source.count;
    }
}
