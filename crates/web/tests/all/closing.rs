//! A page that is closed in the middle of a search frees it. Alone in its file, because it measures the process.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use cpu_time::ProcessTime;
use serde_json::json;
use tokio::time::sleep;

use crate::common::Server;

async fn work_within(time: Duration) -> Duration {
    let before = ProcessTime::now();
    sleep(time).await;
    before.elapsed()
}

#[tokio::test]
async fn closing_a_page_ends_its_search() {
    let server = Server::start("closing").await;
    let mut page = server.page().await;
    let engine = json!({"kind": "engine", "player": "default", "seconds": 300});
    page.begin_with(json!({"width": 19, "height": 19, "rules": "chinese",
        "seats": {"black": engine, "white": {"kind": "human"}}}))
        .await;
    page.message("analysis").await;
    assert!(work_within(Duration::from_millis(500)).await > Duration::from_millis(50), "it thinks");
    drop(page);
    sleep(Duration::from_millis(500)).await;
    let idle = work_within(Duration::from_millis(500)).await;
    assert!(idle < Duration::from_millis(25), "it still works: {idle:?}");
}
