//! `tengen lab report`: tables and plots from the results that are there.

use anyhow::{Context, Result, ensure};
use clap::Args;
use tengen_lab::experiments::{
    Results,
    report::{self, Story},
};

use super::DirectoryArgs;
use crate::output::Output;

/// Write the pages of experiments again; of all of them, and EXPERIMENTS.md, if none is named.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// The experiments
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    directory: DirectoryArgs,
}

pub(super) fn run(args: &ReportArgs, output: &mut Output) -> Result<()> {
    let root = args.directory.path();
    let experiments =
        if args.names.is_empty() { args.directory.all()? } else { args.directory.named(&args.names)? };
    let mut all = Vec::new();
    for experiment in experiments {
        let results = Results::read(&experiment)?;
        output.line(report::write(&experiment, &results)?.display().to_string())?;
        all.push((experiment, results));
    }
    if args.names.is_empty() {
        let link = root.file_name().context("--dir: name a directory")?.to_string_lossy();
        let page = root.parent().unwrap_or(root).join("EXPERIMENTS.md");
        let story = Story::read(root)?;
        let unknown = story.unknown(&all);
        ensure!(unknown.is_empty(), "{}: there is no experiment {}", Story::FILE, unknown.join(", "));
        report::put(&page, &report::collection(&story, &all, &link))?;
        output.line(page.display().to_string())?;
    }
    Ok(())
}
