//! `tengen lab list`: the experiments.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use tengen_lab::experiments::Results;

use super::DirectoryArgs;
use crate::output::Output;

/// List the experiments, and what came of them.
#[derive(Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    directory: DirectoryArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    slug: String,
    claim: String,
    source: String,
    results: bool,
}

pub(super) fn run(args: &ListArgs, output: &mut Output) -> Result<()> {
    let mut listed = Vec::new();
    for experiment in args.directory.all()? {
        let results = Results::read(&experiment)?;
        if !args.json {
            let (slug, config) = (&experiment.slug, &experiment.config);
            output.line(format!(
                "{slug:28} {:5} {:15} {}",
                config.source,
                results.verdict(),
                config.claim
            ))?;
        }
        listed.push(Listed {
            slug: experiment.slug,
            claim: experiment.config.claim,
            source: experiment.config.source,
            results: results.n() > 0,
        });
    }
    if args.json {
        output.json(&serde_json::json!({ "experiments": listed }))?;
    }
    Ok(())
}
