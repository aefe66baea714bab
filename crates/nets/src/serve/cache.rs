//! Evaluations of positions that were seen before, shared between threads.

use std::sync::{Arc, Mutex};

use crate::serve::any::AnyOutput;

/// One remembered evaluation and the key of its position.
type Place = Mutex<Option<(u64, Arc<AnyOutput>)>>;

/// A table of fixed size: a position has one place, and keeps it until another one comes that has the same.
pub(crate) struct Cache(Vec<Place>);

impl Cache {
    pub(crate) fn new(places: usize) -> Cache {
        Cache((0..places).map(|_| Mutex::new(None)).collect())
    }

    fn place(&self, key: u64) -> Option<&Place> {
        self.0.get(key.checked_rem(self.0.len() as u64)? as usize)
    }

    pub(crate) fn get(&self, key: u64) -> Option<Arc<AnyOutput>> {
        let place = self.place(key)?.lock().ok()?;
        place.as_ref().filter(|(found, _)| *found == key).map(|(_, answer)| Arc::clone(answer))
    }

    pub(crate) fn put(&self, key: u64, answer: &Arc<AnyOutput>) {
        if let Some(mut place) = self.place(key).and_then(|place| place.lock().ok()) {
            *place = Some((key, Arc::clone(answer)));
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for place in &self.0 {
            if let Ok(mut place) = place.lock() {
                *place = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_position_of_a_place_is_remembered() {
        let answer = |win| Arc::new(AnyOutput { black_value: win, ..AnyOutput::default() });
        let cache = Cache::new(10);
        cache.put(3, &answer(0.3));
        cache.put(4, &answer(0.4));
        assert_eq!(cache.get(3).unwrap().black_value, 0.3);
        cache.put(13, &answer(0.9));
        assert!(cache.get(3).is_none() && cache.get(4).is_some());
        assert_eq!(cache.get(13).unwrap().black_value, 0.9);
        cache.clear();
        assert!(cache.get(4).is_none());
        let none = Cache::new(0);
        none.put(3, &answer(0.3));
        assert!(none.get(3).is_none());
    }
}
