//! A page that asks and does not read is sent away: its search ends, and what waits for it stays small. Alone in its file,
//! because it measures the process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use cpu_time::ProcessTime;
use serde_json::json;
use tokio::time::sleep;

use crate::common::Server;

/// Megabytes of memory that the process uses.
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    (pages.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096) >> 20
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_does_not_read_costs_no_search_and_little_memory() {
    let server = Server::start("not-reading").await;
    let mut page = server.page().await;
    let file = format!("(;SZ[19]C[{}];B[dd])", "x".repeat(3 << 19));
    page.send_file(file.as_bytes()).await;
    page.message("state").await;
    page.send(&json!({"type": "analyse", "on": true})).await;
    page.message("analysis").await;
    let before = memory();
    for _ in 0..50 {
        page.send(&json!({"type": "save"})).await;
    }
    let mut most = 0;
    for _ in 0..30 {
        sleep(Duration::from_millis(100)).await;
        most = most.max(memory().saturating_sub(before));
    }
    assert!(most < 60, "{most} MB wait for a page that does not read");
    let work = ProcessTime::now();
    sleep(Duration::from_millis(500)).await;
    assert!(work.elapsed() < Duration::from_millis(50), "it still works: {:?}", work.elapsed());
    while page.next().await.is_some() {}
}
