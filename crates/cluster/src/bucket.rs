//! Reading the server's buckets: all entries at once, or each as it changes.

use std::time::Duration;

use async_nats::jetstream::kv::{Operation, Store};
use futures_util::StreamExt;
use tokio::{sync::mpsc, time::sleep};

use crate::error::ClusterError;

/// An entry, by its key; without a value if it was removed.
pub(crate) type Change = (String, Option<Vec<u8>>);

/// Every entry of a bucket, in the order of their keys.
pub(crate) async fn entries(store: &Store) -> Result<Vec<(String, Vec<u8>)>, ClusterError> {
    let failed = ClusterError::server("tell what goes on");
    // An empty bucket would be watched for ever; what `status` tells was so when the bucket was opened.
    if store.stream.get_info().await.map_err(|error| failed(error.to_string()))?.state.messages == 0 {
        return Ok(Vec::new());
    }
    let mut watch = store.watch_with_history(">").await.map_err(|error| failed(error.to_string()))?;
    let mut entries = Vec::new();
    // What is removed at this moment leaves nothing to wait for.
    while let Ok(Some(entry)) = tokio::time::timeout(Duration::from_secs(2), watch.next()).await {
        let entry = entry.map_err(|error| failed(error.to_string()))?;
        let is_last = entry.seen_current;
        if entry.operation == Operation::Put {
            entries.push((entry.key, entry.value.to_vec()));
        }
        if is_last {
            break;
        }
    }
    entries.sort();
    entries.dedup_by(|later, earlier| later.0 == earlier.0);
    Ok(entries)
}

/// Tells of the entries that a key or pattern names, and of each change, for as long as somebody listens. Changes while the server
/// was away are told when it is back.
pub(crate) fn follow(store: Store, key: String) -> mpsc::Receiver<Change> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        while !sender.is_closed() {
            if let Ok(mut watch) = store.watch_with_history(&key).await {
                while let Some(Ok(entry)) = watch.next().await {
                    let value = (entry.operation == Operation::Put).then(|| entry.value.to_vec());
                    if sender.send((entry.key, value)).await.is_err() {
                        return;
                    }
                }
            }
            sleep(Duration::from_millis(500)).await;
        }
    });
    receiver
}
