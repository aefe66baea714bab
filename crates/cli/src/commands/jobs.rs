//! `tengen jobs`: what the workers do, how far everything is, and what its operator can do about it.

use std::net::SocketAddr;

use anyhow::Result;
use clap::Args;
use tengen_cluster::{Observer, Status};

use crate::{
    args::ServerArgs,
    output::{Output, counted},
};

const EXAMPLES: &str = "\
Examples:
  tengen jobs --nats nats://server:4222
  tengen jobs --nats nats://server:4222 --json
  tengen jobs --nats nats://server:4222 --listen 127.0.0.1:8020    a page with graphs
  tengen jobs --nats nats://server:4222 --purge kitchen            take everything back that a worker has played";

/// Show workers, games and how long they take.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct JobsArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show it as a page at this address, to be read only
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "json")]
    listen: Option<SocketAddr>,
    /// Set a worker aside, and have its games of matches and experiments played again
    #[arg(long, value_name = "WORKER", conflicts_with_all = ["listen", "json"])]
    purge: Option<String>,
    /// Let a worker play again that was set aside
    #[arg(long, value_name = "WORKER", conflicts_with_all = ["listen", "json", "purge"])]
    readmit: Option<String>,
    /// Remove a run from the server whose coordinator will not come back
    #[arg(long, value_name = "RUN", conflicts_with_all = ["listen", "json", "purge", "readmit"])]
    withdraw: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: &JobsArgs, output: &mut Output) -> Result<()> {
    let server = args.server.server();
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        if let Some(address) = args.listen {
            let ready = |address| output.remark(format!("http://{address}/"));
            return Ok(Box::pin(tengen_cluster::show(&server, address, ready)).await?);
        }
        let observer = Observer::connect(&server).await?;
        match (&args.purge, &args.readmit, &args.withdraw) {
            (Some(worker), ..) => {
                observer.purge(worker).await?;
                output.line(format!(
                    "worker {worker} is set aside; its games are played again by the coordinators that are there, or when they go on"
                ))
            }
            (_, Some(worker), _) => {
                observer.readmit(worker).await?;
                output.line(format!("worker {worker} may play again"))
            }
            (.., Some(name)) => {
                observer.withdraw(name).await?;
                output.line(format!("run {name} is removed"))
            }
            _ => {
                let status = observer.status().await?;
                if args.json { output.json(&status) } else { show(&status, output) }
            }
        }
    })
}

fn show(status: &Status, output: &mut Output) -> Result<()> {
    let Status { queued, running, done, failed, per_minute, .. } = status;
    let left = status.seconds_left.map_or(String::new(), |seconds| {
        let minutes = (seconds / 60.0).ceil() as u64;
        format!(", about {}:{:02} h left", minutes / 60, minutes % 60)
    });
    output.line(format!(
        "{} done, {running} under way, {queued} waiting, {failed} failed; {per_minute:.1} a minute{left}",
        counted(*done, "game")
    ))?;
    for run in &status.runs {
        let silent = if run.silent > 60 { format!(", silent for {} s", run.silent) } else { String::new() };
        output.line(format!(
            "run {}: {} of {}, {} failed: {} ({}{silent})",
            run.run, run.done, run.planned, run.failed, run.title, run.coordinator
        ))?;
    }
    for worker in &status.workers {
        output.line(format!(
            "worker {}: {} of {} cores, {}, {}",
            worker.name,
            worker.running,
            worker.cores,
            counted(worker.games, "game"),
            worker.state
        ))?;
    }
    if status.workers.is_empty() {
        output.line("no worker is there: start some with tengen work")?;
    }
    Ok(())
}
