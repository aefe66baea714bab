//! `tengen doctor`: what this machine has, what runs, and what to do about what does not.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;

use crate::output::Output;

mod checks;
mod engine;
mod things;

const EXAMPLES: &str = "\
Examples:
  tengen doctor
  tengen doctor --pachi ~/pachi/pachi      also try Pachi ($PACHI does the same)
  tengen doctor --json                     for a bug report
  tengen doctor rave,net=my.safetensors    does this player work?
  tengen doctor 'gtp:gnugo --mode gtp'     does this engine work?
  tengen doctor my.safetensors game.sgf    what is wrong with these files?

The exit code is 1 if something that tengen itself needs does not work; other programs are optional.";

/// Check what works on this machine, and what to do about the rest.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// What to check instead of the machine: a player, gtp:COMMAND LINE, a network, a book, a game record
    #[arg(value_name = "THING")]
    things: Vec<String>,
    /// Path of Pachi, an opponent for experiments
    #[arg(long, env = "PACHI", value_name = "PATH")]
    pachi: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// It works.
    Ok,
    /// It works, but not as well as it could.
    Warning,
    /// Something optional is not there.
    Missing,
    /// Something necessary does not work.
    Failed,
}

/// One line of the report.
#[derive(Debug, Serialize)]
struct Check {
    name: String,
    status: Status,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    fn ok(name: impl Into<String>, detail: impl Into<String>) -> Check {
        Check { name: name.into(), status: Status::Ok, detail: detail.into(), remedy: None }
    }

    fn bad(
        name: impl Into<String>,
        status: Status,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Check {
        Check { name: name.into(), status, detail: detail.into(), remedy: Some(remedy.into()) }
    }
}

#[derive(Serialize)]
struct Report {
    version: &'static str,
    healthy: bool,
    checks: Vec<Check>,
}

pub(crate) fn run(args: &DoctorArgs, output: &mut Output) -> Result<()> {
    let spinner = output.spinner("examining");
    let is_about_machine = args.things.is_empty();
    let checks = if is_about_machine {
        checks::all(args)
    } else {
        args.things.iter().map(|thing| things::examine(thing)).collect()
    };
    drop(spinner);
    let healthy = checks.iter().all(|check| check.status != Status::Failed);
    let report = Report { version: env!("CARGO_PKG_VERSION"), healthy, checks };
    if args.json {
        output.json(&report)?;
    } else {
        show(&report, is_about_machine, output)?;
    }
    if !healthy {
        let what = if is_about_machine { "something that tengen needs" } else { "something" };
        bail!("{what} does not work: see above");
    }
    Ok(())
}

fn show(report: &Report, is_about_machine: bool, output: &mut Output) -> Result<()> {
    output.line(format!("tengen {}\n", report.version))?;
    for Check { name, status, detail, remedy } in &report.checks {
        let mark = match status {
            Status::Ok => "ok",
            Status::Warning => "note",
            Status::Missing => "none",
            Status::Failed => "FAIL",
        };
        output.line(format!("{mark:5} {name:10} {detail}"))?;
        if let Some(remedy) = remedy {
            output.line(format!("{:16} -> {remedy}", ""))?;
        }
    }
    if !is_about_machine {
        return Ok(());
    }
    let verdict =
        if report.healthy { "tengen works on this machine." } else { "tengen does not work properly here." };
    output.line(format!("\n{verdict}"))
}
