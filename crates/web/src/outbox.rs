//! What waits for a page: bounded by its bytes, so that a page that does not read costs little, and is soon noticed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{
    Notify, OwnedSemaphorePermit, Semaphore,
    mpsc::{self, UnboundedReceiver, UnboundedSender},
};

use crate::protocol::Message;

/// Bytes that may wait for a page. The largest message, the tree of a record with as many nodes as there may be, has about half
/// of that.
const MAX_BYTES: usize = 4 << 20;
/// What a message costs besides its text.
const OVERHEAD: usize = 100;

/// The way to a page.
#[derive(Clone)]
pub(crate) struct Outbox {
    queue: UnboundedSender<Parcel>,
    room: Arc<Semaphore>,
    overflow: Arc<Notify>,
    /// The number of the seat at which the page sits.
    seat: Arc<AtomicU64>,
}

/// A message on its way, with the room that it takes until it has been sent.
pub(crate) struct Parcel {
    pub(crate) text: Arc<str>,
    _room: OwnedSemaphorePermit,
}

impl Outbox {
    pub(crate) fn new() -> (Outbox, UnboundedReceiver<Parcel>) {
        let (queue, parcels) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(MAX_BYTES));
        (Outbox { queue, room, overflow: Arc::default(), seat: Arc::default() }, parcels)
    }

    /// Puts a message in. `false` if the page is gone, or has read so little that it will be sent away.
    pub(crate) fn send(&self, text: Arc<str>) -> bool {
        let bytes = (text.len() + OVERHEAD).min(MAX_BYTES) as u32;
        if let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(bytes) {
            return self.queue.send(Parcel { text, _room: room }).is_ok();
        }
        self.room.close();
        self.overflow.notify_one();
        false
    }

    /// The page changes to this seat.
    pub(crate) fn sit_down(&self, seat: u64) {
        self.seat.store(seat, Ordering::Relaxed);
    }

    /// Puts a message in that is for whoever sits at a seat. What a table sends after a page has left is not for it any more.
    pub(crate) fn send_to_seat(&self, seat: u64, text: Arc<str>) -> bool {
        self.seat.load(Ordering::Relaxed) != seat || self.send(text)
    }

    /// Puts a message of the protocol in.
    pub(crate) fn tell(&self, message: &Message) -> bool {
        text(message).is_none_or(|text| self.send(text))
    }

    /// Returns when there was no room any more.
    pub(crate) async fn overflowed(&self) {
        self.overflow.notified().await;
    }
}

/// A message as it is sent.
pub(crate) fn text(message: &Message) -> Option<Arc<str>> {
    serde_json::to_string(message).ok().map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_back_when_a_message_has_been_sent() {
        let (outbox, mut parcels) = Outbox::new();
        let megabyte: Arc<str> = "x".repeat(1 << 20).into();
        for _ in 0..20 {
            assert!(outbox.send(Arc::clone(&megabyte)));
            drop(parcels.try_recv().unwrap());
        }
        assert_eq!(
            (0..20).filter(|_| outbox.send(Arc::clone(&megabyte))).count(),
            3,
            "four do not quite fit"
        );
        assert!(!outbox.send("short".into()), "once it was full the page is given up");
        let (outbox, _parcels) = Outbox::new();
        assert!(outbox.send("x".repeat(10 << 20).into()), "a message of any size fits in if it is alone");
    }
}
